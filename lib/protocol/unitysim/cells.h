/* Splits lines of a text file at commas; errors name file, line and column. Internal to
 * lib/protocol/unitysim.
 *
 *     struct aw_cells cells = {.lines.name = "views.csv"};
 *     while (status == AW_OK && (status = aw_cells_next(&cells, 7, &err)) == AW_OK)
 *         status = use(cells.cell[0]);
 *     status = aw_lines_end(&cells.lines, status, &err);
 */
#ifndef AW_PROTOCOL_UNITYSIM_CELLS_H
#define AW_PROTOCOL_UNITYSIM_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "base/lines.h"
#include "base/status.h"

#define AW_CELLS_MAX 8

struct aw_cells {
    struct aw_lines lines;
    char separator; /* separator found in the first line: ';' (from spreadsheets) or ',' */
    size_t n;
    struct aw_csv_cell cell[AW_CELLS_MAX + 1];
};

/* Reads the next line like aw_lines_next. Splits it into at most max + 1 cells (max <=
 * AW_CELLS_MAX), so that the caller can detect an excess cell. */
enum aw_status aw_cells_next(struct aw_cells *cells, size_t max, struct aw_error *err);

/* Checks for exactly n cells, with an optional comma after the last one. The error names the first
 * missing cell by its title. */
enum aw_status aw_cells_check_count(struct aw_cells *cells, size_t n, const char *const *titles,
                                    struct aw_error *err);

/* Sets an error that gives the column of at in the line. */
enum aw_status aw_cells_fail(struct aw_cells *cells, const char *at, enum aw_status status,
                             struct aw_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Returns true if the cell equals text, ignoring case. */
bool aw_cell_equals(const struct aw_csv_cell *cell, const char *text);

/* Parses cell i as an integer. AW_MALFORMED: not an integer; AW_LIMIT: below min or above max.
 * unit: " ticks" or "". */
struct aw_cell_range {
    const char *title, *unit;
    long min, max;
};
enum aw_status aw_cells_parse_int(struct aw_cells *cells, size_t i,
                                  const struct aw_cell_range *range, long *value,
                                  struct aw_error *err);

#endif
