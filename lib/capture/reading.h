/* Opens recordings: plain files, and formats that need a filter. The filter of run.mcap is the
 * program armwire-mcap. `armwire-mcap read run.mcap` writes pcapng, or NDJSON if the file has
 * values and no packets.
 *
 *     struct aw_reading reading;
 *     if (aw_reading_open(&reading, "run.mcap", 0, &err) != AW_OK) …
 *     … read(reading.fd, …);
 *    status = aw_reading_end(&reading, &err);        after the last byte: was it complete?
 *     aw_reading_close(&reading);
 */
#ifndef AW_CAPTURE_READING_H
#define AW_CAPTURE_READING_H

#include "base/child.h"
#include "base/span.h"

#define AW_FILTER_ENDING 12 /* maximum length of an ending with a filter, characters */

struct aw_filter {
    char program[32]; /* "armwire-mcap" */
    char path[512];   /* path of the program */
};

/* Finds the filter for the ending of a file. Returns false with AW_USAGE if it is not installed;
 * the message names its package. Returns false with AW_OK if the ending has no filter. */
bool aw_filter_find(struct aw_filter *filter, const char *file, struct aw_error *err);

struct aw_reading {
    int fd;        /* -1: not open */
    bool filtered; /* a filter writes the input */
    struct aw_child child;
    struct aw_filter filter;
};

/* flags: for open(2). Errors as of aw_file_fail, with errno; or as of aw_filter_find. */
enum aw_status aw_reading_open(struct aw_reading *reading, const char *path, int flags,
                               struct aw_error *err);

/* Call at the end of the input. Waits for the filter, and returns AW_OK or its status and message.
 */
enum aw_status aw_reading_end(struct aw_reading *reading, struct aw_error *err);

/* Call at any time: stops a running filter. Does nothing if not open. */
void aw_reading_close(struct aw_reading *reading);

/* Returns true if a filter writes NDJSON. start has its first bytes. */
bool aw_reading_has_values(const struct aw_reading *reading, struct aw_span start);

/* Returns AW_USAGE: the recording has values and no packets. name: of the file. */
enum aw_status aw_reading_fail_values(const char *name, struct aw_error *err);

#endif
