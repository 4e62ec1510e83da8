/* Converts a target to a velocity: the target's own velocity plus a correction for the following
 * error. Limits the sum to ±max_speed.
 *
 *    velocity = aw_steer(rate, 10, target - actual, 50);    for each new actual
 *
 * rate and max_speed are in units per second, gain in 1/s, error in units. rate must not be NaN.
 * max_speed must be at least 0, and may be INFINITY: no limit. Returns 0 if the position is unknown
 * (error NaN). */
#ifndef AW_CONTROL_STEER_H
#define AW_CONTROL_STEER_H

#include "base/clamp.h"

static inline double aw_steer(double rate, double gain, double error, double max_speed)
{
    return isnan(error) ? 0 : aw_clamp(rate + gain * error, -max_speed, max_speed);
}

#endif
