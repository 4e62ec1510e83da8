/* Prints designs and predictions for known processes. Other tests compare them with theory;
 * these golden files show any change. */
#include <math.h>

#include "numbers_helper.h"

#include "tuning/design.h"
#include "tuning/predict.h"

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
                                        .friction = 0.01,
                                        .output_max = 0.8,
                                        .gain_max = 100,
                                        .quantum = 0.0005,
                                        .noise = 0.0002};

static void print_design(FILE *out, size_t process, const struct aw_design_options *o)
{
    struct aw_error err;
    struct aw_proposal p;
    const struct aw_gains *g = &p.per_tick;
    const struct aw_margins *m = &p.margins;
    enum aw_status status = aw_design(&processes[process].process, &driver, o, &p, &err);
    bool proposed = status == AW_OK || *p.refusal;
    fprintf(out, "%s, %s: %s\n", processes[process].name, aw_form_names[o->form],
            proposed ? "" : err.text);
    if (!proposed)
        return;
    NUMBERS(out, "    gains", g->kp, fabs(g->ki) < 1e-9 ? 0 : g->ki, g->kd, p.out_of_range);
    NUMBERS(out, "    margins", m->stable, m->ms, m->gain_margin, m->phase_margin_deg, m->crossover,
            m->bandwidth);
    NUMBERS(out, "    activity, load", p.activity, p.load_iae, p.duration_s);
    numbers(out, "    step", p.step.value, AW_METRICS);
    if (*p.refusal)
        fprintf(out, "    %s\n", p.refusal);
}

TEST(proposals_match_the_golden_file)
{
    FILE *out = begin_picture();
    for (size_t i = 0; i < N_PROCESSES; i++)
        for (int form = (int)i % 2; form < AW_FORMS; form += 2) {
            struct aw_design_options o = {.form = (enum aw_form)form,
                                          .allow_high_ms = i % 2,
                                          .dead_time_half_s = i == 2 ? 0.03 : 0,
                                          .step = i == 3 ? 0.1 : 0};
            print_design(out, i, &o);
        }
    end_picture(out, "control-proposals.txt");
}

TEST(robust_designs_match_the_golden_file)
{
    static const struct {
        size_t process;
        struct aw_design_options options;
    } rows[] = {
        {0, {.form = AW_FORM_PI}},
        {0, {.form = AW_FORM_PID, .limits_overshoot = true, .overshoot = 0.05}},
        {5, {.form = AW_FORM_PD}},
        {1, {.form = AW_FORM_P, .ms = 1.4}},
        {5, {.form = AW_FORM_PI, .limits_overshoot = true, .overshoot = 0.02, .activity = 0.02}},
        {2, {.form = AW_FORM_PID, .ms = 1.01, .activity = 1e-6}},
        {0, {.form = AW_FORM_PI, .ms = 0.9}},
        {0, {.form = AW_FORM_PI, .ms = 0.9, .limits_overshoot = true, .overshoot = 0.3}},
        {4, {.form = AW_FORM_PID, .ms = 1.8, .activity = 0.05}},
        {2,
         {.form = AW_FORM_PI,
          .ms = 1.7,
          .limits_overshoot = true,
          .overshoot = 0.001,
          .activity = 0.05}},
        {6,
         {.form = AW_FORM_PID,
          .ms = 2.5,
          .activity = 0.9,
          .limits_overshoot = true,
          .overshoot = 0.02}},
        {5, {.form = AW_FORM_PID, .ms = 2, .activity = 0.9}},
    };
    FILE *out = begin_picture();
    EACH (row, rows)
        print_design(out, row->process, &row->options);
    end_picture(out, "control-robust.txt");
}

TEST(predictions_match_the_golden_file)
{
    static const struct aw_gains gains = {1.5, 0.02, 4};
    FILE *out = begin_picture();
    for (size_t i = 0; i < N_PROCESSES; i++)
        for (int k = (int)i % 2; k < 2; k += 2) {
            const struct aw_process *p = &processes[i].process;
            const struct aw_driver linear = {.tick_s = driver.tick_s};
            struct aw_scene scene = {.step = 0.2, .duration_s = 1};
            struct aw_gains g = gains;
            if (p->gain < 0)
                g = (struct aw_gains){-g.kp, -g.ki, -g.kd};
            struct aw_error err;
            size_t n;
            struct aw_sample *samples = aw_predict(p, k ? &driver : &linear, &g, &scene, &n, &err);
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
    assert_null(aw_predict(&processes[0].process, &driver, &gains, &(struct aw_scene){.step = 1},
                           &n, &err));
    fprintf(out, "%s\n", err.text);
    end_picture(out, "control-predictions.txt");
}
