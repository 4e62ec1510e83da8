/* Reads text files line by line, and adds positions to error messages. */
#include "base/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"

static const char blanks[] = " \t\r\v\f";

/* Rejects characters that a text file cannot contain, with their position in the line. */
static enum aw_status check_text(struct aw_lines *lines, size_t length, struct aw_error *err)
{
    size_t used = strlen(lines->text);
    lines->at = used != length ? lines->text + used : NULL;
    if (lines->number == 1 && aw_utf16_mark(lines->text))
        return aw_fail(err, AW_MALFORMED, AW_UTF16_ADVICE);
    if (lines->at)
        return aw_fail(err, AW_MALFORMED, "zero byte found — give a text file");
    while (used > 0 && strchr("\r\n", lines->text[used - 1]))
        lines->text[--used] = '\0';
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
        lines->opened = lines->file != NULL;
        if (!lines->opened)
            return aw_file_fail(err, NULL, lines->name);
    }
    while ((length = getline(&lines->text, &lines->room, lines->file)) != -1) {
        lines->number++;
        lines->line = lines->text + (lines->number == 1 ? aw_utf8_mark(lines->text) : 0);
        lines->given = true;
        if (check_text(lines, (size_t)length, err) != AW_OK)
            return AW_MALFORMED;
        const char *first = lines->line + strspn(lines->line, blanks);
        if (*first && *first != '#')
            return AW_OK;
    }
    lines->given = false;
    return feof(lines->file) ? AW_END : aw_file_fail(err, NULL, lines->name);
}

void aw_fail_at(struct aw_error *err, const char *where, size_t column)
{
    char why[sizeof err->text];
    int used = 0;
    size_t within;
    if (!err)
        return;
    memcpy(why, err->text, sizeof why);
    if (sscanf(why, "column %zu: %n", &within, &used) != 1 || !used)
        within = 1;
    aw_fail(err, err->status, "%.160s:%zu: %s", where, (column ? column : 1) + within - 1,
            why + used);
}

void aw_fail_in(struct aw_error *err, const char *name, uint64_t number, size_t column)
{
    char where[160];
    snprintf(where, sizeof where, "%.120s:%" PRIu64, name, number);
    aw_fail_at(err, where, column);
}

enum aw_status aw_lines_end(struct aw_lines *lines, enum aw_status status, struct aw_error *err)
{
    if (lines->given && lines->name && status != AW_OK && status != AW_NO_MEMORY && err)
        aw_fail_in(err, lines->name, lines->number,
                   (size_t)(lines->at ? lines->at - lines->line : 0) + 1);
    if (lines->opened)
        fclose(lines->file);
    free(lines->text);
    *lines = (struct aw_lines){.name = lines->name, .number = lines->number};
    return status == AW_END ? AW_OK : status;
}

size_t aw_lines_words(char *line, char **words, size_t max)
{
    char *rest;
    size_t n = 0;
    line[strcspn(line, "#")] = '\0';
    for (char *word = strtok_r(line, " \t\r\n", &rest); word && n < max;
         word = strtok_r(NULL, " \t\r\n", &rest))
        words[n++] = word;
    return n;
}
