/* Simulates a loop: the driver's controller on a process model, tick by tick.
 *
 *     struct aw_scene scene = {.step = 0.05, .duration_s = 2};
 *     struct aw_sample *samples = aw_predict(&process, &driver, &gains, &scene, &n, &err);
 *     … aw_response(samples, n, …), free(samples)
 *
 * The controller: e = setpoint - measured; I += ki·e; u = kp·e + I + kd·(e - previous e). The
 * integrator has no limit and the derivative no filter, as in the driver. The process is exact
 * between the ticks (process.h), also for dead times that are not whole ticks.
 */
#ifndef AW_TUNING_PREDICT_H
#define AW_TUNING_PREDICT_H

#include "tuning/loop.h"
#include "tuning/response.h"

/* State of the firmware's loop at rest before a step. Its integrator may rest anywhere in the dead
 * band. {0}: at the setpoint, without output. */
struct aw_rest {
    double output;
    double error; /* setpoint - measured */
};

/* A step of the setpoint from 0 at t = 0. */
struct aw_scene {
    double step;
    struct aw_rest rest;
    double duration_s;
};

/* Returns one sample per tick from t = 0 on. The caller frees them. NULL: AW_NO_MEMORY, or AW_USAGE
 * for an invalid duration. */
struct aw_sample *aw_predict(const struct aw_process *process, const struct aw_driver *driver,
                             const struct aw_gains *per_tick, const struct aw_scene *scene,
                             size_t *n, struct aw_error *err);

/* Returns the linear loop's integral of |e| after a unit load; INFINITY if it does not settle. */
double aw_predict_load_iae(const struct aw_process *process, double tick_s,
                           const struct aw_gains *per_tick);

/* Returns the linear loop's overshoot after a step of the setpoint, as a share of the step. */
double aw_predict_overshoot(const struct aw_process *process, double tick_s,
                            const struct aw_gains *per_tick);

#endif
