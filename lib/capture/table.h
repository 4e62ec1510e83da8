/* Samples as CSV: a header of column names, then one row of numbers a line.
 *
 *     struct aw_table table = {0};
 *     if (aw_table_read(file, "run.csv", &table, &err) == AW_OK) {
 *         int column = aw_table_find(&table, "measured");
 *         double y = aw_table_cell(&table, row, column);
 *     }
 *     aw_table_free(&table);
 *
 * Reading takes commas, semicolons, tabs or blanks between cells, whichever the first line has (see
 * aw_csv_separator), blanks around cells, quoted names, CRLF, blank lines, '#' comments and a byte
 * order mark. Any name is a name; a column without one is "column2". A cell that is no finite
 * number is an error with its line and column, never a value, if its column is requested: texts
 * and gaps in other columns are ignored. Numbers have no unit and no locale.
 */
#ifndef AW_CAPTURE_TABLE_H
#define AW_CAPTURE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

#define AW_TABLE_COLUMNS 4096
#define AW_TABLE_HEADER  SIZE_MAX /* in place of a row: the line of the names */

/* The first cell of a column that is no number. */
struct aw_table_flaw {
    bool any;
    size_t row;
    char text[44]; /* the cell, cut */
};

/* Owns its cells and names; {0} is an empty table. */
struct aw_table {
    size_t n_columns, n_rows, capacity, room;
    bool headless;    /* the file had no header: the names are those that were given */
    const char *file; /* it was read from, as messages call it; not owned. NULL: from none */
    size_t header;    /* line of the names in it */
    char **names;
    struct aw_table_flaw *flaws; /* by column */
    double *cells;               /* row by row; NaN: no number */
    size_t *lines;               /* of the file each row was read from; 0 for one that was added */
};

/* A table with these columns and no rows. AW_USAGE: too many, or twice the same; AW_NO_MEMORY. */
enum aw_status aw_table_init(struct aw_table *table, const char *const *names, size_t n,
                             struct aw_error *err);
void aw_table_free(struct aw_table *table);

/* Adds a row of n_columns finite numbers. AW_USAGE for a NaN or infinity (names the column),
 * AW_NO_MEMORY. */
enum aw_status aw_table_add(struct aw_table *table, const double *row, struct aw_error *err);

/* The column with this name, or -1. */
int aw_table_find(const struct aw_table *table, const char *name);

/* Writes "t, m1, m2, …", as many names as fit, or "none". Returns out. */
char *aw_table_list(const struct aw_table *table, char *out, size_t size);

/* Has every row of this column a number? AW_MALFORMED (see aw_table_fail_in) with the first that
 * has none. To be asked before cells of a column are used that aw_table_column has not found. */
enum aw_status aw_table_numbers(const struct aw_table *table, int column, struct aw_error *err);

/* Finds the column of numbers with this name. AW_USAGE (see aw_table_fail_in), with the names of
 * all columns, if no column or two have it; AW_MALFORMED as aw_table_numbers. */
enum aw_status aw_table_column(const struct aw_table *table, const char *name, int *column,
                               struct aw_error *err);

/* What is wrong with a row, or with AW_TABLE_HEADER: of a table that was read from a file the place
 * goes in front of the error's text, and AW_USAGE becomes AW_MALFORMED. Returns the error's status.
 */
enum aw_status aw_table_fail_in(struct aw_error *err, const struct aw_table *table, size_t row);

/* Are the times in this column ones that rise? AW_MALFORMED, as aw_table_fail_in: there are no
 * rows, or which time does not. */
enum aw_status aw_table_check_times(const struct aw_table *table, int column, struct aw_error *err);

static inline double aw_table_cell(const struct aw_table *table, size_t row, int column)
{
    return table->cells[row * table->n_columns + (size_t)column];
}

/* Reads all of the file (NULL: the one called name) into a table, which must be empty or {0}; name
 * is for messages
 * ("run.csv:7:1: measured: 'nan' is not a number …"). AW_MALFORMED: not such a table; AW_LOST: a
 * read error. The table is empty after an error. */
enum aw_status aw_table_read(FILE *file, const char *name, struct aw_table *table,
                             struct aw_error *err);

/* The same for a file that may lack the header: if its first line begins with a number, this
 * is the first row, and its columns are called names[0] to names[n - 1], those behind "column5" …
 */
enum aw_status aw_table_read_headless(FILE *file, const char *name, const char *const *names,
                                      size_t n, struct aw_table *table, struct aw_error *err);

/* The same, but the names of --columns, "t_ms,elbow,-", stand in place of the header if there is
 * one. A name of "-" is as good as none: "column1" … AW_USAGE: there are no names; they should look
 * like these. */
enum aw_status aw_table_read_named(FILE *file, const char *name, const char *columns,
                                   const char *like, struct aw_table *table, struct aw_error *err);

/* Writes header and rows; numbers are as short as reads back the same. The two parts are there for
 * who writes while the rows come in. AW_LOST: a write error. */
enum aw_status aw_table_write(FILE *file, const struct aw_table *table, struct aw_error *err);
enum aw_status aw_table_write_header(FILE *file, const struct aw_table *table,
                                     struct aw_error *err);
enum aw_status aw_table_write_row(FILE *file, const struct aw_table *table, const double *row,
                                  struct aw_error *err);

#endif
