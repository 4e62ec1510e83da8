/* The host's side of the handler arm: sends a command and waits until the handler has carried it
 * out. Both directions are stop-and-wait.
 *
 * The host sends a command and repeats it until the handler acknowledges it. The handler carries it
 * out and sends a confirmation, which the host acknowledges. Only then does the host send the next
 * command. The result is one of enum aw_armctl_result. Starts no thread, allocates nothing, and
 * does I/O only on the link.
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
 * After a restart of either end, the host's digit may differ from the digit that the handler
 * expects. The handler acknowledges a wrong digit as a duplicate and does not carry it out; the
 * published firmware does not even acknowledge it. With seq AW_ARMCTL_SEQ_AUTO such a command is
 * sent once more with the other digit. This requires an absolute command (deg, pos, arm, spd),
 * because it may be carried out twice; mov and unknown types are not repeated. After an ACK, it
 * also requires a handler that acknowledges copies. To find out, the host sends a copy with the
 * same digit, which no handler carries out. If the handler ignores copies, its ACK proves that it
 * carried out the command. Until this session has shown that the digits agree, the wait is
 * flip_after_ms; afterwards it is confirm_timeout_ms. After sending the other digit, or without a
 * saved digit of the handler, the host accepts either digit of its next packet. Until the digits
 * are shown to agree, a packet with a duplicate's digit but different contents counts as new.
 *
 * A lost ACK does no harm if the confirmation arrives: the link keeps the order, so the
 * confirmation implies the ACK.
 *
 * A confirmation of an earlier command that timed out must not count for the current command, or
 * vice versa. The memory lists the commands whose confirmation may still arrive (memory.awaited). A
 * confirmation of an earlier command is reported as AW_ARMCTL_LATE and its entry is removed. The
 * first rule that applies decides:
 *  - another type or joint: belongs to an earlier command;
 *  - the values of the current command: belongs to it;
 *  - other values: belongs to an earlier listed command with exactly these values. Otherwise it is
 *    ambiguous if the list has this type or the command was sent with both digits: it counts as
 *    ours if no better match comes within confirm_timeout_ms. If the handler repeats its last
 *    packet or the last confirmation, the wait is flip_after_ms: a stop is sent with both digits,
 *    and may be confirmed twice. In all other cases it is ours (AW_ARMCTL_CONFIRMED_OTHER);
 *  - no values ("2DEG", as the published firmware sends it), before the ACK of a command that was
 *    sent once; this rule precedes the two below. If the list has the type, an ACK that still comes
 *    assigns it to the listed command. It is ours if no copy is acknowledged either and the digits
 *    agreed: the ACK was lost, and the published firmware sends no second one. If the list does not
 *    have the type, it is ours: at once if the ACK has not come within ack_timeout_ms, else if no
 *    better match comes within confirm_timeout_ms;
 *  - no values, and no confirmation of the type is pending: ours;
 *  - no values, and the list has n of the type: each confirmation removes one entry. The first one
 *    beyond the list is ours. So is the last listed one, if none follows it for a little more than
 *    ack_timeout_ms (a handler repeats a packet every 2 s). After an unconfirmed command, this rule
 *    can report a slow joint that is confirmed without values as done too early. The rules assume
 *    that confirmations come in the order of the commands.
 *
 * Source of the rules: both state diagrams published with the METR4810 handler, and the deviations
 * of its firmware (see the quirks in device.h).
 */
#ifndef AW_PROTOCOL_ARMCTL_CLIENT_H
#define AW_PROTOCOL_ARMCTL_CLIENT_H

#include "link/core/link.h"
#include "link/core/received.h"
#include "protocol/armctl/line.h"
#include "protocol/armctl/state.h"

enum aw_armctl_result {
    AW_ARMCTL_NOT_SENT,          /* refused locally; not sent */
    AW_ARMCTL_CONFIRMED,         /* AW_OK: done as requested; or confirmed without values (bare) */
    AW_ARMCTL_CONFIRMED_OTHER,   /* AW_REFUSED: done with other values; both are in the outcome */
    AW_ARMCTL_CONFIRMED_DAMAGED, /* AW_MALFORMED: done, with values that cannot be read */
    AW_ARMCTL_ARRIVED,           /* AW_OK: acknowledged; lines of unknown types are not confirmed */
    AW_ARMCTL_ACKED_NOT_CONFIRMED, /* AW_TIMEOUT: acknowledged, but not confirmed */
    AW_ARMCTL_NOT_ACKED,           /* AW_TIMEOUT: no sign that the handler received it */
    AW_ARMCTL_LINK_LOST,           /* AW_LOST: the port was removed */
    AW_ARMCTL_STOPPED,             /* AW_STOPPED: the clock requested a stop; nothing is resent */
};

/* Returns the name for result records: "confirmed", "confirmed-other", "acked-not-confirmed" … */
const char *aw_armctl_result_name(enum aw_armctl_result result);

#define AW_ARMCTL_SEQ_AUTO (-1)

struct aw_armctl_options {
    int ack_timeout_ms;     /* 2000 by default, as published */
    int confirm_timeout_ms; /* 10000 by default */
    /* how long to wait for a confirmation before trying the other digit, if the digits are
     * uncertain; 0: confirm_timeout_ms. If they are certain and this exceeds confirm_timeout_ms,
     * never tries the other digit. See aw_armctl_profile_max_ms */
    int flip_after_ms;
    int retries; /* resends after the first transmission; 5 by default */
    /* AW_ARMCTL_SEQ_AUTO, or the first digit (0 or 1), without a second attempt */
    int seq;
    /* time of day minus the link's clock, for the times of positions; 0: use the link's clock */
    int64_t wall_ns;
    const struct aw_protocol *protocol; /* protocol with custom packets; NULL: without */
    /* its roles select the joints of arm; NULL: default joints. Borrowed */
    const struct aw_armctl_profile *profile;
};

struct aw_armctl_options aw_armctl_defaults(void);

enum aw_armctl_event_kind {
    AW_ARMCTL_SENT,        /* a command was sent; attempt 0 is the first */
    AW_ARMCTL_RESENT,      /* the same command was sent again */
    AW_ARMCTL_FLIPPED,     /* retries use the other digit from here on */
    AW_ARMCTL_ACKED,       /* the expected ACK */
    AW_ARMCTL_ACK_IGNORED, /* an ACK for another digit, or when none was expected */
    AW_ARMCTL_CONFIRMATION,
    AW_ARMCTL_LATE,        /* a packet of an earlier command, or an unexpected one */
    AW_ARMCTL_REPEATED,    /* a duplicate: acknowledged again, not delivered */
    AW_ARMCTL_OTHER_DIGIT, /* a packet with a digit of the host's direction: an echo */
    AW_ARMCTL_GARBAGE,     /* an invalid or overlong line */
};

/* An event; valid only during the call. */
struct aw_armctl_event {
    enum aw_armctl_event_kind kind;
    const char *text; /* the line without CRLF; "" for garbage */
    int attempt;
    const struct aw_record *record; /* NULL: the table does not have the packet */
};

typedef void aw_armctl_event_fn(void *context, const struct aw_armctl_event *event);

struct aw_armctl_counters {
    uint64_t sent,    /* commands sent, without resends */
        resent,       /* resends */
        flips,        /* changes to the other digit */
        acks_sent,    /* ACKs for the handler's packets */
        acks_ignored, /* as AW_ARMCTL_ACK_IGNORED */
        delivered,    /* new packets of the handler */
        late,         /* of these, as AW_ARMCTL_LATE */
        duplicates,   /* as AW_ARMCTL_REPEATED */
        foreign,      /* as AW_ARMCTL_OTHER_DIGIT */
        garbage,      /* invalid lines, except overlong ones */
        overlong;     /* lines that were too long */
};

/* The result of a command. Plain data; the records are valid for the lifetime of the arm. */
struct aw_armctl_outcome {
    enum aw_armctl_result result;
    char sent[AW_ARMCTL_BODY_MAX + 1];   /* "DEG1,090" */
    char answer[AW_ARMCTL_BODY_MAX + 1]; /* the confirmation, or "" */
    bool custom_answer;                  /* the answer is a custom packet with fields of its own */
    /* confirmed without values, so the position reached is unknown */
    bool bare;
    bool has_record;
    struct aw_record record; /* the confirmation, if has_record */
    uint8_t digit;           /* digit of the last transmission */
    bool acked;
    bool flipped; /* the other digit was tried too */
    int retries;
    int64_t ack_ns;   /* from the last transmission to its ACK, or -1 */
    int64_t total_ns; /* from the first transmission to the end */
};

/* Handle. Callers may read the members, and may use wire to create records. */
struct aw_armctl {
    struct aw_link *link;
    struct aw_armctl_options options;
    struct aw_armctl_reader reader;
    struct aw_armctl_receiver receiver;
    struct aw_armctl_memory memory;
    bool tx_agreed; /* this session has shown that the handler expects our digit */
    bool rx_agreed; /* this session has shown that we expect the handler's digit */
    char in_progress[AW_ARMCTL_BODY_MAX + 1]; /* body of the command in progress, or "" */
    struct aw_armctl_counters counters;
    aw_armctl_event_fn *event;
    void *context;
    struct aw_armctl_line line; /* the line being handled */
    struct aw_wire wire;        /* last, because initialisation leaves the unused part untouched */
};

/* Initialises arm. Borrows link. memory is the saved state of this device, or NULL. On a link that
 * counts connections, both ends start over, so the saved digits are not used. With a simulator in
 * this process the digits are known to agree. */
void aw_armctl_init(struct aw_armctl *arm, struct aw_link *link,
                    const struct aw_armctl_options *options, const struct aw_armctl_memory *memory);

/* Sets the event callback; NULL removes it. */
void aw_armctl_on_event(struct aw_armctl *arm, aw_armctl_event_fn *event, void *context);

/* Returns the state to save now. Valid until the next call. */
const struct aw_armctl_memory *aw_armctl_memory(struct aw_armctl *arm);

/* Sends a command and waits for its result. Sets the record's seq. Checks only the ranges of the
 * wire; aw_armctl_profile_check checks the joint limits. */
enum aw_status aw_armctl_command(struct aw_armctl *arm, const struct aw_record *command,
                                 struct aw_armctl_outcome *outcome, struct aw_error *err);

/* Checks a line of text, TYPE[PARAMS]. AW_USAGE: it does not fit a line, or is an ACK. */
enum aw_status aw_armctl_check_line(const char *body, struct aw_error *err);

/* Sends a line that passes aw_armctl_check_line, in the same way as a command. If the table cannot
 * decode it, the exchange ends with the ACK (AW_ARMCTL_ARRIVED), because the handler confirms only
 * commands. A packet of the same type within 0.3 s confirms it. */
enum aw_status aw_armctl_command_line(struct aw_armctl *arm, const char *body,
                                      struct aw_armctl_outcome *outcome, struct aw_error *err);

/* Checks whether the handler answers. Sends a packet of type PNG, which no handler acts on, with
 * the digit that the handler has received last. By the published state diagram the handler
 * acknowledges it as a duplicate. Otherwise the host tries the digits in turn: the published
 * firmware acknowledges only the digit that it expects. There is no motion in any case. The first
 * try waits 0.3 s until the handler's behaviour is known (memory.pings). After that the digit that
 * works is tried first, and each try waits ack_timeout_ms. ack_ns is the round trip.
 *
 * An answer shows which digit the handler expects next, so the next command is carried out at
 * once. Digits agree again without waiting for a confirmation. */
enum aw_status aw_armctl_ping(struct aw_armctl *arm, struct aw_armctl_outcome *outcome,
                              struct aw_error *err);

/* Returns the target of the last command, in the joint's unit, if it moves this joint and was never
 * confirmed; otherwise NaN. */
double aw_armctl_pending_target(struct aw_armctl *arm, int joint);

/* Sets back to the command that returns to the last confirmed positions of this command's joints.
 * Returns false if they are unknown. The vehicle (mov, spd) and a motor (duty) have no position to
 * return to; for them *back is spd 0 or duty 0. */
bool aw_armctl_build_return(struct aw_armctl *arm, const struct aw_record *command,
                            struct aw_record *back);

/* Announces the next command ("DEG1,090"): until that command ends, aw_armctl_last_stop stops what
 * it moves. Sends nothing. */
void aw_armctl_announce(struct aw_armctl *arm, const char *body);

/* Returns the state to save before sending the announced command. If this program is killed, the
 * command is pending and its confirmation may still arrive. */
struct aw_armctl_memory aw_armctl_memory_before_send(struct aw_armctl *arm);

/* Stops the arm as far as the protocol can. If a command is in progress or unconfirmed, commands
 * the last confirmed position of its joints. Otherwise repeats the last confirmed command. Sends
 * both digits, so that the stop is carried out whichever one the handler expects. The digit that
 * the handler received last goes first, so that the stop is carried out only once if the digits
 * agree. With wait, repeats both until they are acknowledged, and waits for the confirmation.
 * Without wait (in signal handling), sends each line once, immediately. AW_OK: acknowledged within
 * AW_ARMCTL_STOP_WAIT_MS, so the stop is carried out. AW_TIMEOUT: not acknowledged. AW_STOPPED: the
 * clock refuses to wait. AW_OK with AW_ARMCTL_NOT_SENT: no position is known. */
#define AW_ARMCTL_STOP_WAIT_MS 300
enum aw_status aw_armctl_stop(struct aw_armctl *arm, bool wait, struct aw_armctl_outcome *outcome,
                              struct aw_error *err);

/* Passes the lines of that stop, with both digits, to add, for use in a crash. Sends nothing and
 * changes no state. Adds nothing if no position is known. */
void aw_armctl_last_stop(struct aw_armctl *arm, aw_frame_fn *add, void *context);

/* Reads between commands until the deadline. Acknowledges the handler's packets and reports them as
 * AW_ARMCTL_LATE. Returns AW_OK at the deadline, otherwise AW_STOPPED or AW_LOST. */
enum aw_status aw_armctl_idle(struct aw_armctl *arm, int64_t deadline, struct aw_error *err);

#endif
