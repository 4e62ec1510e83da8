/* What a loop will do, in time: the driver's law on a process model, tick by tick.
 *
 *     struct aw_scene scene = {.from = 0, .to = 0.05, .duration_s = 2, .full = true};
 *     struct aw_sample *samples = aw_predict(&process, &driver, &gains, &scene, &n, &err);
 *     … aw_response(samples, n, …), free(samples)
 *
 * The law: e = setpoint - measured; I += ki·e; u = kp·e + I + kd·(e - e before). Integrator without
 * a limit, derivative without a filter, as in the driver. The process answers exactly between the
 * ticks (process.h), dead times that are no whole ticks included.
 */
#ifndef AW_CONTROL_PREDICT_H
#define AW_CONTROL_PREDICT_H

#include "control/loop.h"
#include "control/response.h"

/* The firmware's loop before a step: an integrator rests anywhere in the dead band. {0}: at its
 * setpoint, without output. */
struct aw_rest {
    double output;
    double error; /* setpoint - measured */
};

struct aw_scene {
    double from, to; /* setpoint, before and from t = 0 on */
    struct aw_rest rest;
    double load; /* added to the output from t = 0 on */
    double duration_s;
    bool full; /* dead band, limit and measured steps count; else the loop is linear */
};

/* Returns one sample a tick from t = 0 on; the caller frees them. NULL: AW_NO_MEMORY, or AW_USAGE
 * for an invalid duration. */
struct aw_sample *aw_predict(const struct aw_process *process, const struct aw_driver *driver,
                             const struct aw_gains *per_tick, const struct aw_scene *scene,
                             size_t *n, struct aw_error *err);

/* Integral of |e| after a load of 1, of the linear loop; INFINITY if it does not die away. */
double aw_predict_load_iae(const struct aw_process *process, double tick_s,
                           const struct aw_gains *per_tick);

/* How far the linear loop goes beyond a step of the setpoint of 1, as a share of it. */
double aw_predict_overshoot(const struct aw_process *process, double tick_s,
                            const struct aw_gains *per_tick);

#endif
