/* What passed a link, read back from a file: pcapng, pcap or the lines of candump, or through a
 * filter (see reading.h).
 *
 *     struct aw_log *log;
 *     struct aw_log_entry entry;
 *     if (aw_log_open(&log, "run.pcapng", &(struct aw_log_options){0}, &err) != AW_OK) …
 *     while ((status = aw_log_next(log, &entry, &err)) == AW_OK)
 *         … entry.time_ns, entry.dir, entry.data …
 *     aw_log_close(log);                       status is AW_END at the end of the file
 *
 * Reads in pieces, so files may be of any length; of a file that was cut off all whole packets are
 * read.
 */
#ifndef AW_CAPTURE_LOG_H
#define AW_CAPTURE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/candump.h"
#include "capture/pcapng.h"

struct aw_log;

struct aw_log_options {
    /* For captures that others made of UDP and TCP: the device's port and the host's (0: any).
     * Packets between other ports are passed over; without a direction of their own packets to the
     * device's port are AW_TX. */
    uint16_t ports[2];
    /* Packets that cannot be of this medium are passed over, too; NULL: all are taken. */
    const enum aw_medium *medium;
    /* Takes the comments of section headers, as in struct aw_pcap_reader; NULL: nothing does. */
    aw_pcap_about_fn *about;
    void *context;
};

#define AW_LOG_COMMENT 512 /* bytes of a comment, with its NUL; longer ones are cut */

/* One datagram, or one piece of a stream. */
struct aw_log_entry {
    int64_t
        time_ns; /* 0 or more, since 1970 (candump: as it stands there); or AW_NO_TIME (codec.h) */
    enum aw_dir dir;              /* AW_TX to the device, AW_RX from it; 0: not known */
    enum aw_linktype linktype;    /* what it passed; AW_LINKTYPE_CAN for candump */
    bool stream;                  /* a piece of a stream: frames may begin and end anywhere */
    bool gap;                     /* bytes before these are missing */
    struct aw_span data;          /* valid until the next call; empty: only a comment */
    char comment[AW_LOG_COMMENT]; /* of the packet; or "" */
};

/* AW_USAGE if the file cannot be read or has none of these formats. */
enum aw_status aw_log_open(struct aw_log **log, const char *path,
                           const struct aw_log_options *options, struct aw_error *err);

/* AW_OK; AW_END at the end; AW_MALFORMED: a damaged part, one may go on; AW_LOST: a read error;
 * AW_USAGE: a log of candump -t d; AW_TIMEOUT: the descriptor does not block, and nothing more has
 * come. */
enum aw_status aw_log_next(struct aw_log *log, struct aw_log_entry *entry, struct aw_error *err);

/* Behind AW_END: bytes at the end that are no whole packet, as of a file that was cut off; err says
 * how many. */
bool aw_log_is_cut(const struct aw_log *log, struct aw_error *err);

/* The program that wrote the section so far, with its version; "": unknown. */
const char *aw_log_program(const struct aw_log *log);

/* The state of reading candump lines. */
const struct aw_candump_log *aw_log_lines(const struct aw_log *log);

/* To the beginning again. */
enum aw_status aw_log_rewind(struct aw_log *log, struct aw_error *err);

/* How far the file is read, in bytes, and its size (0: not known, a pipe), for a progress bar. */
uint64_t aw_log_position(const struct aw_log *log, uint64_t *size);

void aw_log_close(struct aw_log *log); /* NULL is fine */

#endif
