/* The control period of the driver: measured before an experiment, else assumed, and reported. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuning/verbs/trials.h"

#define FOR_S    1.0    /* max duration of an integration, s */
#define ERROR    0.03   /* error to integrate, as a share of full scale */
#define KI       0.002  /* ki per control period: two steps of its resolution on the wire */
#define ENOUGH   0.007  /* output that ends an integration: in the dead band, so nothing moves */
#define TOO_FAR  0.0095 /* a larger output does not come from this integration */
#define PATIENCE 5      /* max wait for the sample period, in tenths of a second */
#define ATTEMPTS 6      /* max number of integrations */

double aw_bench_tick_of_period(const struct aw_bench_joint *joint, double period_s)
{
    return fmax(joint->tick_s, period_s > 0 ? period_s : joint->period_s);
}

/* Waits for the sample period, because frames faster than the driver's loop would be lost. */
static enum aw_status await_period(struct aw_bench *bench)
{
    enum aw_status status = AW_OK;
    for (int i = 0;
         status == AW_OK && i < PATIENCE && (i == 0 || !(bench->hooks->period(bench) > 0)); i++)
        status = aw_bench_collect(bench, 0.1);
    return status;
}

/* Returns the period of --tick or of the joint's description, else the one that telemetry
 * suggests. */
static struct aw_tick expected(struct aw_bench *bench)
{
    double period_s = bench->hooks->period ? bench->hooks->period(bench) : bench->joint.tick_s;
    if (aw_experiment_given(bench->session)->tick_s > 0)
        return (struct aw_tick){aw_experiment_given(bench->session)->tick_s, NAN, AW_TICK_GIVEN};
    if (bench->joint.driver.tick_s > 0)
        return (struct aw_tick){bench->joint.driver.tick_s, NAN, AW_TICK_GIVEN};
    return (struct aw_tick){aw_bench_tick_of_period(&bench->joint, period_s), NAN, AW_TICK_ASSUMED};
}

/* Sends gains twice, because the driver does not confirm them and a frame may be lost. */
static enum aw_status send_gains(struct aw_bench *bench, double ki)
{
    enum aw_status status = aw_bench_gains(bench, (struct aw_gains){0, ki, 0});
    return status == AW_OK ? aw_bench_gains(bench, (struct aw_gains){0, ki, 0}) : status;
}

/* Integrates a constant error that is too small to move the joint. */
static enum aw_status integrate(struct aw_bench *bench)
{
    double here = bench->last[AW_BENCH_MEASURED] / bench->joint.scale;
    double there = here > 0 ? here - ERROR : here + ERROR;
    enum aw_status status = aw_bench_restart(bench);
    bench->last[AW_BENCH_SETPOINT] = NAN; /* until telemetry shows the new setpoint */
    do {
        if (status == AW_OK &&
            !(fabs(bench->last[AW_BENCH_SETPOINT] / bench->joint.scale - there) < 1e-9))
            status = aw_bench_push(bench, there);
        if (status == AW_OK)
            status = aw_bench_await_turn(bench);
    } while (status == AW_OK && bench->last[AW_BENCH_T] < FOR_S &&
             fabs(bench->last[AW_BENCH_OUTPUT]) < ENOUGH);
    return status;
}

static bool evaluate(struct aw_bench *bench, double ki, struct aw_tick *tick)
{
    size_t n = bench->table.n_rows;
    double *values = aw_bench_columns(&bench->table, 0);
    if (!values)
        return false;
    double *t = values + AW_BENCH_T * n, *error = values + AW_BENCH_SETPOINT * n;
    const double *measured = values + AW_BENCH_MEASURED * n, *output = values + AW_BENCH_OUTPUT * n;
    bool good = fabs(bench->last[AW_BENCH_OUTPUT]) < TOO_FAR;
    for (size_t i = 0; i < n; i++)
        error[i] = (error[i] - measured[i]) / bench->joint.scale;
    good = good && aw_tick_measure(t, error, output, n, ki, tick);
    free(values);
    return good;
}

/* Measures once, from rest with a cleared integral. */
static enum aw_status attempt(struct aw_bench *bench, double ki, struct aw_tick *tick)
{
    enum aw_status status =
        aw_bench_push(bench, bench->last[AW_BENCH_MEASURED] / bench->joint.scale);
    if (status == AW_OK)
        status = send_gains(bench, 0);
    if (status == AW_OK)
        status = send_gains(bench, ki);
    if (status == AW_OK)
        status = integrate(bench);
    *tick = (struct aw_tick){0};
    if (status == AW_OK)
        evaluate(bench, ki, tick);
    return status;
}

/* Measures with two different ki. If a lost frame left an old gain in place, the results differ. */
static enum aw_status measure(struct aw_bench *bench, struct aw_tick *tick)
{
    struct aw_tick seen[2] = {{0}};
    enum aw_status status = AW_OK;
    for (int i = 0; status == AW_OK && i < ATTEMPTS && tick->from != AW_TICK_MEASURED; i++) {
        status = attempt(bench, KI * (1 + i % 2), &seen[i % 2]);
        bool both = seen[0].from == AW_TICK_MEASURED && seen[1].from == AW_TICK_MEASURED;
        if (both && fabs(seen[0].s - seen[1].s) < seen[0].half + seen[1].half)
            *tick = seen[seen[1].half < seen[0].half];
    }
    return status;
}

enum aw_status aw_bench_tick_measure(struct aw_bench *bench, struct aw_tick *tick)
{
    struct aw_session *session = bench->session;
    bool known = !bench->hooks->period; /* the description of the firmware has the period */
    enum aw_status status = known ? AW_OK : await_period(bench);
    *tick = expected(bench);
    if (status != AW_OK || known || tick->from == AW_TICK_GIVEN)
        return status;
    status = measure(bench, tick);
    /* clears the error and the integral, so that the previous gains have no effect */
    if (status == AW_OK)
        status = aw_bench_push(bench, bench->last[AW_BENCH_MEASURED] / bench->joint.scale);
    if (status == AW_OK)
        status = aw_bench_gains(bench, (struct aw_gains){0});
    if (status == AW_OK)
        status = aw_bench_gains(bench, bench->old);
    if (status == AW_OK && tick->from != AW_TICK_MEASURED)
        aw_session_notice(session,
                          "could not measure the control period; assuming %.4g ms — give --tick "
                          "TIME to change it",
                          1000 * tick->s);
    return status;
}

const char *aw_bench_tick_text(const struct aw_session *session, const struct aw_tick *tick,
                               char out[AW_BENCH_TICK_TEXT])
{
    static const char *const from[AW_TICK_FROMS] = {
        [AW_TICK_UNKNOWN] = "unknown",
        [AW_TICK_GIVEN] = "as given",
        [AW_TICK_MEASURED] = "measured",
    };
    const char *how =
        tick->from == AW_TICK_ASSUMED ? session->tool->bench->assumed : from[tick->from];
    if (isfinite(tick->half))
        snprintf(out, AW_BENCH_TICK_TEXT, "%.4g ± %.2g ms, %s", 1000 * tick->s, 1000 * tick->half,
                 how);
    else
        snprintf(out, AW_BENCH_TICK_TEXT, "%.4g ms, %s", 1000 * tick->s, how);
    return out;
}

void aw_bench_report_tick(struct aw_session *session, const struct aw_tick *tick)
{
    struct aw_object *result = &session->result;
    aw_object_number(result, "tick", tick->s, -4, "s");
    if (isfinite(tick->half))
        aw_object_number(result, "tick_half", tick->half, -4, "s");
    aw_object_text(result, "tick_from", aw_tick_from_names[tick->from]);
}
