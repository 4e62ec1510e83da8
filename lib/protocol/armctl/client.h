/* The controller of the handler arm: sends a command and waits until it is carried out.
 * Stop-and-wait in both directions.
 *
 * A command is sent, acknowledged (else sent again), carried out, and confirmed by a packet of the
 * handler, which we acknowledge. The next command is sent only after that. The result is one of
 * enum aw_armctl_result. No thread, no allocation, no I/O but that of the link.
 *
 *     struct aw_armctl arm;                              // about 150 kB, by the caller
 *     struct aw_armctl_options options = aw_armctl_defaults();
 *     aw_armctl_init(&arm, link, &options, &memory);              // memory: see state.h, or NULL
 *     struct aw_record command;
 *     aw_record_init(&command, aw_wire_codec(&arm.wire, "deg", AW_TX), AW_TX);
 *     aw_record_set(&command, "joint", 1, &err);
 *     aw_record_set(&command, "angle", 90, &err);
 *     status = aw_armctl_command(&arm, &command, &outcome, &err);
 *     aw_armctl_state_save(dir, link->key, aw_armctl_memory(&arm), &warning);
 *
 * The digit that the handler expects may not be the one that we remember: it was switched off, or
 * we were. A wrong digit is acknowledged as a duplicate and not carried out (or, by the published
 * firmware, not even acknowledged). With seq AW_ARMCTL_SEQ_AUTO a command that ends like that is
 * sent once more with the other digit, provided that it is absolute: deg, pos, arm and spd may be
 * carried out twice, mov may not, and neither may what we do not know. Where there was an ACK, it
 * is so only with a handler that acknowledges a copy, too (one is sent with the same digit, which
 * no handler carries out): the ACK of any other one says that it was carried out. While nothing in
 * this session has shown yet that the digits agree it is waited for no longer than flip_after_ms,
 * afterwards for confirm_timeout_ms. After that the first digit of the handler is taken, whichever
 * it is. Before the digits are shown to agree, a packet with the digit of a duplicate that differs
 * from the last one received is a new one.
 *
 * A lost ACK does no harm if the confirmation comes: the link keeps the order, so the confirmation
 * implies the ACK.
 *
 * Whose confirmation is it? One of an earlier command, whose time had run out, must not be taken
 * for that of the command that waits, nor the other way round. The memory lists the commands whose
 * confirmation may still come (memory.owed); what is found to belong to an earlier one is reported
 * as AW_ARMCTL_LATE, and goes off that list. The rules, the first that holds:
 *  - another type, or another joint: of an earlier command, for certain;
 *  - the values of the command: its own;
 *  - other values: of an earlier command on the list that has just these values; or, if one of this
 *    type is on the list or the command was sent with both digits, in doubt: taken for ours if
 *    nothing better comes within confirm_timeout_ms; else, if the handler repeats its last packet
 *    or the last confirmation, ours if nothing better comes within flip_after_ms: a stop is sent
 *    with both digits, and may be confirmed twice; else ours (AW_ARMCTL_CONFIRMED_OTHER);
 *  - no values ("2DEG", as the published firmware has it), before the ACK of a command that was
 *    sent once, which goes first: if there is one of the type on the list it is of that one if the
 *    ACK comes yet, and ours if no copy is acknowledged either and the digits agreed (the ACK was
 *    lost, and the published firmware sends no second one); without any, it is ours, at once
 *    when the ACK has not come within ack_timeout_ms, else if nothing better comes within
 *    confirm_timeout_ms;
 *  - no values, and no confirmation of the type is pending: ours;
 *  - no values, n of the type on the list: each takes one off it. The first one that finds none
 *    there is ours, or the last one of them, if nothing follows it for a little more than
 *    ack_timeout_ms (a handler repeats every 2 s what it has to say). A joint that moves slowly and
 * is confirmed without values can be taken for done too soon by this, after an unconfirmed
 * command. Confirmations are taken to come in the order of the commands.
 *
 * Source of the rules: both state diagrams published with the METR4810 handler, and what its
 * firmware does differently (see the quirks in device.h).
 */
#ifndef AW_PROTOCOL_ARMCTL_CLIENT_H
#define AW_PROTOCOL_ARMCTL_CLIENT_H

#include "link/core/link.h"
#include "link/core/received.h"
#include "protocol/armctl/line.h"
#include "protocol/armctl/state.h"

enum aw_armctl_result {
    AW_ARMCTL_NOT_SENT,          /* refused here, nothing went out */
    AW_ARMCTL_CONFIRMED,         /* AW_OK: done as asked (or confirmed without values: bare) */
    AW_ARMCTL_CONFIRMED_OTHER,   /* AW_REFUSED: done with other values; both are in the outcome */
    AW_ARMCTL_CONFIRMED_DAMAGED, /* AW_MALFORMED: done, with values that cannot be read */
    AW_ARMCTL_ARRIVED, /* AW_OK: ACKed; what the table cannot read is not confirmed (send_line) */
    AW_ARMCTL_ACKED_NOT_CONFIRMED, /* AW_TIMEOUT: it arrived, no word that it was done */
    AW_ARMCTL_NOT_ACKED,           /* AW_TIMEOUT: no sign that it arrived */
    AW_ARMCTL_LINK_LOST,           /* AW_LOST: the port was removed */
    AW_ARMCTL_STOPPED,             /* AW_STOPPED: the clock asked to stop; nothing more is resent */
};

/* "confirmed", "confirmed-other", "acked-not-confirmed" …, for result records. */
const char *aw_armctl_result_name(enum aw_armctl_result result);

#define AW_ARMCTL_SEQ_AUTO (-1)

struct aw_armctl_options {
    int ack_timeout_ms;     /* 2000, as published */
    int confirm_timeout_ms; /* 10000 */
    int flip_after_ms;      /* wait for a confirmation before the other digit is tried, while the
                               digits are uncertain; 0: confirm_timeout_ms. Where they are certain
                               it is not tried if this is more than confirm_timeout_ms. See
                               aw_armctl_profile_longest_ms */
    int retries;            /* 5 resends after the first time */
    int seq;                /* AW_ARMCTL_SEQ_AUTO, or the first digit 0 or 1 and no second try */
    int64_t wall_ns; /* time of day minus the link's clock, for the times of confirmed positions; 0:
                        they have the time of the link's clock */
    const struct aw_protocol *protocol;      /* with words of packet files; NULL: without */
    const struct aw_armctl_profile *profile; /* its roles choose the joints of arm; NULL: the
                                                usual ones. Not owned; outlives this handle */
};

struct aw_armctl_options aw_armctl_defaults(void);

enum aw_armctl_event_kind {
    AW_ARMCTL_SENT,        /* a command went out; attempt 0 is the first */
    AW_ARMCTL_RESENT,      /* and again */
    AW_ARMCTL_FLIPPED,     /* the other digit is tried from here on */
    AW_ARMCTL_ACKED,       /* the ACK we waited for */
    AW_ARMCTL_ACK_IGNORED, /* an ACK for another digit, or when none was due */
    AW_ARMCTL_CONFIRMATION,
    AW_ARMCTL_LATE,        /* a packet of an earlier command, or an unexpected one */
    AW_ARMCTL_REPEATED,    /* a duplicate: acknowledged again, not delivered */
    AW_ARMCTL_OTHER_DIGIT, /* a packet with a digit of our own direction: an echo */
    AW_ARMCTL_GARBAGE,     /* a line that is no packet, or too long */
};

/* Valid during the call only. */
struct aw_armctl_event {
    enum aw_armctl_event_kind kind;
    const char *text; /* the line without CRLF, "" for garbage */
    int attempt;
    const struct aw_record *record; /* packets that the table knows, else NULL */
};

typedef void aw_armctl_event_fn(void *context, const struct aw_armctl_event *event);

struct aw_armctl_counters {
    uint64_t sent, resent, flips, acks_sent, acks_ignored, delivered, late, duplicates, foreign,
        garbage, overlong;
};

/* The result of a command. Plain data; the records are valid as long as the arm. */
struct aw_armctl_outcome {
    enum aw_armctl_result result;
    char sent[AW_ARMCTL_BODY_MAX + 1];   /* "DEG1,090" */
    char answer[AW_ARMCTL_BODY_MAX + 1]; /* the confirmation, or "" */
    bool answers;                        /* the confirmation is a packet of its own */
    bool bare;                           /* confirmed without values: what it did is not known */
    bool has_record;
    struct aw_record record; /* the confirmation, if has_record */
    uint8_t digit;           /* it went out with, the last time */
    bool acked;
    bool flipped; /* the other digit was tried */
    int retries;
    int64_t ack_ns;   /* from the last transmission to its ACK, or -1 */
    int64_t total_ns; /* from the first transmission to the end */
};

/* Handle; the members may be read, wire may be used to make records. */
struct aw_armctl {
    struct aw_link *link;
    struct aw_armctl_options options;
    struct aw_armctl_reader reader;
    struct aw_armctl_receiver receiver;
    struct aw_armctl_memory memory;
    bool tx_sure; /* this session has shown that the handler expects our digit */
    bool rx_sure; /* and that we expect its digit */
    char under_way[AW_ARMCTL_BODY_MAX + 1]; /* TYPE and parameters; "": nothing is */
    struct aw_armctl_counters counters;
    aw_armctl_event_fn *event;
    void *context;
    struct aw_armctl_line line; /* the one being looked at */
    struct aw_wire wire;        /* last: what of it is not used yet is not touched */
};

/* link is not owned. memory is what is known of this device from before, or NULL. On a
 * link that counts connections both ends start anew, so that its digits are not used there; with a
 * simulator in this process they agree for certain. */
void aw_armctl_init(struct aw_armctl *arm, struct aw_link *link,
                    const struct aw_armctl_options *options, const struct aw_armctl_memory *memory);

/* event may be NULL. */
void aw_armctl_on_event(struct aw_armctl *arm, aw_armctl_event_fn *event, void *context);

/* What is to be remembered now. Valid until the next call. */
const struct aw_armctl_memory *aw_armctl_memory(struct aw_armctl *arm);

/* Carries out a command to its end. The record's seq is set here; ranges are not checked beyond
 * what the wire can carry (aw_armctl_profile_check does that). */
enum aw_status aw_armctl_command(struct aw_armctl *arm, const struct aw_record *command,
                                 struct aw_armctl_outcome *outcome, struct aw_error *err);

/* The same with a line as text, TYPE[PARAMS]. A line whose type or parameters the table cannot read
 * ends with its ACK (AW_ARMCTL_ARRIVED), because the handler confirms only commands; if a packet of
 * the same type comes within 0.3 s it is confirmed by that. AW_USAGE if it does not fit a line, or
 * is an ACK. */
enum aw_status aw_armctl_command_line(struct aw_armctl *arm, const char *body,
                                      struct aw_armctl_outcome *outcome, struct aw_error *err);

/* Is the handler there? Sends a packet that nothing acts on, type PNG, with the digit the handler
 * has had already: by the published state diagram it acknowledges that as a duplicate. If it does
 * not, the other digit is tried, and so on: the published firmware acknowledges the digit that it
 * expects, and only that. There is no motion in any case. The first try waits 0.3 s until it is
 * known (memory.pings) which of the two this handler does; from then on that one is tried first,
 * and each try waits ack_timeout_ms. ack_ns is the round trip.
 *
 * An answer shows which digit the handler expects next, so that the next command is carried out at
 * once: this is the way to agree on digits again without waiting for a confirmation. */
enum aw_status aw_armctl_ping(struct aw_armctl *arm, struct aw_armctl_outcome *outcome,
                              struct aw_error *err);

/* Returns the target of the last command if it moves this joint and was never confirmed, in the
 * joint's unit; else NaN. */
double aw_armctl_target(struct aw_armctl *arm, int joint);

/* The command that goes back to where the joints of this command were last confirmed; false if that
 * is not known. For the vehicle (mov, spd) it is spd 0 and for a motor (duty) duty 0: there is no
 * place to go back to. */
bool aw_armctl_last_confirmed(struct aw_armctl *arm, const struct aw_record *command,
                              struct aw_record *back);

/* This command ("DEG1,090") is sent next: until it has ended, aw_armctl_last_stop is the stop of
 * what it moves. Nothing is sent. */
void aw_armctl_intend(struct aw_armctl *arm, const char *body);

/* Returns the state to save before sending the intended command. If this program is killed, the
 * command is pending and its confirmation may still come. */
struct aw_armctl_memory aw_armctl_memory_ahead(struct aw_armctl *arm);

/* Stop, as far as the protocol has one: commands the last confirmed position of what moves (the
 * command that is under way, or was never confirmed), else the last confirmed command again. Both
 * digits are sent, so that it is carried out whichever the handler expects: the one that it has
 * had already first, so that it is carried out once where the digits agree. If wait is set they
 * are sent until both are acknowledged, and the confirmation is waited for. With wait not set, for
 * signal time, both lines go out at once, and once; AW_OK if they are acknowledged within
 * AW_ARMCTL_STOP_LOOK_MS, which is that the stop is carried out, else AW_TIMEOUT, or AW_STOPPED
 * where the clock refuses to wait. AW_OK with AW_ARMCTL_NOT_SENT if no position is known. */
#define AW_ARMCTL_STOP_LOOK_MS 300
enum aw_status aw_armctl_stop(struct aw_armctl *arm, bool wait, struct aw_armctl_outcome *outcome,
                              struct aw_error *err);

/* Passes the lines of that stop, with both digits, to add, for use in a crash. Nothing is sent or
 * changed. Adds nothing if no position is known. */
void aw_armctl_last_stop(struct aw_armctl *arm, aw_frame_fn *add, void *context);

/* Between commands: reads until the deadline, acknowledges what the handler sends (again), reports
 * it as AW_ARMCTL_LATE. AW_OK at the deadline, AW_STOPPED, AW_LOST. */
enum aw_status aw_armctl_idle(struct aw_armctl *arm, int64_t deadline, struct aw_error *err);

#endif
