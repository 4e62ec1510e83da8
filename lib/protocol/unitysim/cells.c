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

static struct aw_cell trim(const char *start, const char *end)
{
    while (start < end && isspace((unsigned char)*start))
        start++;
    while (end > start && isspace((unsigned char)end[-1]))
        end--;
    return (struct aw_cell){start, (int)(end - start)};
}

static void cut(struct aw_cells *cells, size_t max)
{
    const char *line = cells->start;
    for (cells->n = 0; cells->n <= max;) {
        const char *comma = strchrnul(line, ',');
        cells->cell[cells->n++] = trim(line, comma);
        if (!*comma)
            break;
        line = comma + 1;
    }
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
        struct aw_cell all = trim(cells->start, cells->text + used);
        if (all.length == 0 || *all.text == '#')
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
    const struct aw_cell *last = &cells->cell[cells->n - 1];
    return aw_cells_fail(cells, last->text + last->length, AW_MALFORMED, err,
                         "%s is missing: %zu cells where %zu are needed — is the line cut off?",
                         titles[cells->n], cells->n, n);
}

bool aw_cell_is(const struct aw_cell *cell, const char *word)
{
    return (size_t)cell->length == strlen(word) &&
           strncasecmp(cell->text, word, (size_t)cell->length) == 0;
}

/* At most nine digits: no overflow. */
static bool parse_whole(const struct aw_cell *cell, long *value)
{
    int at = cell->length > 0 && (cell->text[0] == '-' || cell->text[0] == '+');
    if (cell->length == at || cell->length - at > 9)
        return false;
    *value = 0;
    for (int i = at; i < cell->length; i++) {
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
    const struct aw_cell *cell = &cells->cell[i];
    if (!parse_whole(cell, value))
        return aw_cells_fail(cells, cell->text, AW_MALFORMED, err,
                             "%s: '%.*s' is not a whole number — correct the cell", what->title,
                             cell->length > 30 ? 30 : cell->length, cell->text);
    if (*value >= what->min && *value <= what->max)
        return AW_OK;
    return aw_cells_fail(cells, cell->text, AW_LIMIT, err,
                         "%s: %ld is outside %ld to %ld%s — correct the cell", what->title, *value,
                         what->min, what->max, what->unit);
}
