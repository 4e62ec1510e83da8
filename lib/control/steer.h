/* The one rule by which a joint that takes velocities comes to a place: the velocity of the place
 * itself, and more where the joint is behind; never more than most.
 *
 *     velocity = aw_steer(rate, 10, target - actual, 50);    each time that actual is told
 *
 * rate and most in units a second, per_s in 1/s, away in units. most may be INFINITY. What is not
 * known to be anywhere (away NaN) is told to stand.
 */
#ifndef AW_CONTROL_STEER_H
#define AW_CONTROL_STEER_H

#include "base/clamp.h"

static inline double aw_steer(double rate, double per_s, double away, double most)
{
    return isnan(away) ? 0 : aw_clamp(rate + per_s * away, -most, most);
}

#endif
