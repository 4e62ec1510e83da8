/* The host on the CAN bus: stores the latest telemetry of every board and sends commands with
 * checks.
 *
 *     struct aw_canpid pid;                              // about 150 kB, allocated by the caller
 *     struct aw_canpid_options options = aw_canpid_defaults();
 *     aw_canpid_init(&pid, link, NULL, &options);
 *     struct aw_record command;
 *     aw_record_init(&command, aw_wire_codec(&pid.wire, "setpoint", AW_TX), AW_TX);
 *     aw_record_set_text(&command, "board", "lknee", &err); …
 *     status = aw_canpid_send(&pid, &command, &sent, &err);
 *     status = aw_canpid_verify(&pid, &sent, deadline, NULL, NULL, &err);
 *     aw_canpid_idle(&pid, deadline, show, context, &err);
 *     aw_canpid_stop(&pid, AW_CANPID_BIT(0x40), AW_CANPID_LAST, NULL, &err);
 *
 * Drivers do not answer commands. Only the setpoint can be verified, because the telemetry repeats
 * it. The telemetry does not name the active controller either. "The last one seen" is the
 * controller of the last command from this program or another host on this link. (Near a mechanical
 * stop a driver changes to pos by itself.)
 *
 * Checks: a gain or precompression for a controller other than the last one seen switches the
 * driver. The driver then holds the joint with force. Such a command is refused unless allow_switch
 * is set, even if no controller has been seen yet. A client without a link sends nothing and
 * accepts it. Values that are not finite, a controller above 3, and an aux variable above 3 are
 * always refused. Starts no thread, allocates nothing, and does I/O only on the link.
 *
 * Pace: a driver reads one frame in each round of its loop. Two more wait in its hardware; further
 * frames are silently lost. A round takes 4 ms, or one cycle of the telemetry if that is
 * longer. So two frames to one board are at least AW_CANPID_PACE_MIN_NS and one measured telemetry
 * period apart (AW_CANPID_PACE_NS until it is measured). A gain waits 10 % longer, in case a round
 * takes longer than measured. The first frame of a stop is sent half a pace (at most
 * AW_CANPID_PACE_MIN_NS) after the frame before; its repetitions keep the pace. Each board has its
 * own pace. The client queues nothing: a command returns when its frame was sent, so a stop is
 * always the next frame.
 */
#ifndef AW_PROTOCOL_CANPID_CLIENT_H
#define AW_PROTOCOL_CANPID_CLIENT_H

#include "link/core/link.h"
#include "link/core/received.h"
#include "protocol/canpid/gains.h"
#include "protocol/canpid/names.h"

struct aw_canpid_options {
    bool allow_switch; /* gains may switch the controller */
    bool force;        /* send values outside the table's ranges if the wire can carry them */
    int confirm_ms;    /* max wait for the confirmation of a disable, default 500; 0: no wait */
    /* max delay between a command and its telemetry, default 20, which covers the 16 ms of serial
     * adapters */
    int latency_ms;
    /* time of day minus the link's clock, for the times of gains; 0: use the link's clock */
    int64_t wall_ns;
    /* protocol with custom packets, those of other nodes; or NULL */
    const struct aw_protocol *protocol;
};

struct aw_canpid_options aw_canpid_defaults(void);

/* The three kinds of telemetry, in the order in which a driver sends them. */
enum aw_canpid_kind {
    AW_CANPID_JOINT,
    AW_CANPID_PID,
    AW_CANPID_SENSORS,
    AW_CANPID_KINDS,
};

#define AW_CANPID_VALUES    4 /* maximum number of fields of one kind */
#define AW_CANPID_FRAME_MAX 12

#define AW_CANPID_TIMES 32 /* number of arrivals for the rate */

struct aw_canpid_stream {
    uint64_t count;                    /* number of frames received */
    int64_t times_ns[AW_CANPID_TIMES]; /* arrival times, by count modulo AW_CANPID_TIMES */
};

#define AW_CANPID_PACE_MIN_NS (5 * AW_MILLISECOND)
#define AW_CANPID_PACE_NS     (10 * AW_MILLISECOND) /* the published rate of 100 Hz */

/* The period of a board's telemetry: the mean over at least 100 ms, so that reading in blocks does
 * not matter. The first frame after a silence (100 ms) may be late and does not count. Telemetry
 * below 10 Hz therefore has no period. */
struct aw_canpid_period {
    int64_t period_ns; /* 0: not known yet */
    int64_t start_ns, last_ns;
    unsigned frames; /* frames since start_ns */
    bool steady;     /* no frame was waiting in the link when the measurement began */
};

/* The latest values of a board. A stream with count 0 has no values. */
struct aw_canpid_board {
    struct aw_canpid_stream streams[AW_CANPID_KINDS];
    double setpoint, output, measured;  /* % of full scale */
    double fix_link_angle, alpha_angle; /* deg */
    double torque;                      /* Nm */
    double error;                       /* error code; 0: none */
    double velocity;                    /* rpm */
    double current;                     /* A */
    double lever_angle;                 /* deg; NaN: no data */
    int controller;                     /* controller seen last; AW_CANPID_LAST: none yet */
    /* time of the last frame sent to the board; INT64_MIN: none */
    int64_t sent_ns;
    struct aw_canpid_period period; /* period of its pid telemetry */
};

struct aw_canpid_counters {
    uint64_t sent, telemetry;
    uint64_t commands_seen; /* commands of other programs */
    uint64_t others;        /* frames of other nodes */
    uint64_t malformed;
};

/* Handle. Callers may read the members, and may use wire to create records. */
struct aw_canpid {
    struct aw_link *link;
    struct aw_canpid_options options;
    /* codecs of the telemetry; scalars are its field indices */
    const struct aw_codec *codecs[AW_CANPID_KINDS];
    int8_t scalars[AW_CANPID_KINDS][AW_CANPID_VALUES];
    struct aw_canpid_board boards[AW_CANPID_BOARDS]; /* indexed by board / 32 */
    struct aw_gain gains[AW_CANPID_GAIN_COUNT];      /* gains that this program sent */
    struct aw_canpid_counters counters;
    int64_t read_ns; /* time of the last read; INT64_MIN: never */
    /* earliest arrival time of the frames being read; AW_NEVER: the time of reading */
    int64_t arrival_min_ns;
    uint8_t frame[AW_CANPID_FRAME_MAX]; /* the last received frame */
    struct aw_record record;            /* the decoded frame */
    /* last, because initialisation leaves the unused part untouched */
    struct aw_wire wire;
};

/* Initialises client. Borrows link, which must preserve datagrams. variant NULL: the protocol's
 * first variant. */
void aw_canpid_init(struct aw_canpid *client, struct aw_link *link,
                    const struct aw_variant *variant, const struct aw_canpid_options *options);

/* Returns the board of any identifier below 2048. */
struct aw_canpid_board *aw_canpid_board(struct aw_canpid *client, unsigned board);

/* Return when the last frame arrived (AW_NEVER: none yet), and the current rate in frames per
 * second. The time is the link's own timestamp, otherwise the time of reading; after a pause in
 * reading, the time when the pause began. The rate is 0 with fewer than two frames, and drops as
 * soon as a frame is overdue. */
int64_t aw_canpid_last_ns(const struct aw_canpid_stream *stream);
double aw_canpid_rate_hz(const struct aw_canpid_stream *stream, int64_t now);

/* Reads and handles one frame. Returns AW_OK for telemetry (dir AW_RX), a command seen on the bus
 * (AW_TX), or a declared packet of another node. Otherwise AW_TIMEOUT, AW_STOPPED or AW_LOST.
 * AW_EVENT: no frame, but a link event (see rx.event). AW_MALFORMED: a damaged frame or an unknown
 * identifier (received has no record); the caller may continue. */
enum aw_status aw_canpid_receive(struct aw_canpid *client, int64_t deadline,
                                 struct aw_received *received, struct aw_error *err);

/* The result of a command. */
struct aw_canpid_sent {
    unsigned board;
    int controller; /* controller of the command; AW_CANPID_LAST: none */
    bool switches;  /* the driver switches to this controller */
    /* a gain may switch controllers, because the active one is unknown; with allow_switch, warn
     * about it */
    bool may_switch;
    double setpoint;  /* normalised, as sent on the wire; NaN: not a setpoint */
    uint8_t bytes[8]; /* the frame */
    size_t size;
};

/* Checks a command, receives frames until the board's pace allows sending, and sends it. AW_USAGE
 * or AW_LIMIT from the table; AW_LIMIT from the switch check, with the remedy; AW_LOST, AW_TIMEOUT
 * from the link; AW_STOPPED while waiting. Sets *sent (may be NULL) even on refusal, to report
 * switches. Sends nothing unless the result is AW_OK. */
enum aw_status aw_canpid_send(struct aw_canpid *client, const struct aw_record *command,
                              struct aw_canpid_sent *sent, struct aw_error *err);

/* Checks and encodes a command without sending it, for --dry-run. Errors as in aw_canpid_send,
 * except those of the link. */
enum aw_status aw_canpid_encode(struct aw_canpid *client, const struct aw_record *command,
                                struct aw_canpid_sent *sent, struct aw_error *err);

/* Build and send a record that sets a gain or a setpoint (normalised: a value within
 * ±aw_canpid_setpoint_limit enables the controller; see names.h). */
enum aw_status aw_canpid_set_gain(struct aw_canpid *client, const struct aw_canpid_gain_at *gain,
                                  struct aw_canpid_sent *sent, struct aw_error *err);
enum aw_status aw_canpid_send_setpoint(struct aw_canpid *client, unsigned board, int controller,
                                       double normalised, struct aw_canpid_sent *sent,
                                       struct aw_error *err);

/* Build the records that these functions and aw_canpid_stop send. wire is any wire of this
 * protocol: the client's, or another one for display. Encoding checks the values. AW_CANPID_LAST
 * stands for the last controller seen, otherwise pos. */
void aw_canpid_build_gain(struct aw_wire *wire, const struct aw_canpid_gain_at *gain,
                          struct aw_record *command);
void aw_canpid_build_setpoint(struct aw_wire *wire, unsigned board, int controller,
                              double normalised, struct aw_record *command);
void aw_canpid_build_disable(const struct aw_canpid *client, struct aw_wire *wire, unsigned board,
                             int controller, struct aw_record *command);

/* Sends a frame unchanged, for replays. Does not check it, but keeps the board's pace for
 * commands. */
enum aw_status aw_canpid_send_frame(struct aw_canpid *client, struct aw_span frame,
                                    struct aw_error *err);

/* Records a command that another program sends over this link, as if this client had sent it. Fills
 * *sent. Returns false if it is not a command. */
bool aw_canpid_note_command(struct aw_canpid *client, struct aw_span frame,
                            struct aw_canpid_sent *sent);

/* Returns when a frame with this identifier (of the board or any of its commands) may be sent;
 * INT64_MIN: at once. Frames that are not commands may always be sent at once. */
int64_t aw_canpid_next_send_ns(const struct aw_canpid *client, unsigned id);

/* The result of a disable, as bits of boards. */
struct aw_canpid_stopped {
    uint64_t confirmed; /* the telemetry confirms the disable */
    uint64_t silent;    /* sent, but the board has no telemetry */
};

/* Disables these boards with setpoint 1.5 for the controller; AW_CANPID_LAST: each board's last
 * controller seen, otherwise pos. No check refuses it. Sends the first frame at once, whatever the
 * board's pace, and repeats it at the pace, AW_CANPID_STOPS frames in total. The telemetry then
 * confirms it by two consecutive frames with the setpoint saturated and no output, later than
 * latency_ms after the first disable (see aw_canpid_verify). Tries every board, even if another one
 * fails.
 *
 * AW_OK: all boards confirmed it, or all frames were sent and confirm_ms is 0. AW_TIMEOUT: not all
 * confirmed within confirm_ms; err names them. AW_STOPPED: the clock refuses to wait; even so every
 * board got one disable. Otherwise the link's first failure. Always sets *stopped (may be NULL). */
#define AW_CANPID_STOPS 3
enum aw_status aw_canpid_stop(struct aw_canpid *client, uint64_t boards, int controller,
                              struct aw_canpid_stopped *stopped, struct aw_error *err);

/* Passes the first frames of that stop to add, for use in a crash. Sends nothing and changes no
 * state. */
void aw_canpid_last_stop(struct aw_canpid *client, uint64_t boards, aw_frame_fn *add,
                         void *context);

/* Receives until the deadline and calls fn (or NULL) for each frame and link event. Malformed
 * frames and frames of other nodes have no record. fn returns false to end the wait. Returns
 * AW_OK at the deadline or when fn ended the wait; otherwise AW_STOPPED or AW_LOST. */
enum aw_status aw_canpid_idle(struct aw_canpid *client, int64_t deadline, aw_received_fn *fn,
                              void *context, struct aw_error *err);

/* Handles available frames without waiting. Returns AW_OK, AW_STOPPED or AW_LOST. */
enum aw_status aw_canpid_poll(struct aw_canpid *client, struct aw_error *err);

/* Reads until the board's pid telemetry shows this setpoint, within one step of the wire. For a
 * setpoint outside the controller's limits (disabled), reads until two consecutive frames show it
 * and no output. AW_OK, AW_TIMEOUT (err names the setpoint shown, or missing telemetry),
 * AW_STOPPED, AW_LOST. fn as in aw_canpid_idle, or NULL; its result is ignored.
 *
 * Telemetry does not name the command that it reflects. So frames that were already waiting, or
 * that arrive within latency_ms of the call, do not count: an earlier command may have set the same
 * setpoint. On a slower line, an old frame cannot be distinguished from a confirmation. The same
 * applies to an equal setpoint of another controller, and to values beyond full scale. The
 * confirmation holds only for that moment: a driver that pushes a joint into a mechanical stop soon
 * switches to pos, which only later telemetry shows. */
enum aw_status aw_canpid_verify(struct aw_canpid *client, const struct aw_canpid_sent *sent,
                                int64_t deadline, aw_received_fn *fn, void *context,
                                struct aw_error *err);

#endif
