/* Recordings as they are read: plain files, and those that only a filter reads. The filter of
 * run.mcap is the program armwire-mcap. `armwire-mcap read run.mcap` writes pcapng, or NDJSON where
 * the file has values and no packets.
 *
 *     struct aw_reading reading;
 *     if (aw_reading_open(&reading, "run.mcap", 0, &err) != AW_OK) …
 *     … read(reading.fd, …);
 *     status = aw_reading_end(&reading, &err);        behind the last byte: was that all?
 *     aw_reading_close(&reading);
 */
#ifndef AW_CAPTURE_READING_H
#define AW_CAPTURE_READING_H

#include "base/child.h"
#include "base/span.h"

#define AW_FILTER_ENDING 12 /* characters of an ending that a filter may have, at most */

struct aw_filter {
    char program[32]; /* "armwire-mcap" */
    char path[512];   /* where it is */
};

/* Finds the filter for the ending of a file. False with AW_USAGE: not installed, and the message
 * names its package. False with AW_OK: the ending has no filter. */
bool aw_filter_find(struct aw_filter *filter, const char *file, struct aw_error *err);

struct aw_reading {
    int fd;        /* -1: not open */
    bool filtered; /* a filter writes what is read */
    struct aw_child child;
    struct aw_filter filter;
};

/* flags: of open(2), for the descriptor. Errors as of aw_file_fail, errno set; or as of
 * aw_filter_find. */
enum aw_status aw_reading_open(struct aw_reading *reading, const char *path, int flags,
                               struct aw_error *err);

/* After the end of the input: AW_OK, or the status and message that the filter ended with. Waits
 * for its end. */
enum aw_status aw_reading_end(struct aw_reading *reading, struct aw_error *err);

/* At any time: a filter that is still writing is stopped. Nothing if it is not open. */
void aw_reading_close(struct aw_reading *reading);

/* True if a filter writes NDJSON, of which these are the first bytes. */
bool aw_reading_has_values(const struct aw_reading *reading, struct aw_span start);

/* AW_USAGE: the recording has values and no packets. name: of the file. */
enum aw_status aw_reading_fail_values(const char *name, struct aw_error *err);

#endif
