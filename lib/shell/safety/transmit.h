/* Sends a record to the device. One sequence for all commands:
 *
 *     check and encode → --dry-run shows the bytes and ends → open the link → announce →
 *     prepare the stop and the watchdog → send and wait → report
 *
 * Invalid input does not open the link. A full disk or a closed pipe fails before the first byte is
 * sent. A tool describes its conversation with the hooks in .talk.transmit.
 */
#ifndef AW_SHELL_SAFETY_TRANSMIT_H
#define AW_SHELL_SAFETY_TRANSMIT_H

#include "shell/session/session.h"

/* The device's answer. record.codec is NULL if it has no values. */
struct aw_answer {
    struct aw_record record;
    uint8_t bytes[256];
    size_t size;      /* bytes to print; 0: only the result is written */
    double ms;        /* time until the answer, for the result; 0: unknown */
    bool maybe_stale; /* the answer may belong to an earlier query */
};

/* Hooks; each may be NULL except send. */
struct aw_transmit {
    /* Checks a record beyond the ranges of its fields. Sets session->err on refusal. */
    enum aw_status (*check)(struct aw_session *session, const struct aw_record *record);
    /* Opens the link and prepares the conversation for this record. NULL: aw_session_open_device */
    enum aw_status (*open)(struct aw_session *session, struct aw_record *record);
    /* Updates what the stop needs to know about a record that moves something. Called before the
     * stop is prepared. */
    void (*note_motion)(struct aw_session *session, struct aw_span frame);
    /* Sends the record and waits for its confirmation or answer. Does not check it again. */
    enum aw_status (*send)(struct aw_session *session, const struct aw_record *record,
                           struct aw_answer *answer);
    /* Writes the result, also after a failure. NULL: the result is "sent" or "confirmed". */
    void (*report)(struct aw_session *session, const struct aw_record *record);
    bool confirms;            /* send returns AW_OK only if the device has confirmed the record */
    bool hides_queries;       /* a record that only reads is not printed, only its answer */
    bool failure_ends_motion; /* a record that failed moves nothing, so no stop follows */
};

/* Opens the link with the options of this command, and prepares receiving (.talk.prepare). */
enum aw_status aw_session_open_device(struct aw_session *session);

/* Runs the whole sequence. aw_transmit_streamed sends one of many records: it is not printed, and
 * the motion continues afterwards. */
enum aw_status aw_transmit(struct aw_session *session, struct aw_record *record);
enum aw_status aw_transmit_streamed(struct aw_session *session, struct aw_record *record);

/* Checks and encodes a record, without --dry-run or a link. */
enum aw_status aw_transmit_check(struct aw_session *session, struct aw_record *record);

/* For --dry-run: checks a record and shows its bytes. */
enum aw_status aw_transmit_show(struct aw_session *session, struct aw_record *record);

/* Prints an answer of the device, as bytes if it cannot be decoded. --raw shows wire numbers. */
enum aw_status aw_show_answer(struct aw_session *session, struct aw_span frame);

/* Prints at most 256 bytes as a row. */
void aw_show_bytes(struct aw_session *session, struct aw_span frame);

#endif
