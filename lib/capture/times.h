/* Columns of times: by which names they are known, and what their numbers are.
 *
 *     t  time  timestamp  __time        also with a unit: t_ms, "time [s]", Time(ms)
 *     s  sec  secs  second(s)  ms  msec  millisecond(s)      a unit that is all of the name
 *     dt                                the time since the row before
 *
 * In capitals or not. "t" and PlotJuggler's "__time" are in seconds; the unit
 * of the others is unknown without a suffix.
 */
#ifndef AW_CAPTURE_TIMES_H
#define AW_CAPTURE_TIMES_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/table.h"

struct aw_time_column {
    double scale; /* makes seconds of its numbers, if they are what they seem to be */
    bool unsure;  /* the name does not say in which unit */
    bool unit;    /* it is nothing but a unit */
    bool step;    /* since the row before */
};

/* For messages. */
#define AW_TIME_NAMES "a time column is called t, t_s, t_ms, time [s]"

/* Is this the name of a column of times? */
bool aw_time_column(const char *name, struct aw_time_column *column);

/* The best of n columns: "t", then one that says its unit, seconds before others, then a unit
 * alone, then one that does not say it, then steps. -1: none is one of times. */
int aw_time_find(const char *const *names, size_t n, struct aw_time_column *column);

/* A name and its unit: "m1 [deg]", "m1 (deg)", "m1_deg". name gets what stands in front (cut to
 * size), unit what is in brackets or behind the last _ or blank, "" if nothing. */
void aw_column_unit(const char *text, char *name, size_t size, char unit[16]);

/* The column of times of a table, for commands that must not guess, and what makes seconds of its
 * numbers. AW_MALFORMED as aw_table_column; a column with an unknown unit does not count. */
enum aw_status aw_table_find_time(const struct aw_table *table, int *column, double *scale,
                                  struct aw_error *err);

/* The same, but the numbers are seconds then, and rise. AW_MALFORMED as aw_table_check_times, too.
 */
enum aw_status aw_table_time(struct aw_table *table, int *column, struct aw_error *err);

/* Removes rows of zeros from the end, which programs leave that did not fill an array; keeps at
 * least one row. Returns the line of the first one, or 0. */
size_t aw_table_cut_zeros(struct aw_table *table);

#endif
