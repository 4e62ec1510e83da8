/* step: measures the step response of one joint, checks its limits, plots and saves it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "tuning/response.h"
#include "tuning/run.h"
#include "tuning/verbs/experiment.h"

/* a joint that moves less than this share of the step may meet limits by standing still */
#define HALF_WAY 0.5
#define LEAD_S   0.1 /* time before the step in the samples, s */

struct step_plan {
    double from, to; /* as shares of the joint's scale */
    double seconds, settle_s;
};

static const enum aw_metric judged[] = {AW_RISE_TIME, AW_OVERSHOOT, AW_SETTLING_TIME,
                                        AW_STEADY_STATE_ERROR, AW_IAE};

enum aw_status aw_bench_parse_limit(struct aw_session *session, enum aw_metric metric,
                                    const char *text, double *limit)
{
    const char *unit = aw_metric(metric)->unit_after;
    char copy[48];
    struct aw_error problem;
    snprintf(copy, sizeof copy, "%s", text);
    if (unit && strcmp(unit, "%") == 0 && strchr(copy, '%'))
        *strchr(copy, '%') = '\0';
    bool seconds = unit && strcmp(unit, "s") == 0;
    enum aw_status status = seconds ? aw_number_parse_unit(copy, "s", limit, &problem)
                                    : aw_number_parse(copy, limit, &problem);
    return status == AW_OK
               ? AW_OK
               : aw_fail(&session->err, status, "%s: %s", aw_metric(metric)->name, problem.text);
}

const char *aw_bench_limit_name(enum aw_metric metric, char out[AW_BENCH_LIMIT])
{
    snprintf(out, AW_BENCH_LIMIT, "max-%s", aw_metric(metric)->name);
    for (char *p = out; *p; p++)
        *p = *p == '_' ? '-' : *p;
    return out;
}

/* Checks that the limits are valid, and that the response, if any, meets them. */
static enum aw_status judge(struct aw_session *session, const struct aw_response *response)
{
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
        double limit, value = response ? response->value[judged[i]] : 0;
        char name[AW_BENCH_LIMIT];
        const char *text = aw_option(session, aw_bench_limit_name(judged[i], name));
        if (!text)
            continue;
        enum aw_status status = aw_bench_parse_limit(session, judged[i], text, &limit);
        if (status != AW_OK)
            return status;
        if (!aw_metric_reached(value))
            return aw_fail(&session->err, AW_REFUSED, "step: %s not reached, limit %g",
                           aw_metric(judged[i])->title, limit);
        if (response && fabs(value) > limit)
            return aw_fail(&session->err, AW_REFUSED, "step: %s %.4g exceeds the limit %g",
                           aw_metric(judged[i])->title, value, limit);
    }
    return AW_OK;
}

static enum aw_status parse_plan(struct aw_bench *bench, struct step_plan *plan)
{
    struct aw_session *session = bench->session;
    const char *from = aw_experiment_given(session)->from, *to = aw_experiment_given(session)->to;
    if (!from || !to)
        return aw_fail(&session->err, AW_USAGE,
                       "step: --from or --to missing — write 'step --from 0deg --to 20deg'");
    plan->seconds = session->options.run.for_s > 0 ? session->options.run.for_s : 2;
    plan->settle_s = aw_experiment_given(session)->settle_s;
    if (!(plan->seconds > 0.05))
        return aw_fail(&session->err, AW_LIMIT, "step: --for is too short — give more than 50 ms");
    enum aw_status status = aw_bench_parse(bench, "--from", from, &plan->from);
    if (status == AW_OK)
        status = aw_bench_parse(bench, "--to", to, &plan->to);
    if (status == AW_OK)
        status = aw_bench_check(bench, "--from", plan->from);
    if (status == AW_OK)
        status = aw_bench_check(bench, "--to", plan->to);
    return status == AW_OK ? judge(session, NULL) : status;
}

static bool went_back(const struct aw_bench *bench, const struct step_plan *plan,
                      const struct aw_response *response)
{
    return (response->final - plan->from * bench->joint.scale) * (plan->to - plan->from) < 0;
}

/* Detects a joint that stood still or moved elsewhere, because it may meet many limits. */
static enum aw_status check_arrival(const struct aw_bench *bench, const struct step_plan *plan,
                                    const struct aw_response *response)
{
    double scale = bench->joint.scale;
    struct aw_error *err = &bench->session->err;
    const struct aw_step step = {.from = plan->from * scale, .to = plan->to * scale};
    if (aw_bench_check_moved(bench, 0, step.to - step.from) != AW_OK)
        return AW_REFUSED;
    double off = fabs(response->final - step.to);
    if (off <= fmax(HALF_WAY * fabs(step.to - step.from), bench->joint.least * scale))
        return AW_OK;
    return aw_fail(err, AW_REFUSED, "step: %s ended at %.4g, not at %.4g %s%s", bench->joint.name,
                   response->final, step.to, bench->joint.unit,
                   went_back(bench, plan, response)
                       ? ": it moved in the wrong direction — check whether motor or encoder is "
                         "reversed"
                       : "");
}

static void report_metrics(struct aw_bench *bench, const struct step_plan *plan,
                           const struct aw_response *response, bool aside)
{
    struct aw_object *result = &bench->session->result;
    size_t lead = 0, n = bench->table.n_rows;
    while (lead < n && aw_table_cell(&bench->table, lead, AW_BENCH_T) < 0)
        lead++;
    aw_bench_report(bench, "step");
    aw_object_number(result, "from", plan->from * bench->joint.scale, 6, bench->joint.unit);
    aw_object_number(result, "to", plan->to * bench->joint.scale, 6, bench->joint.unit);
    /* A joint that stands still or moves the other way has no overshoot and has not settled. */
    for (enum aw_metric m = 0; m < AW_METRICS; m++)
        aw_bench_report_metric(bench->session, aw_metric(m)->name, m,
                               aside && m < AW_STEADY_STATE_ERROR ? (double)NAN
                                                                  : response->value[m],
                               bench->joint.unit);
    aw_object_number(result, "final", response->final, 5, bench->joint.unit);
    aw_object_number(result, "samples", (double)(n - lead), 0, NULL);
    if (aside)
        return;
    if (!aw_metric_reached(response->value[AW_RISE_TIME]))
        aw_session_notice(bench->session,
                          "rise time: 90 %% of the step not reached, ended at %.4g %s",
                          response->final, bench->joint.unit);
    else if (!aw_metric_reached(response->value[AW_SETTLING_TIME]))
        aw_session_notice(
            bench->session,
            "settling time: did not settle within 2 %% of the step around its target");
}

enum aw_status aw_bench_measure(struct aw_bench *bench, struct aw_response *response)
{
    struct aw_run samples;
    enum aw_status status = aw_run_from_table(&bench->table, &samples, &bench->session->err);
    if (status != AW_OK)
        return status;
    status = aw_response(samples.samples, samples.n, &samples.step, response, &bench->session->err);
    aw_run_free(&samples);
    return status;
}

enum aw_status aw_bench_step_perform(struct aw_bench *bench, double from, double to,
                                     double settle_s, double seconds)
{
    double lead_s = fmin(settle_s, LEAD_S);
    bench->began_ns = aw_clock_now(bench->session->clock);
    bench->total_s = settle_s + seconds;
    bench->guard.config.moves = bench->guard.config.strong;
    bench->holds = HALF_WAY * fabs(to - from) * bench->joint.scale;
    enum aw_status status = aw_bench_drive(bench, from);
    if (status == AW_OK)
        status = aw_bench_collect(bench, settle_s - lead_s);
    if (status == AW_OK)
        status = aw_bench_restart(bench);
    bench->start_ns += (int64_t)(lead_s * 1e9);
    if (status == AW_OK)
        status = aw_bench_collect(bench, lead_s);
    if (status == AW_OK)
        status = aw_bench_drive(bench, to);
    return status == AW_OK ? aw_bench_collect(bench, seconds) : status;
}

enum aw_status aw_run_step(struct aw_session *session, const struct aw_args *args)
{
    struct aw_bench bench;
    struct step_plan plan;
    struct aw_response response;
    enum aw_status status = aw_bench_init(&bench, session, args);
    if (status == AW_OK)
        status = parse_plan(&bench, &plan);
    if (status == AW_OK)
        status = aw_bench_begin(&bench);
    if (status == AW_OK)
        status = aw_bench_end(
            &bench, aw_bench_step_perform(&bench, plan.from, plan.to, plan.settle_s, plan.seconds));
    if (status == AW_OK)
        status = aw_bench_measure(&bench, &response);
    if (status == AW_OK) {
        double distance = (plan.to - plan.from) * bench.joint.scale;
        report_metrics(&bench, &plan, &response,
                       aw_bench_check_moved(&bench, 0, distance) != AW_OK ||
                           went_back(&bench, &plan, &response));
        status = aw_bench_plot(&bench);
    }
    if (status == AW_OK)
        status = check_arrival(&bench, &plan, &response);
    if (status == AW_OK)
        status = judge(session, &response);
    aw_bench_free(&bench);
    return status;
}

/* clang-format off */
const struct aw_command aw_custom_step_command = {
    AW_STEP_ROW(" of a custom joint", AW_CUSTOM_DEVIATION),
    .from_file = true, .args = AW_ARGS(AW_CUSTOM_JOINT),
    .details = "The setpoint jumps, the firmware moves the joint there, and the joint stays at "
        "the target. It is held at once if it exceeds --max-deviation, moves in the wrong "
        "direction or does not move."};
/* clang-format on */
