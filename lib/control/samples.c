/* Stores and sorts samples, and calculates mean, percentiles and histograms. */
#include "control/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

bool aw_samples_add(struct aw_samples *samples, double value)
{
    if (!isfinite(value))
        return false;
    double *values = aw_grow(samples->values, &samples->room, samples->n + 1, sizeof *values);
    if (!values)
        return false;
    samples->values = values;
    samples->values[samples->n++] = value;
    return true;
}

double aw_find_spread(const double *values, size_t n)
{
    double min = INFINITY, max = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        min = fmin(min, values[i]);
        max = fmax(max, values[i]);
    }
    return max - min;
}

int aw_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the smallest value that at least this share of all values does not exceed (nearest
 * rank). */
static double get_percentile(const struct aw_samples *samples, double share)
{
    return samples->values[(size_t)ceil(share * (double)samples->n) - 1];
}

struct aw_stats aw_samples_stats(struct aw_samples *samples)
{
    struct aw_stats s = {.n = samples->n};
    double sum = 0, squares = 0;
    if (!samples->n)
        return s;
    qsort(samples->values, samples->n, sizeof *samples->values, aw_compare_doubles);
    for (size_t i = 0; i < samples->n; i++)
        sum += samples->values[i];
    s.mean = sum / (double)samples->n;
    for (size_t i = 0; i < samples->n; i++)
        squares += (samples->values[i] - s.mean) * (samples->values[i] - s.mean);
    s.deviation = sqrt(squares / (double)samples->n);
    s.min = samples->values[0];
    s.max = samples->values[samples->n - 1];
    s.p50 = get_percentile(samples, 0.50);
    s.p95 = get_percentile(samples, 0.95);
    s.p99 = get_percentile(samples, 0.99);
    return s;
}

void aw_samples_histogram(const struct aw_samples *samples, double low, double high, size_t *bins,
                          size_t n)
{
    memset(bins, 0, n * sizeof *bins);
    if (!n || !(high > low))
        return;
    for (size_t i = 0; i < samples->n; i++) {
        double bin = floor((samples->values[i] - low) / (high - low) * (double)n);
        bins[bin < 0 ? 0 : bin >= (double)n ? n - 1 : (size_t)bin]++;
    }
}

void aw_samples_clear(struct aw_samples *samples)
{
    samples->n = 0;
}

void aw_samples_free(struct aw_samples *samples)
{
    free(samples->values);
    *samples = (struct aw_samples){0};
}
