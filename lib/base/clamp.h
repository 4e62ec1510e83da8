/* Minimum, maximum and clamping of numbers. */
#ifndef AW_BASE_CLAMP_H
#define AW_BASE_CLAMP_H

#include <math.h>

static inline int aw_min(int a, int b)
{
    return a < b ? a : b;
}

static inline int aw_max(int a, int b)
{
    return a > b ? a : b;
}

/* Limits value to the range from min to max. Returns min if min > max, and max if value is NaN. */
static inline double aw_clamp(double value, double min, double max)
{
    return fmax(min, fmin(max, value));
}

#endif
