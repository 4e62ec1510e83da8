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

static const enum aw_metric limited_metrics[] = {AW_RISE_TIME, AW_OVERSHOOT, AW_SETTLING_TIME,
                                                 AW_STEADY_STATE_ERROR, AW_IAE};

enum aw_status aw_experiment_parse_limit(struct aw_session *session, enum aw_metric metric,
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

const char *aw_experiment_limit_name(enum aw_metric metric, char out[AW_EXPERIMENT_LIMIT])
{
    snprintf(out, AW_EXPERIMENT_LIMIT, "max-%s", aw_metric(metric)->name);
    for (char *p = out; *p; p++)
        *p = *p == '_' ? '-' : *p;
    return out;
}

/* Checks that the limits are valid, and that the response, if any, meets them. */
static enum aw_status check_limits(struct aw_session *session, const struct aw_response *response)
{
    for (size_t i = 0; i < sizeof limited_metrics / sizeof *limited_metrics; i++) {
        double limit, value = response ? response->value[limited_metrics[i]] : 0;
        char name[AW_EXPERIMENT_LIMIT];
        const char *text = aw_option(session, aw_experiment_limit_name(limited_metrics[i], name));
        if (!text)
            continue;
        enum aw_status status =
            aw_experiment_parse_limit(session, limited_metrics[i], text, &limit);
        if (status != AW_OK)
            return status;
        if (!aw_metric_is_reached(value))
            return aw_fail(&session->err, AW_REFUSED, "step: %s not reached, limit %g",
                           aw_metric(limited_metrics[i])->title, limit);
        if (response && fabs(value) > limit)
            return aw_fail(&session->err, AW_REFUSED, "step: %s %.4g exceeds the limit %g",
                           aw_metric(limited_metrics[i])->title, value, limit);
    }
    return AW_OK;
}

static enum aw_status parse_plan(struct aw_experiment *experiment, struct step_plan *plan)
{
    struct aw_session *session = experiment->session;
    const char *from = aw_experiment_given(session)->from, *to = aw_experiment_given(session)->to;
    if (!from || !to)
        return aw_fail(&session->err, AW_USAGE,
                       "step: --from or --to missing — write 'step --from 0deg --to 20deg'");
    plan->seconds = session->options.run.for_s > 0 ? session->options.run.for_s : 2;
    plan->settle_s = aw_experiment_given(session)->settle_s;
    if (!(plan->seconds > 0.05))
        return aw_fail(&session->err, AW_LIMIT, "step: --for is too short — give more than 50 ms");
    enum aw_status status = aw_experiment_parse(experiment, "--from", from, &plan->from);
    if (status == AW_OK)
        status = aw_experiment_parse(experiment, "--to", to, &plan->to);
    if (status == AW_OK)
        status = aw_experiment_check_range(experiment, "--from", plan->from);
    if (status == AW_OK)
        status = aw_experiment_check_range(experiment, "--to", plan->to);
    return status == AW_OK ? check_limits(session, NULL) : status;
}

static bool has_moved_back(const struct aw_experiment *experiment, const struct step_plan *plan,
                           const struct aw_response *response)
{
    return (response->final - plan->from * experiment->joint.scale) * (plan->to - plan->from) < 0;
}

/* Detects a joint that stood still or moved elsewhere, because it may meet many limits. */
static enum aw_status check_arrival(const struct aw_experiment *experiment,
                                    const struct step_plan *plan,
                                    const struct aw_response *response)
{
    double scale = experiment->joint.scale;
    struct aw_error *err = &experiment->session->err;
    const struct aw_step step = {.from = plan->from * scale, .to = plan->to * scale};
    if (aw_experiment_check_moved(experiment, 0, step.to - step.from) != AW_OK)
        return AW_REFUSED;
    double distance = fabs(response->final - step.to);
    if (distance <=
        fmax(HALF_WAY * fabs(step.to - step.from), experiment->joint.min_motion * scale))
        return AW_OK;
    return aw_fail(err, AW_REFUSED, "step: %s ended at %.4g, not at %.4g %s%s",
                   experiment->joint.name, response->final, step.to, experiment->joint.unit,
                   has_moved_back(experiment, plan, response)
                       ? ": it moved in the wrong direction — check whether motor or encoder is "
                         "reversed"
                       : "");
}

static void report_metrics(struct aw_experiment *experiment, const struct step_plan *plan,
                           const struct aw_response *response, bool failed)
{
    struct aw_object *result = &experiment->session->result;
    size_t lead = 0, n = experiment->table.n_rows;
    while (lead < n && aw_table_cell(&experiment->table, lead, AW_SAMPLE_T) < 0)
        lead++;
    aw_experiment_report(experiment, "step");
    aw_object_add_number(result, "from", plan->from * experiment->joint.scale, 6,
                         experiment->joint.unit);
    aw_object_add_number(result, "to", plan->to * experiment->joint.scale, 6,
                         experiment->joint.unit);
    /* A joint that stands still or moves the other way has no overshoot and has not settled. */
    for (enum aw_metric m = 0; m < AW_METRICS; m++)
        aw_experiment_report_metric(experiment->session, aw_metric(m)->name, m,
                                    failed && m < AW_STEADY_STATE_ERROR ? (double)NAN
                                                                        : response->value[m],
                                    experiment->joint.unit);
    aw_object_add_number(result, "final", response->final, 5, experiment->joint.unit);
    aw_object_add_number(result, "samples", (double)(n - lead), 0, NULL);
    if (failed)
        return;
    if (!aw_metric_is_reached(response->value[AW_RISE_TIME]))
        aw_session_print_notice(experiment->session,
                                "rise time: 90 %% of the step not reached, ended at %.4g %s",
                                response->final, experiment->joint.unit);
    else if (!aw_metric_is_reached(response->value[AW_SETTLING_TIME]))
        aw_session_print_notice(
            experiment->session,
            "settling time: did not settle within 2 %% of the step around its target");
}

enum aw_status aw_experiment_measure(struct aw_experiment *experiment, struct aw_response *response)
{
    struct aw_run samples;
    enum aw_status status =
        aw_run_from_table(&experiment->table, &samples, &experiment->session->err);
    if (status != AW_OK)
        return status;
    status =
        aw_response(samples.samples, samples.n, &samples.step, response, &experiment->session->err);
    aw_run_free(&samples);
    return status;
}

enum aw_status aw_experiment_perform_step(struct aw_experiment *experiment, double from, double to,
                                          double settle_s, double seconds)
{
    double lead_s = fmin(settle_s, LEAD_S);
    experiment->time.began_ns = aw_clock_now(experiment->session->clock);
    experiment->time.total_s = settle_s + seconds;
    experiment->motion.config.moving_output = experiment->motion.config.strong_output;
    experiment->command.hold_distance = HALF_WAY * fabs(to - from) * experiment->joint.scale;
    enum aw_status status = aw_experiment_drive(experiment, from);
    if (status == AW_OK)
        status = aw_experiment_collect(experiment, settle_s - lead_s);
    if (status == AW_OK)
        status = aw_experiment_restart(experiment);
    experiment->time.start_ns += (int64_t)(lead_s * 1e9);
    if (status == AW_OK)
        status = aw_experiment_collect(experiment, lead_s);
    if (status == AW_OK)
        status = aw_experiment_drive(experiment, to);
    return status == AW_OK ? aw_experiment_collect(experiment, seconds) : status;
}

enum aw_status aw_run_step(struct aw_session *session, const struct aw_args *args)
{
    struct aw_experiment experiment;
    struct step_plan plan;
    struct aw_response response;
    enum aw_status status = aw_experiment_init(&experiment, session, args);
    if (status == AW_OK)
        status = parse_plan(&experiment, &plan);
    if (status == AW_OK)
        status = aw_experiment_begin(&experiment);
    if (status == AW_OK)
        status = aw_experiment_end(&experiment,
                                   aw_experiment_perform_step(&experiment, plan.from, plan.to,
                                                              plan.settle_s, plan.seconds));
    if (status == AW_OK)
        status = aw_experiment_measure(&experiment, &response);
    if (status == AW_OK) {
        double distance = (plan.to - plan.from) * experiment.joint.scale;
        report_metrics(&experiment, &plan, &response,
                       aw_experiment_check_moved(&experiment, 0, distance) != AW_OK ||
                           has_moved_back(&experiment, &plan, &response));
        status = aw_experiment_plot(&experiment);
    }
    if (status == AW_OK)
        status = check_arrival(&experiment, &plan, &response);
    if (status == AW_OK)
        status = check_limits(session, &response);
    aw_experiment_free(&experiment);
    return status;
}

/* clang-format off */
const struct aw_command aw_custom_step_command = {
    AW_STEP_ROW(" of a custom joint", AW_CUSTOM_DEVIATION),
    .for_custom = true, .args = AW_ARGS(AW_CUSTOM_JOINT),
    .details = "The setpoint jumps, the firmware moves the joint there, and the joint stays at "
        "the target. It is held at once if it exceeds --max-deviation, moves in the wrong "
        "direction or does not move."};
/* clang-format on */
