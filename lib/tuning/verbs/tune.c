/* tune: identifies, designs, asks, steps with the old and new gains, and keeps the better ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/task.h"
#include "base/text.h"
#include "shell/look/picture.h"
#include "shell/safety/ask.h"
#include "shell/safety/safety.h"
#include "tuning/verbs/trials.h"
#include "tuning/verbs/verbs.h"

#define SETTLE_S      1.0
#define STEP_S        3.0
#define OBJECTION     160
#define OUTCOME       1100
#define STATIC        2.0 /* static friction as a multiple of the friction in motion */
#define STEP_SHARE    0.8 /* range of the experiment, as a share of --max-deviation */
#define SLIGHTLY_MORE 1.05
#define FIRST_SHARE   0.5
#define CALMER        0.5
#define REST_SHARE    0.5 /* output at rest, as a share of the experiment's, without --noise */

struct tuner {
    struct aw_excitation experiment;
    struct aw_model model;
    struct aw_design_options options;
    struct aw_proposal proposal;
    struct aw_bench_story story;
    double rest, step; /* position at rest and size of a step, as shares of the joint's scale */
    enum aw_metric goal;
    double share; /* share of the permitted overshoot used as the design goal */
    bool designed, applied;
    char outcome[OUTCOME];
};

static enum aw_status parse_plan(struct aw_bench *bench, struct tuner *t)
{
    static const enum aw_metric goals[] = {AW_IAE, AW_OVERSHOOT, AW_SETTLING_TIME};
    struct aw_session *session = bench->session;
    const char *report = aw_experiment_given(session)->report;
    t->goal = goals[aw_wishes_given(session)->goal];
    snprintf(t->model.controller, sizeof t->model.controller, "%s", bench->joint.mode);
    enum aw_status status = aw_bench_design_options(session, &t->model, &t->options);
    if (status == AW_OK && report)
        status = aw_picture_check(report, &session->err);
    if (status == AW_OK)
        status = aw_excitation_plan(bench, &t->experiment);
    if (!aw_experiment_given(session)->step) /* stays within the range of the model's data */
        t->options.step = STEP_SHARE * t->experiment.config.max_deviation;
    t->step = t->options.step;
    return status;
}

/* Intermediate tables are printed only with -v. */
static bool is_verbose(const struct aw_session *session)
{
    return aw_session_text(session) && session->options.print.verbose;
}

/* Finds the old gains: those of --old, those sent in this session, or those after power-up. */
static enum aw_status find_old_gains(struct aw_bench *bench, struct tuner *t)
{
    const char *path = aw_experiment_given(bench->session)->old;
    enum aw_status status = aw_bench_know_gains(bench, path, " — to use others, give --old FILE");
    if (status != AW_OK)
        return status;
    t->story.old_known = bench->known;
    t->story.old = bench->old;
    if (!(t->options.activity > 0))
        t->options.activity = REST_SHARE * bench->joint.amplitude;
    return AW_OK;
}

static enum aw_status identify(struct aw_bench *bench, struct tuner *t)
{
    enum aw_status status = aw_bench_end(bench, aw_excitation_perform(bench, &t->experiment));
    t->rest = t->experiment.config.centre;
    if (t->rest + t->step > bench->joint.high)
        t->step = t->options.step = -t->step;
    if (status == AW_OK)
        status = aw_bench_plot(bench);
    if (status == AW_OK)
        status = aw_excitation_model(bench, &t->experiment, &t->model);
    if (status != AW_OK)
        return status;
    t->options.late_s = t->model.fit.half.dead_time;
    if (is_verbose(bench->session)) {
        aw_bench_print_model(bench->session, &t->model);
        aw_output_print(&bench->session->out, "\n");
    }
    return AW_OK;
}

/* A design that runs in its own thread, because the server needs keep-alives during the search. */
struct search {
    struct aw_process process;
    struct aw_driver driver;
    struct aw_design_options options;
    struct aw_proposal proposal;
    struct aw_error why;
    enum aw_status status;
};

static void search(void *context)
{
    struct search *s = context;
    s->status = aw_design(&s->process, &s->driver, &s->options, &s->proposal, &s->why);
}

static enum aw_status find_gains(struct aw_session *session, struct tuner *t, double overshoot,
                                 struct aw_error *why)
{
    struct search *s = calloc(1, sizeof *s);
    if (!s)
        return aw_no_memory(why);
    *s = (struct search){
        .process = t->model.fit.process, .driver = t->model.driver, .options = t->options};
    s->options.overshoot = t->story.overshoot = overshoot;
    enum aw_status status = aw_task_run(&session->time.real.base, search, free, s);
    if (status != AW_OK) /* the thread still owns s */
        return status;
    t->proposal = s->proposal;
    *why = s->why;
    status = s->status;
    free(s);
    return status;
}

/* Designs for a share of the permitted overshoot, because the motor's limited torque adds to it and
 * is not part of the model. If that is not feasible, designs for the lowest feasible overshoot. */
static enum aw_status propose(struct aw_session *session, struct tuner *t, struct aw_error *why)
{
    double bound = t->options.overshoot;
    enum aw_status status = find_gains(session, t, bound * t->share, why);
    double least = t->proposal.least_overshoot;
    if (status == AW_STOPPED || !(least > 0))
        return status;
    return find_gains(session, t, fmin(bound, least * SLIGHTLY_MORE), why);
}

/* Marks the result's entries that are shown only with -v: all except the gains, their quality, and
 * the outcome. */
static void shorten(struct aw_object *result)
{
    static const char *const shown[] = {"board", "joint", "controller", "rule",    "form",    "kp",
                                        "ki",    "kd",    "ms",         "applied", "outcome", NULL};
    for (size_t i = 0; i < result->n; i++)
        result->entries[i].detail = !aw_is_one_of(shown, result->entries[i].key);
}

/* Shows the gains in a table before the question, if there is one. */
static void show(struct aw_session *session, const struct tuner *t)
{
    bool asks = aw_session_text(session) && !session->options.run.yes;
    aw_session_work_hide(session); /* so that the progress line does not overwrite the table */
    if (asks || is_verbose(session))
        aw_bench_print_proposal(session, &t->proposal);
}

static enum aw_status design(struct aw_bench *bench, struct tuner *t)
{
    struct aw_session *session = bench->session;
    struct aw_error why = {0};
    bool force = session->options.run.force;
    enum aw_status status = propose(session, t, &why);
    if (status == AW_OK || *t->proposal.refusal)
        show(session, t);
    bool forced = status == AW_LIMIT && force && t->proposal.margins.stable;
    if (forced)
        aw_session_notice(session, "%s; accepted because of --force", why.text);
    else
        session->err = why;
    status = forced ? AW_OK : status;
    t->designed = status == AW_OK || *t->proposal.refusal;
    if (status == AW_OK && !force && !aw_fit_explains(&t->model.fit))
        return aw_fail(&session->err, AW_LIMIT,
                       "model fit on unused data is %.0f %%, below %.0f %% — try another "
                       "--amplitude or --max-deviation, or use --force",
                       100 * t->model.fit.held_out, 100 * AW_FIT_TRUSTED);
    return status;
}

static enum aw_status step(struct aw_bench *bench, struct tuner *t, struct aw_run *samples,
                           struct aw_response *response)
{
    aw_bench_watch(bench);
    enum aw_status status = aw_bench_end(
        bench, aw_bench_step_perform(bench, t->rest, t->rest + t->step, SETTLE_S, STEP_S));
    if (status == AW_OK)
        status = aw_run_from_table(&bench->table, samples, &bench->session->err);
    if (status == AW_OK)
        status = aw_response(samples->samples, samples->n, &samples->step, response,
                             &bench->session->err);
    return status;
}

/* Compares the responses by the goal. A metric that was not reached is the worst. */
static bool is_better(const struct tuner *t)
{
    double was = t->story.was.value[t->goal], is = t->story.is.value[t->goal];
    if (!aw_metric_reached(is))
        return false;
    return !aw_metric_reached(was) || is < was ||
           (is <= was && t->story.is.value[AW_IAE] < t->story.was.value[AW_IAE]);
}

/* Formats "1.23 deg·s", or the reason for a missing value. */
static const char *format_metric(const struct tuner *t, char out[AW_BENCH_CELL],
                                 enum aw_metric metric, double value)
{
    const struct aw_metric_row *row = aw_metric(metric);
    if (!aw_metric_reached(value))
        return aw_bench_metric_cell(out, metric, value);
    snprintf(out, AW_BENCH_CELL, "%.3g %s%s", value, row->takes_unit ? t->model.unit : "",
             row->unit_after);
    return out;
}

/* Returns true and writes the reason if the new gains must be rejected. Sets *overshoots if gains
 * with less overshoot might be accepted. A deviation from the prediction alone is no reason. */
static bool objection(const struct tuner *t, const char *unit, bool *wild, char out[OBJECTION])
{
    const struct aw_response *was = &t->story.was, *is = &t->story.is;
    double grain = 100 * t->model.driver.quantum / fabs(t->step); /* encoder resolution, % */
    double bound = 100 * t->options.overshoot, over = is->value[AW_OVERSHOOT];
    char before[AW_BENCH_CELL], after[AW_BENCH_CELL];
    *wild = false;
    if (!aw_response_arrived(is, &t->story.after.step, AW_RESPONSE_NEAR))
        snprintf(out, OBJECTION, "with the new gains it ended at %.4g, not at %.4g %s", is->final,
                 t->story.after.step.to, unit);
    else if (!is_better(t))
        snprintf(out, OBJECTION, "the new gains do not improve the %s (%s, before %s)",
                 aw_metric(t->goal)->title, format_metric(t, after, t->goal, is->value[t->goal]),
                 format_metric(t, before, t->goal, was->value[t->goal]));
    else if ((*wild = over > bound + grain))
        snprintf(out, OBJECTION, "the new gains overshoot by %.3g %%, above --overshoot %.3g %%",
                 over, bound);
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
    } sides[] = {{"before", &t->story.was}, {"after", &t->story.is}};
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
            char key[48];
            snprintf(key, sizeof key, "%s.%s", sides[side].name, aw_metric(shown[i])->name);
            aw_bench_report_metric(session, key, shown[i], sides[side].response->value[shown[i]],
                                   unit);
        }
    for (size_t i = 0; is_verbose(session) && i < sizeof shown / sizeof *shown; i++) {
        char was[AW_BENCH_CELL], is[AW_BENCH_CELL];
        aw_output_print(&session->out, "%-18s %10s before %10s after\n", aw_metric(shown[i])->title,
                        aw_bench_metric_cell(was, shown[i], t->story.was.value[shown[i]]),
                        aw_bench_metric_cell(is, shown[i], t->story.is.value[shown[i]]));
    }
}

static void report(struct aw_bench *bench, const struct tuner *t)
{
    aw_bench_report(bench, "tune");
    aw_bench_report_proposal(bench->session, &t->model, &t->proposal);
    if (t->story.after.n)
        report_steps(bench->session, t, bench->joint.unit);
}

/* Sends the new gains to the disabled driver, which has the old ones. If interrupted, the end of
 * the command restores the old gains. */
static enum aw_status apply_new(struct aw_bench *bench, struct tuner *t)
{
    aw_bench_watch(bench);
    aw_law_save(bench->session, &bench->law);
    aw_session_moves(bench->session);
    enum aw_status status = aw_bench_gains(bench, t->proposal.per_tick);
    if (status == AW_OK)
        aw_law_save(bench->session, NULL);
    return aw_bench_end(bench, status);
}

static enum aw_status step_with_new(struct aw_bench *bench, struct tuner *t)
{
    aw_bench_watch(bench);
    aw_law_save(bench->session, &bench->law);
    aw_session_moves(bench->session);
    enum aw_status status = aw_bench_gains(bench, t->proposal.per_tick);
    return status == AW_OK ? step(bench, t, &t->story.after, &t->story.is)
                           : aw_bench_end(bench, status);
}

static void report_kept(struct tuner *t)
{
    char is[AW_BENCH_CELL], was[AW_BENCH_CELL];
    snprintf(t->outcome, OUTCOME, "the new gains are kept: %s %s, before %s",
             aw_metric(t->goal)->title, format_metric(t, is, t->goal, t->story.is.value[t->goal]),
             format_metric(t, was, t->goal, t->story.was.value[t->goal]));
}

/* Predicts the step again from its actual start. The firmware's integrator may rest anywhere in the
 * dead band and has to leave it first. An output above static friction carries a load, which the
 * model lacks. */
static enum aw_status predict_again(struct aw_session *session, struct tuner *t)
{
    const struct aw_run *run = &t->story.after;
    struct aw_rest sum = {0};
    size_t n = 0;
    for (; n < run->n && run->samples[n].t <= 0; n++) {
        sum.output += isnan(run->samples[n].output) ? 0 : run->samples[n].output;
        sum.error += (run->samples[n].setpoint - run->samples[n].measured) / t->model.full_scale;
    }
    const struct aw_driver *driver = &t->model.driver;
    if (n == 0 || fabs(sum.output) > (double)n * (driver->dead_band + STATIC * driver->lost))
        return AW_OK;
    t->options.rest = (struct aw_rest){sum.output / (double)n, sum.error / (double)n};
    t->options.duration_s = STEP_S;
    aw_design_judge(&t->model.fit.process, driver, &t->options, &t->proposal, &session->err);
    return session->err.status == AW_NO_MEMORY ? AW_NO_MEMORY : AW_OK;
}

/* Tries the new gains, and leaves the driver disabled with the better ones. */
static enum aw_status try_new(struct aw_bench *bench, struct tuner *t, bool *wild)
{
    struct aw_session *session = bench->session;
    char why[OBJECTION];
    aw_run_free(&t->story.after);
    enum aw_status status = step_with_new(bench, t);
    *wild = false;
    if (status != AW_OK)
        return status;
    status = predict_again(session, t);
    if (status != AW_OK)
        return status;
    if (objection(t, bench->joint.unit, wild, why))
        return aw_fail(&session->err, AW_REFUSED, "%s", why);
    status = apply_new(bench, t);
    t->applied = status == AW_OK;
    report_kept(t);
    return status;
}

static enum aw_status disagreed(struct aw_bench *bench, struct tuner *t)
{
    char set[AW_BENCH_SET];
    aw_bench_set_words(bench->hooks, &bench->joint, t->proposal.per_tick, set, sizeof set);
    aw_session_notice(bench->session,
                      "restored the previous gains — to apply the new ones, give --yes, or run: "
                      "%s",
                      set);
    return aw_fail(&bench->session->err, AW_REFUSED,
                   "the new gains were not confirmed; nothing was applied");
}

/* Writes "model fit 91 %, reliable". */
static void write_fit(const struct tuner *t, char *out, size_t size)
{
    const struct aw_fit *fit = &t->model.fit;
    snprintf(out, size, "model fit %.0f %%, %sreliable", 100 * fit->held_out,
             aw_fit_trusted(fit) ? "" : "not ");
    if (!aw_fit_is_timely(fit))
        aw_append(out, size, "", " (dead time ± %.2g ms)", 1000 * fit->half.dead_time);
}

static bool agrees(struct aw_bench *bench, const struct tuner *t, const char *steps)
{
    char question[180], fit[80];
    write_fit(t, fit, sizeof fit);
    snprintf(question, sizeof question, "%s. Try these gains (the joint makes %s of %.4g%s)?", fit,
             steps, fabs(t->step) * t->model.full_scale, t->model.unit);
    return aw_session_agrees(bench->session, question);
}

/* Makes steps with the old and the new gains. If the new ones overshoot, tries calmer ones. */
static enum aw_status offer(struct aw_bench *bench, struct tuner *t)
{
    struct aw_session *session = bench->session;
    bool wild;
    if (!agrees(bench, t, "two steps"))
        return disagreed(bench, t);
    bench->saves = AW_BENCH_SAVES_NOTHING;
    enum aw_status status = step(bench, t, &t->story.before, &t->story.was);
    if (status == AW_OK)
        status = try_new(bench, t, &wild);
    if (status == AW_OK || !wild)
        return status;
    struct aw_error first = session->err;
    const struct aw_proposal tried = t->proposal;
    double overshoot = t->story.overshoot;
    t->share *= CALMER;
    t->options.rest = (struct aw_rest){0};
    status = design(bench, t);
    if (status == AW_OK) {
        aw_session_notice(session, "%s: trying calmer gains", first.text);
        if (agrees(bench, t, "one step"))
            return try_new(bench, t, &wild);
        disagreed(bench, t);
    }
    t->proposal = tried; /* the gains of the performed step */
    t->story.overshoot = overshoot;
    session->err = first;
    return first.status;
}

/* Appends predicted and measured values, and the model's fit. */
static void append_evidence(struct tuner *t)
{
    static const enum aw_metric shown[] = {AW_OVERSHOOT, AW_RISE_TIME};
    char is[AW_BENCH_CELL], told[AW_BENCH_CELL], fit[80];
    for (size_t i = 0; t->story.after.n && i < sizeof shown / sizeof *shown; i++)
        aw_append(t->outcome, OUTCOME, "; ", "%s %s, predicted %s", aw_metric(shown[i])->title,
                  format_metric(t, is, shown[i], t->story.is.value[shown[i]]),
                  format_metric(t, told, shown[i], t->proposal.step.value[shown[i]]));
    write_fit(t, fit, sizeof fit);
    aw_append(t->outcome, OUTCOME, "; ", "%s", fit);
}

/* Reports the outcome: gains kept or restored, and why. */
static enum aw_status conclude(struct aw_bench *bench, struct tuner *t, enum aw_status status)
{
    struct aw_session *session = bench->session;
    struct aw_error cause = session->err;
    if (t->designed)
        report(bench, t);
    if (status == AW_STOPPED || status == AW_LOST || aw_law_saved(session))
        return status;
    if (status != AW_OK)
        snprintf(t->outcome, OUTCOME, "restored the previous gains: %s", cause.text);
    if (t->proposal.margins.stable)
        append_evidence(t);
    if (t->designed) {
        aw_object_truth(&session->result, "applied", t->applied);
        aw_object_copy(&session->result, "outcome", t->outcome);
        shorten(&session->result);
    }
    return status == AW_OK ? AW_OK : aw_fail(&session->err, status, "tune: %s", t->outcome);
}

/* Writes the report. Does so even after a failure, when it is most useful. */
static enum aw_status write_report(struct aw_bench *bench, struct tuner *t, enum aw_status status)
{
    struct aw_session *session = bench->session;
    const char *path = aw_experiment_given(session)->report;
    struct aw_error cause = session->err;
    if (!path || status == AW_STOPPED || status == AW_LOST)
        return status;
    t->story.model = &t->model;
    t->story.proposal = &t->proposal;
    t->story.from = t->rest * t->model.full_scale;
    t->story.to = (t->rest + t->step) * t->model.full_scale;
    t->story.step = fabs(t->step) * t->model.full_scale;
    t->story.joint = &bench->joint;
    t->story.goal = aw_metric(t->goal)->title;
    t->story.outcome = t->outcome;
    enum aw_status written = aw_bench_write_report(session, path, &t->story);
    struct aw_error why = session->err;
    session->err = cause;
    if (status != AW_OK || written == AW_OK)
        return status;
    return aw_fail(&session->err, written, "%s. %s", why.text, t->story.outcome);
}

enum aw_status aw_run_tune(struct aw_session *session, const struct aw_args *args)
{
    struct aw_bench bench;
    struct tuner *t = calloc(1, sizeof *t);
    if (!t)
        return aw_no_memory(&session->err);
    t->share = FIRST_SHARE;
    enum aw_status status = aw_bench_init(&bench, session, args);
    if (status == AW_OK)
        status = parse_plan(&bench, t);
    if (status == AW_OK)
        status = aw_bench_begin(&bench);
    if (status == AW_OK)
        status = find_old_gains(&bench, t);
    if (status == AW_OK) {
        status = identify(&bench, t);
        bool identified = status == AW_OK;
        if (status == AW_OK)
            status = design(&bench, t);
        if (status == AW_OK)
            status = offer(&bench, t);
        status = conclude(&bench, t, status);
        if (identified)
            status = write_report(&bench, t, status);
    }
    aw_run_free(&t->story.before);
    aw_run_free(&t->story.after);
    aw_bench_free(&bench);
    free(t);
    return status;
}
