/* Reads text files line by line, for all formats with one entry per line.
 *
 *     struct aw_lines lines = {.name = "arm.gains"};
 *     enum aw_status status = AW_OK;
 *     while (status == AW_OK && (status = aw_lines_next(&lines, err)) == AW_OK)
 *         status = read_gain(lines.line, err);
 *     return aw_lines_end(&lines, status, err);
 *
 *     arm.gains:3:1: unknown board 'lknie' — did you mean 'lknee'?
 */
#ifndef AW_BASE_LINES_H
#define AW_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

struct aw_lines {
    FILE *file;       /* input; NULL: opens the file called name, and closes it at the end */
    const char *name; /* for messages, not owned; NULL: messages give no location */
    unsigned number;  /* line number, from 1 */
    char *line;       /* current line, without newline and byte order mark */
    const char *at;   /* error position in the line, set by the caller; NULL: its start */
    char *text;       /* buffer, owned */
    size_t room;
    bool owns_file;
    bool has_line; /* a line was returned, so later errors are about it */
};

/* Reads the next line that is neither blank nor a '#' comment. The line is writable and valid until
 * the next call. AW_END: no more lines. AW_MALFORMED: a NUL byte, a CR within a line, or UTF-16.
 * AW_LOST: a read error. AW_USAGE: the file cannot be opened, is a folder, or is too large.
 * AW_NO_MEMORY: out of memory. */
enum aw_status aw_lines_next(struct aw_lines *lines, struct aw_error *err);

/* Closes the file if aw_lines_next opened it, and frees the buffer. Returns status, or AW_OK for
 * AW_END. Prefixes an error about a line with "NAME:LINE:COLUMN: ". Leaves errors about the whole
 * file and AW_NO_MEMORY unchanged. */
enum aw_status aw_lines_end(struct aw_lines *lines, enum aw_status status, struct aw_error *err);

/* Puts "WHERE:COLUMN: " in front of an error's text, where WHERE is "FILE:LINE". Columns count from
 * 1; 0 also means 1. A leading "column N: " in the text counts from column, and is removed. err may
 * be NULL. */
void aw_fail_at(struct aw_error *err, const char *where, size_t column);

/* Same as aw_fail_at, with a file name and a line number. */
void aw_fail_at_line(struct aw_error *err, const char *name, uint64_t number, size_t column);

/* Splits a line at blanks, in place, up to a '#'. Returns the number of tokens, at most max. */
size_t aw_lines_split(char *line, char **tokens, size_t max);

#endif
