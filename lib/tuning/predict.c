/* Simulates the discrete loop with a process model: two exact moves per tick, before and after the
 * delayed output changes. */
#include "tuning/predict.h"

#include <math.h>
#include <stdlib.h>

#include "tuning/identify/answer.h"

#define MAX_TICKS 60000

/* A process with dead time. In each control period, it first responds to the output of delay + 1
 * periods ago, then to that of delay periods ago. */
struct plant {
    struct aw_move first_move, second_move;
    struct aw_process_state x;
    size_t delay;
    double *outputs; /* ring of delay + 2 outputs */
    size_t n_ticks;
};

static bool plant_init(struct plant *p, const struct aw_process *process, double tick_s)
{
    double ticks = process->dead_time_s / tick_s, whole = floor(ticks + 1e-9);
    if (!(whole < MAX_TICKS))
        return false;
    double fraction = fmax(0, ticks - whole) * tick_s;
    *p = (struct plant){.first_move = aw_make_move(process, fraction),
                        .second_move = aw_make_move(process, tick_s - fraction),
                        .delay = (size_t)whole};
    p->outputs = calloc(p->delay + 2, sizeof *p->outputs);
    return p->outputs;
}

static void apply_input(const struct aw_move *move, struct aw_process_state *x, double input)
{
    aw_move(move, x, input, input);
}

static void plant_tick(struct plant *p, double input)
{
    size_t ring = p->delay + 2;
    p->outputs[p->n_ticks % ring] = input;
    apply_input(&p->first_move, &p->x, p->outputs[(p->n_ticks + 1) % ring]);
    apply_input(&p->second_move, &p->x, p->outputs[(p->n_ticks + 2) % ring]);
    p->n_ticks++;
}

/* Returns the part of an output that reaches the motor. */
static double get_effective_output(const struct aw_driver *driver, double u)
{
    double size = fabs(u);
    if (driver->output_max > 0)
        size = fmin(size, driver->output_max);
    return fabs(u) < driver->dead_band ? 0 : copysign(fmax(0, size - driver->friction), u);
}

struct controller {
    struct aw_gains gains;
    double integral, last_error;
};

static double run_control(struct controller *controller, double error)
{
    controller->integral += controller->gains.ki * error;
    double u = controller->gains.kp * error + controller->integral +
               controller->gains.kd * (error - controller->last_error);
    controller->last_error = error;
    return u;
}

struct aw_sample *aw_predict(const struct aw_process *process, const struct aw_driver *driver,
                             const struct aw_gains *per_tick, const struct aw_scene *scene,
                             size_t *n, struct aw_error *err)
{
    struct plant plant;
    const struct aw_rest *rest = &scene->rest;
    struct controller controller = {.gains = *per_tick,
                                    .integral = rest->output - per_tick->kp * rest->error,
                                    .last_error = rest->error};
    double ticks = scene->duration_s / driver->tick_s;
    if (!(ticks >= 1) || ticks > 1e6) {
        aw_fail(err, AW_USAGE, "predict: duration %g s is out of range (%g to %g s)",
                scene->duration_s, driver->tick_s, 1e6 * driver->tick_s);
        return NULL;
    }
    if (!(process->dead_time_s < MAX_TICKS * driver->tick_s)) {
        aw_fail(err, AW_USAGE, "predict: dead time %g s is out of range (below %g s)",
                process->dead_time_s, MAX_TICKS * driver->tick_s);
        return NULL;
    }
    struct aw_sample *samples = calloc((size_t)ticks, sizeof *samples);
    if (!samples || !plant_init(&plant, process, driver->tick_s)) {
        free(samples);
        aw_no_memory(err);
        return NULL;
    }
    *n = (size_t)ticks;
    for (size_t i = 0; i < *n; i++) {
        double y = aw_process_measured(process, &plant.x) - rest->error, measured = y;
        if (driver->quantum > 0)
            measured = round(y / driver->quantum) * driver->quantum;
        double u = run_control(&controller, scene->step - measured);
        samples[i] = (struct aw_sample){(double)i * driver->tick_s, scene->step, y, u};
        plant_tick(&plant, get_effective_output(driver, u));
    }
    free(plant.outputs);
    return samples;
}

/* Statistics of the linear loop's error after a step of setpoint or load, until it settles. */
struct error_stats {
    double iae, lowest; /* integral of |error|, and lowest error */
    bool settles;
};

static struct error_stats simulate_error(const struct aw_process *process, double tick_s,
                                         const struct aw_gains *per_tick, double setpoint,
                                         double load)
{
    struct plant plant;
    struct controller controller = {.gains = *per_tick};
    struct error_stats stats = {.lowest = INFINITY};
    double largest = 0, envelope = 0;
    if (!plant_init(&plant, process, tick_s))
        return stats;
    size_t n_quiet = 0, patience = plant.delay + 100;
    for (size_t i = 0; i < MAX_TICKS && n_quiet < patience; i++) {
        double e = setpoint - aw_process_measured(process, &plant.x);
        plant_tick(&plant, run_control(&controller, e) + load);
        stats.iae += fabs(e) * tick_s;
        stats.lowest = fmin(stats.lowest, e);
        largest = fmax(largest, fabs(e));
        envelope = fmax(fabs(e), envelope * 0.98);
        n_quiet = i > 2 * patience && envelope < 2e-3 * largest ? n_quiet + 1 : 0;
        if (!(fabs(e) < 1e9))
            break;
    }
    free(plant.outputs);
    stats.settles = n_quiet >= patience;
    return stats;
}

double aw_predict_load_iae(const struct aw_process *process, double tick_s,
                           const struct aw_gains *per_tick)
{
    struct error_stats stats = simulate_error(process, tick_s, per_tick, 0, 1);
    return stats.settles ? stats.iae : INFINITY;
}

double aw_predict_overshoot(const struct aw_process *process, double tick_s,
                            const struct aw_gains *per_tick)
{
    return fmax(0, -simulate_error(process, tick_s, per_tick, 1, 0).lowest);
}
