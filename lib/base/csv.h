/* A line of CSV cut into cells, as RFC 4180 has them: what stands in quotes may hold separators,
 * and a quote twice is one quote. Blanks around a cell are none of it.
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

/* The same for a text that is to be a cell: in quotes where it needs them. Writes at most
 * 2 * strlen(text) + 3 bytes. */
void aw_csv_quote(const char *text, char separator, char *out);

#endif
