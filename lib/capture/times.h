/* Recognises time columns and their units by name.
 *
 *     t  time  timestamp                also with a unit: t_ms, "time [s]", Time(ms)
 *     dt                                the time since the previous row; also with a unit
 *     __time
 *     s  sec  secs  second(s)  ms  msec  millisecond(s)      a unit alone
 *
 * Case is ignored, except in "__time". "t" and PlotJuggler's "__time" are in seconds; without a
 * suffix, the unit of the others is unknown.
 */
#ifndef AW_CAPTURE_TIMES_H
#define AW_CAPTURE_TIMES_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/table.h"

struct aw_time_column {
    double scale;   /* factor to seconds; 1 if there is no unit */
    bool no_unit;   /* the name contains no unit */
    bool unit_only; /* the name is only a unit */
    bool is_step;   /* times since the previous row */
};

/* Advice for error messages. */
#define AW_TIME_NAMES "name a time column t, t_s, t_ms or time [s]"

/* Returns true if this is the name of a time column, and fills *column. */
bool aw_time_column(const char *name, struct aw_time_column *column);

/* Returns the index of the best of n names, or -1 if there is no time column. Prefers "t", then a
 * name with a unit (seconds first), then a unit alone, then a name without a unit, then time
 * steps. */
int aw_find_time_column(const char *const *names, size_t n, struct aw_time_column *column);

/* Splits a name and its unit: "m1 [deg]", "m1 (deg)", "m1_deg". name becomes the text before the
 * unit, truncated to size bytes. unit becomes the text in brackets or after the last _ or blank, or
 * "". */
void aw_split_unit(const char *text, char *name, size_t size, char unit[16]);

/* Finds the time column of a table and its factor to seconds, without guessing the unit. Errors as
 * for aw_table_get_column; also if there is no time column, or only time steps, or its unit is
 * unknown. */
enum aw_status aw_table_find_time(const struct aw_table *table, int *column, double *scale,
                                  struct aw_error *err);

/* Same as aw_table_find_time, but converts the times to seconds and checks that they increase.
 * Errors also as for aw_table_check_times. */
enum aw_status aw_table_convert_time(struct aw_table *table, int *column, struct aw_error *err);

/* Removes rows of zeros from the end. Removes nothing if all rows are zeros. Programs with partly
 * filled arrays write such rows. Returns the line of the first removed row, or 0. */
size_t aw_table_cut_zeros(struct aw_table *table);

#endif
