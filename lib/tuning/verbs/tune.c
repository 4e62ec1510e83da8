/* tune: identifies, designs, asks, steps with the old and new gains, and keeps the better ones. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/task.h"
#include "base/text.h"
#include "shell/safety/ask.h"
#include "shell/safety/safety.h"
#include "tuning/verbs/trials.h"
#include "tuning/verbs/verbs.h"

#define SETTLE_S         1.0
#define STEP_S           3.0
#define OBJECTION_MAX    160
#define OUTCOME          1100
#define STATIC_FRICTION  2.0 /* static friction as a multiple of the friction in motion */
#define STEP_SHARE       0.8 /* range of the experiment, as a share of --max-deviation */
#define OVERSHOOT_MARGIN 1.05
#define FIRST_SHARE      0.5
#define RETRY_FACTOR     0.5

struct tuner {
    struct aw_excitation experiment;
    struct aw_model model;
    struct aw_design_options options;
    struct aw_proposal proposal;
    struct aw_response before, after; /* of the steps with the old and with the new gains */
    double start; /* position at rest, as a share of the joint's scale; options.step is relative */
    enum aw_metric goal;
    double overshoot_share;          /* share of the permitted overshoot used as the design goal */
    bool designed, stepped, applied; /* stepped: a step with the new gains is complete */
    char outcome[OUTCOME];
};

static enum aw_status parse_plan(struct aw_experiment *experiment, struct tuner *t)
{
    static const enum aw_metric goals[] = {AW_IAE, AW_OVERSHOOT, AW_SETTLING_TIME};
    struct aw_session *session = experiment->session;
    t->goal = goals[aw_tune_given(session)->goal];
    snprintf(t->model.controller, sizeof t->model.controller, "%s", experiment->joint.mode);
    enum aw_status status = aw_experiment_read_design(session, &t->model, &t->options);
    if (status == AW_OK)
        status = aw_excitation_plan(experiment, &t->experiment);
    if (!aw_experiment_given(session)->step) /* stays within the range of the model's data */
        t->options.step = STEP_SHARE * t->experiment.config.max_deviation;
    return status;
}

/* Intermediate tables are printed only with -v. */
static bool is_verbose(const struct aw_session *session)
{
    return aw_session_is_text(session) && session->options.print.verbose;
}

static enum aw_status identify_joint(struct aw_experiment *experiment, struct tuner *t)
{
    enum aw_status status =
        aw_experiment_end(experiment, aw_excitation_perform(experiment, &t->experiment));
    t->start = t->experiment.config.centre;
    if (t->start + t->options.step > experiment->joint.high)
        t->options.step = -t->options.step;
    if (status == AW_OK)
        status = aw_experiment_plot(experiment);
    if (status == AW_OK)
        status = aw_excitation_model(experiment, &t->experiment, &t->model);
    if (status != AW_OK)
        return status;
    t->options.dead_time_half_s = t->model.fit.half_widths.dead_time;
    if (is_verbose(experiment->session)) {
        aw_experiment_print_model(experiment->session, &t->model);
        aw_output_print(&experiment->session->out, "\n");
    }
    return AW_OK;
}

/* A design that runs in its own thread, because the server needs keep-alives during the search. */
struct search {
    struct aw_process process;
    struct aw_driver driver;
    struct aw_design_options options;
    struct aw_proposal proposal;
    struct aw_error problem;
    enum aw_status status;
};

static void search(void *context)
{
    struct search *s = context;
    s->status = aw_design(&s->process, &s->driver, &s->options, &s->proposal, &s->problem);
}

static enum aw_status find_gains(struct aw_session *session, struct tuner *t, double overshoot,
                                 struct aw_error *problem)
{
    struct search *s = calloc(1, sizeof *s);
    if (!s)
        return aw_no_memory(problem);
    *s = (struct search){
        .process = t->model.fit.process, .driver = t->model.driver, .options = t->options};
    s->options.overshoot = overshoot;
    enum aw_status status = aw_task_run(&session->time.real.base, search, free, s);
    if (status != AW_OK) /* the thread still owns s */
        return status;
    t->proposal = s->proposal;
    *problem = s->problem;
    status = s->status;
    free(s);
    return status;
}

/* Designs for a share of the permitted overshoot, because the motor's limited torque adds to it and
 * is not part of the model. If that is not feasible, designs for the lowest feasible overshoot. */
static enum aw_status design_proposal(struct aw_session *session, struct tuner *t,
                                      struct aw_error *problem)
{
    double limit = t->options.overshoot;
    enum aw_status status = find_gains(session, t, limit * t->overshoot_share, problem);
    double lowest = t->proposal.min_overshoot;
    if (status == AW_STOPPED || !(lowest > 0))
        return status;
    return find_gains(session, t, fmin(limit, lowest * OVERSHOOT_MARGIN), problem);
}

/* Marks the result's entries that are shown only with -v: all except the gains, their quality, and
 * the outcome. */
static void mark_details(struct aw_object *result)
{
    static const char *const shown[] = {"board", "joint", "controller", "rule",    "form",    "kp",
                                        "ki",    "kd",    "ms",         "applied", "outcome", NULL};
    for (size_t i = 0; i < result->n; i++)
        result->entries[i].is_detail = !aw_is_one_of(shown, result->entries[i].key);
}

/* Shows the gains in a table before the question, if there is one. */
static void show_gains(struct aw_session *session, const struct tuner *t)
{
    bool asks = aw_session_is_text(session) && !session->options.run.yes;
    aw_session_hide_progress(session); /* so that the progress line does not overwrite the table */
    if (asks || is_verbose(session))
        aw_experiment_print_proposal(session, &t->proposal);
}

static enum aw_status design_gains(struct aw_experiment *experiment, struct tuner *t)
{
    struct aw_session *session = experiment->session;
    struct aw_error problem = {0};
    bool force = session->options.run.force;
    enum aw_status status = design_proposal(session, t, &problem);
    if (status == AW_OK || *t->proposal.refusal)
        show_gains(session, t);
    bool is_forced = status == AW_LIMIT && force && t->proposal.margins.stable;
    const char *remedy = strstr(problem.text, " — ");
    if (is_forced)
        aw_session_print_notice(session, "%.*s; accepted because of --force",
                                (int)(remedy ? remedy - problem.text : INT_MAX), problem.text);
    else if (status != AW_STOPPED)
        session->err = problem;
    status = is_forced ? AW_OK : status;
    t->designed = status == AW_OK || *t->proposal.refusal;
    if (status == AW_OK && !force && !aw_fit_explains_data(&t->model.fit))
        return aw_fail(&session->err, AW_LIMIT,
                       "model fit on unused data is %.0f %%, below %.0f %% — try another "
                       "--amplitude or --max-deviation, or use --force",
                       100 * t->model.fit.held_out, 100 * AW_FIT_TRUSTED);
    return status;
}

static enum aw_status perform_step(struct aw_experiment *experiment, struct tuner *t,
                                   struct aw_response *response)
{
    aw_experiment_restart_limits(experiment);
    enum aw_status status = aw_experiment_end(
        experiment, aw_experiment_perform_step(experiment, t->start, t->start + t->options.step,
                                               SETTLE_S, STEP_S));
    return status == AW_OK ? aw_experiment_measure(experiment, response) : status;
}

/* Returns true if the new response is better by the goal; if both are equal, by the IAE. A metric
 * that was not reached is the worst. */
static bool is_better(const struct tuner *t)
{
    double before = t->before.value[t->goal], after = t->after.value[t->goal];
    if (!aw_metric_is_reached(after))
        return false;
    return !aw_metric_is_reached(before) || after < before ||
           (after <= before && t->after.value[AW_IAE] < t->before.value[AW_IAE]);
}

static const char *format_metric(const struct tuner *t, char out[AW_EXPERIMENT_CELL],
                                 enum aw_metric metric, const struct aw_response *response)
{
    return aw_experiment_format_metric(out, metric, response->value[metric], t->model.unit);
}

/* Returns true and writes the reason if the new gains must be rejected. Sets *overshoots if gains
 * with less overshoot might be accepted. A deviation from the prediction alone is no reason. */
static bool find_objection(const struct aw_experiment *experiment, const struct tuner *t,
                           bool *overshoots, char out[OBJECTION_MAX])
{
    const struct aw_step *step = &experiment->step;
    double resolution =
        100 * t->model.driver.quantum / fabs(t->options.step); /* encoder resolution, % */
    double limit = 100 * t->options.overshoot, overshoot = t->after.value[AW_OVERSHOOT];
    char before[AW_EXPERIMENT_CELL], after[AW_EXPERIMENT_CELL];
    *overshoots = false;
    if (!aw_response_reached_target(&t->after, step, AW_RESPONSE_TOLERANCE))
        snprintf(out, OBJECTION_MAX,
                 "with the new gains the joint ended at %.4g instead of %.4g %s", t->after.final,
                 step->to, experiment->joint.unit);
    else if (!is_better(t))
        snprintf(out, OBJECTION_MAX, "the new gains do not improve the %s (%s, before %s)",
                 aw_metric(t->goal)->title, format_metric(t, after, t->goal, &t->after),
                 format_metric(t, before, t->goal, &t->before));
    else if ((*overshoots = overshoot > limit + resolution))
        snprintf(out, OBJECTION_MAX,
                 "the new gains overshoot by %.3g %%, above --overshoot %.3g %%", overshoot, limit);
    else
        return false;
    return true;
}

static void report_steps(struct aw_session *session, const struct tuner *t, const char *unit)
{
    static const enum aw_metric shown[] = {AW_IAE, AW_OVERSHOOT, AW_RISE_TIME, AW_SETTLING_TIME};
    const struct {
        const char *name;
        const struct aw_response *response;
    } sides[] = {{"before", &t->before}, {"after", &t->after}};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
            char key[48];
            snprintf(key, sizeof key, "%s.%s", sides[side].name, aw_metric(shown[i])->name);
            aw_experiment_report_metric(session, key, shown[i],
                                        sides[side].response->value[shown[i]], unit);
        }
    for (size_t i = 0; is_verbose(session) && i < sizeof shown / sizeof *shown; i++) {
        char old_cell[AW_EXPERIMENT_CELL], new_cell[AW_EXPERIMENT_CELL];
        aw_output_print(&session->out, "%-18s %16s before %16s after\n", aw_metric(shown[i])->title,
                        format_metric(t, old_cell, shown[i], &t->before),
                        format_metric(t, new_cell, shown[i], &t->after));
    }
}

static void report(struct aw_experiment *experiment, const struct tuner *t)
{
    aw_experiment_report(experiment, "tune");
    aw_experiment_report_proposal(experiment->session, &t->model, &t->proposal);
    if (t->stepped)
        report_steps(experiment->session, t, experiment->joint.unit);
}

/* Sends the new gains to the disabled driver, which has the old ones. If interrupted, the end of
 * the command restores the old gains. */
static enum aw_status send_new_gains(struct aw_experiment *experiment, const struct tuner *t)
{
    aw_experiment_restart_limits(experiment);
    aw_gains_backup(experiment->session, &experiment->gains.gains);
    aw_session_start_motion(experiment->session);
    return aw_experiment_send_gains(experiment, t->proposal.per_tick);
}

static enum aw_status apply_new_gains(struct aw_experiment *experiment, const struct tuner *t)
{
    enum aw_status status = send_new_gains(experiment, t);
    if (status == AW_OK)
        aw_gains_backup(experiment->session, NULL);
    return aw_experiment_end(experiment, status);
}

static enum aw_status step_with_new_gains(struct aw_experiment *experiment, struct tuner *t)
{
    enum aw_status status = send_new_gains(experiment, t);
    if (status != AW_OK)
        return aw_experiment_end(experiment, status);
    status = perform_step(experiment, t, &t->after);
    t->stepped = status == AW_OK;
    return status;
}

static void report_success(struct tuner *t)
{
    char new_cell[AW_EXPERIMENT_CELL], old_cell[AW_EXPERIMENT_CELL];
    snprintf(t->outcome, OUTCOME, "the new gains are kept: %s %s, before %s",
             aw_metric(t->goal)->title, format_metric(t, new_cell, t->goal, &t->after),
             format_metric(t, old_cell, t->goal, &t->before));
}

/* Predicts the step again from its actual start. The firmware's integrator may rest anywhere in the
 * dead band and has to leave it first. An output above static friction carries a load, which the
 * model lacks. */
static enum aw_status predict_again(const struct aw_experiment *experiment, struct tuner *t)
{
    const struct aw_sample *samples = experiment->samples.list;
    struct aw_error *err = &experiment->session->err;
    struct aw_rest sum = {0};
    size_t n = 0;
    for (; n < experiment->samples.n && samples[n].t <= 0; n++) {
        sum.output += samples[n].output;
        sum.error += (samples[n].setpoint - samples[n].measured) / t->model.full_scale;
    }
    const struct aw_driver *driver = &t->model.driver;
    if (n == 0 ||
        fabs(sum.output) > (double)n * (driver->dead_band + STATIC_FRICTION * driver->friction))
        return AW_OK;
    t->options.rest = (struct aw_rest){sum.output / (double)n, sum.error / (double)n};
    t->options.min_duration_s = STEP_S;
    aw_design_assess(&t->model.fit.process, driver, &t->options, &t->proposal, err);
    return err->status == AW_NO_MEMORY ? AW_NO_MEMORY : AW_OK;
}

/* Tries the new gains, and leaves the driver disabled with the better ones. */
static enum aw_status try_new(struct aw_experiment *experiment, struct tuner *t, bool *overshoots)
{
    struct aw_session *session = experiment->session;
    char reason[OBJECTION_MAX];
    enum aw_status status = step_with_new_gains(experiment, t);
    *overshoots = false;
    if (status != AW_OK)
        return status;
    status = predict_again(experiment, t);
    if (status != AW_OK)
        return status;
    if (find_objection(experiment, t, overshoots, reason))
        return aw_fail(&session->err, AW_REFUSED, "%s", reason);
    status = apply_new_gains(experiment, t);
    t->applied = status == AW_OK;
    report_success(t);
    return status;
}

#define UNCONFIRMED "restored the previous gains — to apply the new ones, give --yes, or run: "

static enum aw_status fail_unconfirmed(struct aw_experiment *experiment, struct tuner *t)
{
    const struct aw_gains *gains = &t->proposal.per_tick;
    const char *name = experiment->joint.name;
    if (experiment->hooks->has_modes)
        aw_session_print_notice(experiment->session,
                                UNCONFIRMED "set pid %.6g %.6g %.6g -b %s -c %s --switch",
                                gains->kp, gains->ki, gains->kd, name, experiment->joint.mode);
    else
        aw_session_print_notice(experiment->session,
                                UNCONFIRMED "gains set %s.kp=%.6g %s.ki=%.6g %s.kd=%.6g", name,
                                gains->kp, name, gains->ki, name, gains->kd);
    return aw_fail(&experiment->session->err, AW_REFUSED,
                   "the new gains were not confirmed; nothing was applied");
}

/* Writes "model fit 91 %, reliable". */
static void write_fit(const struct tuner *t, char *out, size_t size)
{
    const struct aw_fit *fit = &t->model.fit;
    snprintf(out, size, "model fit %.0f %%, %sreliable", 100 * fit->held_out,
             aw_fit_is_trusted(fit) ? "" : "not ");
    if (!aw_fit_has_dead_time(fit))
        aw_append(out, size, "", " (dead time ± %.2g ms)", 1000 * fit->half_widths.dead_time);
}

static bool confirm_trial(struct aw_experiment *experiment, const struct tuner *t,
                          const char *steps)
{
    char question[180], fit[80];
    write_fit(t, fit, sizeof fit);
    snprintf(question, sizeof question, "%s. Try these gains (the joint makes %s of %.4g%s)?", fit,
             steps, fabs(t->options.step) * t->model.full_scale, t->model.unit);
    return aw_session_confirm(experiment->session, question);
}

/* Makes steps with the old and the new gains. If the new ones overshoot, tries calmer ones. */
static enum aw_status try_proposal(struct aw_experiment *experiment, struct tuner *t)
{
    struct aw_session *session = experiment->session;
    bool overshoots = false;
    if (!confirm_trial(experiment, t, "two steps"))
        return fail_unconfirmed(experiment, t);
    experiment->save_path = NULL;
    enum aw_status status = perform_step(experiment, t, &t->before);
    if (status == AW_OK)
        status = try_new(experiment, t, &overshoots);
    if (status == AW_OK || !overshoots)
        return status;
    struct aw_error first_error = session->err;
    const struct aw_proposal tried_proposal = t->proposal;
    t->overshoot_share *= RETRY_FACTOR;
    t->options.rest = (struct aw_rest){0};
    status = design_gains(experiment, t);
    if (status == AW_OK) {
        aw_session_print_notice(session, "%s: trying calmer gains", first_error.text);
        if (confirm_trial(experiment, t, "one step"))
            return try_new(experiment, t, &overshoots);
        fail_unconfirmed(experiment, t);
    }
    if (status == AW_STOPPED)
        return status;
    t->proposal = tried_proposal; /* the gains of the performed step */
    session->err = first_error;
    return first_error.status;
}

/* Appends predicted and measured values, and the model's fit. */
static void append_evidence(struct tuner *t)
{
    static const enum aw_metric shown[] = {AW_OVERSHOOT, AW_RISE_TIME};
    char new_cell[AW_EXPERIMENT_CELL], predicted[AW_EXPERIMENT_CELL], fit[80];
    for (size_t i = 0; t->stepped && i < sizeof shown / sizeof *shown; i++)
        aw_append(t->outcome, OUTCOME, "; ", "%s %s, predicted %s", aw_metric(shown[i])->title,
                  format_metric(t, new_cell, shown[i], &t->after),
                  format_metric(t, predicted, shown[i], &t->proposal.step));
    write_fit(t, fit, sizeof fit);
    aw_append(t->outcome, OUTCOME, "; ", "%s", fit);
}

/* Reports the outcome: gains kept or restored, and why. */
static enum aw_status report_outcome(struct aw_experiment *experiment, struct tuner *t,
                                     enum aw_status status)
{
    struct aw_session *session = experiment->session;
    struct aw_error cause = session->err;
    if (t->designed)
        report(experiment, t);
    if (status == AW_STOPPED || status == AW_LOST || aw_gains_get_backup(session))
        return status;
    if (status != AW_OK)
        snprintf(t->outcome, OUTCOME, "restored the previous gains: %s", cause.text);
    if (t->proposal.margins.stable)
        append_evidence(t);
    if (t->designed) {
        aw_object_add_truth(&session->result, "applied", t->applied);
        aw_object_add_copy(&session->result, "outcome", t->outcome);
        mark_details(&session->result);
    }
    return status == AW_OK ? AW_OK : aw_fail(&session->err, status, "tune: %s", t->outcome);
}

enum aw_status aw_run_tune(struct aw_session *session, const struct aw_args *args)
{
    struct aw_experiment experiment;
    struct tuner *t = calloc(1, sizeof *t);
    if (!t)
        return aw_no_memory(&session->err);
    t->overshoot_share = FIRST_SHARE;
    enum aw_status status = aw_experiment_init(&experiment, session, args);
    if (status == AW_OK)
        status = parse_plan(&experiment, t);
    if (status == AW_OK)
        status = aw_experiment_begin(&experiment);
    if (status == AW_OK)
        status = aw_experiment_find_gains(&experiment, aw_experiment_given(session)->old,
                                          " — to use others, give --old FILE");
    if (status == AW_OK) {
        status = identify_joint(&experiment, t);
        if (status == AW_OK)
            status = design_gains(&experiment, t);
        if (status == AW_OK)
            status = try_proposal(&experiment, t);
        status = report_outcome(&experiment, t, status);
    }
    aw_experiment_free(&experiment);
    free(t);
    return status;
}
