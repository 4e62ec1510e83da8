/* Calculates the tick from the slope of an output over the integral of its error. */
#include "tuning/identify/tick.h"

#include <math.h>

#define MIN_SAMPLES 8
#define MAX_HALF    0.2  /* max half-width of the interval, as a share of the tick */
#define CONFIDENCE  1.96 /* standard deviations for 95 % */

const char *const aw_tick_source_names[] = {"unknown", "given", "measured", "assumed", NULL};

struct sums {
    double x, u, xx, xu, uu;
};

static struct sums find_sums(const double *t, const double *error, const double *output, size_t n)
{
    struct sums s = {0};
    double x = 0, begin = output[0];
    for (size_t i = 0; i < n; i++) {
        double u = output[i] - begin;
        if (i > 0)
            x += (t[i] - t[i - 1]) * (error[i] + error[i - 1]) / 2;
        s.x += x;
        s.u += u;
        s.xx += x * x;
        s.xu += x * u;
        s.uu += u * u;
    }
    return s;
}

bool aw_tick_measure(const double *t, const double *error, const double *output, size_t n,
                     double ki, struct aw_tick *tick)
{
    if (n < MIN_SAMPLES)
        return false;
    struct sums s = find_sums(t, error, output, n);
    double m = (double)n, xx = s.xx - s.x * s.x / m, xu = s.xu - s.x * s.u / m;
    double uu = s.uu - s.u * s.u / m, slope = xu / xx, tick_s = ki / slope;
    double sigma = sqrt(fmax(0, uu - slope * xu) / (m - 2) / xx);
    /* If telemetry arrives about once per control period, it may shift by one period over the
     * record, which looks like a slope. */
    double half_width = tick_s * (CONFIDENCE * sigma / fabs(slope) + tick_s / (t[n - 1] - t[0]));
    if (!(tick_s > 0) || !(half_width < MAX_HALF * tick_s))
        return false;
    *tick = (struct aw_tick){tick_s, half_width, AW_TICK_MEASURED};
    return true;
}
