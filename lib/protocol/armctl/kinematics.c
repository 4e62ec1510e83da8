/* The simulated arm's joints at finite speed, and the place of its hand. */
#include "protocol/armctl/kinematics.h"

#include <math.h>

#include "base/clock.h"

static const double degree = 3.14159265358979323846 / 180;

double aw_armctl_axis_at(const struct aw_armctl_axis *axis, int64_t now)
{
    if (now >= axis->end_ns)
        return axis->to;
    double share = (double)(now - axis->start_ns) / (double)(axis->end_ns - axis->start_ns);
    return axis->from + (axis->to - axis->from) * share;
}

int64_t aw_armctl_axis_go(struct aw_armctl_axis *axis, double target, double speed, int64_t now)
{
    axis->from = aw_armctl_axis_at(axis, now);
    axis->to = target;
    axis->start_ns = now;
    axis->end_ns = now + (int64_t)ceil(fabs(target - axis->from) / speed * (double)AW_SECOND);
    return axis->end_ns;
}

struct aw_armctl_point aw_armctl_point(struct aw_armctl_cylinder hand)
{
    double theta = hand.theta_deg * degree;
    return (struct aw_armctl_point){hand.r_mm * cos(theta), hand.r_mm * sin(theta), hand.h_mm};
}

struct aw_armctl_cylinder aw_armctl_cylinder(struct aw_armctl_point point)
{
    double theta = atan2(point.y_mm, point.x_mm) / degree;
    return (struct aw_armctl_cylinder){.r_mm = hypot(point.x_mm, point.y_mm),
                                       .theta_deg = theta < 0 ? theta + 360 : theta,
                                       .h_mm = point.z_mm};
}
