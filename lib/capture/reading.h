/* Opens recordings: plain files, and formats that need a filter. For run.mcap, the filter is the
 * program armwire-mcap. `armwire-mcap read run.mcap` writes pcapng, or NDJSON if the file has
 * values and no packets.
 *
 *     struct aw_reading reading;
 *     if (aw_reading_open(&reading, "run.mcap", 0, &err) != AW_OK) …
 *     … read(reading.fd, …);
 *     status = aw_reading_end(&reading, &err);        the result of the filter
 *     aw_reading_close(&reading);
 */
#ifndef AW_CAPTURE_READING_H
#define AW_CAPTURE_READING_H

#include "base/child.h"
#include "base/span.h"

#define AW_FILTER_ENDING 12 /* maximum length of an extension with a filter, characters */

struct aw_filter {
    char program[32]; /* "armwire-mcap" */
    char path[512];   /* path of the program */
};

/* Finds the filter for a file by its extension. Returns false with AW_USAGE if the filter is not
 * installed; the message names its package. Returns false with AW_OK if the format needs no filter,
 * or none is known. */
bool aw_filter_find(struct aw_filter *filter, const char *file, struct aw_error *err);

struct aw_reading {
    int fd;        /* -1: not open */
    bool filtered; /* a filter provides the input */
    struct aw_child child;
    struct aw_filter filter;
};

/* Opens a recording, "-" for standard input. flags are for open(2); only O_NONBLOCK applies to a
 * filter. A capture with the extension of a filter is read directly. Returns the errors of
 * aw_file_fail, with errno, or those of aw_filter_find and aw_child_start. */
enum aw_status aw_reading_open(struct aw_reading *reading, const char *path, int flags,
                               struct aw_error *err);

/* Call it at the end of the input. Waits up to 5 s for the filter to exit, then kills it. Returns
 * AW_OK, or the filter's message with AW_USAGE, AW_MALFORMED, AW_NO_MEMORY or AW_LOST. */
enum aw_status aw_reading_end(struct aw_reading *reading, struct aw_error *err);

/* Closes the recording at any time, and stops a running filter. Does nothing if it is not open. */
void aw_reading_close(struct aw_reading *reading);

/* Returns true if the filter writes NDJSON. start is the first part of its output. */
bool aw_reading_has_values(const struct aw_reading *reading, struct aw_span start);

/* Returns AW_USAGE: the recording contains values and no packets. name is the file's name. */
enum aw_status aw_reading_fail_values(const char *name, struct aw_error *err);

#endif
