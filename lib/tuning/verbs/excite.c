/* The experiments of identify and tune: excitation of one joint, and a model of its samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clamp.h"
#include "base/task.h"
#include "tuning/identify/answer.h"
#include "tuning/verbs/trials.h"

#define EXPERIMENT  30.0 /* max duration of steps and relay, s */
#define MULTISINE_S 4.0  /* period of the multisine, s; two periods are sent */
#define TONES       12
#define FASTEST_HZ  8.0
#define SETPOINTS_S 12.0 /* duration with setpoints only, s: three parts of 1/12 and two of 1/3 */
#define REST_S      0.2
#define MOVES       0.55 /* share of the amplitude that certainly moves a joint, above friction */
#define PROBES      10   /* max number of outputs to try; each is twice the previous one */
#define PROBE_S     0.2
#define PROBE_SHARE 0.1 /* share of the max deviation that counts as a motion */
#define BACK_S      1.5

bool aw_bench_sends_gains(const struct aw_session *session)
{
    const struct aw_bench_hooks *hooks = session->tool->bench;
    return hooks->gains && (hooks->law != AW_BENCH_SERVO || aw_experiment_given(session)->with);
}

enum aw_status aw_excitation_plan(struct aw_bench *bench, struct aw_excitation *e)
{
    struct aw_session *session = bench->session;
    const char *with = aw_experiment_given(session)->with;
    bool all = !with || strcmp(with, "all") == 0;
    double deviation = 0;
    enum aw_status status = aw_bench_max_deviation(bench, NULL, &deviation);
    e->steps = all || strcmp(with, "step") == 0;
    e->relay = all || strcmp(with, "relay") == 0;
    e->multisine = all || strcmp(with, "multisine") == 0;
    e->config = (struct aw_excite_config){
        .amplitude = aw_experiment_given(session)->amplitude,
        .hysteresis = deviation / 50,
        .max_deviation = deviation,
        .max_time_s = session->options.run.for_s > 0 ? session->options.run.for_s : EXPERIMENT,
        .steps = e->steps,
        .relay = e->relay,
    };
    return status;
}

static void on_sample(struct aw_bench *bench, const double *sample)
{
    struct aw_excitation *e = bench->context;
    enum aw_excite_part part = e->excite.part;
    aw_excite_feed(&e->excite, sample[AW_BENCH_T], sample[AW_BENCH_MEASURED] / bench->joint.scale);
    if (e->excite.part != part && e->excite.part < AW_EXCITE_OVER)
        aw_session_notice(bench->session, "%s: %.1f s, %.3g %s from the start",
                          aw_excite_part_name(e->excite.part), sample[AW_BENCH_T],
                          sample[AW_BENCH_MEASURED] - e->config.centre * bench->joint.scale,
                          bench->joint.unit);
}

/* Updates the setpoint with each sample, as often as the driver accepts one, so that the output
 * keeps the wanted value. */
static enum aw_status excite(struct aw_bench *bench, struct aw_excitation *e)
{
    enum aw_status status = AW_OK;
    bench->on_sample = on_sample;
    bench->context = e;
    while (status == AW_OK && e->excite.part < AW_EXCITE_OVER) {
        double setpoint =
            bench->last[AW_BENCH_MEASURED] / bench->joint.scale + e->excite.output / e->kp;
        status = aw_bench_push(bench, aw_clamp(setpoint, bench->joint.low, bench->joint.high));
        if (status == AW_OK)
            status = aw_bench_await_turn(bench);
    }
    bench->on_sample = NULL;
    return status == AW_OK ? aw_excite_result(&e->excite, &bench->session->err) : status;
}

/* Sends two periods of a multisine around the centre, beginning at start. */
static enum aw_status multisine(struct aw_bench *bench, const struct aw_excitation *e, double start,
                                double period_s)
{
    struct aw_sweep sweep;
    struct aw_sweep_plan plan = {.from_hz = 1 / period_s,
                                 .to_hz = FASTEST_HZ,
                                 .tones = TONES,
                                 .amplitude = e->config.max_deviation / 3,
                                 .duration_s = period_s};
    double t = 0;
    enum aw_status status = aw_sweep_start(&sweep, &plan, &bench->session->err);
    while (status == AW_OK && t < 2 * period_s) {
        status = aw_bench_await_turn(bench);
        t = bench->last[AW_BENCH_T] - start;
        double value = e->config.centre + aw_sweep_value(&sweep, t) * fmin(1, t);
        if (status == AW_OK)
            status = aw_bench_push(bench, value);
    }
    return status;
}

/* Sends a multisine, with the driver's previous gains if its output is reported. */
static enum aw_status swing(struct aw_bench *bench, struct aw_excitation *e)
{
    double start = bench->last[AW_BENCH_T];
    aw_session_notice(bench->session, "multisine: %.1f s", start);
    enum aw_status status =
        aw_bench_push(bench, bench->last[AW_BENCH_MEASURED] / bench->joint.scale);
    if (status == AW_OK)
        status = aw_bench_gains(bench, bench->hooks->law == AW_BENCH_HIDDEN
                                           ? (struct aw_gains){e->kp, 0, 0}
                                           : bench->old);
    return status == AW_OK ? multisine(bench, e, start, MULTISINE_S) : status;
}

static enum aw_status go_around(struct aw_bench *bench, struct aw_excitation *e)
{
    const char *around = aw_experiment_given(bench->session)->around;
    enum aw_status status =
        around ? aw_bench_parse(bench, "--around", around, &e->config.centre) : AW_OK;
    if (status == AW_OK && around)
        status = aw_bench_drive(bench, e->config.centre);
    if (status == AW_OK)
        status = aw_bench_collect(bench, around ? 2 : 0.1);
    if (!around)
        e->config.centre = bench->last[AW_BENCH_MEASURED] / bench->joint.scale;
    return status;
}

static enum aw_status fail_near_end(struct aw_session *session)
{
    return aw_fail(&session->err, AW_LIMIT,
                   "%s: too near the end of the range for --max-deviation — move the joint "
                   "inwards%s, or give --around",
                   session->run.command->name,
                   aw_bench_sends_gains(session) ? " with setpoint" : "");
}

/* Excites a joint by setpoints only: to both sides and back, then a multisine. */
static enum aw_status follow(struct aw_bench *bench, struct aw_excitation *e)
{
    static const double places[] = {0, 1, -1, 0};
    struct aw_session *session = bench->session;
    double part_s = (session->options.run.for_s > 0 ? e->config.max_time_s : SETPOINTS_S) / 12;
    enum aw_status status = go_around(bench, e);
    double centre = e->config.centre, far = e->config.max_deviation / 3;
    if (status == AW_OK && (centre - far < bench->joint.low || centre + far > bench->joint.high))
        status = fail_near_end(session);
    aw_bench_watch(bench);
    bench->guard.config.moves = bench->guard.config.strong;
    if (status == AW_OK)
        status = aw_bench_restart(bench);
    for (size_t i = 0; i < sizeof places / sizeof *places && status == AW_OK; i++) {
        status = aw_bench_push(bench, centre + places[i] * far);
        if (status == AW_OK)
            status = aw_bench_collect(bench, i ? part_s : REST_S);
    }
    if (status == AW_OK)
        status = multisine(bench, e, bench->last[AW_BENCH_T], 4 * part_s);
    if (status == AW_OK)
        status = aw_bench_push(bench, centre);
    return status == AW_OK ? aw_bench_collect(bench, REST_S) : status;
}

/* Applies an output, by a new setpoint for each sample, until the joint is far enough from the
 * centre. */
static enum aw_status press(struct aw_bench *bench, const struct aw_excitation *e, double output,
                            bool *moved)
{
    double start = bench->last[AW_BENCH_T], far = PROBE_SHARE * e->config.max_deviation;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !*moved && bench->last[AW_BENCH_T] < start + PROBE_S) {
        double at = bench->last[AW_BENCH_MEASURED] / bench->joint.scale;
        status = aw_bench_push(bench, at + output / e->kp);
        if (status == AW_OK)
            status = aw_bench_await_turn(bench);
        *moved = fabs(bench->last[AW_BENCH_MEASURED] / bench->joint.scale - e->config.centre) > far;
    }
    return status;
}

/* Finds the lowest output that moves the joint fast enough, if no amplitude is given. */
static enum aw_status probe(struct aw_bench *bench, struct aw_excitation *e, double limit)
{
    bool moved = false;
    double most = e->config.amplitude, output = most;
    enum aw_status status = aw_bench_push(bench, e->config.centre);
    if (status == AW_OK)
        status = aw_bench_gains(bench, (struct aw_gains){e->kp, 0, 0});
    for (int i = PROBES; i > 0 && status == AW_OK && !moved; i--) {
        output = ldexp(most, 1 - i);
        status = press(bench, e, output, &moved);
    }
    if (status == AW_OK)
        status = aw_bench_calm_gains(bench);
    if (status == AW_OK)
        status = aw_bench_push(bench, e->config.centre);
    if (status == AW_OK)
        status = aw_bench_collect(bench, BACK_S);
    e->config.amplitude = output;
    e->kp = aw_excite_gain(&e->config, limit);
    return status;
}

static enum aw_status begin(struct aw_bench *bench, struct aw_excitation *e)
{
    struct aw_session *session = bench->session;
    bool given = e->config.amplitude > 0;
    e->config.amplitude = given ? e->config.amplitude : bench->joint.amplitude;
    enum aw_status status =
        bench->hooks->law != AW_BENCH_TOLD ? aw_bench_check_gains_act(bench) : AW_OK;
    if (status == AW_OK)
        status = aw_bench_tick_measure(bench, &e->tick);
    if (status == AW_OK)
        status = go_around(bench, e);
    /* aw_excite_gain expects a range that is symmetric about 0 */
    double centre = e->config.centre;
    double room = fmin(bench->joint.high - centre, centre - bench->joint.low);
    e->kp = aw_excite_gain(&e->config, room + fabs(centre));
    if (status == AW_OK && !isfinite(e->kp))
        status = fail_near_end(session);
    if (status == AW_OK && !given)
        status = probe(bench, e, room + fabs(centre));
    if (status == AW_OK)
        status = aw_excite_start(&e->excite, &e->config, &session->err);
    aw_bench_watch(bench); /* limits the deviation from the centre, also after --around */
    bench->by_output = true;
    bench->guard.config.moves = MOVES * e->config.amplitude;
    return status == AW_OK ? aw_bench_push(bench, e->config.centre) : status;
}

enum aw_status aw_excitation_perform(struct aw_bench *bench, struct aw_excitation *e)
{
    if (!aw_bench_sends_gains(bench->session))
        return follow(bench, e);
    /* from here on, the end of the command restores these gains */
    aw_law_save(bench->session, &bench->law);
    enum aw_status status = begin(bench, e);
    bool small = e->steps || e->relay;
    if (status == AW_OK && small)
        status = aw_bench_gains(bench, (struct aw_gains){e->kp, 0, 0});
    if (status == AW_OK)
        status = aw_bench_restart(bench);
    if (status == AW_OK)
        status = small ? excite(bench, e) : aw_bench_collect(bench, 0.1);
    return status == AW_OK && e->multisine ? swing(bench, e) : status;
}

/* ---- From samples to a model ---- */

struct arrays {
    double *t, *u, *y, *input_t, *input;
    size_t n;
};

/* Data of a model fit that runs in its own thread. */
struct calculation {
    struct arrays arrays;
    struct aw_trial trial;
    struct aw_fit_options options;
    struct aw_model model;
    struct aw_error err;
    enum aw_status status;
};

static bool make_arrays(const struct aw_table *table, const struct aw_bench_columns *c,
                        struct arrays *a)
{
    size_t n = table->n_rows;
    double *block = calloc(9 * n + 1, sizeof *block);
    if (!block)
        return false;
    *a = (struct arrays){block, block + n, block + 2 * n, block + 3 * n, block + 6 * n, n};
    double zero = c->relative && n ? aw_table_cell(table, 0, c->input) : 0;
    for (size_t i = 0; i < n; i++) {
        a->t[i] = aw_table_cell(table, i, c->t) * c->time_scale;
        a->u[i] = aw_table_cell(table, i, c->input) - zero;
        a->y[i] = aw_table_cell(table, i, c->measured) / c->measured_scale;
    }
    return true;
}

static void calculate(void *context)
{
    struct calculation *c = context;
    struct aw_model *model = &c->model;
    c->status = aw_fit_best(&c->trial, &c->options, &model->fit, &c->err);
    if (c->status != AW_OK)
        return;
    model->grain = aw_grain(c->arrays.y, c->arrays.n);
    /* the spectrum needs the input without the dead band */
    struct aw_dead dead = {c->options.dead_zone, model->fit.dead_band};
    for (size_t i = 0; i < c->trial.n_inputs; i++)
        c->arrays.input[i] = aw_dead_passes(&dead, c->arrays.input[i]);
    model->n_points = aw_spectrum(&c->trial, model->points, NULL);
}

static void drop_calculation(void *context)
{
    struct calculation *c = context;
    free(c->arrays.t);
    free(c);
}

static void show_calculation(struct aw_session *session, const void *context)
{
    const size_t *n = context;
    aw_session_work(session, "fitting a model to %zu samples: %.0f s", *n,
                    aw_session_seconds(session));
}

/* Fits in a thread, because a long recording takes seconds. Meanwhile, the server needs
 * keep-alives, and Ctrl-C must work. */
enum aw_status aw_bench_model_from_table(struct aw_session *session, const struct aw_table *table,
                                         const struct aw_bench_columns *columns,
                                         const struct aw_fit_options *options,
                                         struct aw_model *model)
{
    struct calculation *c = calloc(1, sizeof *c);
    struct arrays *a = c ? &c->arrays : NULL;
    aw_model_init(model);
    if (!c || !make_arrays(table, columns, a)) {
        free(c);
        return aw_no_memory(&session->err);
    }
    c->trial = aw_excite_trial(a->t, a->u, a->y, a->n, columns->tick_s, a->input_t, a->input);
    c->options = *options;
    c->model = *model;
    aw_session_work_while(session, show_calculation, &table->n_rows);
    enum aw_status status = aw_task_run(&session->time.real.base, calculate, drop_calculation, c);
    aw_session_work_while(session, NULL, NULL);
    if (status != AW_OK) /* the thread still owns c */
        return status;
    status = c->status;
    if (status == AW_OK) {
        *model = c->model;
        model->driver = columns->driver;
        model->driver.quantum = model->grain.quantum;
        model->driver.noise = model->grain.noise;
        model->driver.lost = model->fit.dead_band;
        time_t now = (time_t)(aw_wall_time() / AW_SECOND);
        struct tm utc;
        strftime(model->made, sizeof model->made, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    } else {
        session->err = c->err;
    }
    drop_calculation(c);
    return status;
}

enum aw_status aw_excitation_model(struct aw_bench *bench, const struct aw_excitation *e,
                                   struct aw_model *model)
{
    double tick_s = e->tick.from == AW_TICK_ASSUMED ? 0 : e->tick.s;
    bool servo = !aw_bench_sends_gains(bench->session);
    struct aw_bench_columns columns = {.t = AW_BENCH_T,
                                       .input = servo ? AW_BENCH_SETPOINT : AW_BENCH_OUTPUT,
                                       .measured = AW_BENCH_MEASURED,
                                       .time_scale = 1,
                                       .measured_scale = bench->joint.scale,
                                       .tick_s = tick_s,
                                       .driver = bench->joint.driver,
                                       .relative = servo};
    struct aw_fit_options options = {.dead_zone = bench->joint.driver.dead_band,
                                     .find_dead_band = !servo};
    enum aw_status status =
        aw_bench_model_from_table(bench->session, &bench->table, &columns, &options, model);
    if (status != AW_OK)
        return status;
    model->full_scale = bench->joint.scale;
    aw_model_set_tick(model, &e->tick);
    if (bench->hooks->quantum)
        model->driver.quantum = fmax(model->driver.quantum, bench->hooks->quantum(bench));
    snprintf(model->unit, sizeof model->unit, "%s", bench->joint.unit ? bench->joint.unit : "");
    snprintf(model->board, sizeof model->board, "%.31s", bench->joint.name);
    snprintf(model->controller, sizeof model->controller, "%s", bench->joint.mode);
    snprintf(model->source, sizeof model->source, "%s %s, %zu samples", bench->session->tool->name,
             bench->session->run.command->name, bench->table.n_rows);
    return AW_OK;
}
