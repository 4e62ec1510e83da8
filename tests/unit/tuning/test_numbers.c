/* Tables of results for known processes. Other tests check the results against theory; these
 * pictures reveal any change. */
#include <math.h>

#include "numbers_helper.h"

#include "tuning/design.h"
#include "tuning/identify/excite.h"
#include "tuning/identify/spectrum.h"
#include "tuning/identify/sweep.h"
#include "tuning/predict.h"
#include "tuning/run.h"

static const struct {
    const char *name;
    struct aw_process process;
} processes[] = {
    {"lag", {.gain = 0.8, .a1 = 0.3, .dead_time_s = 0.05}},
    {"slow lag", {.gain = -1.5, .a1 = 1.2, .dead_time_s = 0.2}},
    {"two lags", {.gain = 1.2, .a1 = 0.35, .a2 = 0.015, .dead_time_s = 0.02}},
    {"two equal lags", {.gain = 1, .a1 = 0.2, .a2 = 0.01, .dead_time_s = 0.03}},
    {"swinging", {.gain = 0.5, .a1 = 0.05, .a2 = 0.01, .dead_time_s = 0.01}},
    {"integrator", {.gain = 2, .integrating = true, .a1 = 0.03, .dead_time_s = 0.015}},
    {"bare integrator", {.gain = -3, .integrating = true, .dead_time_s = 0.05}},
    {"no dead time", {.gain = 1, .a1 = 0.5}},
};
#define N_PROCESSES (sizeof processes / sizeof *processes)

static const struct aw_driver driver = {.tick_s = 0.01,
                                        .dead_band = 0.01,
                                        .lost = 0.01,
                                        .output_max = 0.8,
                                        .gain_max = 100,
                                        .quantum = 0.0005,
                                        .noise = 0.0002};

TEST(process_tables_match_the_picture)
{
    FILE *out = begin_picture();
    for (size_t i = 0; i < N_PROCESSES; i++) {
        const struct aw_process *p = &processes[i].process;
        double tau1, tau2, damping, omega = 0, ku = 0;
        aw_process_lags(p, &tau1, &tau2, &damping);
        bool ultimate = aw_process_ultimate(p, &omega, &ku);
        fprintf(out, "%s: %s\n", processes[i].name, aw_process_kind_name(aw_process_kind_of(p)));
        NUMBERS(out, "  lags", tau1, tau2, damping);
        NUMBERS(out, "  ultimate", ultimate, omega, ku);
        for (double w = 0.1; w < 200; w *= 4) {
            double complex g = aw_process_response(p, w);
            NUMBERS(out, "  response", w, creal(g), cimag(g), aw_process_phase(p, w));
        }
        struct aw_process_state x = {0};
        for (int k = 0; k < 6; k++) { /* up a ramp, then level */
            aw_process_advance(p, &x, k < 3 ? k / 3. : 1, k < 3 ? (k + 1) / 3. : 1, 0.1);
            NUMBERS(out, "  after", 0.1 * (k + 1), x.y, x.rate);
        }
    }
    end_picture(out, "control-processes.txt");
}

TEST(rule_tables_match_the_picture)
{
    static const struct aw_plant plants[] = {{5, 0.8, false}, {0.25, 4, true}};
    struct aw_error err;
    FILE *out = begin_picture();
    for (size_t i = 0; i < 2; i++)
        for (int rule = 0; rule < AW_RULES; rule++)
            for (int form = 0; form < AW_FORMS; form++) {
                struct aw_gains g;
                enum aw_rule r = (enum aw_rule)rule;
                fprintf(out, "%s%s, form %d, then %d:", form ? "\t" : "", aw_rule_name(r), form,
                        (int)aw_rule_form(r, &plants[i]));
                if (aw_rule_gains(r, (enum aw_form)form, &plants[i], &g, &err) == AW_OK)
                    NUMBERS(out, "", g.kp, g.ki, g.kd);
                else
                    fprintf(out, " %s\n", err.text);
            }
    end_picture(out, "control-rules.txt");
}

static void print_response(FILE *out, const struct aw_response *r)
{
    for (int i = 0; i < AW_METRICS; i++) {
        char name[32];
        snprintf(name, sizeof name, " %s", aw_metric((enum aw_metric)i)->name);
        NUMBERS(out, name, r->value[i]);
    }
    NUMBERS(out, " final", r->final);
}

static void print_proposal(FILE *out, const struct aw_proposal *p)
{
    const struct aw_gains *g = &p->per_tick;
    const struct aw_margins *m = &p->margins;
    NUMBERS(out, "    gains", g->kp, g->ki, g->kd, p->limited);
    NUMBERS(out, "    margins", m->stable, m->ms, m->gain_margin, m->phase_margin_deg, m->crossover,
            m->bandwidth);
    NUMBERS(out, "    activity, load", p->activity, p->load_iae, p->duration_s);
    numbers(out, "    step", p->step.value, AW_METRICS);
    if (*p->refusal)
        fprintf(out, "    %s\n", p->refusal);
}

/* Prints each rule for the processes that it applies to. */
TEST(proposals_match_the_picture)
{
    struct aw_error err;
    FILE *out = begin_picture();
    for (size_t i = 0; i < N_PROCESSES; i++)
        for (int rule = 0; rule < AW_RULE_ROBUST; rule++)
            for (int form = ((int)i + rule) % 2; form < AW_FORMS; form += AW_FORMS) {
                struct aw_design_options o = {.rule = (enum aw_rule)rule,
                                              .form = (enum aw_form)form,
                                              .unproven = i % 2,
                                              .late_s = i == 2 ? 0.03 : 0,
                                              .step = i == 3 ? 0.1 : 0};
                struct aw_proposal p;
                enum aw_status status = aw_design(&processes[i].process, &driver, &o, &p, &err);
                fprintf(out, "%s, %s, form %d:%s\n", processes[i].name, aw_rule_name(o.rule), form,
                        status == AW_USAGE ? err.text : "");
                if (status != AW_USAGE)
                    print_proposal(out, &p);
            }
    end_picture(out, "control-proposals.txt");
}

/* Prints the search, from its grid to the optimum. */
TEST(robust_designs_match_the_picture)
{
    static const struct {
        size_t process;
        struct aw_design_options options;
    } rows[] = {
        {0, {.form = AW_FORM_PI}},
        {0, {.form = AW_FORM_PID, .bounded = true, .overshoot = 0.05}},
        {5, {.form = AW_FORM_PD}},
        {1, {.form = AW_FORM_P, .ms = 1.4}},
        {5, {.form = AW_FORM_PI, .bounded = true, .overshoot = 0.02, .activity = 0.02}},
        {2, {.form = AW_FORM_PID, .ms = 1.01, .activity = 1e-6}},
        {0, {.form = AW_FORM_PI, .ms = 0.9}},
        {0, {.form = AW_FORM_PI, .ms = 0.9, .bounded = true, .overshoot = 0.3}},
        {4, {.form = AW_FORM_PID, .ms = 1.8, .activity = 0.05}},
        {2, {.form = AW_FORM_PI, .ms = 1.7, .bounded = true, .overshoot = 0.001, .activity = 0.05}},
        {6, {.form = AW_FORM_PID, .ms = 2.5, .activity = 0.9, .bounded = true, .overshoot = 0.02}},
        {5, {.form = AW_FORM_PID, .ms = 2, .activity = 0.9}},
    };
    struct aw_error err;
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_design_options o = rows[i].options;
        struct aw_proposal p;
        o.rule = AW_RULE_ROBUST;
        enum aw_status status =
            aw_design(&processes[rows[i].process].process, &driver, &o, &p, &err);
        fprintf(out, "%s, form %d: ", processes[rows[i].process].name, (int)o.form);
        if (status == AW_OK)
            fprintf(out, "%.6g %.6g %.6g, Ms %.6g, load %.6g\n", p.per_tick.kp, p.per_tick.ki + 0.,
                    p.per_tick.kd + 0., p.margins.ms, p.load_iae);
        else
            fprintf(out, "%s\n", err.text);
    }
    end_picture(out, "control-robust.txt");
}

/* Prints the linear loop, and the loop with dead band, limit and quantized measurement. */
TEST(predictions_match_the_picture)
{
    static const struct aw_gains gains = {1.5, 0.02, 4};
    FILE *out = begin_picture();
    for (size_t i = 0; i < N_PROCESSES; i++)
        for (int k = (int)i % 3; k < 3; k += 3) {
            const struct aw_process *p = &processes[i].process;
            struct aw_scene scene = {.from = 0.1,
                                     .to = k < 2 ? 0.3 : 0.1,
                                     .load = k / 2 * 0.2,
                                     .duration_s = 1,
                                     .full = k};
            struct aw_gains g = gains;
            if (p->gain < 0)
                g = (struct aw_gains){-g.kp, -g.ki, -g.kd};
            struct aw_error err;
            size_t n;
            struct aw_sample *samples = aw_predict(p, &driver, &g, &scene, &n, &err);
            assert_non_null(samples);
            fprintf(out, "%s, scene %d: %zu samples\n", processes[i].name, k, n);
            for (size_t s = 0; s < n; s += s < 3 ? 1 : 48)
                NUMBERS(out, " ", samples[s].t, samples[s].setpoint, samples[s].measured,
                        samples[s].output);
            free(samples);
            if (k == 0)
                NUMBERS(out, " load, overshoot", aw_predict_load_iae(p, 0.01, &g),
                        aw_predict_overshoot(p, 0.01, &g));
        }
    struct aw_error err;
    size_t n;
    assert_null(
        aw_predict(&processes[0].process, &driver, &gains, &(struct aw_scene){.to = 1}, &n, &err));
    fprintf(out, "%s\n", err.text);
    end_picture(out, "control-predictions.txt");
}

/* Uses short responses of many kinds, in which one sample more or less makes a difference. */
TEST(step_responses_match_the_picture)
{
    static const struct {
        const char *name;
        double measured[24];
        struct aw_step step;
    } rows[] = {
        {"over and back",
         {0, 0, 0.1, 0.4, 0.9, 1.3, 1.2, 0.95, 0.9, 0.97, 1.03, 1.01,
          1, 1, 1,   1,   1,   1,   1,   1,    1,   1,    1,    1},
         {0, 1, 0.1, 1}},
        {"short of it",
         {0,   0,   0.3, 0.5, 0.6, 0.65, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7,
          0.7, 0.7, 0.7, 0.7, 0.7, 0.7,  0.7, 0.7, 0.7, 0.7, 0.7, 0.7},
         {0, 1, 0.1, 0}},
        {"downwards, with an outlier",
         {5, 5, 4, 3, 2, 1, 9, 0, -0.2, -0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
         {5, 0, 0.15, 3}},
        {"never at rest",
         {0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1},
         {0, 1, 0, 5}},
        {"at once",
         {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
         {0, 1, 0, 1}},
    };
    struct aw_error err;
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_sample samples[24];
        struct aw_response r;
        for (int k = 0; k < 24; k++)
            samples[k] = (struct aw_sample){0.1 * k, k < 2 ? rows[i].step.from : rows[i].step.to,
                                            rows[i].measured[k], k % 7 - 4.5};
        assert_int_equal(aw_response(samples, 24, &rows[i].step, &r, &err), AW_OK);
        fprintf(out, "%s\n", rows[i].name);
        print_response(out, &r);
        struct aw_step found;
        for (size_t n = 3; n <= 24; n += n < 5 ? 1 : 19)
            if (aw_step_find(samples, n, &found, &err) == AW_OK)
                NUMBERS(out, " found", found.from, found.to, found.time_s, found.median);
            else
                fprintf(out, "%s\n", err.text);
        if (aw_response(samples, 5, &rows[i].step, &r, &err) == AW_OK)
            NUMBERS(out, " of five", r.value[AW_IAE], r.final);
        else
            fprintf(out, "%s\n", err.text);
    }
    end_picture(out, "control-responses.txt");
}

/* Prints each output change of an experiment with the relay alone, steps alone, and both. */
TEST(experiments_match_the_picture)
{
    FILE *out = begin_picture();
    for (size_t i = 0; i < N_PROCESSES; i++)
        for (int k = (int)i % 3; k < 3; k += 3) {
            const struct aw_process *p = &processes[i].process;
            struct aw_excite_config config = {.centre = 0.2,
                                              .amplitude = 0.1,
                                              .hysteresis = 0.002,
                                              .max_deviation = i == 1 ? 0.05 : 0.2,
                                              .max_time_s = 20,
                                              .steps = k != 1,
                                              .relay = k != 0};
            struct aw_excite excite;
            struct aw_process_state x = {0};
            double past[64] = {0}, before = NAN;
            size_t late = (size_t)(p->dead_time_s / 0.01 + 0.5);
            struct aw_error err;
            assert_int_equal(aw_excite_start(&excite, &config, &err), AW_OK);
            fprintf(out, "%s, %d: gain", processes[i].name, k);
            NUMBERS(out, "", aw_excite_gain(&config, 1));
            for (size_t n = 0; n < 2500 && excite.part != AW_EXCITE_OVER; n++) {
                double y = 0.2 + fabs(p->gain) * x.y,
                       u = aw_excite_feed(&excite, 0.01 * (double)n, y);
                if (u != before) {
                    char part[32];
                    snprintf(part, sizeof part, " %s", aw_excite_part_name(excite.part));
                    NUMBERS(out, part, 0.01 * (double)n, y, u);
                }
                before = past[n % 64] = u;
                double in = past[(n + 64 - late) % 64];
                aw_process_advance(p, &x, in, in, 0.01);
            }
            if (aw_excite_result(&excite, &err) != AW_OK)
                fprintf(out, "  %s\n", err.text);
        }
    end_picture(out, "control-experiments.txt");
}

/* Prints sweeps, their frequency responses and the margins. */
TEST(sweeps_match_the_picture)
{
    enum { N = 800 };
    static double t[N], in[N], measured[N];
    FILE *out = begin_picture();
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < N_PROCESSES; i += 3) {
            struct aw_sweep_plan plan = {.kind = (enum aw_sweep_kind)kind,
                                         .from_hz = 0.5,
                                         .to_hz = 8,
                                         .tones = 7,
                                         .amplitude = 0.1,
                                         .duration_s = 6};
            struct aw_sweep sweep;
            struct aw_process_state x = {0};
            struct aw_bode_point points[AW_SWEEP_TONES];
            struct aw_bode_summary s;
            double fit;
            struct aw_error err;
            assert_int_equal(aw_sweep_start(&sweep, &plan, &err), AW_OK);
            for (int n = 0; n < N; n++) {
                t[n] = 0.01 * n;
                in[n] = aw_sweep_value(&sweep, t[n]);
                measured[n] = processes[i].process.gain * x.y;
                aw_process_advance(&processes[i].process, &x, in[n],
                                   aw_sweep_value(&sweep, t[n] + 0.01), 0.01);
            }
            fprintf(out, "%s, kind %d\n", processes[i].name, kind);
            NUMBERS(out, "  value", in[1], in[50], in[333], in[599], in[601], sweep.scale,
                    sweep.crest);
            if (aw_sweep_response(&sweep, t, in, measured, N, points, &fit, &err) != AW_OK) {
                fprintf(out, "  %s\n", err.text);
                continue;
            }
            NUMBERS(out, "  fit", fit);
            for (int open = 0; open < 2; open++) {
                for (int k = open; k < sweep.n; k += 3)
                    NUMBERS(out, "  point", points[k].hz, points[k].gain, points[k].gain_db,
                            points[k].phase_deg);
                aw_bode_summary(points, sweep.n, &s);
                NUMBERS(out, "  summary", s.bandwidth_hz, s.crossover_hz, s.phase_margin_deg,
                        s.phase_cross_hz, s.gain_margin, s.peak_gain, s.peak_hz);
                aw_bode_open_loop(points, sweep.n, points);
            }
            struct aw_trial trial = {
                .input_t = t, .input = in, .n_inputs = N, .t = t, .y = measured, .n = N};
            struct aw_spectrum_point spectrum[AW_SPECTRUM_POINTS];
            size_t n = aw_spectrum(&trial, spectrum, &err);
            for (size_t k = 0; k < n; k += 4)
                NUMBERS(out, "  spectrum", spectrum[k].hz, spectrum[k].gain, spectrum[k].phase_deg,
                        spectrum[k].coherence, spectrum[k].pieces);
        }
    end_picture(out, "control-sweeps.txt");
}
