/* Names of the forms, and the limit of gains. */
#include "tuning/gains.h"

#include <math.h>

const char *const aw_form_names[AW_FORMS + 1] = {"pid", "pd", "pi", "p"};

bool aw_gains_clamp(struct aw_gains *gains, double limit)
{
    struct aw_gains wanted = *gains;
    gains->kp = fmax(-limit, fmin(limit, gains->kp));
    gains->ki = fmax(-limit, fmin(limit, gains->ki));
    gains->kd = fmax(-limit, fmin(limit, gains->kd));
    return fabs(wanted.kp) > limit || fabs(wanted.ki) > limit || fabs(wanted.kd) > limit;
}
