/* The conversation with the board: one request, then its reply; never two requests at once.
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
 * A transaction reads and drops all waiting reports, writes the request, and reads reports until
 * one has the packet id of the request or the time is over. The wire has no sequence number, and
 * every program that has the board open gets every reply. So replies with another id, reports that
 * are not 64 bytes long, and error packets about another id are counted and never taken for the
 * answer; if no answer comes, the error message mentions them.
 *
 * Only packets that change nothing (positions, velocities, pid_gains, velocity_gains) are sent
 * again; a setter is sent once, even if its reply is lost.
 *
 * Stale replies. A request that went unanswered (its time was over, or a signal ended the wait) may
 * still be answered. Its reply never answers a request of another kind. For a request of the same
 * kind the reply is marked maybe_stale if one of the kind was unanswered when the call began. It
 * stays unanswered until one of these happens:
 *   - its reply is seen. A reply that was marked may be to the oldest of them; then the request
 * that it was taken for is unanswered instead;
 *   - a request of another kind that was sent later is answered, because the board and the bus keep
 *     the order. So of positions and velocities in turn no mark outlives the next pair;
 * - late_ms have passed since it was sent. The repeated requests of one call count as one: the
 *   reply to any of them answers the call. The reply to a setter repeats the request (or is blank);
 *   one that repeats another request is foreign or late. Two cases cannot be recognised and are not
 *   marked: the reply to the same request of another program, and a reply that comes twice, the
 *   second time after the next request of its kind.
 *
 * Several programs. The board has room for one request, so programs with this library take turns,
 * one exchange each (aw_link_take_turn). Another program can make requests get lost: then questions
 * are repeated, and the error message about silence names that program.
 *
 * No allocation, no thread, no I/O but the link's.
 */
#ifndef AW_PROTOCOL_HIDMOTOR_CLIENT_H
#define AW_PROTOCOL_HIDMOTOR_CLIENT_H

#include "link/core/link.h"
#include "link/core/received.h"
#include "protocol/hidmotor/wire.h"
#include "wire/wire.h"

#define AW_HIDMOTOR_MOTORS 7 /* the longest gap that positions cover */

struct aw_hidmotor_options {
    int timeout_ms;  /* for one reply: 100 */
    int retries;     /* how often a packet that changes nothing is sent again: 2 */
    int late_ms;     /* a reply that has not come by then is lost: 2000 */
    int turn_ms;     /* ms to wait for the exchange of another program: 100 */
    bool force;      /* send values outside the table's ranges, but never NaN or infinity */
    int64_t wall_ns; /* time of day minus the link's clock, for the times of records; 0: they have
                        the time of the link's clock */
    const struct aw_protocol *protocol; /* with packets of files behind the table's; or NULL */
};

struct aw_hidmotor_options aw_hidmotor_defaults(void);

struct aw_hidmotor_counters {
    uint64_t sent, /* requests, the re-sent ones included */
        resent,    /* */
        replies,   /* that answered a request */
        late,      /* to requests that had been given up */
        foreign,   /* to no request of ours: of another program, or doubled */
        cut,       /* not 64 bytes */
        errors,    /* packet 99, about whatever id */
        malformed, /* replies with our id that make no sense */
        timeouts,  /* calls that ended without a reply */
        maybe_stale;
};

/* Requests of one kind that went unanswered. */
#define AW_HIDMOTOR_OWED 32
struct aw_hidmotor_owed {
    uint32_t id;
    int n;
    bool more;                         /* than there is room for: only time clears them */
    int64_t sent_ns[AW_HIDMOTOR_OWED]; /* ascending */
};

/* The state of the arm. Plain data. */
struct aw_hidmotor_status {
    int n;          /* motors with setpoint and position, 1 to 7; 0: nothing is known */
    int n_velocity; /* motors with the rest, 1 to 4; 0: not asked for */
    double setpoint[AW_HIDMOTOR_MOTORS], position[AW_HIDMOTOR_MOTORS];          /* deg */
    double velocity_setpoint[AW_HIDMOTOR_MOTORS], velocity[AW_HIDMOTOR_MOTORS]; /* deg/s */
    double effort[AW_HIDMOTOR_MOTORS]; /* -255 to 255, not a torque */
    bool maybe_stale;                  /* one of the replies */
    int64_t since_ns;                  /* link's clock: the positions are not older than this */
    int64_t time_ns;                   /* link's clock: when the positions came */
    int64_t wall_ns;                   /* the same with the options' wall_ns */
};

/* The last motion that was sent (aw_hidmotor_move): where the setpoints are when the board has not
 * reported them. */
struct aw_hidmotor_motion {
    int n;           /* motors; 0: none was sent */
    bool sinusoidal; /* else linear */
    double duration_ms;
    double from[AW_HIDMOTOR_MOTORS], to[AW_HIDMOTOR_MOTORS]; /* deg */
    int64_t sent_ns;                                         /* link's clock */
};

#define AW_HIDMOTOR_KINDS 24

/* Handle; the members may be read, options be changed, wire be used to make records. */
struct aw_hidmotor {
    struct aw_link *link;
    struct aw_hidmotor_options options;
    struct aw_hidmotor_counters counters;
    struct aw_hidmotor_status known; /* the last good answer to positions, see known.n */
    struct aw_hidmotor_motion motion;
    struct aw_received received; /* the last report that was read as an answer; size 0: none yet */
    uint8_t received_bytes[AW_HIDMOTOR_REPORT];
    uint8_t previous[AW_HIDMOTOR_REPORT]; /* the last report that was read, whatever it was */
    bool doubled;                         /* and the one before was the same */
    int64_t foreign_ns;                   /* when the last foreign reply came */
    struct aw_hidmotor_owed owed[AW_HIDMOTOR_KINDS];
    int8_t position_scalars[AW_HIDMOTOR_MOTORS], velocity_scalars[AW_HIDMOTOR_MOTORS];
    struct aw_wire wire; /* last: what of it is not used yet is not touched */
};

/* link is not owned; it keeps datagrams apart. */
void aw_hidmotor_init(struct aw_hidmotor *arm, struct aw_link *link,
                      const struct aw_hidmotor_options *options);

struct aw_hidmotor_reply {
    struct aw_record record; /* its time: see wall_ns; codec NULL: an id not in the table */
    uint8_t bytes[AW_HIDMOTOR_REPORT];
    bool maybe_stale;
    int retries;      /* how often the request was sent again */
    int64_t since_ns; /* by the link's clock: the request of this answer was not sent earlier */
    int64_t sent_ns;  /* the last request went out */
    int64_t got_ns;   /* the reply came; minus sent_ns: the round trip */
};

/* Reads all waiting reports, without waiting: answers to other programs, and late ones. AW_OK,
 * AW_STOPPED, AW_LOST. */
enum aw_status aw_hidmotor_poll(struct aw_hidmotor *arm, struct aw_error *err);

/* Sends a request of the table and waits for its reply. AW_USAGE for what is not finite, AW_LIMIT
 * for what is outside the table's ranges, unless options.force is set (nothing went out),
 * AW_TIMEOUT with what came instead, AW_REFUSED if the board does not know the packet, AW_MALFORMED
 * for a reply with a bad number of motors or values that are not finite (reply->bytes and the
 * readable values are set), AW_STOPPED, AW_LOST. Does not check that a setter's reply repeats the
 * request. reply may be NULL. */
enum aw_status aw_hidmotor_command(struct aw_hidmotor *arm, const struct aw_record *request,
                                   struct aw_hidmotor_reply *reply, struct aw_error *err);

/* Uses a report that the board sent to another program: its positions are then known. */
void aw_hidmotor_saw(struct aw_hidmotor *arm, struct aw_span report);

/* The bytes that ask would send, for --dry-run. */
enum aw_status aw_hidmotor_encode(struct aw_hidmotor *arm, const struct aw_record *request,
                                  uint8_t report[AW_HIDMOTOR_REPORT], struct aw_error *err);

/* Any packet id with up to 60 bytes behind it, the rest is 0. A set_setpoints without all its
 * targets is AW_LIMIT unless options.force is set, because what is missing is 0 and the joints
 * would snap there at once. A packet that the table knows is read by it and checked as in
 * aw_hidmotor_command. reply->record is decoded if the table knows the id and it makes sense. */
enum aw_status aw_hidmotor_raw(struct aw_hidmotor *arm, uint32_t id, struct aw_span payload,
                               struct aw_hidmotor_reply *reply, struct aw_error *err);

/* Floats for aw_hidmotor_raw: at most 15, finite (AW_USAGE). Returns the payload in bytes. */
enum aw_status aw_hidmotor_floats(const double *values, size_t n,
                                  uint8_t bytes[AW_HIDMOTOR_PAYLOAD], struct aw_span *payload,
                                  struct aw_error *err);

/* Asks for a packet by name that needs no values: "positions", "velocities", "pid_gains" … */
enum aw_status aw_hidmotor_read(struct aw_hidmotor *arm, const char *message,
                                struct aw_hidmotor_reply *reply, struct aw_error *err);

/* Positions only (one transaction), or positions and velocities (two). */
enum aw_status aw_hidmotor_positions(struct aw_hidmotor *arm, struct aw_hidmotor_status *status,
                                     struct aw_error *err);
enum aw_status aw_hidmotor_status(struct aw_hidmotor *arm, struct aw_hidmotor_status *status,
                                  struct aw_error *err);

#endif
