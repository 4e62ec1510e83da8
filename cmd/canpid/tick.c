/* How often the driver's law runs: measured before an experiment, else assumed, and told. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuning.h"

#define FOR_S    1.0    /* at most */
#define ERROR    0.03   /* share of full scale */
#define KI       0.002  /* two steps of the wire a tick */
#define ENOUGH   0.007  /* of output: it stays in the dead band, where nothing moves */
#define TOO_FAR  0.0095 /* that is no integral of ours */
#define PERIOD   0.01   /* s, of telemetry as published */
#define PATIENCE 5      /* tenths of a second until a period is known */

double canpid_tick_of_period(double period_s)
{
    return fmax(AW_CANPID_TICK_S, period_s > 0 ? period_s : PERIOD);
}

static int64_t period_ns(struct canpid_run *run)
{
    return aw_canpid_board(canpid_of(run->session), run->board)->period.period_ns;
}

/* Frames that come quicker than the driver's loop would be lost. */
static enum aw_status await_period(struct canpid_run *run)
{
    enum aw_status status = AW_OK;
    for (int i = 0; status == AW_OK && i < PATIENCE && (i == 0 || !period_ns(run)); i++)
        status = canpid_run_collect(run, 0.1);
    return status;
}

/* --tick first, then what the telemetry's period lets expect. */
static struct aw_tick expected(struct canpid_run *run)
{
    double period_s = (double)period_ns(run) / 1e9;
    if (aw_flag(run->session, "tick"))
        return (struct aw_tick){aw_option_number(run->session, "tick"), NAN, AW_TICK_GIVEN};
    return (struct aw_tick){canpid_tick_of_period(period_s), NAN, AW_TICK_ASSUMED};
}

/* The integral of a small constant error. The joint does not feel it. */
static enum aw_status integrate(struct canpid_run *run)
{
    double here = run->last[RUN_MEASURED] / run->scale;
    enum aw_status status = canpid_run_restart(run);
    if (status == AW_OK)
        status = canpid_run_push(run, here > 0 ? here - ERROR : here + ERROR);
    do {
        if (status == AW_OK)
            status = canpid_run_await_turn(run);
    } while (status == AW_OK && run->last[RUN_T] < FOR_S && fabs(run->last[RUN_OUTPUT]) < ENOUGH);
    return status;
}

static bool evaluate(struct canpid_run *run, struct aw_tick *tick)
{
    size_t n = run->table.n_rows;
    double *values = canpid_run_columns(&run->table, 0);
    if (!values)
        return false;
    double *t = values + RUN_T * n, *error = values + RUN_SETPOINT * n;
    const double *measured = values + RUN_MEASURED * n, *output = values + RUN_OUTPUT * n;
    bool good = fabs(run->last[RUN_OUTPUT]) < TOO_FAR;
    for (size_t i = 0; i < n; i++)
        error[i] = (error[i] - measured[i]) / run->scale;
    good = good && aw_tick_measure(t, error, output, n, KI, tick);
    free(values);
    return good;
}

enum aw_status canpid_tick_measure(struct canpid_run *run, const struct aw_gains *before,
                                   struct aw_tick *tick)
{
    struct aw_session *session = run->session;
    enum aw_status status = await_period(run);
    *tick = expected(run);
    if (status != AW_OK || tick->from == AW_TICK_GIVEN)
        return status;
    status = canpid_run_push(run, run->last[RUN_MEASURED] / run->scale);
    if (status == AW_OK)
        status = canpid_run_gains(run, (struct aw_gains){0, KI, 0});
    if (status == AW_OK)
        status = integrate(run);
    bool measured = status == AW_OK && evaluate(run, tick);
    /* without an error, and with the integral cleared, the gains from before do nothing */
    if (status == AW_OK)
        status = canpid_run_push(run, run->last[RUN_MEASURED] / run->scale);
    if (status == AW_OK)
        status = canpid_run_gains(run, (struct aw_gains){0});
    if (status == AW_OK)
        status = canpid_run_gains(run, *before);
    if (status == AW_OK && !measured)
        aw_session_notice(session,
                          "the law's tick does not show: %.4g ms are assumed (--tick TIME knows "
                          "better)",
                          1000 * tick->s);
    return status;
}

const char *canpid_tick_text(const struct aw_tick *tick, char out[CANPID_TICK_TEXT])
{
    static const char *const from[AW_TICK_FROMS] = {
        [AW_TICK_UNKNOWN] = "not known",
        [AW_TICK_GIVEN] = "as given",
        [AW_TICK_MEASURED] = "measured",
        [AW_TICK_ASSUMED] = "assumed: the telemetry's period, 4 ms at the shortest",
    };
    if (isfinite(tick->half))
        snprintf(out, CANPID_TICK_TEXT, "%.4g ± %.2g ms, %s", 1000 * tick->s, 1000 * tick->half,
                 from[tick->from]);
    else
        snprintf(out, CANPID_TICK_TEXT, "%.4g ms, %s", 1000 * tick->s, from[tick->from]);
    return out;
}

void canpid_report_tick(struct aw_session *session, const struct aw_tick *tick)
{
    struct aw_object *result = &session->result;
    aw_object_number(result, "tick", tick->s, -4, "s");
    if (isfinite(tick->half))
        aw_object_number(result, "tick_half", tick->half, -4, "s");
    aw_object_text(result, "tick_from", aw_tick_from_names[tick->from]);
}
