/* The lines of a text file: for all formats of this suite that have a line for each thing.
 *
 *     struct aw_lines lines = {.name = "arm.gains"};
 *     enum aw_status status = AW_OK;
 *     while (status == AW_OK && (status = aw_lines_next(&lines, err)) == AW_OK)
 *         status = read_gain(lines.line, err);
 *     return aw_lines_end(&lines, status, err);
 *
 *     arm.gains:3:1: 'lknie' is no board — did you mean 'lknee'?
 */
#ifndef AW_BASE_LINES_H
#define AW_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

struct aw_lines {
    FILE *file;       /* NULL: the file called name is opened, and closed at the end */
    const char *name; /* for messages; not owned. NULL: messages name no place */
    unsigned number;  /* of the line, from 1 */
    char *line;       /* without its end, and the first one without a byte order mark */
    const char *at;   /* set by who finds a mistake: where in the line; NULL: its beginning */
    char *text;       /* owned */
    size_t room;
    bool opened;
    bool given; /* a line: what goes wrong now is its mistake */
};

/* The next line that is neither blank nor a '#' comment; valid until the next call, and may be
 * written to. AW_END: no more lines. AW_MALFORMED: a zero byte. AW_LOST: a read error. AW_USAGE:
 * the file cannot be opened, or is a folder. AW_NO_MEMORY. */
enum aw_status aw_lines_next(struct aw_lines *lines, struct aw_error *err);

/* Closes and frees. Returns status, AW_OK for AW_END. Where that is an error of the line (and not
 * of aw_lines_next) its text gets "NAME:LINE:COLUMN: " in front. */
enum aw_status aw_lines_end(struct aw_lines *lines, enum aw_status status, struct aw_error *err);

/* Puts "WHERE:COLUMN: " in front of an error's text, where WHERE is "FILE:LINE". A text that begins
 * with "column N: " counts from there. column: 0 is the beginning of the line. err may be NULL. */
void aw_fail_at(struct aw_error *err, const char *where, size_t column);

/* The same in line number of the file called name. */
void aw_fail_in(struct aw_error *err, const char *name, uint64_t number, size_t column);

/* Cuts a line into words in place, at blanks and up to a '#'; at most max of them. */
size_t aw_lines_words(char *line, char **words, size_t max);

#endif
