/* Converts a target to a velocity: the target's own velocity, plus a correction for the following
 * error, limited to max_speed.
 *
 *    velocity = aw_steer(rate, 10, target - actual, 50);    for each new actual
 *
 * rate and max_speed (may be INFINITY) are in units per second, gain in 1/s, error in units.
 * Returns 0 if the position is unknown (error NaN). */
#ifndef AW_CONTROL_STEER_H
#define AW_CONTROL_STEER_H

#include "base/clamp.h"

static inline double aw_steer(double rate, double gain, double error, double max_speed)
{
    return isnan(error) ? 0 : aw_clamp(rate + gain * error, -max_speed, max_speed);
}

#endif
