/* Round numbers along an axis, for charts of every kind. */
#ifndef AW_BASE_TICKS_H
#define AW_BASE_TICKS_H

/* 1, 2 or 5 times a power of ten, and at least so much, which is above 0. */
double aw_nice_step(double least);

/* Nice ticks (1, 2 or 5 times a power of ten apart) between low and high: at most max, at most
 * AW_TICKS; returns how many. Also says how many decimals tell them apart. */
#define AW_TICKS 16
int aw_ticks(double low, double high, int max, double *ticks, int *decimals);

#endif
