/* Copies all traffic of the link to a capture file: --record FILE, and record. */
#ifndef AW_SHELL_SAFETY_TEE_H
#define AW_SHELL_SAFETY_TEE_H

#include <stdio.h>

#include "capture/packet.h"
#include "capture/pcapng.h"
#include "capture/reading.h"
#include "shell/session/session.h"

struct aw_feeder;

/* Owns the file or filter; {0} records nothing. */
struct aw_tee {
    bool selects_subjects; /* records only messages about the recording command's subjects */
    bool wrote_packets;    /* the custom packets have been written */
    uint64_t names_at;     /* position of names.write_lines after the names already written */
    bool is_open;          /* accepts messages; false after a failure */
    FILE *file;            /* NULL: a filter, or standard output */
    struct aw_feeder *feeder;
    const char *label; /* "--record" */
    char name[240];    /* for messages: "--record: run.pcapng" */
    struct aw_session *session;
    struct aw_wrapper wrapper;
    char interface[64];      /* interface in a candump log; "": pcapng */
    uint64_t packets, bytes; /* written so far */
};

/* Creates the file and session->device.tee, unless it exists. "-" writes pcapng to standard output,
 * flushed after each message; .log writes a candump log, for CAN; a filter writes other file
 * extensions. AW_USAGE: no filter, or the file cannot be written (see aw_file_fail).
 * AW_NO_MEMORY: out of memory. Creates no tee on failure. label: the option, for messages:
 * "--record". interface: the URL of the link, stored in pcapng. */
enum aw_status aw_tee_open(struct aw_session *session, const char *label, const char *path,
                           const char *interface);

/* Writes one message at once, so that a killed program leaves a readable file. Returns false, once,
 * with the reason on failure; the file ends there. */
bool aw_tee_add(struct aw_tee *tee, enum aw_dir dir, int64_t time_ns, struct aw_span bytes,
                struct aw_error *err);

/* Adds a packet that has only a comment. */
bool aw_tee_add_mark(struct aw_tee *tee, int64_t time_ns, const char *comment,
                     struct aw_error *err);

/* Writes the custom packets (once) and new names, as packets with only a comment; a candump log
 * gets none. Call before each message. Returns false with session->device.tee_error set on
 * failure. */
bool aw_tee_write_names(struct aw_tee *tee, struct aw_session *session, int64_t time_ns);

/* Returns true if aw_tee_open accepts the path. Sets *filter to the filter for the file extension,
 * unless the tool writes that format itself. Otherwise sets AW_USAGE; the message names the missing
 * package, if any. */
bool aw_tee_accepts(struct aw_session *session, const char *path, struct aw_filter *filter);

/* Returns true for a candump log. It carries no custom packets, because other programs reject logs
 * with comments. */
bool aw_tee_is_log(const struct aw_session *session, const char *path);

/* Closes the file and frees the tee, if there is one. Unless something moves, first waits for the
 * filters of earlier recordings. Returns false with the reason if writing failed, unless that was
 * reported before. */
bool aw_tee_close(struct aw_session *session, struct aw_error *err);

/* Allocates a pcapng section header with its interface, *size bytes long. Its program is "hidmotor
 * 0.1.0"; its comments are
 *
 *     wire NAME
 *     link URL
 *     subject FIELD NUMBER NAME      these lines, see struct aw_name_hooks
 *     config file: NAME              and on the next lines the text of the file, up to 32 KiB
 *
 * *names_at receives the position from which names.write_lines continues with names that are not in
 * this section. NULL: out of memory. */
uint8_t *aw_section_make(struct aw_session *session, const char *url, enum aw_linktype linktype,
                         uint64_t *names_at, size_t *size);

#endif
