/* The host on the CAN bus: the latest telemetry of every board, and commands with their guards.
 *
 *     struct aw_canpid pid;                              // about 150 kB, by the caller
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
 * Drivers do not answer commands; only the setpoint can be checked, because the telemetry repeats
 * it. The telemetry does not name the active controller either. "The last one seen" is the
 * controller of the last command, of this program or of another host on this link. (Near a
 * mechanical stop a driver changes to pos by itself.)
 *
 * Guards: a gain or precompression for another controller than the last one seen would switch the
 * driver over and hold the joint with force. It is refused unless allow_switch is set; so it is if
 * no controller was seen yet. A client without a link sends nothing and accepts it. Always refused
 * are values that are not finite, a controller above 3, and an aux variable above 3. No thread, no
 * allocation, no I/O but that of the link.
 *
 * Pace: a driver reads one frame in each round of its loop. Two more wait in its hardware; any
 * further one is lost without a sign. A round takes 4 ms, or one cycle of the telemetry if that is
 * longer. So two frames to one board are sent at least AW_CANPID_PACE_MIN_NS apart, and at least
 * one period of its telemetry, which is measured; AW_CANPID_PACE_NS until then. A gain is sent a
 * tenth later, in case a round takes longer than measured. The first frame of a stop is sent half a
 * pace (at most AW_CANPID_PACE_MIN_NS) after the frame before; its repetitions keep the pace. Each
 * board has a pace of its own. Nothing is queued: a command returns when its frame was sent, so a
 * stop is always the next frame.
 */
#ifndef AW_PROTOCOL_CANPID_CLIENT_H
#define AW_PROTOCOL_CANPID_CLIENT_H

#include "link/core/link.h"
#include "link/core/received.h"
#include "protocol/canpid/gains.h"
#include "protocol/canpid/names.h"

struct aw_canpid_options {
    bool allow_switch; /* gains may switch the controller */
    bool force;        /* send values outside the table's ranges, if the wire can carry them */
    int confirm_ms;    /* how long a disable is waited for: 500; 0: not at all */
    int latency_ms;  /* the longest time of command and telemetry on their way, together: 20, enough
                       for serial adapters that collect bytes for 16 ms */
    int64_t wall_ns; /* time of day minus the link's clock, for the times of gains; 0: they have the
                        time of the link's clock */
    const struct aw_protocol *protocol; /* with packets of files, those of other nodes; or NULL */
};

struct aw_canpid_options aw_canpid_defaults(void);

/* The three kinds of telemetry, in the order in which a driver sends them. */
enum aw_canpid_kind {
    AW_CANPID_JOINT,
    AW_CANPID_PID,
    AW_CANPID_SENSORS,
    AW_CANPID_KINDS,
};

#define AW_CANPID_VALUES    4 /* fields of one kind, at most */
#define AW_CANPID_FRAME_MAX 12

#define AW_CANPID_TIMES 32 /* how many arrivals the rate is taken from */

struct aw_canpid_stream {
    uint64_t count;                    /* frames so far */
    int64_t times_ns[AW_CANPID_TIMES]; /* of the last ones, by count modulo AW_CANPID_TIMES */
};

#define AW_CANPID_PACE_MIN_NS (5 * AW_MILLISECOND)
#define AW_CANPID_PACE_NS     (10 * AW_MILLISECOND) /* the published 100 Hz */

/* The period of a board's telemetry: the mean over at least 100 ms, so that reading in blocks does
 * not matter. The first frame after a silence (100 ms) may have been delayed and does not count, so
 * telemetry below 10 Hz has no period here. */
struct aw_canpid_period {
    int64_t period_ns; /* 0: not known yet */
    int64_t from_ns, last_ns;
    unsigned frames; /* since from_ns */
    bool steady;     /* nothing of it has waited */
};

/* Everything known about a board; a stream with count 0 has no values. */
struct aw_canpid_board {
    struct aw_canpid_stream streams[AW_CANPID_KINDS];
    double setpoint, output, measured;          /* % of full scale */
    double fix_link_angle, alpha_angle, torque; /* deg, deg, Nm */
    int error;                                  /* code, 0 none */
    double velocity, current, lever_angle;      /* rpm, A, deg; lever NaN: no data */
    int controller;                             /* last one seen, or AW_CANPID_LAST: none yet */
    int64_t sent_ns;                            /* the last frame to it; INT64_MIN: none */
    struct aw_canpid_period period;             /* of its pid telemetry */
};

struct aw_canpid_counters {
    uint64_t sent, telemetry, commands_seen, others, malformed;
};

/* Handle; the members may be read, wire may be used to make records. */
struct aw_canpid {
    struct aw_link *link;
    struct aw_canpid_options options;
    const struct aw_codec *codecs[AW_CANPID_KINDS]; /* of the telemetry, and where its fields are */
    int8_t scalars[AW_CANPID_KINDS][AW_CANPID_VALUES];
    struct aw_canpid_board boards[AW_CANPID_BOARDS]; /* by board / 32 */
    struct aw_canpid_gains gains;                    /* what was sent here */
    struct aw_canpid_counters counters;
    int64_t read_ns;    /* the link was read last; INT64_MIN: never */
    int64_t waiting_ns; /* frames that are read now came at this time or later; AW_NEVER: now */
    uint8_t frame[AW_CANPID_FRAME_MAX]; /* the last one received, */
    struct aw_record record;            /* and decoded */
    struct aw_wire wire;                /* last: what of it is not used yet is not touched */
};

/* link is not owned; it keeps datagrams apart. variant NULL: the protocol's first. */
void aw_canpid_init(struct aw_canpid *client, struct aw_link *link,
                    const struct aw_variant *variant, const struct aw_canpid_options *options);

/* Board is any identifier below 2048. */
struct aw_canpid_board *aw_canpid_board(struct aw_canpid *client, unsigned board);

/* Return when the last frame came (AW_NEVER: none yet), and the present rate in frames a second.
 * The time is the link's own stamp, else when the frame was read; after a pause in reading, when
 * the pause began. The rate is 0 with fewer than two frames and sinks as soon as one is overdue. */
int64_t aw_canpid_last_ns(const struct aw_canpid_stream *stream);
double aw_canpid_rate_hz(const struct aw_canpid_stream *stream, int64_t now);

/* Reads and handles one frame: telemetry (dir AW_RX) or a command seen on the bus (AW_TX). AW_OK,
 * AW_TIMEOUT, AW_STOPPED, AW_LOST; AW_EVENT: no frame but news; AW_MALFORMED: a damaged frame or
 * one of another node (received has no record); the caller may continue. */
enum aw_status aw_canpid_receive(struct aw_canpid *client, int64_t deadline,
                                 struct aw_received *received, struct aw_error *err);

/* What became of a command. */
struct aw_canpid_sent {
    unsigned board;
    int controller;   /* of the command, or AW_CANPID_LAST if it has none */
    bool switches;    /* the driver switches over to it */
    bool unknown;     /* a gain, and the controller is not known: the gain may switch it. With
                     allow_switch: worth a warning */
    double setpoint;  /* normalised, as it went over the wire; setpoints only, else NaN */
    uint8_t bytes[8]; /* the frame */
    size_t size;
};

/* Checks a command, reads until the board may be sent to, and sends it. AW_USAGE or AW_LIMIT from
 * the table; AW_LIMIT by the switch guard too, with what to do; AW_LOST, AW_TIMEOUT from the link;
 * AW_STOPPED while waiting. *sent (may be NULL) tells about switches also when it was refused.
 * Nothing went out unless AW_OK. */
enum aw_status aw_canpid_send(struct aw_canpid *client, const struct aw_record *command,
                              struct aw_canpid_sent *sent, struct aw_error *err);

/* The same checks without sending, for --dry-run. */
enum aw_status aw_canpid_encode(struct aw_canpid *client, const struct aw_record *command,
                                struct aw_canpid_sent *sent, struct aw_error *err);

/* Convenience: a setpoint (normalised) or a gain, made into a record and sent. */
enum aw_status aw_canpid_set(struct aw_canpid *client, const struct aw_canpid_gain_at *gain,
                             struct aw_canpid_sent *sent, struct aw_error *err);
enum aw_status aw_canpid_setpoint(struct aw_canpid *client, unsigned board, int controller,
                                  double normalised, struct aw_canpid_sent *sent,
                                  struct aw_error *err);

/* The records that these and aw_canpid_stop send, by the codecs of a wire of this protocol: the
 * client's, or another one to show them with. Values are checked when they are encoded. A
 * controller AW_CANPID_LAST is the last one seen, else pos. */
void aw_canpid_gain_record(struct aw_wire *wire, const struct aw_canpid_gain_at *gain,
                           struct aw_record *command);
void aw_canpid_setpoint_record(struct aw_wire *wire, unsigned board, int controller,
                               double normalised, struct aw_record *command);
void aw_canpid_disable_record(const struct aw_canpid *client, struct aw_wire *wire, unsigned board,
                              int controller, struct aw_record *command);

/* A frame as it is, for replays: nothing is checked, but a command keeps the pace of its board. */
enum aw_status aw_canpid_send_frame(struct aw_canpid *client, struct aw_span frame,
                                    struct aw_error *err);

/* Takes in a command that another program sends now over this link, as if this client sent it.
 * False: it is no command. */
bool aw_canpid_saw(struct aw_canpid *client, struct aw_span frame, struct aw_canpid_sent *sent);

/* When a frame with this identifier (a board's own for any command) may go out; INT64_MIN: at once,
 * as always for what is no command. */
int64_t aw_canpid_paced_ns(const struct aw_canpid *client, unsigned id);

/* What became of a disable; bits of boards. */
struct aw_canpid_stopped {
    uint64_t confirmed; /* the telemetry shows it */
    uint64_t silent;    /* went out, but the board has no telemetry */
};

/* Setpoint 1.5 for each of these boards, for the controller, or AW_CANPID_LAST: the last one seen
 * by each, else pos. No guard refuses it. The first frame goes out at once, whatever the board's
 * pace; then it is repeated, a pace apart, AW_CANPID_STOPS times in all. Once these have gone out
 * the telemetry confirms it: two frames in a row with the setpoint saturated and no output, later
 * than latency_ms after the first disable (see aw_canpid_verify). Every board is tried, whatever
 * happens with another.
 *
 * AW_OK: all have confirmed it, or confirm_ms is 0: then all three have gone out. AW_TIMEOUT: not
 * all within confirm_ms; err names them. AW_STOPPED: the clock refuses to wait; every board has
 * been sent one disable even so. Else the first failure of the link. *done (may be NULL) is set in
 * any case. */
#define AW_CANPID_STOPS 3
enum aw_status aw_canpid_stop(struct aw_canpid *client, uint64_t boards, int controller,
                              struct aw_canpid_stopped *done, struct aw_error *err);

/* Passes the first frames of that stop to add, for use in a crash. Nothing is sent or changed. */
void aw_canpid_last_stop(struct aw_canpid *client, uint64_t boards, aw_frame_fn *add,
                         void *context);

/* Receives until the deadline, fn (or NULL) for each frame and for news; frames that are malformed,
 * or of other nodes, come without a record. fn returns false to come back early. AW_OK then and at
 * the deadline, AW_STOPPED, AW_LOST. */
enum aw_status aw_canpid_idle(struct aw_canpid *client, int64_t deadline, aw_received_fn *fn,
                              void *context, struct aw_error *err);

/* Takes in what has come, without waiting. AW_OK, AW_STOPPED, AW_LOST. */
enum aw_status aw_canpid_poll(struct aw_canpid *client, struct aw_error *err);

/* Reads until the board's pid telemetry shows this setpoint, to one step of the wire; for one
 * outside the controller's limits (disabled): until two frames in a row show it and no output.
 * AW_OK, AW_TIMEOUT (err names the setpoint shown, or missing telemetry), AW_STOPPED, AW_LOST. fn
 * as in aw_canpid_idle, or NULL; its result is ignored.
 *
 * Telemetry does not say which command it is about. So frames that waited already, or come within
 * latency_ms of the call, do not count: they may be from before the command, and show the same
 * setpoint from an earlier one. On a line that is slower than that such a frame cannot be told from
 * a confirmation; nor can the same setpoint that the driver has for another controller, or one
 * beyond the range from full scale. And it is one of that moment: a driver that pushes a joint into
 * a mechanical stop goes back to pos soon, which only later telemetry shows. */
enum aw_status aw_canpid_verify(struct aw_canpid *client, const struct aw_canpid_sent *sent,
                                int64_t deadline, aw_received_fn *fn, void *context,
                                struct aw_error *err);

#endif
