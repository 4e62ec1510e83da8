/* Simulates the discrete loop with a process model: two exact moves per tick, before and after the
 * delayed output changes. */
#include "tuning/predict.h"

#include <math.h>
#include <stdlib.h>

#include "tuning/identify/mover.h"

#define LONGEST 60000 /* max ticks */

/* A process with dead time. In each control period, it first responds to the output of delay + 1
 * periods ago, then to that of delay periods ago. */
struct plant {
    struct aw_move early, late;
    struct aw_process_state x;
    size_t delay;
    double *past; /* ring of delay + 2 outputs */
    size_t now;
};

static bool plant_init(struct plant *p, const struct aw_process *process, double tick_s)
{
    double ticks = process->dead_time_s / tick_s, whole = floor(ticks + 1e-9);
    if (!(whole < LONGEST))
        return false;
    double part = fmax(0, ticks - whole) * tick_s;
    *p = (struct plant){.early = aw_move_of(process, part),
                        .late = aw_move_of(process, tick_s - part),
                        .delay = (size_t)whole};
    p->past = calloc(p->delay + 2, sizeof *p->past);
    return p->past;
}

static void hold(const struct aw_move *move, struct aw_process_state *x, double input)
{
    aw_move(move, x, input, input);
}

static void plant_tick(struct plant *p, double input)
{
    size_t ring = p->delay + 2;
    p->past[p->now % ring] = input;
    hold(&p->early, &p->x, p->past[(p->now + 1) % ring]);
    hold(&p->late, &p->x, p->past[(p->now + 2) % ring]);
    p->now++;
}

/* Returns the part of an output that reaches the motor. */
static double effective(const struct aw_driver *driver, double u)
{
    double size = fabs(u);
    if (driver->output_max > 0)
        size = fmin(size, driver->output_max);
    return fabs(u) < driver->dead_band ? 0 : copysign(fmax(0, size - driver->lost), u);
}

struct law {
    struct aw_gains gains;
    double sum, before;
};

static double control_tick(struct law *law, double error)
{
    law->sum += law->gains.ki * error;
    double u = law->gains.kp * error + law->sum + law->gains.kd * (error - law->before);
    law->before = error;
    return u;
}

struct aw_sample *aw_predict(const struct aw_process *process, const struct aw_driver *driver,
                             const struct aw_gains *per_tick, const struct aw_scene *scene,
                             size_t *n, struct aw_error *err)
{
    struct plant plant;
    const struct aw_rest *rest = &scene->rest;
    struct law law = {.gains = *per_tick,
                      .sum = rest->output - per_tick->kp * rest->error,
                      .before = rest->error};
    double ticks = scene->duration_s / driver->tick_s;
    if (!(ticks >= 1) || ticks > 1e6) {
        aw_fail(err, AW_USAGE, "predict: duration %g s is out of range", scene->duration_s);
        return NULL;
    }
    if (!(process->dead_time_s < LONGEST * driver->tick_s)) {
        aw_fail(err, AW_USAGE, "predict: dead time %g s is out of range", process->dead_time_s);
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
        double y = scene->from - rest->error + aw_process_measured(process, &plant.x);
        double seen = y;
        if (scene->full && driver->quantum > 0)
            seen = round(y / driver->quantum) * driver->quantum;
        double u = control_tick(&law, scene->to - seen);
        samples[i] = (struct aw_sample){(double)i * driver->tick_s, scene->to, y, u};
        plant_tick(&plant, (scene->full ? effective(driver, u) : u) + scene->load);
    }
    free(plant.past);
    return samples;
}

/* Statistics of the linear loop's error after a step of setpoint or load, until it settles. */
struct course {
    double iae, lowest; /* integral of |error|, and lowest error */
    bool dies;
};

static struct course follow(const struct aw_process *process, double tick_s,
                            const struct aw_gains *per_tick, double setpoint, double load)
{
    struct plant plant;
    struct law law = {.gains = *per_tick};
    struct course course = {.lowest = INFINITY};
    double largest = 0, window = 0;
    if (!plant_init(&plant, process, tick_s))
        return course;
    size_t quiet = 0, patience = plant.delay + 100;
    for (size_t i = 0; i < LONGEST && quiet < patience; i++) {
        double e = setpoint - aw_process_measured(process, &plant.x);
        plant_tick(&plant, control_tick(&law, e) + load);
        course.iae += fabs(e) * tick_s;
        course.lowest = fmin(course.lowest, e);
        largest = fmax(largest, fabs(e));
        window = fmax(fabs(e), window * 0.98);
        quiet = i > 2 * patience && window < 2e-3 * largest ? quiet + 1 : 0;
        if (!(fabs(e) < 1e9))
            break;
    }
    free(plant.past);
    course.dies = quiet >= patience;
    return course;
}

double aw_predict_load_iae(const struct aw_process *process, double tick_s,
                           const struct aw_gains *per_tick)
{
    struct course course = follow(process, tick_s, per_tick, 0, 1);
    return course.dies ? course.iae : INFINITY;
}

double aw_predict_overshoot(const struct aw_process *process, double tick_s,
                            const struct aw_gains *per_tick)
{
    return fmax(0, -follow(process, tick_s, per_tick, 1, 0).lowest);
}
