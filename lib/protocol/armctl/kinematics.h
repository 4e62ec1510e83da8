/* How the simulated arm moves: one axis at a finite speed, and the hand of an R-θ-H arm in space.
 *
 * θ is a joint of its own (the base turns), and so are H (the arm is lifted) and R (it reaches
 * out), so cylindrical coordinates are the joints themselves and only Cartesian ones need a
 * formula.
 */
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

struct aw_armctl_cylinder {
    double r_mm, theta_deg, h_mm;
};

struct aw_armctl_point {
    double x_mm, y_mm, z_mm; /* x points to θ = 0, z up */
};

struct aw_armctl_point aw_armctl_point(struct aw_armctl_cylinder hand);

/* The reverse; θ is 0..360 (not 360 itself), and 0 on the axis of the base. */
struct aw_armctl_cylinder aw_armctl_cylinder(struct aw_armctl_point point);

#endif
