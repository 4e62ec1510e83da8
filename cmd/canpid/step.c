/* canpid step: a step response of one board, measured, judged against limits, plotted and saved. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "control/compare.h"
#include "control/response.h"
#include "run.h"

#define HALF_WAY 0.5 /* what does not come so far keeps limits by standing still */
#define LEAD_S   0.1 /* before the step: the samples show what it began from */

struct step_plan {
    double from, to; /* normalised */
    double seconds, settle_s;
};

static const enum aw_metric judged[] = {AW_RISE_TIME, AW_OVERSHOOT, AW_SETTLING_TIME,
                                        AW_STEADY_STATE_ERROR, AW_IAE};

enum aw_status canpid_parse_limit(struct aw_session *session, enum aw_metric metric,
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

const char *canpid_limit_name(enum aw_metric metric, char out[CANPID_LIMIT])
{
    snprintf(out, CANPID_LIMIT, "max-%s", aw_metric(metric)->name);
    for (char *p = out; *p; p++)
        *p = *p == '_' ? '-' : *p;
    return out;
}

/* Whether the limits can be read; and, with a response, whether it keeps them: what never came near
 * the target keeps many, and fails. */
static enum aw_status judge(struct aw_session *session, const struct step_plan *plan, double scale,
                            const struct aw_response *response)
{
    const struct aw_step step = {.from = plan->from * scale, .to = plan->to * scale};
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++) {
        double limit, value = response ? response->value[judged[i]] : 0;
        char name[CANPID_LIMIT];
        const char *text = aw_option(session, canpid_limit_name(judged[i], name));
        if (!text)
            continue;
        enum aw_status status = canpid_parse_limit(session, judged[i], text, &limit);
        if (status != AW_OK)
            return status;
        if (response && !aw_response_arrived(response, &step, HALF_WAY))
            return aw_fail(&session->err, AW_REFUSED,
                           "step: it came to %.4g and not to %.4g, so %s says nothing",
                           response->final, step.to, aw_metric(judged[i])->title);
        if (!aw_metric_reached(value))
            return aw_fail(&session->err, AW_REFUSED, "step: %s was not reached, %g is wanted",
                           aw_metric(judged[i])->title, limit);
        if (response && fabs(value) > limit)
            return aw_fail(&session->err, AW_REFUSED, "step: %s %.4g is above %g",
                           aw_metric(judged[i])->title, value, limit);
    }
    return AW_OK;
}

static enum aw_status parse_plan(struct canpid_run *run, struct step_plan *plan)
{
    struct aw_session *session = run->session;
    const char *from = aw_option(session, "from"), *to = aw_option(session, "to");
    if (!from || !to)
        return aw_fail(&session->err, AW_USAGE,
                       "step: --from and --to are needed: step --from 0deg --to 20deg");
    plan->seconds = aw_flag(session, "for") ? aw_option_number(session, "for") : 2;
    plan->settle_s = aw_option_number(session, "settle");
    if (!(plan->seconds > 0.05))
        return aw_fail(&session->err, AW_LIMIT, "step: --for must be longer than 50 ms");
    enum aw_status status = canpid_parse(session, "--from", from, run->controller, &plan->from);
    if (status == AW_OK)
        status = canpid_parse(session, "--to", to, run->controller, &plan->to);
    return status == AW_OK ? judge(session, plan, run->scale, NULL) : status;
}

static void report_metrics(struct canpid_run *run, const struct step_plan *plan,
                           const struct aw_response *response)
{
    struct aw_object *result = &run->session->result;
    size_t lead = 0, n = run->table.n_rows;
    while (lead < n && aw_table_cell(&run->table, lead, RUN_T) < 0)
        lead++;
    canpid_run_report(run, "step");
    aw_object_number(result, "from", plan->from * run->scale, 6, run->unit);
    aw_object_number(result, "to", plan->to * run->scale, 6, run->unit);
    for (enum aw_metric m = 0; m < AW_METRICS; m++)
        canpid_report_metric(run->session, aw_metric(m)->name, m, response->value[m], run->unit);
    aw_object_number(result, "final", response->final, 5, run->unit);
    aw_object_number(result, "samples", (double)(n - lead), 0, NULL);
    if (!aw_metric_reached(response->value[AW_RISE_TIME]))
        aw_session_notice(run->session,
                          "rise time: it never came to 90 %% of the step, but to %.4g %s",
                          response->final, run->unit);
    else if (!aw_metric_reached(response->value[AW_SETTLING_TIME]))
        aw_session_notice(run->session,
                          "settling time: it never came to rest within 2 %% of the step");
}

enum aw_status canpid_run_measure(struct canpid_run *run, struct aw_response *response)
{
    struct aw_run samples;
    enum aw_status status = aw_run_from_table(&run->table, &samples, &run->session->err);
    if (status != AW_OK)
        return status;
    status = aw_response(samples.samples, samples.n, &samples.step, response, &run->session->err);
    aw_run_free(&samples);
    return status;
}

enum aw_status canpid_step_perform(struct canpid_run *run, double from, double to, double settle_s,
                                   double seconds)
{
    double lead_s = fmin(settle_s, LEAD_S);
    run->began_ns = aw_clock_now(run->session->clock);
    run->total_s = settle_s + seconds;
    enum aw_status status = canpid_run_drive(run, from);
    if (status == AW_OK)
        status = canpid_run_collect(run, settle_s - lead_s);
    if (status == AW_OK)
        status = canpid_run_restart(run);
    run->start_ns += (int64_t)(lead_s * 1e9);
    if (status == AW_OK)
        status = canpid_run_collect(run, lead_s);
    if (status == AW_OK)
        status = canpid_run_drive(run, to);
    return status == AW_OK ? canpid_run_collect(run, seconds) : status;
}

enum aw_status run_step(struct aw_session *session, const struct aw_args *args)
{
    struct canpid_run run = {.session = session};
    struct step_plan plan;
    struct aw_response response;
    (void)args;
    enum aw_status status = canpid_controller(session, true, &run.controller);
    if (status == AW_OK)
        status = parse_plan(&run, &plan);
    if (status == AW_OK)
        status = canpid_run_begin(&run, session);
    if (status == AW_OK)
        status = canpid_run_end(
            &run, canpid_step_perform(&run, plan.from, plan.to, plan.settle_s, plan.seconds));
    if (status == AW_OK)
        status = canpid_run_measure(&run, &response);
    if (status == AW_OK) {
        report_metrics(&run, &plan, &response);
        status = canpid_run_plot(&run);
    }
    if (status == AW_OK)
        status = judge(session, &plan, run.scale, &response);
    canpid_run_free(&run);
    return status;
}
