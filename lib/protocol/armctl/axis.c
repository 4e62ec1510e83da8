/* Moves an axis of the simulated arm at constant speed. */
#include "protocol/armctl/axis.h"

#include <math.h>

#include "base/clock.h"

double aw_armctl_axis_position(const struct aw_armctl_axis *axis, int64_t now_ns)
{
    if (now_ns >= axis->end_ns)
        return axis->to;
    double fraction = (double)(now_ns - axis->start_ns) / (double)(axis->end_ns - axis->start_ns);
    return axis->from + (axis->to - axis->from) * fraction;
}

int64_t aw_armctl_axis_move(struct aw_armctl_axis *axis, double target, double speed,
                            int64_t now_ns)
{
    axis->from = aw_armctl_axis_position(axis, now_ns);
    axis->to = target;
    axis->start_ns = now_ns;
    axis->end_ns = now_ns + (int64_t)ceil(fabs(target - axis->from) / speed * (double)AW_SECOND);
    return axis->end_ns;
}
