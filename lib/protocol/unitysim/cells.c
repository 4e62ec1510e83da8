/* The CSV reader behind the sequence and views files of brachI/Oplexus. */
#include "protocol/unitysim/cells.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum aw_status aw_cells_fail(struct aw_cells *cells, const char *at, enum aw_status status,
                             struct aw_error *err, const char *format, ...)
{
    char why[256];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    cells->lines.at = at;
    return aw_fail(err, status, "%s", why);
}

enum aw_status aw_cells_next(struct aw_cells *cells, size_t max, struct aw_error *err)
{
    enum aw_status status = aw_lines_next(&cells->lines, err);
    const char *rest = status == AW_OK ? cells->lines.line : NULL;
    if (rest && !cells->separator)
        cells->separator = aw_csv_separator(rest);
    for (cells->n = 0;
         cells->n <= max && aw_csv_next(&rest, cells->separator, &cells->cell[cells->n]);)
        cells->n++;
    return status;
}

enum aw_status aw_cells_check_count(struct aw_cells *cells, size_t n, const char *const *titles,
                                    struct aw_error *err)
{
    bool trailing_comma = cells->n == n + 1 && cells->cell[n].length == 0;
    if (cells->n == n || trailing_comma)
        return AW_OK;
    if (cells->n > n)
        return aw_cells_fail(cells, cells->cell[n].text, AW_MALFORMED, err,
                             "text after cell %zu — remove it", n);
    const struct aw_csv_cell *last = &cells->cell[cells->n - 1];
    return aw_cells_fail(cells, last->text + last->length, AW_MALFORMED, err,
                         "%s is missing: %zu cells instead of %zu — check for a truncated line",
                         titles[cells->n], cells->n, n);
}

bool aw_cell_equals(const struct aw_csv_cell *cell, const char *text)
{
    return cell->length == strlen(text) && strncasecmp(cell->text, text, cell->length) == 0;
}

/* Accepts at most nine digits, so that there is no overflow. */
static bool parse_int(const struct aw_csv_cell *cell, long *value)
{
    size_t sign_length = cell->length > 0 && (cell->text[0] == '-' || cell->text[0] == '+');
    if (cell->length == sign_length || cell->length - sign_length > 9)
        return false;
    *value = 0;
    for (size_t i = sign_length; i < cell->length; i++) {
        if (!isdigit((unsigned char)cell->text[i]))
            return false;
        *value = *value * 10 + (cell->text[i] - '0');
    }
    if (cell->text[0] == '-')
        *value = -*value;
    return true;
}

enum aw_status aw_cells_parse_int(struct aw_cells *cells, size_t i,
                                  const struct aw_cell_range *range, long *value,
                                  struct aw_error *err)
{
    const struct aw_csv_cell *cell = &cells->cell[i];
    if (!parse_int(cell, value))
        return aw_cells_fail(cells, cell->text, AW_MALFORMED, err,
                             "%s: '%.*s' is not a whole number — correct the cell", range->title,
                             cell->length > 30 ? 30 : (int)cell->length, cell->text);
    if (*value >= range->min && *value <= range->max)
        return AW_OK;
    return aw_cells_fail(cells, cell->text, AW_LIMIT, err,
                         "%s: %ld is out of range (%ld to %ld%s) — correct the cell", range->title,
                         *value, range->min, range->max, range->unit);
}
