/* step: measures the step response of one joint, checks its limits, plots and saves it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "tuning/response.h"
#include "tuning/verbs/experiment.h"

/* a joint that moves less than this share of the step may meet limits by standing still */
#define HALF_WAY 0.5
#define LEAD_S   0.1 /* time before the step in the samples, s */

struct step_plan {
    double from, to; /* as shares of the joint's scale */
    double seconds, settle_s;
    struct aw_experiment_limits limits;
};

/* ---- The verdict ---- */

void aw_experiment_init_limits(struct aw_experiment_limits *limits)
{
    for (int m = 0; m < AW_METRICS; m++)
        limits->max[m] = NAN;
}

/* Returns true if name is that of a metric's limit: "max-rise-time" for "rise_time". */
static bool is_limit_of(enum aw_metric metric, const char *name)
{
    const char *metric_name = aw_metric(metric)->name;
    if (strncmp(name, "max-", 4) != 0)
        return false;
    for (name += 4;
         *name && *metric_name && (*name == *metric_name || (*name == '-' && *metric_name == '_'));
         name++)
        metric_name++;
    return !*name && !*metric_name;
}

enum aw_status aw_experiment_parse_limit(struct aw_session *session,
                                         struct aw_experiment_limits *limits, const char *name,
                                         const char *text)
{
    char copy[48];
    int m = 0;
    while (m < AW_METRICS && !is_limit_of((enum aw_metric)m, name))
        m++;
    if (m == AW_METRICS)
        return AW_END;
    const struct aw_metric_row *metric = aw_metric((enum aw_metric)m);
    snprintf(copy, sizeof copy, "%s", text);
    if (strcmp(metric->unit_after, "%") == 0)
        copy[strcspn(copy, "%")] = '\0';
    bool is_in_seconds = strcmp(metric->unit_after, "s") == 0;
    enum aw_status status = is_in_seconds
                                ? aw_number_parse_unit(copy, "s", &limits->max[m], &session->err)
                                : aw_number_parse(copy, &limits->max[m], &session->err);
    return aw_fail_about(&session->err, status, name);
}

static bool has_moved_back(const struct aw_experiment *experiment,
                           const struct aw_response *response)
{
    const struct aw_step *step = &experiment->step;
    return (response->final - step->from) * (step->to - step->from) < 0;
}

bool aw_experiment_judge(const struct aw_experiment *experiment, const struct aw_response *response,
                         const struct aw_experiment_limits *limits, double tolerance,
                         char out[AW_EXPERIMENT_VERDICT])
{
    const char *unit = experiment->joint.unit;
    bool passed = aw_response_reached_target(response, &experiment->step, tolerance);
    *out = '\0';
    if (!passed)
        snprintf(out, AW_EXPERIMENT_VERDICT, "ended at %.4g instead of %.4g %s%s", response->final,
                 experiment->step.to, unit,
                 has_moved_back(experiment, response)
                     ? ": it moved in the wrong direction — check whether motor or encoder is "
                       "reversed"
                     : "");
    for (int m = 0; m < AW_METRICS; m++) {
        enum aw_metric metric = (enum aw_metric)m;
        double value = response->value[m], max = limits->max[m];
        char reached[AW_EXPERIMENT_CELL], limit[AW_EXPERIMENT_CELL];
        if (isnan(max))
            continue;
        bool is_met = aw_metric_is_reached(value) && fabs(value) <= max;
        passed = passed && is_met;
        aw_append(out, AW_EXPERIMENT_VERDICT, ", ", "%s %s (limit %s%s)", aw_metric(metric)->title,
                  aw_experiment_format_metric(reached, metric, value, unit),
                  aw_experiment_format_metric(limit, metric, max, unit), is_met ? "" : " exceeded");
    }
    return passed;
}

/* ---- The command ---- */

static enum aw_status parse_limits(struct aw_session *session, struct aw_experiment_limits *limits)
{
    static const char *const names[] = {"max-rise-time", "max-overshoot", "max-settling-time",
                                        "max-steady-state-error", "max-iae"};
    enum aw_status status = AW_OK;
    aw_experiment_init_limits(limits);
    for (size_t i = 0; i < sizeof names / sizeof *names && status == AW_OK; i++) {
        const char *text = aw_option(session, names[i]);
        if (text)
            status = aw_experiment_parse_limit(session, limits, names[i], text);
    }
    return status;
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
    return status == AW_OK ? parse_limits(session, &plan->limits) : status;
}

/* Fails if the joint stood still or ended elsewhere, or a limit was exceeded: a joint that stands
 * still meets many limits. */
static enum aw_status check_result(const struct aw_experiment *experiment,
                                   const struct step_plan *plan, const struct aw_response *response)
{
    char verdict[AW_EXPERIMENT_VERDICT];
    double distance = fabs(experiment->step.to - experiment->step.from);
    double min_motion = experiment->joint.min_motion * experiment->joint.scale;
    if (aw_experiment_check_moved(experiment, 0, distance) != AW_OK)
        return AW_REFUSED;
    if (aw_experiment_judge(experiment, response, &plan->limits,
                            fmax(HALF_WAY, min_motion / distance), verdict))
        return AW_OK;
    return aw_fail(&experiment->session->err, AW_REFUSED, "step: %s: %s", experiment->joint.name,
                   verdict);
}

static void report_metrics(struct aw_experiment *experiment, const struct aw_response *response)
{
    struct aw_object *result = &experiment->session->result;
    const struct aw_step *step = &experiment->step;
    size_t lead = 0, n = experiment->samples.n;
    bool failed = aw_experiment_check_moved(experiment, 0, step->to - step->from) != AW_OK ||
                  has_moved_back(experiment, response);
    while (lead < n && experiment->samples.list[lead].t < 0)
        lead++;
    aw_experiment_report(experiment, "step");
    aw_object_add_number(result, "from", step->from, 6, experiment->joint.unit);
    aw_object_add_number(result, "to", step->to, 6, experiment->joint.unit);
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
    return aw_response(experiment->samples.list, experiment->samples.n, &experiment->step, response,
                       &experiment->session->err);
}

enum aw_status aw_experiment_perform_step(struct aw_experiment *experiment, double from, double to,
                                          double settle_s, double seconds)
{
    double lead_s = fmin(settle_s, LEAD_S), scale = experiment->joint.scale;
    experiment->step = (struct aw_step){.from = from * scale, .to = to * scale, .smooths = true};
    experiment->time.began_ns = aw_clock_now(experiment->session->clock);
    experiment->time.total_s = settle_s + seconds;
    experiment->motion.config.moving_output = experiment->motion.config.strong_output;
    experiment->command.hold_distance = HALF_WAY * fabs(to - from) * scale;
    enum aw_status status = aw_experiment_drive(experiment, from);
    if (status == AW_OK)
        status = aw_experiment_collect(experiment, settle_s - lead_s);
    aw_experiment_restart(experiment);
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
        report_metrics(&experiment, &response);
        status = aw_experiment_plot(&experiment);
    }
    if (status == AW_OK)
        status = check_result(&experiment, &plan, &response);
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
