/* Splits a line of CSV into cells by RFC 4180: quoted cells may contain separators, and two quotes
 * are one. Drops blanks around a cell.
 *
 *     struct aw_csv_cell cell;
 *     while (aw_csv_next(&line, ',', &cell)) …
 */
#ifndef AW_BASE_CSV_H
#define AW_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

/* Part of the line, without the quotes around it; quotes in it may be doubled. */
struct aw_csv_cell {
    const char *text;
    size_t length;
    bool quoted;
};

/* The next cell of the line at *rest; false behind the last one, where *rest is NULL. */
bool aw_csv_next(const char **rest, char separator, struct aw_csv_cell *cell);

/* Copies a cell, each quote once, cut to size - 1 bytes; returns how long it is uncut. out may be
 * where the cell stands. */
size_t aw_csv_copy(const struct aw_csv_cell *cell, char *out, size_t size);

/* What stands between the cells of a file whose first line this is: of ; , and tab the one that it
 * has most outside of quotes, of two as many the one that comes first; ' ' if it has none. Commas
 * of numbers ("0,5;1,5") do not count. */
char aw_csv_separator(const char *line);

/* The number of a cell that is NUL-terminated. Where cells are not separated by commas, "0,5" is
 * one half: spreadsheets write it like that in many languages. */
bool aw_csv_number(const char *text, char separator, double *value);

/* A text as a cell, cut after max bytes: in quotes where it needs them, whatever stands between the
 * cells. Writes at most 2 * max + 2 bytes, no NUL, and returns the end. */
char *aw_csv_quote(char *out, const char *text, size_t max);

#endif
