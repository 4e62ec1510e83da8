/* One axis of the simulated arm, moving at constant speed. θ (base), H (lift) and R (reach) are
 * separate joints. */
#ifndef AW_PROTOCOL_ARMCTL_AXIS_H
#define AW_PROTOCOL_ARMCTL_AXIS_H

#include <stdint.h>

/* An axis that moves at constant speed. Plain data; {0} is at rest at 0. */
struct aw_armctl_axis {
    double from, to; /* deg, mm or µs */
    int64_t start_ns, end_ns;
};

/* Returns the position at now_ns, a time of the caller's clock. */
double aw_armctl_axis_position(const struct aw_armctl_axis *axis, int64_t now_ns);

/* Starts a motion from the current position to target, at speed in units per second (above 0).
 * Returns the time of arrival in ns, which is now_ns if the axis is already there. */
int64_t aw_armctl_axis_move(struct aw_armctl_axis *axis, double target, double speed,
                            int64_t now_ns);

#endif
