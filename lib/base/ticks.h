/* Round numbers along an axis, for all charts. */
#ifndef AW_BASE_TICKS_H
#define AW_BASE_TICKS_H

/* Returns 1, 2 or 5 times a power of ten, not below least, which must be positive. */
double aw_nice_step(double least);

/* Finds nice ticks (1, 2 or 5 times a power of ten apart) between low and high: at most max, at
 * most AW_TICKS. Returns their number, and the decimals that distinguish them. */
#define AW_TICKS 16
int aw_ticks(double low, double high, int max, double *ticks, int *decimals);

#endif
