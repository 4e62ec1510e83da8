/* The host of the simulation: control stream, feedback, scenes, and motions to targets.
 *
 *     struct aw_unitysim unity;                             // about 100 kB, by the caller
 *     struct aw_unitysim_options options = aw_unitysim_defaults();
 *     aw_unitysim_init(&unity, link, NULL, &options);
 *     status = aw_unitysim_scene_load(&unity, 1, NULL, 5 * AW_SECOND, &err);
 *     struct aw_unitysim_drive up = {45, AW_UNITYSIM_INCREASE};
 *     aw_unitysim_drive(&unity, AW_UNITYSIM_ELBOW, up);
 *     status = aw_unitysim_idle(&unity, deadline, show, context, &err);  // streams every 15 ms
 *     status = aw_unitysim_stop(&unity, &err);
 *
 *     struct aw_unitysim_move move = {0};
 *     aw_unitysim_set_goal(&move, AW_UNITYSIM_ELBOW, 2135);
 *     status = aw_unitysim_move(&unity, &move, NULL, NULL, &err);
 *     aw_unitysim_free(&unity);
 *
 * The command of each joint is stored and sent every 15 ms while streaming is on, so a lost
 * datagram costs only 15 ms. Deadlines are absolute: a late period is skipped, and the cadence does
 * not drift. While streaming is off the client sends nothing, so that a reader does not disturb
 * other clients.
 *
 * The simulator has no watchdog, so a program that drives must send the stop. aw_unitysim_stop may
 * be called in any state and after a request to stop. Every other function that fails while joints
 * move has already sent one stop.
 *
 * Starts no thread and does I/O only on the link. Allocates memory only for the samples of the
 * cadence.
 */
#ifndef AW_PROTOCOL_UNITYSIM_CLIENT_H
#define AW_PROTOCOL_UNITYSIM_CLIENT_H

#include "control/samples.h"
#include "link/core/link.h"
#include "link/core/received.h"
#include "protocol/unitysim/arm.h"
#include "wire/wire.h"

/* longer datagrams are truncated; the protocol's max is 45 bytes */
#define AW_UNITYSIM_FRAME_MAX 64

struct aw_unitysim_options {
    struct aw_unitysim_limits limits; /* limits of targets; driven joints stop beyond them */
    bool force;                       /* ignore limits and velocity caps */
    int frame_rate;                   /* frame rate of a scene, default 30 */
    int64_t stale_ns;                 /* older feedback does not count, default 200 ms */
    /* max number of stored cadence samples, default 1,000,000 (four hours) */
    int64_t samples_max;
    const struct aw_protocol *protocol; /* protocol with custom packets; NULL: without */
};

struct aw_unitysim_options aw_unitysim_defaults(void);

struct aw_unitysim_counters {
    uint64_t sent, /* datagrams of all kinds */
        ticks,     /* control datagrams of the stream */
        late,      /* skipped periods of the stream */
        feedback,  /* handled feedback messages */
        lost,      /* missing feedback messages; a silence of a second does not count */
        camera,    /* camera answers */
        malformed, /* datagrams of another protocol, or damaged */
        foreign;   /* packets from another client to the simulator that arrived here */
};

/* The last feedback. count 0: none yet. */
struct aw_unitysim_feedback {
    uint64_t count;
    int64_t received_ns;              /* by the link's clock */
    int64_t time_ns;                  /* since 1970, or AW_NO_TIME */
    int position[AW_UNITYSIM_JOINTS]; /* ticks */
    /* commanded magnitude while the joint is driven; otherwise 0 */
    int velocity[AW_UNITYSIM_JOINTS];
};

/* Handle. Callers may read the members, and may use wire to create and show records. */
struct aw_unitysim {
    struct aw_link *link;
    struct aw_unitysim_options options;
    struct aw_unitysim_counters counters;
    struct aw_unitysim_feedback feedback;
    struct aw_unitysim_camera camera; /* the last answer; counters.camera 0: none yet */
    /* messages for the user, or "" */
    struct {
        char malformed_reason[160]; /* reason of the last malformed datagram */
        char link_news[160]; /* link->rx.event of the last reception: "no program listens …" */
        char news[160];      /* the last news */
        char conflict[160];  /* set while another program also drives the arm */
        char limit_news[80]; /* the last joint that stopped at its limit */
    } reports;
    struct {
        bool streaming;
        struct aw_samples cadence_ms; /* intervals of the stream's control datagrams */
        /* internal: */
        bool listening;      /* there was no pause since the last feedback, so a gap is a loss */
        bool stop_confirmed; /* later feedback confirmed the last aw_unitysim_stop */
        int64_t next_tick_ns, last_tick_ns;
    } stream;
    struct aw_unitysim_drive drive[AW_UNITYSIM_JOINTS]; /* latched commands */
    int64_t changed_ns[AW_UNITYSIM_JOINTS];             /* time at which the drive last changed */
    /* number of consecutive feedback messages with other commands */
    unsigned n_conflicts;
    int64_t reported_ns; /* time of the last report about another sender */
    /* codecs, and indices of their scalars */
    struct {
        const struct aw_codec *control, *feedback_codec, *camera_codec;
        int8_t velocity_scalar[AW_UNITYSIM_JOINTS], state_scalar[AW_UNITYSIM_JOINTS];
        int8_t position_scalar[AW_UNITYSIM_JOINTS], echo_scalar[AW_UNITYSIM_JOINTS];
    } layout;
    uint8_t frame[AW_UNITYSIM_FRAME_MAX]; /* the last datagram */
    struct aw_record record;              /* the decoded datagram */
    /* last, because initialisation leaves the unused part untouched */
    struct aw_wire wire;
};

/* Initialises unity. Borrows link, which must preserve datagrams. variant NULL: the protocol's
 * first variant. link may be NULL to only build records (--dry-run). */
void aw_unitysim_init(struct aw_unitysim *unity, struct aw_link *link,
                      const struct aw_variant *variant, const struct aw_unitysim_options *options);
void aw_unitysim_free(struct aw_unitysim *unity); /* Frees the samples; the link stays open. */

/* Sets the variant from a link URL: "compat=38" is compat38; "compat=40" or no such key leaves
 * *variant unchanged. AW_USAGE for another value. The transports udp: and udp-listen: accept the
 * key and ignore it; a tool calls this with its link's URL before aw_wire_init:
 *
 *     struct aw_variant variant = aw_unitysim_protocol.variants[0];
 *     status = aw_unitysim_parse_variant("udp:?compat=38", &variant, &err);
 */
enum aw_status aw_unitysim_parse_variant(const char *url, struct aw_variant *variant,
                                         struct aw_error *err);

/* ---- Listening and streaming ---- */

/* Reads and handles one datagram; sends the control stream while waiting. AW_OK, AW_TIMEOUT at the
 * deadline, AW_STOPPED, AW_LOST. AW_EVENT: no datagram, but news (a second client, no simulator
 * listening, another program driving). AW_MALFORMED: not a datagram of the simulator (received has
 * no record); the caller may continue. Otherwise a failure of aw_link_write, such as AW_LIMIT if a
 * server refuses the stream. */
enum aw_status aw_unitysim_receive(struct aw_unitysim *unity, int64_t deadline,
                                   struct aw_received *received, struct aw_error *err);

/* Handles all available datagrams, so that old feedback is not mistaken for new. Returns like
 * aw_unitysim_idle. */
enum aw_status aw_unitysim_poll(struct aw_unitysim *unity, struct aw_error *err);

/* Return the age of the last feedback, ns (AW_NEVER: none yet), and whether it exceeds
 * options.stale_ns; true without feedback. */
int64_t aw_unitysim_age_ns(const struct aw_unitysim *unity);
bool aw_unitysim_is_stale(const struct aw_unitysim *unity);

/* Sets the command of a joint and starts streaming: the next aw_unitysim_receive or
 * aw_unitysim_idle sends it at once and then every 15 ms. Clamps velocities to the joint's cap
 * unless force. */
void aw_unitysim_drive(struct aw_unitysim *unity, int joint, struct aw_unitysim_drive drive);

/* Stops all joints: sends state stop at once and repeats it every 15 ms. A datagram may be lost or
 * overtaken by an older one, so sends five in total. If there is feedback, sends until three
 * consecutive messages show that no joint is driven, at most 20 times. Sends all at once if the
 * clock refuses to wait. Ends streaming. Only feedback received after the call sets
 * stream.stop_confirmed. AW_OK, also without any feedback; AW_LOST, or AW_TIMEOUT from the link if
 * the first one could not be sent; AW_REFUSED if the joints are still driven afterwards (another
 * client). */
enum aw_status aw_unitysim_stop(struct aw_unitysim *unity, struct aw_error *err);

/* Ends streaming without sending: for programs that stream only AW_UNITYSIM_KEEP, to read feedback
 * without moving the arm. */
void aw_unitysim_end_stream(struct aw_unitysim *unity);

/* Sends the first datagram of aw_unitysim_stop, without waiting. */
enum aw_status aw_unitysim_send_stop(struct aw_unitysim *unity, struct aw_error *err);

/* Passes that datagram to add, for use in a crash. Sends nothing and changes no state. */
void aw_unitysim_last_stop(struct aw_unitysim *unity, aw_frame_fn *add, void *context);

/* Receives and streams until the deadline and calls fn (or NULL) for each message and for news.
 * Counts and skips malformed datagrams. fn returns false to end the wait. AW_OK at the deadline or
 * when fn ended the wait; AW_STOPPED, AW_LOST, or the failure to write the stream. */
enum aw_status aw_unitysim_idle(struct aw_unitysim *unity, int64_t deadline, aw_received_fn *fn,
                                void *context, struct aw_error *err);

/* ---- Scenes, camera, limits ---- */

/* Loads a scene with the limits and the frame rate of the options; camera NULL is the scene's own
 * view. Repeats it every half second until feedback shows the arm at its start, for at most
 * wait_ns (0: sends it once without a check). Returns AW_OK, AW_TIMEOUT with advice, AW_LIMIT,
 * AW_STOPPED or AW_LOST. */
enum aw_status aw_unitysim_scene_load(struct aw_unitysim *unity, int scene,
                                      const struct aw_unitysim_camera *camera, int64_t wait_ns,
                                      struct aw_error *err);

/* Requests the camera's position every 250 ms until the answer arrives. AW_TIMEOUT with
 * advice. */
enum aw_status aw_unitysim_camera_get(struct aw_unitysim *unity, struct aw_unitysim_camera *camera,
                                      int64_t wait_ns, struct aw_error *err);

/* Sends camera and limits (of the options) to the running scene. An update always has both, so
 * camera NULL requests the current camera first and sends it back. There is no answer, so it is
 * sent three times, 15 ms apart. AW_TIMEOUT if the camera is unknown, AW_LIMIT. */
enum aw_status aw_unitysim_update(struct aw_unitysim *unity,
                                  const struct aw_unitysim_camera *camera, int64_t wait_ns,
                                  struct aw_error *err);

/* Build the records that these functions send, for --dry-run with aw_encode. camera NULL: the
 * scene's own view. */
void aw_unitysim_build_scene(struct aw_unitysim *unity, int scene,
                             const struct aw_unitysim_camera *camera, struct aw_record *record);
void aw_unitysim_build_update(struct aw_unitysim *unity, const struct aw_unitysim_camera *camera,
                              struct aw_record *record);
void aw_unitysim_build_control(struct aw_unitysim *unity, struct aw_record *record);

/* ---- Moving ---- */

/* Returns the approach speed of the published motion sequencer. Closer than velocity·20/tolerance
 * ticks, it is velocity·(1 − g·tolerance/distance) with g = velocity/(5·tolerance) in integers. The
 * result is at least AW_UNITYSIM_SLOWEST and at most velocity. All arguments are at least 1. */
#define AW_UNITYSIM_SLOWEST 20
int aw_unitysim_approach_speed(int velocity, int tolerance, int distance);

/* The target of one joint. */
struct aw_unitysim_goal {
    bool wanted;
    int position;  /* ticks */
    int velocity;  /* 0: the joint's cap */
    int tolerance; /* ticks in either direction; 0: 10 */
};

struct aw_unitysim_move {
    struct aw_unitysim_goal goals[AW_UNITYSIM_JOINTS];
    int64_t timeout_ns; /* 0: 10 s; counts more slowly while *speed is below 1 */
    /* A factor of all velocities, read before each command. 0: the joints stand still. NULL: 1. */
    const double *speed;
};

void aw_unitysim_set_goal(struct aw_unitysim_move *move, int joint, int position);

/* Checks a motion. AW_LIMIT, naming the limit: a target outside the limits or a speed above the
 * cap (unless force). aw_unitysim_move calls this itself. */
enum aw_status aw_unitysim_move_check(const struct aw_unitysim *unity,
                                      const struct aw_unitysim_move *move, struct aw_error *err);

/* Moves all wanted joints at once until feedback shows each at rest within its tolerance. The other
 * joints continue with their latched commands. A joint slows down by aw_unitysim_approach_speed,
 * and further if it could pass its target before the next command. While feedback is stale, all
 * wanted joints stop; they continue once it returns. fn as in aw_unitysim_idle; if it returns
 * false, the move ends (AW_OK, joints stopped).
 *
 * Returns AW_OK if all arrived; AW_TIMEOUT, naming the others and their positions; or AW_LIMIT,
 * AW_STOPPED or AW_LOST. The wanted joints are stopped in every case, by at least one datagram;
 * call aw_unitysim_stop to make sure. Streaming stays on. */
enum aw_status aw_unitysim_move(struct aw_unitysim *unity, const struct aw_unitysim_move *move,
                                aw_received_fn *fn, void *context, struct aw_error *err);

#endif
