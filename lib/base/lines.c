/* Reads text files line by line, and adds positions to error messages. */
#include "base/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"

static const char blanks[] = " \t\r\v\f";

/* Rejects NUL bytes, UTF-16 and a CR within the line, and sets lines->at to the mistake. Removes
 * the end of the line. */
static enum aw_status check_text(struct aw_lines *lines, size_t length, struct aw_error *err)
{
    size_t size = strlen(lines->text);
    lines->at = size != length ? lines->text + size : NULL;
    if (lines->number == 1 && aw_has_utf16_bom(lines->text))
        return aw_fail(err, AW_MALFORMED, AW_UTF16_ADVICE);
    if (lines->at)
        return aw_fail(err, AW_MALFORMED, "NUL byte found — give a text file");
    while (size > 0 && strchr("\r\n", lines->text[size - 1]))
        lines->text[--size] = '\0';
    char *cr = strchr(lines->text, '\r');
    if (!cr || !cr[strspn(cr, blanks)])
        return AW_OK;
    lines->at = cr;
    return aw_fail(err, AW_MALFORMED, AW_CR_ADVICE);
}

enum aw_status aw_lines_next(struct aw_lines *lines, struct aw_error *err)
{
    ssize_t length;
    if (!lines->file) {
        lines->file = aw_file_open_text(lines->name);
        lines->name = aw_file_name(lines->name);
        lines->owns_file = lines->file != NULL;
        if (!lines->owns_file)
            return aw_file_fail(err, NULL, lines->name);
    }
    while ((length = getline(&lines->text, &lines->room, lines->file)) != -1) {
        lines->number++;
        lines->line = lines->text + (lines->number == 1 ? aw_utf8_bom_size(lines->text) : 0);
        lines->has_line = true;
        if (check_text(lines, (size_t)length, err) != AW_OK)
            return AW_MALFORMED;
        const char *first = lines->line + strspn(lines->line, blanks);
        if (*first && *first != '#')
            return AW_OK;
    }
    lines->has_line = false;
    return feof(lines->file) ? AW_END : aw_file_fail(err, NULL, lines->name);
}

void aw_fail_at(struct aw_error *err, const char *where, size_t column)
{
    char reason[sizeof err->text];
    int used = 0;
    size_t inner_column;
    if (!err)
        return;
    memcpy(reason, err->text, sizeof reason);
    if (sscanf(reason, "column %zu: %n", &inner_column, &used) != 1 || !used)
        inner_column = 1;
    aw_fail(err, err->status, "%.160s:%zu: %s", where, (column ? column : 1) + inner_column - 1,
            reason + used);
}

void aw_fail_at_line(struct aw_error *err, const char *name, uint64_t number, size_t column)
{
    char where[160];
    snprintf(where, sizeof where, "%.120s:%" PRIu64, name, number);
    aw_fail_at(err, where, column);
}

enum aw_status aw_lines_end(struct aw_lines *lines, enum aw_status status, struct aw_error *err)
{
    if (lines->has_line && lines->name && status != AW_OK && status != AW_NO_MEMORY && err)
        aw_fail_at_line(err, lines->name, lines->number,
                        (size_t)(lines->at ? lines->at - lines->line : 0) + 1);
    if (lines->owns_file)
        fclose(lines->file);
    free(lines->text);
    *lines = (struct aw_lines){.name = lines->name, .number = lines->number};
    return status == AW_END ? AW_OK : status;
}

size_t aw_lines_split(char *line, char **tokens, size_t max)
{
    char *rest;
    size_t n = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *token = strtok_r(line, " \t\r\n", &rest); token && n < max;
         token = strtok_r(NULL, " \t\r\n", &rest))
        tokens[n++] = token;
    return n;
}
