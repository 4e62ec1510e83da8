/* Samples as CSV: a header of column names, then one row of numbers per line.
 *
 *     struct aw_table table = {0};
 *     if (aw_table_read(file, "run.csv", &table, &err) == AW_OK) {
 *         int column = aw_table_find(&table, "measured");
 *         double y = aw_table_cell(&table, row, column);
 *     }
 *     aw_table_free(&table);
 *
 * Accepts commas, semicolons, tabs or blanks between cells, chosen by the first line (see
 * aw_csv_separator). Also accepts blanks around cells, quoted names, CRLF, blank lines, '#'
 * comments and a byte order mark. Names are arbitrary; a column without a name is "column2". In a
 * requested column, a cell that is not a finite number is an error with its line and column. Other
 * columns may contain texts and gaps. Numbers have no unit and no locale.
 */
#ifndef AW_CAPTURE_TABLE_H
#define AW_CAPTURE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

#define AW_TABLE_COLUMNS 4096
#define AW_TABLE_HEADER  SIZE_MAX /* instead of a row: the header line */

/* The first cell of a column that is not a number. */
struct aw_table_flaw {
    bool any;
    size_t row;
    char text[44]; /* the cell, cut */
};

/* Owns its cells and names; {0} is an empty table. */
struct aw_table {
    size_t n_columns, n_rows, capacity, room;
    bool headless;    /* the file had no header: the caller gave the names */
    const char *file; /* source file, for messages; not owned. NULL: none */
    size_t header;    /* line of the header in it */
    char **names;
    struct aw_table_flaw *flaws; /* by column */
    double *cells;               /* row by row; NaN: not a number */
    size_t *lines;               /* source line of each row; 0 for an added row */
};

/* Creates a table with these columns and no rows. AW_USAGE: too many, or a duplicate name;
 * AW_NO_MEMORY. */
enum aw_status aw_table_init(struct aw_table *table, const char *const *names, size_t n,
                             struct aw_error *err);
void aw_table_free(struct aw_table *table);

/* Adds a row of n_columns finite numbers. AW_USAGE for a NaN or infinity (names the column),
 * AW_NO_MEMORY. */
enum aw_status aw_table_add(struct aw_table *table, const double *row, struct aw_error *err);

/* Returns the column with this name, or -1. */
int aw_table_find(const struct aw_table *table, const char *name);

/* Writes "t, m1, m2, …", as many names as fit, or "none". Returns out. */
char *aw_table_list(const struct aw_table *table, char *out, size_t size);

/* Checks that every row of this column has a number. AW_MALFORMED (see aw_table_fail_in) with the
 * first other cell. Call it before using columns not found by aw_table_column. */
enum aw_status aw_table_numbers(const struct aw_table *table, int column, struct aw_error *err);

/* Finds the column of numbers with this name. AW_USAGE (see aw_table_fail_in), with the names of
 * all columns, if no column or several have it; AW_MALFORMED as aw_table_numbers. */
enum aw_status aw_table_column(const struct aw_table *table, const char *name, int *column,
                               struct aw_error *err);

/* Adds the file and line of a row (or AW_TABLE_HEADER) to an error, if the table was read from a
 * file. AW_USAGE then becomes AW_MALFORMED. Returns the error's status. */
enum aw_status aw_table_fail_in(struct aw_error *err, const struct aw_table *table, size_t row);

/* Checks that the times in this column increase. AW_MALFORMED, as aw_table_fail_in: no rows, or the
 * first wrong time. */
enum aw_status aw_table_check_times(const struct aw_table *table, int column, struct aw_error *err);

static inline double aw_table_cell(const struct aw_table *table, size_t row, int column)
{
    return table->cells[row * table->n_columns + (size_t)column];
}

/* Reads the whole file (NULL: opens the one called name) into an empty table. name is for messages
 * ("run.csv:7:1: measured: 'nan' is not a number …"). AW_MALFORMED: not such a table; AW_LOST: a
 * read error. The table is empty after an error. */
enum aw_status aw_table_read(FILE *file, const char *name, struct aw_table *table,
                             struct aw_error *err);

/* The same for a file that may lack the header. If its first line begins with a number, the columns
 * are names[0] to names[n - 1], then "column5" … */
enum aw_status aw_table_read_no_header(FILE *file, const char *name, const char *const *names,
                                       size_t n, struct aw_table *table, struct aw_error *err);

/* The same, but the names of --columns, "t_ms,elbow,-", replace the header, if any. A name "-"
 * counts as missing: "column1" … AW_USAGE: no names; like is an example for the message. */
enum aw_status aw_table_read_named(FILE *file, const char *name, const char *columns,
                                   const char *like, struct aw_table *table, struct aw_error *err);

/* Writes header and rows; numbers have the fewest digits that read back the same. The other two
 * functions write a table while its rows arrive. AW_LOST: a write error. */
enum aw_status aw_table_write(FILE *file, const struct aw_table *table, struct aw_error *err);
enum aw_status aw_table_write_header(FILE *file, const struct aw_table *table,
                                     struct aw_error *err);
enum aw_status aw_table_write_row(FILE *file, const struct aw_table *table, const double *row,
                                  struct aw_error *err);

#endif
