/* The lesser and the greater of two, and a number kept between two others. */
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

/* min where that is above max; max for what is no number. */
static inline double aw_clamp(double value, double min, double max)
{
    return fmax(min, fmin(max, value));
}

#endif
