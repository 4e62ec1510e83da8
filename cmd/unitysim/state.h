/* The state of unitysim at session->state, and functions shared by its commands. */
#ifndef AW_CMD_UNITYSIM_STATE_H
#define AW_CMD_UNITYSIM_STATE_H

#include "protocol/unitysim/client.h"
#include "protocol/unitysim/views.h"
#include "shell/joints/joints.h"
#include "shell/joints/play.h"
#include "shell/safety/transmit.h"

/* Feedback statistics during ping. */
struct unitysim_ping {
    struct aw_samples interval_ms; /* intervals of the feedback */
    int64_t last_ns;               /* the last feedback; 0: none yet */
    struct aw_unitysim_counters counters_before;
};

struct unitysim_limit_state {
    struct aw_unitysim_limits defaults; /* the defaults and those of the config file */
    bool has_defaults;                  /* defaults is valid */
    struct aw_unitysim_limits sent;     /* the last limits sent to the simulator */
    bool has_sent;                      /* sent is valid */
    bool warned;                        /* the user knows that the defaults replace them */
    struct aw_unitysim_limits listed;   /* the limits in the list of joints */
};

/* The options of a single motion. */
struct unitysim_motion {
    int velocity;     /* units; 0: each joint's maximum */
    double tolerance; /* ticks; 0: the default */
    int64_t timeout_ns;
};

struct unitysim_state {
    struct aw_unitysim unity;
    struct aw_unitysim dry; /* client for --dry-run, separate from the real conversation */
    struct unitysim_limit_state limits;
    struct unitysim_motion motion;
    struct aw_unitysim_counters counters_before; /* counters before the command, for losses */
    char news[160];                              /* the last notice that was printed */
    unsigned clamped;                            /* velocities reduced by --clamp in this command */
    int64_t received_ns;                         /* previous feedback within a command; 0: none */
    int64_t gap_reported_ns; /* start of the gap in the feedback that was reported */
    struct unitysim_ping ping;
};

struct unitysim_options {
    const char *limits, *views, *wire;
    bool clamp; /* drive --clamp */
};
AW_GIVEN(tool, unitysim_options, unitysim_given)

struct unitysim_scene_options {
    int64_t fps;
    const char *camera;
    double wait_s;
};
AW_GIVEN(command, unitysim_scene_options, unitysim_scene_given)

struct unitysim_teach_options {
    double every_s;
    int64_t velocity, tolerance;
};
AW_GIVEN(command, unitysim_teach_options, unitysim_teach_given)

struct unitysim_play_options {
    struct aw_play_options all;
    int64_t repeat;
    double row_timeout_s;
};
AW_GIVEN(command, unitysim_play_options, unitysim_play_given)

AW_STATE(unitysim_state)

static inline struct aw_unitysim *unitysim_client(struct aw_session *session)
{
    struct unitysim_state *state = unitysim_state(session);
    return session->options.run.dry_run ? &state->dry : &state->unity;
}

/* ---- ping.c, see struct aw_ping_hooks ---- */

enum aw_status unitysim_ping_begin(struct aw_session *session);
enum aw_status unitysim_ping_once(struct aw_session *session, double *ms);
enum aw_status unitysim_ping_end(struct aw_session *session, enum aw_status status);

/* ---- talk.c ---- */

/* Start and end a conversation on this link. */
void unitysim_connect(struct aw_session *session, struct aw_link *link);
void unitysim_disconnect(struct aw_session *session);

/* See struct aw_share_hooks. */
enum aw_motion_effect unitysim_note_frame(struct aw_session *session, bool tx,
                                          struct aw_span frame);

/* Opens the link, with the options of this command. */
enum aw_status unitysim_open(struct aw_session *session);

/* Reads and handles pending datagrams. */
enum aw_status unitysim_poll(struct aw_session *session);

/* Like unitysim_open() for commands that create packets; --dry-run needs no link. */
enum aw_status unitysim_open_for_send(struct aw_session *session);

/* Waits for feedback; AW_TIMEOUT with advice. The second opens the link first. */
enum aw_status unitysim_await_feedback(struct aw_session *session);
enum aw_status unitysim_open_with_feedback(struct aw_session *session);

/* Returns the time limit for an answer: --timeout if given, else seconds. */
int64_t unitysim_timeout_ns(const struct aw_session *session, double seconds);

/* Logs news of the conversation once, and a gap in the feedback after it ended. Fits
 * aw_unitysim_idle with the session as the context. */
bool unitysim_notice(void *context, const struct aw_received *received);

/* Logs the last news after commands that read the link themselves (scenes, camera, limits). */
void unitysim_notice_last_news(struct aw_session *session);

/* Logs silent feedback once per gap. Returns true while it is silent. */
bool unitysim_notice_stale(struct aw_session *session);

/* Runs until the deadline and logs notices. */
enum aw_status unitysim_run(struct aw_session *session, int64_t deadline);

/* Stops all joints. AW_TIMEOUT with a reason if no feedback follows. */
enum aw_status unitysim_stop(struct aw_session *session);

/* Stops all joints after a command. Returns its status, or an error of the stop. */
enum aw_status unitysim_end_motion(struct aw_session *session, enum aw_status status);

/* Logs the number of feedback messages lost since earlier counters. Called once at the end of a
 * command. */
void unitysim_notice_losses(struct aw_session *session, const struct aw_unitysim_counters *earlier);

/* Reads the fields of a record given as a command into the record to send. */
enum aw_status unitysim_read_fields(struct aw_session *session, const struct aw_args *args,
                                    struct aw_record *record);

/* Encodes and prints a record for --dry-run. */
enum aw_status unitysim_dry_run(struct aw_session *session, const struct aw_record *record);

/* For --dry-run: prints the packet that drives the joints. */
enum aw_status unitysim_show_drives(struct aw_session *session);

/* How records and custom packets are sent. */
extern const struct aw_transmit unitysim_transmit;

enum aw_status unitysim_safe_stop(struct aw_session *session);
void unitysim_last_stop(struct aw_session *session, aw_frame_fn *add, void *context);
enum aw_status unitysim_replay_end(struct aw_session *session);
size_t unitysim_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_record *record, struct aw_joint_goal *goals,
                               double *seconds);
bool unitysim_is_elsewhere(struct aw_session *session, const struct aw_record *recorded, char *out,
                           size_t size);
enum aw_status unitysim_allow(struct aw_session *session, const struct aw_record *command);
const char *unitysim_write_remark(struct aw_session *session, char *out, size_t size);
enum aw_status unitysim_next_received(struct aw_session *session, int64_t deadline,
                                      struct aw_received *received);
enum aw_status unitysim_select_variant(struct aw_session *session, struct aw_variant *variant,
                                       struct aw_error *err);

/* ---- joints.c ---- */

/* Parses "elbow=45" of a pairs argument: the joint and its motion. --force permits values above the
 * maximum; --clamp reduces them. Like aw_unitysim_joint_parse and aw_unitysim_drive_parse. */
enum aw_status unitysim_parse_drive(struct aw_session *session, const struct aw_bound *bound,
                                    int *joint, struct aw_unitysim_drive *drive);

/* Formats a position as "2135 (7.6 deg)". */
void unitysim_format_position(int ticks, char *out, size_t size);

/* Writes a joint's position into the result: elbow in ticks, elbow_deg. */
void unitysim_report_ticks(struct aw_session *session, int joint, int ticks);
void unitysim_report_joint(struct aw_session *session, int joint);

aw_complete_fn unitysim_complete_drives, unitysim_complete_goals;

/* ---- limits.c ---- */

/* Finds the limits in force: of --limits, else the last sent ones, else the defaults. */
enum aw_status unitysim_get_limits(struct aw_session *session, struct aw_unitysim_limits *limits);

/* Finds the limits for a new scene: of --limits, else the defaults. */
enum aw_status unitysim_find_scene_limits(struct aw_session *session,
                                          struct aw_unitysim_limits *limits);

/* Returns the limits of a joint in the list; see struct aw_joints. */
size_t unitysim_joint_limits(struct aw_session *session, const struct aw_joint *joint,
                             struct aw_joint_limit rows[AW_JOINT_LIMITS]);

/* Records limits that the simulator has received. */
void unitysim_save_limits(struct aw_session *session, const struct aw_unitysim_limits *limits);

/* Handles a section "[joint elbow]" with min and max. */
enum aw_status unitysim_configure(struct aw_session *session, const char *section, const char *key,
                                  const char *value, struct aw_error *err);

/* ---- camera.c ---- */

/* Finds a saved view; "default": view of the scene. */
enum aw_status unitysim_find_view(struct aw_session *session, const char *name,
                                  struct aw_unitysim_camera *camera);
aw_complete_fn unitysim_complete_views;

/* ---- the commands ---- */

aw_run_fn run_scene, run_control, run_update, run_drive, run_limits, run_camera_request, run_camera,
    run_stop, run_play, run_teach, run_view;
enum aw_status unitysim_list(struct aw_session *session, bool running);
/* The options of sim. */
struct unitysim_sim_options {
    const char *scene, *stuck;
    double feedback_loss;
    int64_t seed;
    int model;
    bool low_echo;
};
enum aw_status unitysim_simulate(const struct aw_sim *sim, struct aw_device **device,
                                 struct aw_error *err);
void unitysim_report_sim(struct aw_session *session, struct aw_device *device);

extern const struct aw_transport unitysim_sim_transport;
extern const struct aw_joints unitysim_joints;

#endif
