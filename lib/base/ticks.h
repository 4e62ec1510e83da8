/* Finds round numbers along an axis, for all charts. */
#ifndef AW_BASE_TICKS_H
#define AW_BASE_TICKS_H

/* Returns the smallest nice step (1, 2 or 5 times a power of ten) that is at least min_step, which
 * must be positive. */
double aw_nice_step(double min_step);

/* Finds the multiples of a nice step between low and high, at most max and at most AW_TICKS.
 * Returns their number, and sets *decimals to the number of decimals that tells them apart. Returns
 * 0 and leaves *decimals unset if high is not above low, or max is below 2. */
#define AW_TICKS 16
int aw_ticks(double low, double high, int max, double *ticks, int *decimals);

#endif
