/* The control period of the driver: measured before an experiment, else assumed, and reported. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuning/verbs/trials.h"

#define MAX_INTEGRATION_S 1.0   /* max duration of an integration, s */
#define ERROR             0.03  /* error to integrate, as a share of full scale */
#define KI                0.002 /* ki per control period: two steps of its resolution on the wire */
#define END_OUTPUT        0.007 /* share of full scale, in the dead band; ends an integration */
#define MAX_OUTPUT        0.0095 /* share of full scale; a larger output has another cause */
#define MAX_WAIT          5      /* max wait for the sample period, in tenths of a second */
#define ATTEMPTS          6      /* max number of integrations */

double aw_experiment_assume_tick(const struct aw_experiment_joint *joint, double period_s)
{
    return fmax(joint->loop.tick_s, period_s > 0 ? period_s : joint->loop.period_s);
}

/* Waits for the sample period, because frames faster than the driver's loop would be lost. */
static enum aw_status await_period(struct aw_experiment *experiment)
{
    enum aw_status status = AW_OK;
    for (int i = 0; status == AW_OK && i < MAX_WAIT &&
                    (i == 0 || !(experiment->hooks->period(experiment) > 0));
         i++)
        status = aw_experiment_collect(experiment, 0.1);
    return status;
}

/* Returns the period of --tick, else the one that telemetry or the joint's description suggests. */
static struct aw_tick find_expected(struct aw_experiment *experiment)
{
    double period_s = experiment->hooks->period ? experiment->hooks->period(experiment)
                                                : experiment->joint.loop.tick_s;
    if (aw_experiment_given(experiment->session)->tick_s > 0)
        return (struct aw_tick){aw_experiment_given(experiment->session)->tick_s, NAN,
                                AW_TICK_GIVEN};
    return (struct aw_tick){aw_experiment_assume_tick(&experiment->joint, period_s), NAN,
                            AW_TICK_ASSUMED};
}

/* Sends gains twice, because the driver does not confirm them and a frame may be lost. */
static enum aw_status send_gains(struct aw_experiment *experiment, double ki)
{
    enum aw_status status = aw_experiment_send_gains(experiment, (struct aw_gains){0, ki, 0});
    return status == AW_OK ? aw_experiment_send_gains(experiment, (struct aw_gains){0, ki, 0})
                           : status;
}

/* Integrates a constant error that is too small to move the joint. */
static enum aw_status integrate(struct aw_experiment *experiment)
{
    double start = aw_experiment_position(experiment);
    double target = start > 0 ? start - ERROR : start + ERROR;
    enum aw_status status = AW_OK;
    aw_experiment_restart(experiment);
    experiment->sampling.last.setpoint = NAN; /* until telemetry shows the new setpoint */
    do {
        if (status == AW_OK &&
            !(fabs(experiment->sampling.last.setpoint / experiment->joint.scale - target) < 1e-9))
            status = aw_experiment_push(experiment, target);
        if (status == AW_OK)
            status = aw_experiment_await_sample(experiment);
    } while (status == AW_OK && experiment->sampling.last.t < MAX_INTEGRATION_S &&
             fabs(experiment->sampling.last.output) < END_OUTPUT);
    return status;
}

static void evaluate(const struct aw_experiment *experiment, double ki, struct aw_tick *tick)
{
    size_t n = experiment->samples.n;
    const struct aw_columns c =
        aw_copy_columns(experiment->samples.list, n, 1 / experiment->joint.scale);
    for (size_t i = 0; c.t && i < n; i++)
        c.setpoint[i] -= c.measured[i];
    if (c.t && fabs(experiment->sampling.last.output) < MAX_OUTPUT)
        aw_tick_measure(c.t, c.setpoint, c.output, n, ki, tick);
    free(c.t);
}

/* Measures once, from rest with a cleared integral. */
static enum aw_status measure_once(struct aw_experiment *experiment, double ki,
                                   struct aw_tick *tick)
{
    enum aw_status status = aw_experiment_hold(experiment);
    if (status == AW_OK)
        status = send_gains(experiment, 0);
    if (status == AW_OK)
        status = send_gains(experiment, ki);
    if (status == AW_OK)
        status = integrate(experiment);
    *tick = (struct aw_tick){0};
    if (status == AW_OK)
        evaluate(experiment, ki, tick);
    return status;
}

/* Measures with two different ki. If a lost frame left an old gain in place, the results differ. */
static enum aw_status measure(struct aw_experiment *experiment, struct aw_tick *tick)
{
    struct aw_tick results[2] = {{0}};
    enum aw_status status = AW_OK;
    for (int i = 0; status == AW_OK && i < ATTEMPTS && tick->source != AW_TICK_MEASURED; i++) {
        status = measure_once(experiment, KI * (1 + i % 2), &results[i % 2]);
        bool both_valid =
            results[0].source == AW_TICK_MEASURED && results[1].source == AW_TICK_MEASURED;
        if (both_valid &&
            fabs(results[0].s - results[1].s) < results[0].half_width + results[1].half_width)
            *tick = results[results[1].half_width < results[0].half_width];
    }
    return status;
}

enum aw_status aw_experiment_measure_tick(struct aw_experiment *experiment, struct aw_tick *tick)
{
    struct aw_session *session = experiment->session;
    /* The description of the firmware gives the period. */
    bool is_described = !experiment->hooks->period;
    enum aw_status status = is_described ? AW_OK : await_period(experiment);
    *tick = find_expected(experiment);
    if (status != AW_OK || is_described || tick->source == AW_TICK_GIVEN)
        return status;
    status = measure(experiment, tick);
    /* clears the error and the integral, so that the previous gains have no effect */
    if (status == AW_OK)
        status = aw_experiment_hold(experiment);
    if (status == AW_OK)
        status = aw_experiment_send_gains(experiment, (struct aw_gains){0});
    if (status == AW_OK)
        status = aw_experiment_send_gains(experiment, experiment->gains.old);
    if (status == AW_OK && tick->source != AW_TICK_MEASURED)
        aw_session_print_notice(
            session,
            "could not measure the control period; assuming %.4g ms — give --tick "
            "TIME to change it",
            1000 * tick->s);
    return status;
}

const char *aw_experiment_tick_text(const struct aw_session *session, const struct aw_tick *tick,
                                    char out[AW_EXPERIMENT_TICK_TEXT])
{
    const char *source = tick->source == AW_TICK_ASSUMED
                             ? aw_experiment_get_hooks(session)->text.assumed
                         : tick->source == AW_TICK_GIVEN ? "as given"
                                                         : aw_tick_source_names[tick->source];
    if (isfinite(tick->half_width))
        snprintf(out, AW_EXPERIMENT_TICK_TEXT, "%.4g ± %.2g ms, %s", 1000 * tick->s,
                 1000 * tick->half_width, source);
    else
        snprintf(out, AW_EXPERIMENT_TICK_TEXT, "%.4g ms, %s", 1000 * tick->s, source);
    return out;
}

void aw_experiment_report_tick(struct aw_session *session, const struct aw_tick *tick)
{
    struct aw_object *result = &session->result;
    aw_object_add_number(result, "tick", tick->s, -4, "s");
    if (isfinite(tick->half_width))
        aw_object_add_number(result, "tick_half", tick->half_width, -4, "s");
    aw_object_add_text(result, "tick_from", aw_tick_source_names[tick->source]);
}
