/* The host of the simulation: control stream, feedback, scenes, and motions to goals.
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
 *     aw_unitysim_move_to(&move, AW_UNITYSIM_ELBOW, 2135);
 *     status = aw_unitysim_move(&unity, &move, NULL, NULL, &err);
 *     aw_unitysim_free(&unity);
 *
 * The command of each joint is stored and sent every 15 ms while streaming is on, so a lost
 * datagram costs only 15 ms. Deadlines are absolute: a late tick is left out, and the cadence does
 * not drift. While streaming is off nothing is sent, so that a reader does not disturb another
 * client.
 *
 * The simulator has no watchdog, so a program that drives must send the stop. aw_unitysim_stop may
 * be called in any state and after a request to stop. Every other function that fails while joints
 * move has already sent one stop.
 *
 * No thread, no I/O but the link's; no allocation but for the samples of the cadence.
 */
#ifndef AW_PROTOCOL_UNITYSIM_CLIENT_H
#define AW_PROTOCOL_UNITYSIM_CLIENT_H

#include "control/samples.h"
#include "link/core/link.h"
#include "link/core/received.h"
#include "protocol/unitysim/arm.h"
#include "wire/wire.h"

#define AW_UNITYSIM_FRAME_MAX                                                                      \
    64 /* longer ones are cut; the longest of the protocol has 45 bytes                            \
        */

struct aw_unitysim_options {
    struct aw_unitysim_limits
        limits;          /* goals are checked against them, a joint that is driven beyond one is
                          * stopped when feedback shows it, scenes and updates carry them */
    bool force;          /* not so; and speeds above the caps */
    int frame_rate;      /* of a scene: 30 */
    int64_t stale_ns;    /* feedback older than that is no feedback: 200 ms */
    int64_t samples_max; /* cadence samples that are kept: 1,000,000 (four hours) */
    const struct aw_protocol *protocol; /* with packets of files; NULL: without */
};

struct aw_unitysim_options aw_unitysim_defaults(void);

struct aw_unitysim_counters {
    uint64_t sent, /* datagrams of all kinds */
        ticks,     /* control datagrams of the stream */
        late,      /* ticks left out because we came too late */
        feedback,  /* messages taken */
        lost,      /* missing feedback messages; a silence of a second does not count */
        camera,    /* camera answers */
        malformed, /* datagrams of another protocol, or damaged */
        foreign;   /* what another client sent to the simulator and came here */
};

/* What the simulator said last. count 0: nothing yet. */
struct aw_unitysim_feedback {
    uint64_t count;
    int64_t received_ns;              /* by the link's clock */
    int64_t time_ns;                  /* since 1970, or AW_NO_TIME */
    int position[AW_UNITYSIM_JOINTS]; /* ticks */
    int velocity[AW_UNITYSIM_JOINTS]; /* magnitude commanded while the joint is driven, 0 when not
                                       */
};

/* Handle; the members may be read, wire may be used to make and show records. */
struct aw_unitysim {
    struct aw_link *link;
    struct aw_unitysim_options options;
    struct aw_unitysim_counters counters;
    struct aw_unitysim_feedback feedback;
    struct aw_unitysim_camera camera; /* the last answer; counters.camera 0: none yet */
    char why_malformed[160];          /* the reason of the last one, "" if there was none */
    char link_news[160]; /* link->event since something was received: "no program listens …" */
    char news[160];      /* the last news, or "" */
    char fight[160];     /* message while another program drives the arm too, else "" */
    char held[80];       /* words about the last joint that was stopped at its limit */
    bool streaming;
    struct aw_unitysim_drive drive[AW_UNITYSIM_JOINTS]; /* latched */
    struct aw_samples cadence_ms; /* between two control datagrams of the stream */
    /* inside */
    bool listening; /* without a pause since the last feedback: a gap is a loss */
    bool stopped;   /* by the last aw_unitysim_stop, as feedback that came after it shows */
    int64_t next_tick_ns, last_tick_ns;
    int64_t changed_ns[AW_UNITYSIM_JOINTS]; /* when the drive was changed */
    unsigned strange;                       /* feedback in a row that shows other commands */
    int64_t reported_ns;                    /* when another sender was reported last */
    const struct aw_codec *control, *feedback_codec, *camera_codec;
    int8_t velocity_scalar[AW_UNITYSIM_JOINTS], state_scalar[AW_UNITYSIM_JOINTS];
    int8_t position_scalar[AW_UNITYSIM_JOINTS], echo_scalar[AW_UNITYSIM_JOINTS];
    uint8_t frame[AW_UNITYSIM_FRAME_MAX]; /* the last datagram, */
    struct aw_record record;              /* and decoded */
    struct aw_wire wire;                  /* last: what of it is not used yet is not touched */
};

/* link is not owned; it keeps datagrams apart. variant NULL: the protocol's first. link may be NULL
 * for making records only (--dry-run). */
void aw_unitysim_init(struct aw_unitysim *unity, struct aw_link *link,
                      const struct aw_variant *variant, const struct aw_unitysim_options *options);
void aw_unitysim_free(struct aw_unitysim *unity); /* the samples; the link stays open */

/* The variant that a link URL asks for: "compat=38" is compat38, "compat=40" or no such key leaves
 * *variant as it is. AW_USAGE for another value. The transports udp: and udp-listen: let the key
 * pass and do not look at it; a tool calls this with its link's URL before it makes a wire:
 *
 *     struct aw_variant variant = aw_unitysim_protocol.variants[0];
 *     status = aw_unitysim_variant("udp:?compat=38", &variant, &err);
 */
enum aw_status aw_unitysim_variant(const char *url, struct aw_variant *variant,
                                   struct aw_error *err);

/* Listening and streaming */

/* Reads and handles one datagram; sends the control stream while it waits. AW_OK, AW_TIMEOUT at the
 * deadline, AW_STOPPED, AW_LOST; AW_EVENT: no datagram but news (a second client, no simulator
 * listening, another program driving); AW_MALFORMED: not a datagram of the simulator (received has
 * no record); the caller may continue. Other failures are those of aw_link_write, such as AW_LIMIT
 * where a server refuses the stream. */
enum aw_status aw_unitysim_receive(struct aw_unitysim *unity, int64_t deadline,
                                   struct aw_received *received, struct aw_error *err);

/* Takes in all that is waiting already, so that old feedback is not taken for new. As
 * aw_unitysim_idle.
 */
enum aw_status aw_unitysim_poll(struct aw_unitysim *unity, struct aw_error *err);

/* Since when the feedback is silent (AW_NEVER: there was none), and whether that is too long. */
int64_t aw_unitysim_age_ns(const struct aw_unitysim *unity);
bool aw_unitysim_stale(const struct aw_unitysim *unity);

/* Sets the command of a joint, and starts the streaming: the next aw_unitysim_receive or
 * aw_unitysim_idle sends it at once and then every 15 ms. Velocities above the cap of the joint are
 * cut to it unless force. */
void aw_unitysim_drive(struct aw_unitysim *unity, int joint, struct aw_unitysim_drive drive);

/* All joints: state stop, sent at once. Then again every 15 ms, because a datagram may be lost or
 * be overtaken by an older one: five times in all, or, where feedback is received, until three
 * messages of it in a row show that nothing is driven, at most 20 times; all at once where the
 * clock refuses to wait. Streaming is off afterwards. Earlier feedback does not count: stopped says
 * whether a newer one shows it. AW_OK, also where nothing could be received; AW_LOST, or AW_TIMEOUT
 * from the link if the first one did not go out; AW_REFUSED if the joints are still driven
 * afterwards (another client). */
enum aw_status aw_unitysim_stop(struct aw_unitysim *unity, struct aw_error *err);

/* Ends the streaming and sends nothing else: for programs that streamed only AW_UNITYSIM_KEEP, to
 * read feedback without moving the arm. */
void aw_unitysim_leave(struct aw_unitysim *unity);

/* The first part of aw_unitysim_stop: one datagram, no waiting. */
enum aw_status aw_unitysim_halt(struct aw_unitysim *unity, struct aw_error *err);

/* Passes that datagram to add, for use in a crash. Nothing is sent or changed. */
void aw_unitysim_last_stop(struct aw_unitysim *unity, aw_frame_fn *add, void *context);

/* Receives and streams until the deadline; fn (or NULL) for each message and for news; what is
 * malformed is counted and passed over. fn returns false to come back early. AW_OK then and at the
 * deadline, else AW_STOPPED, AW_LOST or the failure to write the stream. */
enum aw_status aw_unitysim_idle(struct aw_unitysim *unity, int64_t deadline, aw_received_fn *fn,
                                void *context, struct aw_error *err);

/* Scenes, camera, limits */

/* Loads a scene with the limits and the frame rate of the options; camera NULL is the scene's own
 * view. Sent again every half second until feedback shows the arm at its start, for at most wait_ns
 * (0: sent once, and no word about what became of it). AW_TIMEOUT with advice, AW_LIMIT,
 * AW_STOPPED, AW_LOST. */
enum aw_status aw_unitysim_scene_load(struct aw_unitysim *unity, int scene,
                                      const struct aw_unitysim_camera *camera, int64_t wait_ns,
                                      struct aw_error *err);

/* Asks where the camera is, again every 250 ms until the answer comes. AW_TIMEOUT with advice. */
enum aw_status aw_unitysim_camera_get(struct aw_unitysim *unity, struct aw_unitysim_camera *camera,
                                      int64_t wait_ns, struct aw_error *err);

/* Sends camera and limits (of the options) to the running scene. An update always carries both;
 * camera NULL keeps the camera where it is, which is asked for first. There is no answer: sent
 * three times, 15 ms apart. AW_TIMEOUT if the camera is not known, AW_LIMIT. */
enum aw_status aw_unitysim_update(struct aw_unitysim *unity,
                                  const struct aw_unitysim_camera *camera, int64_t wait_ns,
                                  struct aw_error *err);

/* The records that these send, for --dry-run: aw_encode makes the bytes. camera NULL: the scene's
 * own view. */
void aw_unitysim_scene_record(struct aw_unitysim *unity, int scene,
                              const struct aw_unitysim_camera *camera, struct aw_record *record);
void aw_unitysim_update_record(struct aw_unitysim *unity, const struct aw_unitysim_camera *camera,
                               struct aw_record *record);
void aw_unitysim_control_record(struct aw_unitysim *unity, struct aw_record *record);

/* Moving */

/* Speed of the approach as the published motion sequencer has it: nearer than velocity·20/tolerance
 * ticks it is velocity·(1 − g·tolerance/distance) with g = velocity/(5·tolerance) in whole numbers,
 * never below AW_UNITYSIM_SLOWEST, nor above velocity. All at least 1. */
#define AW_UNITYSIM_SLOWEST 20
int aw_unitysim_approach(int velocity, int tolerance, int distance);

/* Where one joint is to go. */
struct aw_unitysim_goal {
    bool wanted;
    int position;  /* ticks */
    int velocity;  /* 0: the joint's cap */
    int tolerance; /* ticks either way; 0: 10 */
};

struct aw_unitysim_move {
    struct aw_unitysim_goal goals[AW_UNITYSIM_JOINTS];
    int64_t timeout_ns; /* 0: 10 s */
};

void aw_unitysim_move_to(struct aw_unitysim_move *move, int joint, int position);

/* AW_LIMIT for a goal outside the limits or a speed above the cap (unless force), naming the limit.
 * aw_unitysim_move asks this itself. */
enum aw_status aw_unitysim_move_check(const struct aw_unitysim *unity,
                                      const struct aw_unitysim_move *move, struct aw_error *err);

/* Moves all wanted joints at once until each is within its tolerance and feedback shows it standing
 * there; the other joints go on with what is latched for them. A joint slows down by
 * aw_unitysim_approach, and further where what it travels until the next command could take it past
 * its goal. While feedback is stale all wanted joints are stopped; they go on when it is back. fn
 * as in aw_unitysim_idle; its result false ends the move (AW_OK, joints stopped).
 *
 * AW_OK: all are there. AW_TIMEOUT naming those that are not, and where they are; AW_LIMIT;
 * AW_STOPPED, AW_LOST. The wanted joints are stopped in every case, by one datagram at least; call
 * aw_unitysim_stop where it has to be sure. Streaming stays on. */
enum aw_status aw_unitysim_move(struct aw_unitysim *unity, const struct aw_unitysim_move *move,
                                aw_received_fn *fn, void *context, struct aw_error *err);

#endif
