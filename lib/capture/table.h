/* Tables of samples in CSV files: a header with column names, then one row of numbers per line.
 *
 *     struct aw_table table = {0};
 *     if (aw_table_read(file, "run.csv", &table, &err) == AW_OK) {
 *         int column = aw_table_find(&table, "measured");
 *         double y = aw_table_cell(&table, row, column);
 *     }
 *     aw_table_free(&table);
 *
 * Cells are separated by commas, semicolons, tabs or blanks, as detected in the first line (see
 * aw_csv_separator). The file may also have blanks around cells, quoted names, CRLF, blank lines,
 * '#' comments and a byte order mark. Names are arbitrary; a column without a name is called
 * "column2", for example. In a requested column, a cell that is not a finite number is an error,
 * reported with line and column. Other columns may contain strings and gaps. Numbers have no unit
 * and do not depend on the locale.
 */
#ifndef AW_CAPTURE_TABLE_H
#define AW_CAPTURE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

#define AW_TABLE_COLUMNS 4096
#define AW_TABLE_HEADER  SIZE_MAX /* stands for the header line instead of a row */

/* First cell of a column that is not a number. */
struct aw_table_flaw {
    bool found;
    size_t row;
    char text[44]; /* contents of the cell, truncated */
};

/* A table that owns its cells and names. {0} is an empty table. */
struct aw_table {
    size_t n_columns, n_rows, row_capacity, column_capacity;
    bool no_header;     /* the file had no header; the caller has named the columns */
    const char *file;   /* name of the source file for messages, not owned; NULL: none */
    size_t header_line; /* line number of the header in the file */
    char **names;
    struct aw_table_flaw *flaws; /* one per column */
    double *cells;               /* row by row; NaN: not a number */
    size_t *lines;               /* line number of each row in the file; 0: an added row */
};

/* Creates a table with these columns and no rows. AW_USAGE: too many columns, or a duplicate name.
 * AW_NO_MEMORY: out of memory. */
enum aw_status aw_table_init(struct aw_table *table, const char *const *names, size_t n,
                             struct aw_error *err);
void aw_table_free(struct aw_table *table);

/* Adds a row of n_columns finite numbers. AW_USAGE: NaN or infinity (the message names the column),
 * or the table has no columns. AW_NO_MEMORY: out of memory. */
enum aw_status aw_table_add(struct aw_table *table, const double *row, struct aw_error *err);

/* Returns the index of the column with this name, or -1. */
int aw_table_find(const struct aw_table *table, const char *name);

/* Writes a list of column names such as "t, m1, m2, …", as many as fit, or "none". Returns out. */
char *aw_table_list(const struct aw_table *table, char *out, size_t size);

/* Checks that this column has a number in every row. AW_MALFORMED (see aw_table_fail_at_row)
 * reports the first cell that is not a number. aw_table_get_column calls it for the column that it
 * finds. */
enum aw_status aw_table_check_numbers(const struct aw_table *table, int column,
                                      struct aw_error *err);

/* Finds the column with this name and checks its numbers. AW_USAGE (see aw_table_fail_at_row): no
 * column has the name (the message lists all names), or several columns have it. AW_MALFORMED: as
 * for aw_table_check_numbers. */
enum aw_status aw_table_get_column(const struct aw_table *table, const char *name, int *column,
                                   struct aw_error *err);

/* Adds the file and the line of a row (or AW_TABLE_HEADER) to an error, if the table was read from
 * a file. AW_USAGE then becomes AW_MALFORMED. Returns the resulting status. */
enum aw_status aw_table_fail_at_row(struct aw_error *err, const struct aw_table *table, size_t row);

/* Checks that the times in this column increase. AW_MALFORMED (see aw_table_fail_at_row): there are
 * no rows, or the first time that does not increase. */
enum aw_status aw_table_check_times(const struct aw_table *table, int column, struct aw_error *err);

static inline double aw_table_cell(const struct aw_table *table, size_t row, int column)
{
    return table->cells[row * table->n_columns + (size_t)column];
}

/* Reads a whole file into an empty table. file NULL: opens the file called name. name is for
 * messages ("run.csv:7:1: measured: 'nan' is not a number …"). AW_MALFORMED: not a table of this
 * form. AW_USAGE: the file cannot be opened, or is a recording. AW_LOST: a read error.
 * AW_NO_MEMORY: out of memory. The table is empty after an error. */
enum aw_status aw_table_read(FILE *file, const char *name, struct aw_table *table,
                             struct aw_error *err);

/* Same as aw_table_read for a file that may lack the header. If the first line begins with a
 * number, the columns are called names[0] to names[n - 1], then "column5" … */
enum aw_status aw_table_read_no_header(FILE *file, const char *name, const char *const *names,
                                       size_t n, struct aw_table *table, struct aw_error *err);

/* Same as aw_table_read, but the names of --columns, such as "t_ms,elbow,-", replace the header, if
 * any. A column with the name "-" is called "column1", "column2" … AW_USAGE: no names; the message
 * suggests example. */
enum aw_status aw_table_read_named(FILE *file, const char *name, const char *columns,
                                   const char *example, struct aw_table *table,
                                   struct aw_error *err);

/* Writes the header and all rows. Numbers have the fewest digits that parse to the same number. The
 * other two functions write a table row by row. AW_LOST: a write error. AW_USAGE: NaN, infinity, or
 * no columns. */
enum aw_status aw_table_write(FILE *file, const struct aw_table *table, struct aw_error *err);
enum aw_status aw_table_write_header(FILE *file, const struct aw_table *table,
                                     struct aw_error *err);
enum aw_status aw_table_write_row(FILE *file, const struct aw_table *table, const double *row,
                                  struct aw_error *err);

#endif
