/* Statistics of many numbers: round-trip times, intervals between samples, latencies.
 *
 *     struct aw_samples samples = {0};
 *     while (…) aw_samples_add(&samples, ms);
 *     struct aw_stats s = aw_samples_stats(&samples);
 *     printf("P50 %.2f ms, P99 %.2f ms\n", s.p50, s.p99);
 *     aw_samples_free(&samples);
 *
 * Stores all numbers (8 bytes each), so percentiles are exact.
 */
#ifndef AW_CONTROL_SAMPLES_H
#define AW_CONTROL_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

/* Owns values; {0} is empty. */
struct aw_samples {
    double *values;
    size_t n, room;
};

/* All 0 if there are no samples. Percentiles are by nearest rank: p50 of an even count is the lower
 * of the middle two. */
struct aw_stats {
    size_t n;
    double min, max, mean, deviation; /* standard deviation of the population */
    double p50, p95, p99;
};

/* Returns the difference between the largest and the smallest of n numbers. n must be at least
 * 1. */
double aw_find_spread(const double *values, size_t n);

/* Compares two doubles, for qsort. */
int aw_compare_doubles(const void *a, const void *b);

/* Adds a sample. Returns false, and drops it, if out of memory or if it is not finite. */
bool aw_samples_add(struct aw_samples *samples, double value);

/* Sorts the values and returns their statistics. */
struct aw_stats aw_samples_stats(struct aw_samples *samples);

/* Counts the samples in bins of equal width from low to high; the first and last bins include
 * outliers. */
void aw_samples_histogram(const struct aw_samples *samples, double low, double high, size_t *bins,
                          size_t n);

void aw_samples_clear(struct aw_samples *samples);
void aw_samples_free(struct aw_samples *samples);

#endif
