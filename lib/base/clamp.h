/* A number kept between two others. */
#ifndef AW_BASE_CLAMP_H
#define AW_BASE_CLAMP_H

#include <math.h>

/* min where that is above max; max for what is no number. */
static inline double aw_clamp(double value, double min, double max)
{
    return fmax(min, fmin(max, value));
}

#endif
