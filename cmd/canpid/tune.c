/* canpid tune: identify, design, ask, step before and after, keep the better gains. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "shell/core/ask.h"
#include "tuning.h"

#define SETTLE_S       1.0
#define STEP_S         3.0
#define OBJECTION      160
#define OUTCOME        sizeof((struct canpid_state *)0)->outcome
#define NEAR_OVERSHOOT 10.0      /* points from what was predicted */
#define NEAR_RISE      0.5       /* share of what was predicted */
#define STEP_SHARE     (2 / 3.0) /* of --max-deviation */
#define SLIGHTLY_MORE  1.05
#define FIRST_SHARE    0.5
#define CALMER         0.5

struct tuner {
    struct canpid_experiment experiment;
    struct aw_model model;
    struct aw_design_options options;
    struct aw_proposal proposal;
    struct canpid_story story;
    struct aw_gains old;
    double rest, step; /* normalised: where it stands, and how far a step goes */
    enum aw_metric goal;
    double share; /* of the overshoot that is allowed: what gains are designed for */
    bool applied;
    char *outcome; /* for the result */
};

static enum aw_status parse_plan(struct canpid_run *run, struct tuner *t)
{
    static const struct {
        const char *name;
        enum aw_metric metric;
    } goals[] = {{"iae", AW_IAE}, {"overshoot", AW_OVERSHOOT}, {"settling", AW_SETTLING_TIME}};
    struct aw_session *session = run->session;
    const char *report = aw_option(session, "report");
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++)
        if (strcmp(aw_option(session, "goal"), goals[i].name) == 0)
            t->goal = goals[i].metric;
    snprintf(t->model.controller, sizeof t->model.controller, "%s",
             aw_canpid_controller_name(run->controller));
    enum aw_status status = canpid_design_options(session, &t->model, &t->options);
    if (status == AW_OK && report)
        status = aw_file_check(report, &session->err);
    if (status == AW_OK)
        status = canpid_experiment_plan(run, &t->experiment);
    if (!aw_option(session, "step")) /* within what the model has seen */
        t->options.step = STEP_SHARE * t->experiment.config.max_deviation;
    t->step = t->options.step;
    return status;
}

/* From --old, from what this session has sent, or as published. */
static enum aw_status find_old_gains(struct canpid_run *run, struct tuner *t)
{
    struct aw_session *session = run->session;
    const char *path = aw_option(session, "old");
    struct aw_canpid_gains *known = &canpid_of(session)->gains;
    if (path) {
        struct aw_canpid_gains *file = malloc(sizeof *file);
        enum aw_status status =
            file ? aw_canpid_gains_load(file, path, &session->wire->variant, &session->err)
                 : aw_no_memory(&session->err);
        for (int i = 0; status == AW_OK && i < AW_CANPID_GAINS; i++) {
            const struct aw_gain *gain = &file->of[run->board / 32][run->controller][i];
            if (gain->known)
                known->of[run->board / 32][run->controller][i] = *gain;
        }
        free(file);
        if (status != AW_OK)
            return status;
    }
    t->story.old_known = canpid_known_gains(run, &t->old);
    t->story.old = t->old;
    if (!t->story.old_known)
        aw_session_notice(session,
                          "the gains from before are not known here; the published ones are taken "
                          "for them (kp %g, ki %g, kd %g) — name others with --old FILE",
                          t->old.kp, t->old.ki, t->old.kd);
    return AW_OK;
}

static enum aw_status identify(struct canpid_run *run, struct tuner *t)
{
    enum aw_status status =
        canpid_run_end(run, canpid_experiment_perform(run, &t->experiment, &t->old));
    t->rest = t->experiment.config.centre;
    if (status == AW_OK)
        status = canpid_run_plot(run);
    if (status == AW_OK)
        status = canpid_experiment_model(run, &t->experiment, &t->model);
    if (status != AW_OK)
        return status;
    t->options.late_s = aw_fit_late(&t->model.fit);
    if (aw_session_text(run->session)) {
        canpid_print_model(run->session, &t->model);
        aw_output_print(&run->session->out, "\n");
    }
    return AW_OK;
}

/* For a share of the overshoot that is allowed: the motor's torque ends somewhere, which the model
 * does not have and which adds to it. Where that cannot be had, for what can. */
static enum aw_status propose(struct tuner *t, struct aw_error *why)
{
    struct aw_design_options o = t->options;
    o.overshoot *= t->share;
    enum aw_status status =
        aw_design(&t->model.fit.process, &t->model.driver, &o, &t->proposal, why);
    if (!(t->proposal.least_overshoot > 0))
        return status;
    o.overshoot = fmin(t->options.overshoot, t->proposal.least_overshoot * SLIGHTLY_MORE);
    return aw_design(&t->model.fit.process, &t->model.driver, &o, &t->proposal, why);
}

static enum aw_status design(struct canpid_run *run, struct tuner *t)
{
    struct aw_session *session = run->session;
    struct aw_error why = {0};
    bool force = aw_flag(session, "force");
    enum aw_status status = propose(t, &why);
    if (status == AW_OK || *t->proposal.refusal) {
        canpid_run_report(run, "tune");
        canpid_report_proposal(session, &t->model, &t->proposal);
        if (aw_session_text(session))
            canpid_print_proposals(session, &t->proposal, 1);
    }
    bool forced = status == AW_LIMIT && force && t->proposal.margins.stable;
    if (forced)
        aw_session_notice(session, "%s — taken all the same, by --force", why.text);
    else
        session->err = why;
    status = forced ? AW_OK : status;
    if (status == AW_OK && !force && !aw_fit_trusted(&t->model.fit))
        return aw_fail(
            &session->err, AW_LIMIT,
            "the model explains %.0f %% of what it has not seen, and %.0f %% are needed — "
            "try another --amplitude or --max-deviation, or --force",
            100 * t->model.fit.held_out, 100 * AW_FIT_TRUSTED);
    return status;
}

static enum aw_status step(struct canpid_run *run, struct tuner *t, struct aw_run *samples,
                           struct aw_response *response)
{
    canpid_run_watch(run);
    double limit = aw_canpid_setpoint_limit(run->controller);
    double to = t->rest + t->step > limit ? t->rest - t->step : t->rest + t->step;
    enum aw_status status =
        canpid_run_end(run, canpid_step_perform(run, t->rest, to, SETTLE_S, STEP_S));
    if (status == AW_OK)
        status = aw_run_from_table(&run->table, samples, &run->session->err);
    if (status == AW_OK)
        status =
            aw_response(samples->samples, samples->n, &samples->step, response, &run->session->err);
    return status;
}

/* By the goal alone. A metric that was not reached is worse than any. */
static bool is_better(const struct tuner *t)
{
    double was = t->story.was.value[t->goal], is = t->story.is.value[t->goal];
    if (!aw_metric_reached(is))
        return false;
    return !aw_metric_reached(was) || is < was ||
           (is <= was && t->story.is.value[AW_IAE] < t->story.was.value[AW_IAE]);
}

/* Between two samples, at the end of its run. */
static double period_of(const struct aw_run *run)
{
    size_t n = run->n;
    return n > 1 ? (run->samples[n - 1].t - run->samples[0].t) / (double)(n - 1) : 0;
}

/* Why the new gains must not stay, though they are better. What nobody has predicted is not
 * understood, however good it looks. A rise is known to a period of the telemetry. */
static bool misbehaves(const struct tuner *t, bool *wild, char out[OBJECTION])
{
    double grain = 100 * t->model.driver.quantum / fabs(t->step); /* one step of the encoder */
    double bound = 100 * t->options.overshoot, over = t->story.is.value[AW_OVERSHOOT];
    double told = t->proposal.step.value[AW_OVERSHOOT];
    double rise = t->story.is.value[AW_RISE_TIME], told_rise = t->proposal.step.value[AW_RISE_TIME];
    *wild = over > bound + grain;
    if (*wild)
        snprintf(out, OBJECTION,
                 "they overshoot by %.3g %%, and %.3g %% is the bound (--overshoot)", over, bound);
    else if (!(fabs(over - told) <= NEAR_OVERSHOOT))
        snprintf(out, OBJECTION, "they overshoot by %.3g %%, and %.3g %% was predicted", over,
                 told);
    else if (!(fabs(rise - told_rise) <= NEAR_RISE * told_rise + period_of(&t->story.after)))
        snprintf(out, OBJECTION, "their rise takes %.3g s, and %.3g s was predicted", rise,
                 told_rise);
    else
        return false;
    return true;
}

/* The same, or why they are no better. wild: gains that overshoot less may do. */
static bool objection(const struct tuner *t, const char *unit, bool *wild, char out[OBJECTION])
{
    const struct aw_response *was = &t->story.was, *is = &t->story.is;
    char before[CANPID_CELL], after[CANPID_CELL];
    *wild = false;
    if (!aw_response_arrived(is, &t->story.after.step, AW_RESPONSE_NEAR))
        snprintf(out, OBJECTION, "with the new ones it came to %.4g and not to %.4g %s", is->final,
                 t->story.after.step.to, unit);
    else if (!is_better(t))
        snprintf(out, OBJECTION, "by %s the new ones are no better (%s, before %s)",
                 aw_metric(t->goal)->title,
                 canpid_metric_cell(after, t->goal, is->value[t->goal], false),
                 canpid_metric_cell(before, t->goal, was->value[t->goal], false));
    else
        return misbehaves(t, wild, out);
    return true;
}

static void report_steps(struct aw_session *session, const struct tuner *t, const char *unit)
{
    static const enum aw_metric shown[] = {AW_IAE, AW_OVERSHOOT, AW_RISE_TIME, AW_SETTLING_TIME};
    const struct {
        const char *name;
        const struct aw_response *response;
    } sides[] = {{"before", &t->story.was}, {"after", &t->story.is}};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
            char key[48];
            snprintf(key, sizeof key, "%s.%s", sides[side].name, aw_metric(shown[i])->name);
            canpid_report_metric(session, key, shown[i], sides[side].response->value[shown[i]],
                                 unit);
        }
    for (size_t i = 0; aw_session_text(session) && i < sizeof shown / sizeof *shown; i++) {
        char was[CANPID_CELL], is[CANPID_CELL];
        aw_output_print(&session->out, "%-18s %10s before %10s after\n", aw_metric(shown[i])->title,
                        canpid_metric_cell(was, shown[i], t->story.was.value[shown[i]], false),
                        canpid_metric_cell(is, shown[i], t->story.is.value[shown[i]], false));
    }
}

/* The driver is disabled, has the old gains, and is to have the new ones. Ended on the way, it gets
 * the old ones back. */
static enum aw_status keep_new(struct canpid_run *run, struct tuner *t)
{
    struct canpid_state *state = run->session->state;
    canpid_run_watch(run);
    canpid_try_gains(run, t->old);
    aw_session_moves(run->session);
    enum aw_status status = canpid_run_gains(run, t->proposal.per_tick);
    if (status == AW_OK)
        state->n_old = 0;
    return canpid_run_end(run, status);
}

static enum aw_status step_with_new(struct canpid_run *run, struct tuner *t)
{
    canpid_run_watch(run);
    canpid_try_gains(run, t->old);
    aw_session_moves(run->session);
    enum aw_status status = canpid_run_gains(run, t->proposal.per_tick);
    return status == AW_OK ? step(run, t, &t->story.after, &t->story.is)
                           : canpid_run_end(run, status);
}

static void tell_kept(struct tuner *t)
{
    char is[CANPID_CELL], was[CANPID_CELL];
    snprintf(t->outcome, OUTCOME, "the new gains are kept: %s %s, before %s",
             aw_metric(t->goal)->title,
             canpid_metric_cell(is, t->goal, t->story.is.value[t->goal], false),
             canpid_metric_cell(was, t->goal, t->story.was.value[t->goal], false));
}

/* Leaves the driver disabled, with the gains that are better. */
static enum aw_status try_new(struct canpid_run *run, struct tuner *t, bool *wild)
{
    struct aw_session *session = run->session;
    char why[OBJECTION];
    aw_run_free(&t->story.after);
    enum aw_status status = step_with_new(run, t);
    *wild = false;
    if (status != AW_OK)
        return status;
    report_steps(session, t, run->unit);
    if (objection(t, run->unit, wild, why))
        return aw_fail(&session->err, AW_REFUSED, "%s", why);
    status = keep_new(run, t);
    t->applied = status == AW_OK;
    tell_kept(t);
    return status;
}

static enum aw_status disagreed(struct aw_session *session, struct tuner *t)
{
    snprintf(t->outcome, OUTCOME, "the gains from before are back: nobody has agreed");
    aw_session_notice(
        session,
        "the gains from before are back; --yes takes the new ones, or: set pid %.6g %.6g %.6g",
        t->proposal.per_tick.kp, t->proposal.per_tick.ki, t->proposal.per_tick.kd);
    return AW_OK;
}

/* Steps with the old gains and the new ones, and once more with calmer ones where these are wild.
 */
static enum aw_status offer(struct canpid_run *run, struct tuner *t)
{
    struct aw_session *session = run->session;
    bool wild;
    if (!aw_session_agrees(session, "use these gains?"))
        return disagreed(session, t);
    run->saves = RUN_SAVES_NOTHING;
    enum aw_status status = step(run, t, &t->story.before, &t->story.was);
    if (status == AW_OK)
        status = try_new(run, t, &wild);
    if (status == AW_OK || !wild || t->options.rule != AW_RULE_ROBUST)
        return status;
    struct aw_error first = session->err;
    t->share *= CALMER;
    if (design(run, t) != AW_OK) {
        session->err = first;
        return status;
    }
    aw_session_notice(session, "%s: calmer ones are tried", first.text);
    return aw_session_agrees(session, "use these gains?") ? try_new(run, t, &wild)
                                                          : disagreed(session, t);
}

/* Its last words: kept or put back, and why. */
static enum aw_status conclude(struct aw_session *session, struct tuner *t, enum aw_status status)
{
    const struct canpid_state *state = session->state;
    struct aw_error cause = session->err;
    if (status == AW_STOPPED || status == AW_LOST || state->n_old > 0)
        return status;
    if (status != AW_OK)
        snprintf(t->outcome, OUTCOME, "the gains from before are back: %s", cause.text);
    if (session->result.cmd) {
        aw_object_truth(&session->result, "applied", t->applied);
        aw_object_text(&session->result, "outcome", t->outcome);
    }
    return status == AW_OK ? AW_OK : aw_fail(&session->err, status, "tune: %s", t->outcome);
}

/* Whatever became of it: a page that says so is worth most where it went wrong. */
static enum aw_status write_report(struct aw_session *session, struct tuner *t,
                                   enum aw_status status)
{
    const char *path = aw_option(session, "report");
    struct aw_error cause = session->err;
    if (!path || status == AW_STOPPED || status == AW_LOST)
        return status;
    t->story.model = &t->model;
    t->story.proposal = &t->proposal;
    t->story.from = t->rest * t->model.full_scale;
    t->story.to = (t->rest + t->step) * t->model.full_scale;
    t->story.goal = aw_metric(t->goal)->title;
    t->story.outcome = t->outcome;
    enum aw_status written = canpid_write_report(session, path, &t->story);
    struct aw_error why = session->err;
    session->err = cause;
    if (status != AW_OK || written == AW_OK)
        return status;
    return aw_fail(&session->err, written, "%s. %s", why.text, t->story.outcome);
}

enum aw_status run_tune(struct aw_session *session, const struct aw_args *args)
{
    struct canpid_run run = {.session = session};
    struct tuner *t = calloc(1, sizeof *t);
    (void)args;
    if (!t)
        return aw_no_memory(&session->err);
    t->share = FIRST_SHARE;
    t->outcome = ((struct canpid_state *)session->state)->outcome;
    t->outcome[0] = '\0';
    enum aw_status status = canpid_controller(session, true, &run.controller);
    if (status == AW_OK)
        status = parse_plan(&run, t);
    if (status == AW_OK)
        status = canpid_run_begin(&run, session);
    if (status == AW_OK)
        status = find_old_gains(&run, t);
    if (status == AW_OK) {
        status = identify(&run, t);
        bool identified = status == AW_OK;
        if (status == AW_OK)
            status = design(&run, t);
        if (status == AW_OK)
            status = offer(&run, t);
        status = conclude(session, t, status);
        if (identified)
            status = write_report(session, t, status);
    }
    aw_run_free(&t->story.before);
    aw_run_free(&t->story.after);
    canpid_run_free(&run);
    free(t);
    return status;
}
