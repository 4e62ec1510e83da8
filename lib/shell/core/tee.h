/* Everything that passes the link, into a capture file as well: --record FILE, and record. */
#ifndef AW_SHELL_CORE_TEE_H
#define AW_SHELL_CORE_TEE_H

#include <stdio.h>

#include "capture/packet.h"
#include "capture/reading.h"
#include "shell/core/session.h"

struct aw_tee_packet;
struct aw_feeder;

/* Owns the file or filter and what waits for it; {0} records nothing. */
struct aw_tee {
    bool narrowed;     /* it takes only what concerns the command that records */
    bool named;        /* the packets of files have been written */
    uint64_t names_at; /* place in names.keep behind the names that have been written */
    bool open;         /* messages are still taken; false after a failure */
    FILE *file;        /* NULL: a filter, or standard output */
    struct aw_feeder *feeder;
    const char *what; /* "--record" */
    char name[240];   /* for messages: "--record: run.pcapng" */
    struct aw_session *session;
    struct aw_wrapper wrapper;
    char interface[64]; /* of a log of candump; "": pcapng */
    int64_t last_ns;    /* only what is not older than this is kept, until the end; 0: everything */
    struct aw_tee_packet *first, *newest;
    uint64_t packets, bytes; /* so far, or waiting */
};

/* Creates the file and session->device.tee, unless it exists. "-" is pcapng on standard output,
 * each message as soon as it passes; .log is a log of candump, for CAN; a filter writes files with
 * another ending.
 * AW_USAGE: no filter, or the file cannot be written (see aw_file_fail); AW_NO_MEMORY. Without a
 * tee on failure. what: the option for messages, "--record". */
enum aw_status aw_tee_open(struct aw_session *session, const char *what, const char *path,
                           const char *interface);

/* Adds one message and, unless only the last ones are kept, writes it out at once: a killed program
 * leaves a file that can be read. False (once)
 * when that fails, and why; the file ends there. */
bool aw_tee_add(struct aw_tee *tee, enum aw_dir dir, int64_t time_ns, struct aw_span bytes,
                struct aw_error *err);

/* The same with a packet that has only a comment. */
bool aw_tee_mark(struct aw_tee *tee, int64_t time_ns, const char *comment, struct aw_error *err);

/* Before each message: writes the packets of files, once, and names that are not in the file yet,
 * as packets with only a comment. --last keeps them all. */
bool aw_tee_names(struct aw_tee *tee, struct aw_session *session, int64_t time_ns);

/* True for a path that aw_tee_open takes. *filter: of its ending, unless the tool writes that
 * itself; else AW_USAGE, in which the message names the package that is not installed, if there is
 * one. */
bool aw_tee_takes(struct aw_session *session, const char *path, struct aw_filter *filter);

/* A log of candump: other programs take it for one with remarks and nothing else. */
bool aw_tee_is_log(const struct aw_session *session, const char *path);

/* Writes what waits, closes the file and frees the tee, if there is one. False, and why, if it
 * could not all be written. */
bool aw_tee_close(struct aw_session *session, struct aw_error *err);

#endif
