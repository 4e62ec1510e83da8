/* canpid tune: identify, design, ask, step before and after, keep the better gains. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "shell/core/ask.h"
#include "tuning.h"

#define SETTLE_S 1.0
#define STEP_S   3.0

struct tuner {
    struct canpid_experiment experiment;
    struct aw_model model;
    struct aw_design_options options;
    struct aw_proposal proposal;
    struct canpid_story story;
    struct aw_gains old;
    double rest, step; /* normalised: where it stands, and how far a step goes */
    enum aw_metric goal;
    bool swung_away;
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
    t->step = t->options.step;
    if (status == AW_OK && report)
        status = aw_file_check(report, &session->err);
    return status == AW_OK ? canpid_experiment_plan(run, &t->experiment) : status;
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
        canpid_put_back(run, t->old, canpid_experiment_perform(run, &t->experiment, &t->old));
    t->rest = t->experiment.config.centre;
    if (status == AW_OK)
        status = canpid_run_plot(run);
    return status == AW_OK ? canpid_experiment_model(run, &t->experiment, &t->model) : status;
}

static enum aw_status design(struct canpid_run *run, struct tuner *t)
{
    struct aw_session *session = run->session;
    struct aw_error why = {0};
    if (isfinite(t->model.fit.half.dead_time))
        t->options.late_s = t->model.fit.half.dead_time;
    enum aw_status status =
        aw_design(&t->model.fit.process, &t->model.driver, &t->options, &t->proposal, &why);
    if (status == AW_OK || *t->proposal.refusal) {
        canpid_run_report(run, "tune");
        canpid_report_proposal(session, &t->model, &t->proposal);
        if (aw_session_text(session)) {
            canpid_print_model(session, &t->model);
            aw_output_print(&session->out, "\n");
            canpid_print_proposals(session, &t->proposal, 1);
        }
    }
    bool forced = status == AW_LIMIT && aw_flag(session, "force") && t->proposal.margins.stable;
    if (forced)
        aw_session_notice(session, "%s — taken all the same, by --force", why.text);
    else
        session->err = why;
    return forced ? AW_OK : status;
}

/* A step that swings away ends at once. */
static void watch_step(struct canpid_run *run, const double *sample)
{
    struct tuner *t = run->context;
    double away = fabs(sample[RUN_MEASURED] / run->scale - t->rest);
    if (away < fabs(t->step) + t->experiment.config.max_deviation)
        return;
    t->swung_away = true;
    run->awaiting = true;
}

static enum aw_status step(struct canpid_run *run, struct tuner *t, struct aw_run *samples,
                           struct aw_response *response)
{
    run->on_sample = watch_step;
    run->context = t;
    double limit = aw_canpid_setpoint_limit(run->controller);
    double to = t->rest + t->step > limit ? t->rest - t->step : t->rest + t->step;
    enum aw_status status =
        canpid_run_end(run, canpid_step_perform(run, t->rest, to, SETTLE_S, STEP_S));
    run->on_sample = NULL;
    run->awaiting = false;
    if (status == AW_OK && t->swung_away)
        return aw_fail(&run->session->err, AW_REFUSED,
                       "tune: in a step the joint swings away — the old gains are back; lower "
                       "--ms or --overshoot, or use another --rule");
    if (status == AW_OK)
        status = aw_run_from_table(&run->table, samples, &run->session->err);
    if (status == AW_OK)
        status =
            aw_response(samples->samples, samples->n, &samples->step, response, &run->session->err);
    return status;
}

/* A metric that was not reached is worse than any. */
static bool is_better(const struct tuner *t)
{
    double was = t->story.was.value[t->goal], is = t->story.is.value[t->goal];
    if (!aw_metric_reached(is))
        return false;
    return !aw_metric_reached(was) || is < was ||
           (is <= was && t->story.is.value[AW_IAE] < t->story.was.value[AW_IAE]);
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

/* Leaves the driver disabled, with the gains that are better. */
static enum aw_status try_both(struct canpid_run *run, struct tuner *t)
{
    struct aw_session *session = run->session;
    run->saves = RUN_SAVES_NOTHING;
    enum aw_status status = step(run, t, &t->story.before, &t->story.was);
    if (status == AW_OK)
        status = canpid_send_gains(run, t->proposal.per_tick);
    if (status == AW_OK)
        status = step(run, t, &t->story.after, &t->story.is);
    if (status != AW_OK)
        return canpid_put_back(run, t->old, status);
    report_steps(session, t, run->unit);
    bool better = is_better(t);
    if (!better)
        status = canpid_send_gains(run, t->old);
    aw_object_truth(&session->result, "applied", better && status == AW_OK);
    t->story.outcome = better ? "The new gains are better, and stay in the driver."
                              : "The new gains are no better: the old ones are back.";
    char was[CANPID_CELL], is[CANPID_CELL];
    if (status == AW_OK && !better)
        return aw_fail(&session->err, AW_REFUSED,
                       "tune: by %s the new gains are no better (%s, before %s): the old ones "
                       "are back",
                       aw_metric(t->goal)->title,
                       canpid_metric_cell(is, t->goal, t->story.is.value[t->goal], false),
                       canpid_metric_cell(was, t->goal, t->story.was.value[t->goal], false));
    return status;
}

static enum aw_status offer(struct canpid_run *run, struct tuner *t)
{
    struct aw_session *session = run->session;
    if (aw_session_agrees(session, "use these gains?"))
        return try_both(run, t);
    t->story.outcome = "The new gains were not applied.";
    aw_object_truth(&session->result, "applied", false);
    aw_session_notice(
        session,
        "the gains from before are back; --yes takes the new ones, or: set pid %.6g %.6g %.6g",
        t->proposal.per_tick.kp, t->proposal.per_tick.ki, t->proposal.per_tick.kd);
    return AW_OK;
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
    if (!t->story.outcome)
        t->story.outcome = cause.text;
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
    enum aw_status status = canpid_controller(session, true, &run.controller);
    if (status == AW_OK)
        status = parse_plan(&run, t);
    if (status == AW_OK)
        status = canpid_run_begin(&run, session);
    if (status == AW_OK)
        status = find_old_gains(&run, t);
    if (status == AW_OK) {
        canpid_try_gains(&run, t->old);
        status = identify(&run, t);
        if (status == AW_OK) {
            status = design(&run, t);
            if (status == AW_OK)
                status = offer(&run, t);
            status = write_report(session, t, status);
        }
        canpid_tried(&run, status);
    }
    aw_run_free(&t->story.before);
    aw_run_free(&t->story.after);
    canpid_run_free(&run);
    free(t);
    return status;
}
