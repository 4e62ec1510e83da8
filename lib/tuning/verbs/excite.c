/* The experiments of identify and tune: excitation of one joint, and a model of its samples. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clamp.h"
#include "base/task.h"
#include "tuning/identify/answer.h"
#include "tuning/verbs/trials.h"

#define EXPERIMENT   30.0 /* max duration of steps and relay, s */
#define MULTISINE_S  4.0  /* period of the multisine, s; two periods are sent */
#define TONES        12
#define FASTEST_HZ   8.0
#define SETPOINTS_S  12.0 /* duration with setpoints only, s: three parts of 1/12 and two of 1/3 */
#define REST_S       0.2
#define MOVING_SHARE 0.55 /* share of the amplitude that certainly moves a joint, above friction */

bool aw_experiment_sends_gains(const struct aw_session *session)
{
    const struct aw_experiment_hooks *hooks = aw_experiment_get_hooks(session);
    return hooks->tuning.gains &&
           (hooks->tuning.input != AW_INPUT_SETPOINT || aw_experiment_given(session)->with);
}

enum aw_status aw_excitation_plan(struct aw_experiment *experiment, struct aw_excitation *e)
{
    struct aw_session *session = experiment->session;
    const char *with = aw_experiment_given(session)->with;
    bool runs_all = !with || strcmp(with, "all") == 0;
    double deviation = 0;
    enum aw_status status = aw_experiment_max_deviation(experiment, NULL, &deviation);
    e->has_multisine = runs_all || strcmp(with, "multisine") == 0;
    e->config = (struct aw_excite_config){
        .amplitude = aw_experiment_given(session)->amplitude,
        .hysteresis = deviation / 50,
        .max_deviation = deviation,
        .max_time_s = session->options.run.for_s > 0 ? session->options.run.for_s : EXPERIMENT,
        .steps = runs_all || strcmp(with, "step") == 0,
        .relay = runs_all || strcmp(with, "relay") == 0,
    };
    return status;
}

static void on_sample(struct aw_experiment *experiment, const struct aw_sample *sample)
{
    struct aw_excitation *e = experiment->sampling.context;
    enum aw_excite_part part = e->excite.part;
    aw_excite_add_sample(&e->excite, sample->t, aw_experiment_position(experiment));
    if (e->excite.part != part && e->excite.part < AW_EXCITE_OVER)
        aw_session_print_notice(experiment->session, "%s: %.1f s, %.3g %s from the start",
                                aw_excite_part_name(e->excite.part), sample->t,
                                sample->measured - e->config.centre * experiment->joint.scale,
                                experiment->joint.unit);
}

/* Updates the setpoint with each sample, as often as the driver accepts one, so that the output
 * keeps the wanted value. */
static enum aw_status run_excitation(struct aw_experiment *experiment, struct aw_excitation *e)
{
    enum aw_status status = AW_OK;
    experiment->sampling.on_sample = on_sample;
    experiment->sampling.context = e;
    while (status == AW_OK && e->excite.part < AW_EXCITE_OVER) {
        double setpoint = aw_experiment_position(experiment) + e->excite.output / e->kp;
        status = aw_experiment_push(
            experiment, aw_clamp(setpoint, experiment->joint.low, experiment->joint.high));
        if (status == AW_OK)
            status = aw_experiment_await_sample(experiment);
    }
    experiment->sampling.on_sample = NULL;
    return status == AW_OK ? aw_excite_result(&e->excite, &experiment->session->err) : status;
}

/* Sends two periods of a multisine around the centre, beginning at start. */
static enum aw_status send_multisine(struct aw_experiment *experiment,
                                     const struct aw_excitation *e, double start, double period_s)
{
    struct aw_sweep sweep;
    struct aw_sweep_plan plan = {.from_hz = 1 / period_s,
                                 .to_hz = FASTEST_HZ,
                                 .tones = TONES,
                                 .amplitude = e->config.max_deviation / 3,
                                 .duration_s = period_s};
    double t = 0;
    enum aw_status status = aw_sweep_start(&sweep, &plan, &experiment->session->err);
    while (status == AW_OK && t < 2 * period_s) {
        status = aw_experiment_await_sample(experiment);
        t = experiment->sampling.last.t - start;
        double value = e->config.centre + aw_sweep_get_value(&sweep, t) * fmin(1, t);
        if (status == AW_OK)
            status = aw_experiment_push(experiment, value);
    }
    return status;
}

/* Sends a multisine with the driver's previous gains. */
static enum aw_status run_multisine(struct aw_experiment *experiment, struct aw_excitation *e)
{
    double start = experiment->sampling.last.t;
    aw_session_print_notice(experiment->session, "multisine: %.1f s", start);
    enum aw_status status = aw_experiment_hold(experiment);
    if (status == AW_OK)
        status = aw_experiment_send_gains(experiment, experiment->gains.old);
    return status == AW_OK ? send_multisine(experiment, e, start, MULTISINE_S) : status;
}

static enum aw_status move_to_centre(struct aw_experiment *experiment, struct aw_excitation *e)
{
    const char *around = aw_experiment_given(experiment->session)->around;
    enum aw_status status =
        around ? aw_experiment_parse(experiment, "--around", around, &e->config.centre) : AW_OK;
    if (status == AW_OK && around)
        status = aw_experiment_drive(experiment, e->config.centre);
    if (status == AW_OK)
        status = aw_experiment_collect(experiment, around ? 2 : 0.1);
    if (!around)
        e->config.centre = aw_experiment_position(experiment);
    return status;
}

static enum aw_status fail_near_end(struct aw_session *session)
{
    return aw_fail(&session->err, AW_LIMIT,
                   "%s: too near the end of the range for --max-deviation — move the joint "
                   "inwards%s, or give --around",
                   session->run.command->name,
                   aw_experiment_sends_gains(session) ? " with setpoint" : "");
}

/* Excites a joint by setpoints only: to both sides and back, then a multisine. */
static enum aw_status run_setpoints(struct aw_experiment *experiment, struct aw_excitation *e)
{
    static const double positions[] = {0, 1, -1, 0};
    struct aw_session *session = experiment->session;
    double part_s = (session->options.run.for_s > 0 ? e->config.max_time_s : SETPOINTS_S) / 12;
    enum aw_status status = move_to_centre(experiment, e);
    double centre = e->config.centre, distance = e->config.max_deviation / 3;
    if (status == AW_OK &&
        (centre - distance < experiment->joint.low || centre + distance > experiment->joint.high))
        status = fail_near_end(session);
    aw_experiment_restart_limits(experiment);
    experiment->motion.config.moving_output = experiment->motion.config.strong_output;
    aw_experiment_restart(experiment);
    for (size_t i = 0; i < sizeof positions / sizeof *positions && status == AW_OK; i++) {
        status = aw_experiment_push(experiment, centre + positions[i] * distance);
        if (status == AW_OK)
            status = aw_experiment_collect(experiment, i ? part_s : REST_S);
    }
    if (status == AW_OK)
        status = send_multisine(experiment, e, experiment->sampling.last.t, 4 * part_s);
    if (status == AW_OK)
        status = aw_experiment_push(experiment, centre);
    return status == AW_OK ? aw_experiment_collect(experiment, REST_S) : status;
}

static enum aw_status start_excitation(struct aw_experiment *experiment, struct aw_excitation *e)
{
    struct aw_session *session = experiment->session;
    enum aw_status status = experiment->hooks->tuning.input != AW_INPUT_REPORTED
                                ? aw_experiment_check_gains_act(experiment)
                                : AW_OK;
    if (status == AW_OK)
        status = aw_experiment_measure_tick(experiment, &e->tick);
    if (status == AW_OK)
        status = move_to_centre(experiment, e);
    /* aw_excite_find_gain expects a range that is symmetric about 0 */
    double centre = e->config.centre;
    double room = fmin(experiment->joint.high - centre, centre - experiment->joint.low);
    e->kp = aw_excite_find_gain(&e->config, room + fabs(centre));
    if (status == AW_OK && !isfinite(e->kp))
        status = fail_near_end(session);
    aw_excite_start(&e->excite, &e->config);
    /* Limits the deviation from the centre, also after --around. */
    aw_experiment_restart_limits(experiment);
    experiment->command.checks_output = true;
    experiment->motion.config.moving_output = MOVING_SHARE * e->config.amplitude;
    return status == AW_OK ? aw_experiment_push(experiment, e->config.centre) : status;
}

enum aw_status aw_excitation_perform(struct aw_experiment *experiment, struct aw_excitation *e)
{
    if (!aw_experiment_sends_gains(experiment->session))
        return run_setpoints(experiment, e);
    /* from here on, the end of the command restores these gains */
    aw_gains_backup(experiment->session, &experiment->gains.gains);
    enum aw_status status = start_excitation(experiment, e);
    bool is_small = e->config.steps || e->config.relay;
    if (status == AW_OK && is_small)
        status = aw_experiment_send_gains(experiment, (struct aw_gains){e->kp, 0, 0});
    aw_experiment_restart(experiment);
    if (status == AW_OK)
        status = is_small ? run_excitation(experiment, e) : aw_experiment_collect(experiment, 0.1);
    return status == AW_OK && e->has_multisine ? run_multisine(experiment, e) : status;
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

static bool make_arrays(const struct aw_experiment_record *r, struct arrays *a)
{
    size_t n = r->n;
    double *block = calloc(9 * n + 1, sizeof *block);
    if (!block)
        return false;
    *a = (struct arrays){block, block + n, block + 2 * n, block + 3 * n, block + 6 * n, n};
    for (size_t i = 0; i < n; i++) {
        const struct aw_sample *sample = &r->samples[i];
        a->t[i] = sample->t;
        a->u[i] = r->is_servo ? sample->setpoint - r->samples[0].setpoint : sample->output;
        a->y[i] = sample->measured / r->scale;
    }
    return true;
}

static void fit_model(void *context)
{
    struct calculation *c = context;
    struct aw_model *model = &c->model;
    c->status = aw_fit_best(&c->trial, &c->options, &model->fit, &c->err);
    if (c->status != AW_OK)
        return;
    model->grain = aw_find_grain(c->arrays.y, c->arrays.n);
    /* the spectrum needs the input without the dead band */
    struct aw_dead_band dead = {c->options.dead_zone, model->fit.dead_band};
    for (size_t i = 0; i < c->trial.n_inputs; i++)
        c->arrays.input[i] = aw_dead_band_output(&dead, c->arrays.input[i]);
    model->n_points = aw_find_spectrum(&c->trial, model->points);
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
    aw_session_show_progress(session, "fitting a model to %zu samples: %.0f s", *n,
                             aw_session_seconds(session));
}

/* Fits in a thread, because a long recording takes seconds. Meanwhile, the server needs
 * keep-alives, and Ctrl-C must work. */
enum aw_status aw_experiment_fit(struct aw_session *session,
                                 const struct aw_experiment_record *record,
                                 const struct aw_fit_options *options, struct aw_model *model)
{
    struct calculation *c = calloc(1, sizeof *c);
    struct arrays *a = c ? &c->arrays : NULL;
    aw_model_init(model);
    if (!c || !make_arrays(record, a)) {
        free(c);
        return aw_no_memory(&session->err);
    }
    c->trial = aw_excite_make_trial(a->t, a->u, a->y, a->n, record->tick_s, a->input_t, a->input);
    c->options = *options;
    c->model = *model;
    aw_session_repeat_progress(session, show_calculation, &record->n);
    enum aw_status status = aw_task_run(&session->time.real.base, fit_model, drop_calculation, c);
    aw_session_repeat_progress(session, NULL, NULL);
    if (status != AW_OK) /* the thread still owns c */
        return status;
    status = c->status;
    if (status == AW_OK) {
        *model = c->model;
        model->driver = record->driver;
        model->driver.quantum = model->grain.quantum;
        model->driver.noise = model->grain.noise;
        model->driver.friction = model->fit.dead_band;
        time_t now = (time_t)(aw_wall_time() / AW_SECOND);
        struct tm utc;
        strftime(model->created, sizeof model->created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    } else {
        session->err = c->err;
    }
    drop_calculation(c);
    return status;
}

enum aw_status aw_excitation_model(struct aw_experiment *experiment, const struct aw_excitation *e,
                                   struct aw_model *model)
{
    double tick_s = e->tick.source == AW_TICK_ASSUMED ? 0 : e->tick.s;
    bool is_servo = !aw_experiment_sends_gains(experiment->session);
    const struct aw_experiment_record record = {.samples = experiment->samples.list,
                                                .n = experiment->samples.n,
                                                .scale = experiment->joint.scale,
                                                .tick_s = tick_s,
                                                .driver = experiment->joint.loop.driver,
                                                .is_servo = is_servo};
    struct aw_fit_options options = {.dead_zone = experiment->joint.loop.driver.dead_band,
                                     .find_dead_band = !is_servo};
    enum aw_status status = aw_experiment_fit(experiment->session, &record, &options, model);
    if (status != AW_OK)
        return status;
    model->full_scale = experiment->joint.scale;
    aw_model_set_tick(model, &e->tick);
    if (experiment->hooks->tuning.quantum)
        model->driver.quantum =
            fmax(model->driver.quantum, experiment->hooks->tuning.quantum(experiment));
    snprintf(model->unit, sizeof model->unit, "%s",
             experiment->joint.unit ? experiment->joint.unit : "");
    snprintf(model->board, sizeof model->board, "%.31s", experiment->joint.name);
    snprintf(model->controller, sizeof model->controller, "%s", experiment->joint.mode);
    snprintf(model->source, sizeof model->source, "%s %s, %zu samples",
             experiment->session->tool->name, experiment->session->run.command->name,
             experiment->samples.n);
    return AW_OK;
}
