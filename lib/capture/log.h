/* Reads recorded traffic of a link from a file: pcapng, pcap, or lines of candump or Vector's ASC.
 * Other formats need a filter (see reading.h).
 *
 *     struct aw_log *log;
 *     struct aw_log_entry entry;
 *     if (aw_log_open(&log, "run.pcapng", &(struct aw_log_options){0}, &err) != AW_OK) …
 *     while ((status = aw_log_next(log, &entry, &err)) == AW_OK)
 *         … entry.time_ns, entry.dir, entry.data …
 *     aw_log_close(log);                       status is AW_END at the end of the file
 *
 * The file may have any length, because it is read in pieces. All complete packets of a truncated
 * file are read.
 */
#ifndef AW_CAPTURE_LOG_H
#define AW_CAPTURE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/candump.h"
#include "capture/pcapng.h"

struct aw_log;

struct aw_log_options {
    /* Ports of the device and of the host (0: any), for captures of UDP and TCP by other programs.
     * Skips packets between other ports. A packet without a direction is AW_TX if its destination
     * is the device's port, and AW_RX if its source is that port or its destination is the
     * host's. */
    uint16_t ports[2];
    /* Skips packets that cannot belong to this medium; NULL: accepts all packets. */
    const enum aw_medium *medium;
    /* Called for each comment of a section header, as in struct aw_pcap_reader; NULL: ignores
     * comments. */
    aw_pcap_comment_fn *on_comment;
    void *context;
};

#define AW_LOG_COMMENT 512 /* bytes of a comment, with its NUL; longer ones are truncated */

/* One datagram, or one piece of a stream. */
struct aw_log_entry {
    /* ns since 1970, not negative, or AW_NO_TIME (codec.h); in a candump log, the time as
     * written */
    int64_t time_ns;
    enum aw_dir dir;              /* AW_TX to the device, AW_RX from the device; 0: unknown */
    enum aw_linktype linktype;    /* format of data; AW_LINKTYPE_CAN for candump */
    bool is_stream;               /* a piece of a stream: frames may begin and end anywhere */
    bool has_gap;                 /* bytes before this data are missing */
    struct aw_span data;          /* valid until the next call; empty: only a comment */
    char comment[AW_LOG_COMMENT]; /* comment of the packet; "": none */
};

/* Opens a recording, which the caller closes with aw_log_close. AW_USAGE if the file cannot be read
 * or has none of the formats. Also the errors of aw_reading_open and aw_reading_end. Sets *log to
 * NULL on failure. */
enum aw_status aw_log_open(struct aw_log **log, const char *path,
                           const struct aw_log_options *options, struct aw_error *err);

/* Reads the next entry. AW_OK, or AW_END at the end. AW_MALFORMED: a damaged part; the caller may
 * continue. AW_LOST: a read error. AW_USAGE: a log of candump -t d. AW_TIMEOUT: the descriptor is
 * non-blocking and has no data yet. Also the error of a filter that wrote nothing. */
enum aw_status aw_log_next(struct aw_log *log, struct aw_log_entry *entry, struct aw_error *err);

/* Returns true if the file ends with an incomplete packet or line, as a truncated file does, or if
 * its filter has failed. err then has the reason. Call it after AW_END. */
bool aw_log_is_truncated(const struct aw_log *log, struct aw_error *err);

/* Returns the name and version of the program that wrote the current section; "": unknown. */
const char *aw_log_program(const struct aw_log *log);

/* Returns the state of reading lines of candump. */
const struct aw_candump_log *aw_log_candump_state(const struct aw_log *log);

/* Restarts from the beginning. AW_LOST: the input is a pipe. Also the errors of aw_log_open. */
enum aw_status aw_log_rewind(struct aw_log *log, struct aw_error *err);

/* Returns the number of bytes read so far, for a progress line. Sets *size to the file's size; 0:
 * unknown, as for a pipe. */
uint64_t aw_log_position(const struct aw_log *log, uint64_t *size);

void aw_log_close(struct aw_log *log); /* accepts NULL */

#endif
