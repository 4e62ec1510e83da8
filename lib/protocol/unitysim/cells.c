/* The CSV reader behind the sequence and views files of brachI/Oplexus. */
#include "protocol/unitysim/cells.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

enum aw_status aw_cells_fail(const struct aw_cells *cells, const char *at, enum aw_status status,
                             struct aw_error *err, const char *format, ...)
{
    char why[256];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return aw_fail(err, status, "%.120s:%u:%zu: %s", cells->name, cells->line,
                   (size_t)(at - cells->start) + 1, why);
}

static void cut(struct aw_cells *cells, size_t max)
{
    const char *rest = cells->start;
    for (cells->n = 0; cells->n <= max && aw_csv_next(&rest, ',', &cells->cell[cells->n]);)
        cells->n++;
}

enum aw_status aw_cells_next(struct aw_cells *cells, size_t max, struct aw_error *err)
{
    ssize_t length;
    while ((length = getline(&cells->text, &cells->room, cells->file)) >= 0) {
        size_t used = strlen(cells->text);
        cells->line++;
        cells->start = cells->text;
        if (used != (size_t)length)
            return aw_cells_fail(cells, cells->text + used, AW_MALFORMED, err,
                                 "a zero byte — is this a text file?");
        if (cells->line == 1)
            cells->start += aw_utf8_mark(cells->text);
        const char *first = cells->start + strspn(cells->start, " \t\r\n\v\f");
        if (*first == '\0' || *first == '#')
            continue;
        cut(cells, max);
        return AW_OK;
    }
    if (!feof(cells->file) && errno == ENOMEM)
        return aw_no_memory(err);
    if (ferror(cells->file))
        return aw_fail(err, AW_LOST, "%.120s: reading failed: %s — check the file", cells->name,
                       strerror(errno));
    return AW_END;
}

void aw_cells_end(struct aw_cells *cells)
{
    free(cells->text);
    cells->text = NULL;
}

enum aw_status aw_cells_count(const struct aw_cells *cells, size_t n, const char *const *titles,
                              struct aw_error *err)
{
    bool closed = cells->n == n + 1 && cells->cell[n].length == 0;
    if (cells->n == n || closed)
        return AW_OK;
    if (cells->n > n)
        return aw_cells_fail(cells, cells->cell[n].text, AW_MALFORMED, err,
                             "text behind cell %zu — remove it", n);
    const struct aw_csv_cell *last = &cells->cell[cells->n - 1];
    return aw_cells_fail(cells, last->text + last->length, AW_MALFORMED, err,
                         "%s is missing: %zu cells where %zu are needed — is the line cut off?",
                         titles[cells->n], cells->n, n);
}

bool aw_cell_is(const struct aw_csv_cell *cell, const char *word)
{
    return cell->length == strlen(word) && strncasecmp(cell->text, word, cell->length) == 0;
}

/* At most nine digits: no overflow. */
static bool parse_whole(const struct aw_csv_cell *cell, long *value)
{
    size_t at = cell->length > 0 && (cell->text[0] == '-' || cell->text[0] == '+');
    if (cell->length == at || cell->length - at > 9)
        return false;
    *value = 0;
    for (size_t i = at; i < cell->length; i++) {
        if (!isdigit((unsigned char)cell->text[i]))
            return false;
        *value = *value * 10 + (cell->text[i] - '0');
    }
    if (cell->text[0] == '-')
        *value = -*value;
    return true;
}

enum aw_status aw_cells_whole(const struct aw_cells *cells, size_t i, const struct aw_whole *what,
                              long *value, struct aw_error *err)
{
    const struct aw_csv_cell *cell = &cells->cell[i];
    if (!parse_whole(cell, value))
        return aw_cells_fail(cells, cell->text, AW_MALFORMED, err,
                             "%s: '%.*s' is not a whole number — correct the cell", what->title,
                             cell->length > 30 ? 30 : (int)cell->length, cell->text);
    if (*value >= what->min && *value <= what->max)
        return AW_OK;
    return aw_cells_fail(cells, cell->text, AW_LIMIT, err,
                         "%s: %ld is outside %ld to %ld%s — correct the cell", what->title, *value,
                         what->min, what->max, what->unit);
}
