/* Splits lines of CSV into cells by RFC 4180. Quoted cells may contain separators, and two quotes
 * stand for one. Blanks around a cell are dropped.
 *
 *     struct aw_csv_cell cell;
 *     while (aw_csv_next(&line, ',', &cell)) …
 */
#ifndef AW_BASE_CSV_H
#define AW_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

/* A cell as a part of the line, without the surrounding quotes. Quotes inside may still be
 * doubled. */
struct aw_csv_cell {
    const char *text;
    size_t length;
    bool quoted;
};

/* Reads the next cell of the line at *rest. Returns false after the last cell, when *rest is
 * NULL. */
bool aw_csv_next(const char **rest, char separator, struct aw_csv_cell *cell);

/* Copies a cell to out as a string of at most size - 1 bytes, with doubled quotes reduced to one.
 * Returns the length before truncation. out may be the cell's own text. */
size_t aw_csv_copy(const struct aw_csv_cell *cell, char *out, size_t size);

/* Guesses the separator from a file's first line: the most frequent of semicolon, comma and tab
 * outside quotes. If two are equally frequent, the first of them wins. Returns ' ' if the line has
 * none of them, or ',' if it is one quoted cell. Commas between digits ("0,5;1,5") do not count if
 * there are semicolons or tabs. */
char aw_csv_separator(const char *line);

/* Parses a NUL-terminated cell as a number. Returns false if it is not a number. Unless the
 * separator is a comma, "0,5" means one half, as spreadsheets write it in many locales. */
bool aw_csv_number(const char *text, char separator, double *value);

/* Writes text as a cell, truncated to max bytes. Adds quotes if a reader would misread the text
 * without them. Writes at most 2 * max + 2 bytes, without a NUL, and returns the end. */
char *aw_csv_quote(char *out, const char *text, size_t max);

#endif
