/* The experiments behind identify and tune: excitation of one board, and the model of its samples.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "control/answer.h"
#include "protocol/canpid/joint.h"
#include "tuning.h"

#define ENCODER_DEG 0.045 /* a step of the lever arm's encoder: what the law sees */
#define EXPERIMENT  30.0  /* s, of steps and relay */
#define MULTISINE_S 4.0   /* a period; two are sent */
#define TONES       12
#define SLOWEST_HZ  0.25
#define FASTEST_HZ  8.0

/* The published gains of a driver after power-up, put back when nothing else is known. */
static const struct aw_gains power_up[AW_CANPID_CONTROLLERS] = {
    [AW_CANPID_POS] = {3.0, 0.0005, 0},
    [AW_CANPID_TOR] = {0.6, 0, 0},
};

struct aw_driver canpid_driver(void)
{
    return (struct aw_driver){
        .dead_band = 0.01, .output_max = 0.81, .gain_max = AW_CANPID_GAIN_MAX};
}

bool canpid_known_gains(struct canpid_run *run, struct aw_gains *gains)
{
    const struct aw_canpid_gains *all = &canpid_of(run->session)->gains;
    const struct aw_gain *sent = all->of[run->board / 32][run->controller];
    double *const places[] = {&gains->kp, &gains->ki, &gains->kd};
    bool known = true;
    *gains = power_up[run->controller];
    for (int i = 0; i < AW_CANPID_GAINS; i++)
        if (sent[i].known)
            *places[i] = (double)sent[i].value;
        else
            known = false;
    return known;
}

void canpid_try_gains(struct canpid_run *run, struct aw_gains old)
{
    struct canpid_state *state = run->session->state;
    canpid_list_gains(run->board, run->controller, old, state->old);
    state->n_old = AW_CANPID_GAINS;
}

enum aw_status canpid_experiment_plan(struct canpid_run *run, struct canpid_experiment *e)
{
    struct aw_session *session = run->session;
    const char *with = aw_option(session, "with");
    bool all = strcmp(with, "all") == 0;
    double deviation = 0;
    enum aw_status status = canpid_max_deviation(session, run->controller, NULL, &deviation);
    e->steps = all || strcmp(with, "step") == 0;
    e->relay = all || strcmp(with, "relay") == 0;
    e->multisine = all || strcmp(with, "multisine") == 0;
    e->config = (struct aw_excite_config){
        .amplitude = aw_option_number(session, "amplitude"),
        .hysteresis = deviation / 50,
        .max_deviation = deviation,
        .max_time_s = aw_flag(session, "for") ? aw_option_number(session, "for") : EXPERIMENT,
        .steps = e->steps,
        .relay = e->relay,
    };
    return status;
}

static void on_sample(struct canpid_run *run, const double *sample)
{
    struct canpid_experiment *e = run->context;
    enum aw_excite_part part = e->excite.part;
    aw_excite_feed(&e->excite, sample[RUN_T], sample[RUN_MEASURED] / run->scale);
    if (e->excite.part != part && e->excite.part < AW_EXCITE_OVER)
        aw_session_notice(run->session, "%s: %.1f s, %.3g %s from where it began",
                          aw_excite_part_name(e->excite.part), sample[RUN_T],
                          sample[RUN_MEASURED] - e->config.centre * run->scale, run->unit);
}

/* The newest sample renews the setpoint as often as the driver takes one, so that its output stays
 * what the experiment wants. */
static enum aw_status excite(struct canpid_run *run, struct canpid_experiment *e)
{
    double limit = aw_canpid_setpoint_limit(run->controller);
    enum aw_status status = AW_OK;
    run->on_sample = on_sample;
    run->context = e;
    while (status == AW_OK && e->excite.part < AW_EXCITE_OVER) {
        double setpoint = run->last[RUN_MEASURED] / run->scale + e->excite.output / e->kp;
        status = canpid_run_push(run, fmax(-limit, fmin(limit, setpoint)));
        if (status == AW_OK)
            status = canpid_run_await_turn(run);
    }
    run->on_sample = NULL;
    return status == AW_OK ? aw_excite_result(&e->excite, &run->session->err) : status;
}

/* Two periods around the centre, by the gains that the driver had. */
static enum aw_status swing(struct canpid_run *run, struct canpid_experiment *e,
                            const struct aw_gains *before)
{
    struct aw_sweep sweep;
    struct aw_sweep_plan plan = {.kind = AW_SWEEP_MULTISINE,
                                 .from_hz = SLOWEST_HZ,
                                 .to_hz = FASTEST_HZ,
                                 .tones = TONES,
                                 .amplitude = e->config.max_deviation / 3,
                                 .duration_s = MULTISINE_S};
    double t = 0, start = run->last[RUN_T];
    enum aw_status status = aw_sweep_start(&sweep, &plan, &run->session->err);
    aw_session_notice(run->session, "multisine: %.1f s", start);
    if (status == AW_OK)
        status = canpid_run_push(run, run->last[RUN_MEASURED] / run->scale);
    if (status == AW_OK)
        status = canpid_run_gains(run, *before);
    while (status == AW_OK && t < 2 * MULTISINE_S) {
        status = canpid_run_await_turn(run);
        t = run->last[RUN_T] - start;
        double value = e->config.centre + aw_sweep_value(&sweep, t) * fmin(1, t);
        if (status == AW_OK)
            status = canpid_run_push(run, value);
    }
    return status;
}

static enum aw_status begin(struct canpid_run *run, struct canpid_experiment *e,
                            const struct aw_gains *before)
{
    struct aw_session *session = run->session;
    double limit = aw_canpid_setpoint_limit(run->controller);
    const char *around = aw_option(session, "around");
    enum aw_status status = canpid_tick_measure(run, before, &e->tick);
    if (status == AW_OK && around)
        status = canpid_parse(session, "--around", around, run->controller, &e->config.centre);
    if (status == AW_OK && around)
        status = canpid_run_drive(run, e->config.centre);
    if (status == AW_OK)
        status = canpid_run_collect(run, around ? 2 : 0.1);
    if (!around)
        e->config.centre = run->last[RUN_MEASURED] / run->scale;
    e->kp = aw_excite_gain(&e->config, limit);
    if (status == AW_OK && !isfinite(e->kp))
        status = aw_fail(&session->err, AW_LIMIT,
                         "%s: the joint is too near the end of its range for a swing of "
                         "--max-deviation — move it inwards with setpoint, or --around",
                         session->run.command->name);
    if (status == AW_OK)
        status = aw_excite_start(&e->excite, &e->config, &session->err);
    canpid_run_watch(run); /* the bound is one around the centre, also after --around */
    return status == AW_OK ? canpid_run_push(run, e->config.centre) : status;
}

enum aw_status canpid_experiment_perform(struct canpid_run *run, struct canpid_experiment *e,
                                         const struct aw_gains *before)
{
    canpid_try_gains(run, *before);
    enum aw_status status = begin(run, e, before);
    bool small = e->steps || e->relay;
    if (status == AW_OK && small)
        status = canpid_run_gains(run, (struct aw_gains){e->kp, 0, 0});
    if (status == AW_OK && small)
        status = canpid_run_restart(run);
    if (status == AW_OK && small)
        status = excite(run, e);
    if (status == AW_OK && !small)
        status = canpid_run_restart(run);
    if (status == AW_OK && !small)
        status = canpid_run_collect(run, 0.1);
    return status == AW_OK && e->multisine ? swing(run, e, before) : status;
}

/* ---- From samples to a model -------------------------------------------------------------------
 */

struct arrays {
    double *t, *u, *y, *input_t, *input;
    size_t n;
};

static bool make_arrays(const struct aw_table *table, const struct canpid_columns *c,
                        struct arrays *a)
{
    size_t n = table->n_rows;
    double *block = calloc(9 * n + 1, sizeof *block);
    if (!block)
        return false;
    *a = (struct arrays){block, block + n, block + 2 * n, block + 3 * n, block + 6 * n, n};
    for (size_t i = 0; i < n; i++) {
        a->t[i] = aw_table_cell(table, i, c->t) * c->time_scale;
        a->u[i] = aw_table_cell(table, i, c->input);
        a->y[i] = aw_table_cell(table, i, c->measured) / c->measured_scale;
    }
    return true;
}

enum aw_status canpid_model_from_table(struct aw_session *session, const struct aw_table *table,
                                       const struct canpid_columns *columns,
                                       const struct aw_fit_options *options, struct aw_model *model)
{
    struct arrays a;
    struct aw_trial trial;
    aw_model_init(model);
    if (!make_arrays(table, columns, &a))
        return aw_no_memory(&session->err);
    trial = aw_excite_trial(a.t, a.u, a.y, a.n, columns->tick_s, a.input_t, a.input);
    enum aw_status status = aw_fit_best(&trial, options, &model->fit, &session->err);
    if (status == AW_OK) {
        model->grain = aw_grain(a.y, a.n);
        /* what the dead band lets through: the rest is the process */
        struct aw_dead dead = {options->dead_zone, model->fit.dead_band};
        for (size_t i = 0; i < trial.n_inputs; i++)
            a.input[i] = aw_dead_passes(&dead, a.input[i]);
        model->n_points = aw_spectrum(&trial, model->points, NULL);
        model->driver = canpid_driver();
        model->driver.quantum = model->grain.quantum;
        model->driver.noise = model->grain.noise;
        model->driver.lost = model->fit.dead_band;
        time_t now = (time_t)(aw_wall_time() / AW_SECOND);
        struct tm utc;
        strftime(model->made, sizeof model->made, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    }
    free(a.t);
    return status;
}

/* The spring gets harder as it is bent: what an encoder's step is worth at the largest torque seen.
 */
static double torque_step(const struct aw_table *table)
{
    static const double step = 2 * M_PI / 16384, precompression_m = 0.002;
    double largest = 0, alpha = 0;
    for (size_t i = 0; i < table->n_rows; i++)
        largest = fmax(largest, fabs(aw_table_cell(table, i, RUN_MEASURED)));
    while (aw_joint_torque(alpha, precompression_m) < largest && alpha < 1.5)
        alpha += step;
    return aw_joint_torque(alpha + step, precompression_m) -
           aw_joint_torque(alpha, precompression_m);
}

enum aw_status canpid_experiment_model(struct canpid_run *run, const struct canpid_experiment *e,
                                       struct aw_model *model)
{
    double tick_s = e->tick.from == AW_TICK_ASSUMED ? 0 : e->tick.s;
    struct canpid_columns columns = {RUN_T, RUN_OUTPUT, RUN_MEASURED, 1, run->scale, tick_s};
    struct aw_fit_options options = {.dead_zone = canpid_driver().dead_band,
                                     .find_dead_band = true};
    enum aw_status status =
        canpid_model_from_table(run->session, &run->table, &columns, &options, model);
    if (status != AW_OK)
        return status;
    char name[AW_CANPID_NAME_MAX];
    model->full_scale = run->scale;
    aw_model_set_tick(model, &e->tick);
    double step = run->controller == AW_CANPID_POS   ? ENCODER_DEG
                  : run->controller == AW_CANPID_TOR ? torque_step(&run->table)
                                                     : 0;
    model->driver.quantum = fmax(model->driver.quantum, step / run->scale);
    snprintf(model->unit, sizeof model->unit, "%s", run->unit ? run->unit : "");
    snprintf(model->board, sizeof model->board, "%s",
             aw_canpid_board_name(&run->session->wire->variant, run->board, name));
    snprintf(model->controller, sizeof model->controller, "%s",
             aw_canpid_controller_name(run->controller));
    snprintf(model->source, sizeof model->source, "canpid %s, %zu samples",
             run->session->run.command->name, run->table.n_rows);
    return AW_OK;
}
