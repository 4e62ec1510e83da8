/* Lines of a text file cut at commas, with errors that name file, line and column. Internal to
 * lib/protocol/unitysim.
 *
 *     struct aw_cells cells = {.file = file, .name = "views.csv"};
 *     while ((status = aw_cells_next(&cells, 7, &err)) == AW_OK) use(cells.cell[0]);
 *     aw_cells_end(&cells);
 */
#ifndef AW_PROTOCOL_UNITYSIM_CELLS_H
#define AW_PROTOCOL_UNITYSIM_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/csv.h"
#include "base/status.h"

#define AW_CELLS_MAX 8

/* Owns text. */
struct aw_cells {
    FILE *file;       /* not owned */
    const char *name; /* of the file, for messages */
    unsigned line;    /* from 1 */
    size_t n;
    struct aw_csv_cell cell[AW_CELLS_MAX + 1];
    char *text;
    size_t room;
    const char *start; /* of the line, behind a byte order mark */
};

/* The next line that is not blank and no '#' comment. At most max + 1 cells are cut (max <=
 * AW_CELLS_MAX), so that one too many shows. AW_OK, AW_END at the end, AW_MALFORMED for a zero
 * byte, AW_LOST for a read error. */
enum aw_status aw_cells_next(struct aw_cells *cells, size_t max, struct aw_error *err);
void aw_cells_end(struct aw_cells *cells);

/* Exactly n cells, and perhaps a comma behind the last one; missing names the first that is not
 * there (titles). */
enum aw_status aw_cells_count(const struct aw_cells *cells, size_t n, const char *const *titles,
                              struct aw_error *err);

/* "file:line:column: …", the column where at points to in the line. */
enum aw_status aw_cells_fail(const struct aw_cells *cells, const char *at, enum aw_status status,
                             struct aw_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Is it this word, in letters of either case? */
bool aw_cell_is(const struct aw_csv_cell *cell, const char *word);

/* A whole number between min and max: AW_MALFORMED or AW_LIMIT. unit: " ticks" or "". */
struct aw_whole {
    const char *title, *unit;
    long min, max;
};
enum aw_status aw_cells_whole(const struct aw_cells *cells, size_t i, const struct aw_whole *what,
                              long *value, struct aw_error *err);

#endif
