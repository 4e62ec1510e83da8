/* sweep: measures the frequency response of one joint, as a table. */
#include "tuning/identify/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuning/identify/spectrum.h"
#include "tuning/verbs/experiment.h"

#define MIN_FOLLOWING_DB (-6.0) /* a joint with less gain than this may lag by 180 deg */
#define MAX_TONE_RATIO   1.3    /* max frequency ratio between a tone and its spectrum point */

struct sweep_state {
    struct aw_sweep sweep;
    double centre; /* centre of the sweep, in the controller's unit */
    struct aw_bode_point points[AW_SWEEP_TONES];
    double coherence[AW_SWEEP_TONES]; /* NaN: the run is too short */
    double explained_share;           /* share of the variance that the tones explain */
};

static enum aw_status parse_plan(struct aw_experiment *experiment, struct sweep_state *s)
{
    struct aw_session *session = experiment->session;
    const char *around = aw_experiment_given(session)->around;
    double centre = 0, amplitude = 0, scale = experiment->joint.scale;
    enum aw_status status =
        around ? aw_experiment_parse(experiment, "--around", around, &centre) : AW_OK;
    if (status == AW_OK)
        status = aw_experiment_parse(experiment, "--amplitude", aw_sweep_given(session)->amplitude,
                                     &amplitude);
    bool inside = centre - fabs(amplitude) >= experiment->joint.low &&
                  centre + fabs(amplitude) <= experiment->joint.high;
    if (status == AW_OK && !inside)
        status = aw_fail(&session->err, AW_LIMIT,
                         "sweep: %g ± %g %s leaves the range (%g to %g) — lower --amplitude",
                         centre * scale, fabs(amplitude) * scale, experiment->joint.unit,
                         experiment->joint.low * scale, experiment->joint.high * scale);
    if (status != AW_OK)
        return status;
    struct aw_sweep_plan plan = {
        .from_hz = aw_sweep_given(session)->from_hz,
        .to_hz = aw_sweep_given(session)->to_hz,
        .tones = (int)aw_sweep_given(session)->tones,
        .amplitude = amplitude * experiment->joint.scale,
        .duration_s = session->options.run.for_s > 0 ? session->options.run.for_s : 10,
    };
    s->centre = centre * experiment->joint.scale;
    return aw_sweep_start(&s->sweep, &plan, &session->err);
}

static enum aw_status run_excitation(struct aw_experiment *experiment, struct sweep_state *s,
                                     double seconds, bool is_moving)
{
    enum aw_status status = AW_OK;
    double t = 0;
    while (status == AW_OK && t < seconds) {
        status = aw_experiment_await_sample(experiment);
        t = (double)(aw_clock_now(experiment->session->clock) - experiment->time.start_ns) / 1e9;
        double value = s->centre + (is_moving ? aw_sweep_get_value(&s->sweep, t) : 0);
        if (status == AW_OK)
            status = aw_experiment_drive(experiment, value / experiment->joint.scale);
    }
    return status;
}

/* Sends two periods of the multisine. Only the second one is measured, after the transient. */
static enum aw_status perform_sweep(struct aw_experiment *experiment, struct sweep_state *s)
{
    double duration = s->sweep.plan.duration_s;
    double moving_s = 2 * duration;
    /* Slow tones must move the joint. */
    experiment->motion.config.moving_output = experiment->motion.config.strong_output;
    experiment->time.began_ns = aw_clock_now(experiment->session->clock);
    experiment->time.total_s = aw_experiment_given(experiment->session)->settle_s + moving_s;
    aw_experiment_restart(experiment);
    enum aw_status status =
        run_excitation(experiment, s, aw_experiment_given(experiment->session)->settle_s, false);
    aw_experiment_restart(experiment);
    return status == AW_OK ? run_excitation(experiment, s, moving_s, true) : status;
}

/* Returns the index of the first sample after the transient. */
static size_t find_start(const struct aw_experiment *experiment, const struct sweep_state *s)
{
    size_t first = 0;
    while (first < experiment->samples.n &&
           experiment->samples.list[first].t < s->sweep.plan.duration_s)
        first++;
    return first;
}

/* Finds the coherence at each tone: the share of the response that follows the setpoint. NaN: the
 * run is too short. */
static void find_coherence(const struct aw_columns *c, size_t n, struct sweep_state *s)
{
    struct aw_spectrum_point points[AW_SPECTRUM_POINTS];
    const struct aw_trial trial = {.input_t = c->t,
                                   .input = c->setpoint,
                                   .n_inputs = n,
                                   .is_stairs = true,
                                   .t = c->t,
                                   .y = c->measured,
                                   .n = n};
    size_t n_points = aw_find_spectrum(&trial, points);
    for (int i = 0; i < s->sweep.n; i++) {
        double nearest = log(MAX_TONE_RATIO);
        s->coherence[i] = NAN;
        for (size_t k = 0; k < n_points; k++)
            if (fabs(log(points[k].frequency_hz / s->points[i].frequency_hz)) < nearest) {
                nearest = fabs(log(points[k].frequency_hz / s->points[i].frequency_hz));
                s->coherence[i] = points[k].coherence;
            }
    }
}

static enum aw_status estimate(struct aw_experiment *experiment, struct sweep_state *s)
{
    size_t first = find_start(experiment, s), n = experiment->samples.n;
    const struct aw_columns c = aw_copy_columns(experiment->samples.list, n, 1);
    if (!c.t)
        return aw_no_memory(&experiment->session->err);
    enum aw_status status =
        aw_sweep_response(&s->sweep, c.t + first, c.setpoint + first, c.measured + first, n - first,
                          s->points, &s->explained_share, &experiment->session->err);
    if (status == AW_OK)
        find_coherence(&c, n, s);
    free(c.t);
    return status;
}

/* Checks the direction at the lowest frequency, at which a joint with correct wiring follows its
 * setpoint. */
static enum aw_status check_direction(const struct aw_experiment *experiment,
                                      const struct sweep_state *s)
{
    const struct aw_bode_point *lowest = &s->points[0];
    bool is_reversed = cos(lowest->phase_deg * M_PI / 180) < -0.5;
    if (!is_reversed || lowest->gain_db < MIN_FOLLOWING_DB)
        return AW_OK;
    return aw_fail(&experiment->session->err, AW_REFUSED,
                   "sweep: at %.4g Hz %s moves in the wrong direction (phase %.0f deg) — check "
                   "whether motor or encoder is reversed",
                   lowest->frequency_hz, experiment->joint.name, lowest->phase_deg);
}

static void report(struct aw_experiment *experiment, const struct sweep_state *s)
{
    struct aw_session *session = experiment->session;
    struct aw_bode_point open[AW_SWEEP_TONES];
    struct aw_bode_summary closed, loop;
    struct aw_object *result = &session->result, row;
    if (!aw_session_is_formatted(session))
        aw_output_print(&session->out, "%10s %10s %10s %10s\n", "Hz", "gain dB", "phase deg",
                        "coherence");
    for (int i = 0; i < s->sweep.n; i++) {
        const struct aw_bode_point *p = &s->points[i];
        aw_object_start(&row, NULL);
        aw_object_add_number(&row, "frequency", p->frequency_hz, -4, "Hz");
        aw_object_add_number(&row, "gain", p->gain_db, 3, "dB");
        aw_object_add_number(&row, "phase", p->phase_deg, 2, "deg");
        aw_object_add_number(&row, "coherence", s->coherence[i], 3, NULL);
        char trust[16];
        snprintf(trust, sizeof trust, "%.2f", s->coherence[i]);
        aw_session_print_row(session, &row, "%10.4g %10.3f %10.2f %10s\n", p->frequency_hz,
                             p->gain_db, p->phase_deg, isnan(s->coherence[i]) ? "-" : trust);
    }
    aw_bode_summary(s->points, s->sweep.n, &closed);
    aw_bode_open_loop(s->points, s->sweep.n, open);
    aw_bode_summary(open, s->sweep.n, &loop);
    aw_experiment_report(experiment, "sweep");
    aw_object_add_number(result, "bandwidth", closed.bandwidth_hz, 4, "Hz");
    aw_object_add_number(result, "peak_gain", closed.peak_gain, 4, NULL);
    aw_object_add_number(result, "peak_frequency", closed.peak_hz, 4, "Hz");
    aw_object_add_number(result, "phase_margin", loop.phase_margin_deg, 2, "deg");
    aw_object_add_number(result, "crossover", loop.crossover_hz, 4, "Hz");
    aw_object_add_number(result, "fit", s->explained_share, 4, NULL);
}

enum aw_status aw_run_sweep(struct aw_session *session, const struct aw_args *args)
{
    struct aw_experiment experiment;
    struct sweep_state s = {0};
    enum aw_status status = aw_experiment_init(&experiment, session, args);
    if (status == AW_OK)
        status = parse_plan(&experiment, &s);
    if (status == AW_OK)
        status = aw_experiment_begin(&experiment);
    if (status == AW_OK)
        status = aw_experiment_end(&experiment, perform_sweep(&experiment, &s));
    if (status == AW_OK)
        status = estimate(&experiment, &s);
    if (status == AW_OK) {
        report(&experiment, &s);
        status = aw_experiment_check_moved(&experiment, find_start(&experiment, &s),
                                           s.sweep.plan.amplitude);
        if (status == AW_OK)
            status = check_direction(&experiment, &s);
    }
    aw_experiment_free(&experiment);
    return status;
}

/* clang-format off */
const struct aw_command aw_custom_sweep_command = {
    AW_SWEEP_ROW(" of a custom joint", AW_CUSTOM_DEVIATION),
    .for_custom = true, .args = AW_ARGS(AW_CUSTOM_JOINT)};
/* clang-format on */
