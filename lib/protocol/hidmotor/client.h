/* Requests to the board and their replies, one at a time.
 *
 *     struct aw_hidmotor arm;                            // about 100 kB, by the caller
 *     struct aw_hidmotor_options options = aw_hidmotor_defaults();
 *     aw_hidmotor_init(&arm, link, &options);
 *     struct aw_record request;
 *     aw_record_init(&request, aw_wire_codec(&arm.wire, "gripper", AW_TX), AW_TX);
 *     aw_record_set(&request, "value", 180, &err);
 *     struct aw_hidmotor_reply reply;
 *     status = aw_hidmotor_command(&arm, &request, &reply, &err);
 *     struct aw_hidmotor_status now;
 *     status = aw_hidmotor_status(&arm, &now, &err);     // now.position[0] …
 *
 * A transaction drops all waiting reports and writes the request. Then it reads reports until one
 * has the request's packet id or the time is up. The wire has no sequence number, and every program
 * that has the board open gets every reply. So the client counts and ignores replies with another
 * id, reports that are not 64 bytes long, and error packets about another id. If no answer arrives,
 * the error message mentions them.
 *
 * Only packets that change nothing (positions, velocities, pid_gains, velocity_gains) are repeated.
 * A setter is sent once, even if its reply is lost.
 *
 * Stale replies. The board may still answer a request that timed out or whose wait was interrupted
 * by a signal. Its reply never answers a request of another kind. For a request of the same kind
 * the reply is marked maybe_stale if one of the kind was unanswered when the call began. It stays
 * unanswered until one of these happens:
 *  - its reply is seen. A marked reply may belong to the oldest of them; then the request that it
 *    answered instead stays unanswered;
 *  - a request of another kind that was sent later is answered, because the board and the bus keep
 *    the order. So with alternating positions and velocities no mark outlives the next pair;
 *  - late_ms have passed since it was sent.
 * The repeated requests of one call count as one: the reply to any of them answers the call. The
 * reply to a setter repeats the request (or is blank); one that repeats another request is foreign
 * or late. Two cases cannot be recognised and are not marked: the reply to the same request from
 * another program, and a reply that arrives twice, the second time after the next request of its
 * kind.
 *
 * Several programs. The board can hold only one request, so programs with this library take turns,
 * one exchange each (aw_link_start_turn). Another program can cause lost requests. Then questions
 * are repeated, and the error message about silence names that program.
 *
 * Allocates nothing, starts no thread, and does I/O only on the link.
 */
#ifndef AW_PROTOCOL_HIDMOTOR_CLIENT_H
#define AW_PROTOCOL_HIDMOTOR_CLIENT_H

#include "link/core/link.h"
#include "link/core/received.h"
#include "protocol/hidmotor/wire.h"
#include "wire/wire.h"

#define AW_HIDMOTOR_MOTORS 7 /* max number of motors in positions */

struct aw_hidmotor_options {
    int timeout_ms; /* max wait for one reply, default 100 */
    int retries;    /* max resends of a packet that changes nothing, default 2 */
    int late_ms;    /* a reply counts as lost after this time, default 2000 */
    int turn_ms;    /* max wait for the exchange of another program, default 100 */
    bool force;     /* send values outside the table's ranges, except NaN and infinity */
    /* time of day minus the link's clock, to date records; 0: use the link's clock */
    int64_t wall_ns;
    /* protocol with custom packets after the table's; or NULL */
    const struct aw_protocol *protocol;
};

struct aw_hidmotor_options aw_hidmotor_defaults(void);

struct aw_hidmotor_counters {
    uint64_t sent,   /* requests sent, including resends */
        resent,      /* resends */
        replies,     /* replies that answer a request */
        late,        /* answers to requests that had timed out */
        foreign,     /* replies to other programs, or duplicates */
        truncated,   /* reports that are not 64 bytes long */
        errors,      /* error packets (99) about any id */
        malformed,   /* replies with our id but invalid contents */
        timeouts,    /* calls that ended without a reply */
        maybe_stale; /* replies that may answer an earlier request */
};

/* The unanswered requests of one kind. */
#define AW_HIDMOTOR_UNANSWERED 32
struct aw_hidmotor_unanswered {
    uint32_t id;
    int n;
    /* the list overflowed: replies of this kind no longer drop its oldest entry */
    bool overflow;
    int64_t sent_ns[AW_HIDMOTOR_UNANSWERED]; /* ascending */
};

/* The state of the arm. Plain data. */
struct aw_hidmotor_status {
    int n;          /* number of motors with setpoint and position, 1 to 7; 0: unknown */
    int n_velocity; /* number of motors with the other values, 1 to 4; 0: not requested */
    double setpoint[AW_HIDMOTOR_MOTORS], position[AW_HIDMOTOR_MOTORS];          /* deg */
    double velocity_setpoint[AW_HIDMOTOR_MOTORS], velocity[AW_HIDMOTOR_MOTORS]; /* deg/s */
    double effort[AW_HIDMOTOR_MOTORS]; /* -255 to 255, not a torque */
    bool maybe_stale;                  /* at least one reply may be stale */
    int64_t earliest_ns;               /* earliest time of the positions, link's clock */
    int64_t time_ns;                   /* arrival time of the positions, link's clock */
    int64_t wall_ns;                   /* time_ns plus the options' wall_ns */
};

/* The last motion that was sent (aw_hidmotor_move). Supplies the setpoints if the board has not
 * reported them. */
struct aw_hidmotor_motion {
    int n;           /* number of motors; 0: no motion was sent */
    bool sinusoidal; /* sinusoidal; otherwise linear */
    double duration_ms;
    double from[AW_HIDMOTOR_MOTORS], to[AW_HIDMOTOR_MOTORS]; /* deg */
    int64_t sent_ns;                                         /* link's clock */
};

#define AW_HIDMOTOR_KINDS 24

/* Handle. Callers may read the members, change options, and use wire to create records. */
struct aw_hidmotor {
    struct aw_link *link;
    struct aw_hidmotor_options options;
    struct aw_hidmotor_counters counters;
    struct aw_hidmotor_status latest; /* the last valid reply to `positions`; n 0: none yet */
    struct aw_hidmotor_motion motion;
    struct aw_received received; /* the last report that was used as an answer; size 0: none */
    uint8_t received_bytes[AW_HIDMOTOR_REPORT];
    uint8_t previous[AW_HIDMOTOR_REPORT]; /* the last report of any kind */
    bool repeated;                        /* the last two reports were equal */
    int64_t foreign_ns;                   /* time of the last foreign reply */
    struct aw_hidmotor_unanswered unanswered[AW_HIDMOTOR_KINDS];
    int8_t position_scalars[AW_HIDMOTOR_MOTORS], velocity_scalars[AW_HIDMOTOR_MOTORS];
    struct aw_wire wire; /* last, because initialisation leaves the unused part untouched */
};

/* Initialises arm. Borrows link, which must preserve datagrams. */
void aw_hidmotor_init(struct aw_hidmotor *arm, struct aw_link *link,
                      const struct aw_hidmotor_options *options);

struct aw_hidmotor_reply {
    /* time_ns: time of day, or link's clock without wall_ns; codec NULL: unknown id */
    struct aw_record record;
    uint8_t bytes[AW_HIDMOTOR_REPORT];
    bool maybe_stale;
    int retries;         /* number of resends of the request */
    int64_t earliest_ns; /* earliest time of the answered request, link's clock */
    /* times of the last transmission and of the reply, link's clock; their difference is the round
     * trip */
    int64_t sent_ns, received_ns;
};

/* Reads all available reports without waiting: late answers, and answers to other programs.
 * Returns AW_OK, AW_STOPPED or AW_LOST. */
enum aw_status aw_hidmotor_poll(struct aw_hidmotor *arm, struct aw_error *err);

/* Sends a request of the table and waits for its reply. AW_USAGE: a value is not finite. AW_LIMIT:
 * a value is outside the table's ranges without options.force (nothing was sent). AW_TIMEOUT: no
 * reply; err lists what arrived instead. AW_REFUSED: the board does not know the packet.
 * AW_MALFORMED: the reply has a bad number of motors or values that are not finite (reply->bytes
 * and the readable values are set). Otherwise returns AW_OK, AW_STOPPED or AW_LOST. Does not check
 * that a setter's reply repeats the request. reply may be NULL. */
enum aw_status aw_hidmotor_command(struct aw_hidmotor *arm, const struct aw_record *request,
                                   struct aw_hidmotor_reply *reply, struct aw_error *err);

/* Uses a report that the board sent to another program, to learn the positions. */
void aw_hidmotor_note_report(struct aw_hidmotor *arm, struct aw_span report);

/* Encodes a request without sending it, for --dry-run. AW_USAGE and AW_LIMIT as in
 * aw_hidmotor_command. */
enum aw_status aw_hidmotor_encode(struct aw_hidmotor *arm, const struct aw_record *request,
                                  uint8_t report[AW_HIDMOTOR_REPORT], struct aw_error *err);

/* Sends any packet id with up to 60 bytes of payload, padded with 0. AW_LIMIT for a set_setpoints
 * that lacks targets, unless options.force is set: missing targets are 0, and the joints would jump
 * there. A packet of the table is decoded and checked as in aw_hidmotor_command. reply->record is
 * decoded if the table knows the id and the contents are valid. */
enum aw_status aw_hidmotor_send_raw(struct aw_hidmotor *arm, uint32_t id, struct aw_span payload,
                                    struct aw_hidmotor_reply *reply, struct aw_error *err);

/* Encodes floats for aw_hidmotor_send_raw: at most 15, finite (AW_USAGE). Sets *payload to the
 * bytes. */
enum aw_status aw_hidmotor_encode_floats(const double *values, size_t n,
                                         uint8_t bytes[AW_HIDMOTOR_PAYLOAD],
                                         struct aw_span *payload, struct aw_error *err);

/* Requests a packet without values by name: "positions", "velocities", "pid_gains" … */
enum aw_status aw_hidmotor_read(struct aw_hidmotor *arm, const char *message,
                                struct aw_hidmotor_reply *reply, struct aw_error *err);

/* Read positions only (one transaction), or positions and velocities (two). */
enum aw_status aw_hidmotor_read_positions(struct aw_hidmotor *arm,
                                          struct aw_hidmotor_status *status, struct aw_error *err);
enum aw_status aw_hidmotor_status(struct aw_hidmotor *arm, struct aw_hidmotor_status *status,
                                  struct aw_error *err);

#endif
