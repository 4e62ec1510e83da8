/* How the simulated arm moves: one axis at a finite speed. θ is a joint of its own (the base
 * turns), and so are H (the arm is lifted) and R (it reaches out). */
#ifndef AW_PROTOCOL_ARMCTL_KINEMATICS_H
#define AW_PROTOCOL_ARMCTL_KINEMATICS_H

#include <stdint.h>

/* An axis on its way at constant speed. Plain data; start with {0} (it stands at 0). */
struct aw_armctl_axis {
    double from, to; /* deg, mm or µs */
    int64_t start_ns, end_ns;
};

/* Where it is. */
double aw_armctl_axis_at(const struct aw_armctl_axis *axis, int64_t now);

/* Turns towards target from where it is now, at speed units per second (above 0). Returns when it
 * will be there: now, if it is there already. */
int64_t aw_armctl_axis_go(struct aw_armctl_axis *axis, double target, double speed, int64_t now);

#endif
