/* What unitysim keeps at session->state, and what its commands share. */
#ifndef AW_CMD_UNITYSIM_STATE_H
#define AW_CMD_UNITYSIM_STATE_H

#include "protocol/unitysim/client.h"
#include "protocol/unitysim/views.h"
#include "shell/commands/play.h"
#include "shell/core/joints.h"

/* What ping sees beside its questions. */
struct unitysim_ping {
    struct aw_samples interval_ms; /* of the feedback */
    int64_t last_ns;               /* of the one before; 0: none yet */
    struct aw_unitysim_counters before;
};

struct unitysim_state {
    struct aw_unitysim unity;
    struct aw_unitysim dry; /* of --dry-run: the conversation does not notice */
    bool configured;
    struct aw_unitysim_limits usual;  /* default ones and those of the config file */
    struct aw_unitysim_limits limits; /* what the simulator was sent last */
    bool limits_known;
    struct aw_unitysim_limits shown;    /* that the list of joints was made with */
    int velocity;                       /* of single motions, units; 0: the cap of each joint */
    double tolerance;                   /* of them, ticks; 0: the usual one */
    int64_t timeout_ns;                 /* of them */
    struct aw_unitysim_counters before; /* of what was lost meanwhile */
    char news[160];                     /* the last notice that was printed */
    unsigned clamped;          /* velocities of this command that were too high, with --clamp */
    int64_t received_ns;       /* the feedback before, within a command; 0: none */
    int64_t quiet_reported_ns; /* start of the gap in the feedback that was reported */
    struct unitysim_ping ping;
};

struct unitysim_options {
    const char *limits, *views, *wire;
    bool clamp; /* of drive */
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

struct unitysim_drive_options {
    bool follow;
};
AW_GIVEN(command, unitysim_drive_options, unitysim_drive_given)

struct unitysim_play_options {
    struct aw_play_options all;
    int64_t repeat;
    double row_timeout_s;
};
AW_GIVEN(command, unitysim_play_options, unitysim_play_given)

static inline struct unitysim_state *unitysim_state(struct aw_session *session)
{
    return session->state;
}

static inline struct aw_unitysim *unitysim_of(struct aw_session *session)
{
    struct unitysim_state *state = unitysim_state(session);
    return session->options.run.dry_run ? &state->dry : &state->unity;
}

/* ---- ping.c, see struct aw_ping_hooks ---- */

enum aw_status unitysim_ping_begin(struct aw_session *session);
enum aw_status unitysim_ping_once(struct aw_session *session, double *ms);
enum aw_status unitysim_ping_end(struct aw_session *session, enum aw_status status);

/* ---- talk.c ---- */

/* Begins a conversation on this link; ends it. */
void unitysim_connect(struct aw_session *session, struct aw_link *link);
void unitysim_disconnect(struct aw_session *session);

/* See struct aw_share_hooks. */
enum aw_moves unitysim_saw(struct aw_session *session, bool tx, struct aw_span frame);

/* Opens the link, with the options of this command. */
enum aw_status unitysim_ready(struct aw_session *session);

/* Takes in what has come. */
enum aw_status unitysim_poll(struct aw_session *session);

/* The same for what only makes packets with --dry-run: a client without a link then. */
enum aw_status unitysim_ready_to_make(struct aw_session *session);

/* Waits until feedback has come; AW_TIMEOUT with advice. And the same once the link is open. */
enum aw_status unitysim_feedback(struct aw_session *session);
enum aw_status unitysim_ready_with_feedback(struct aw_session *session);

/* How long to wait for an answer: --timeout, or so many seconds. */
int64_t unitysim_patience_ns(const struct aw_session *session, double seconds);

/* Says news of the conversation once, and that feedback has been silent, when it is back. Fits
 * aw_unitysim_idle with the session as the context. */
bool unitysim_notice(void *context, const struct aw_received *received);

/* The same after what listens by itself (scenes, camera, limits). */
void unitysim_notice_last_news(struct aw_session *session);

/* Says that feedback is silent, once for each silence. True if it is. */
bool unitysim_notice_stale(struct aw_session *session);

/* Until the deadline, saying what there is to say. */
enum aw_status unitysim_run(struct aw_session *session, int64_t deadline);

/* Stops all joints. AW_TIMEOUT, saying why, where no feedback answers. */
enum aw_status unitysim_stop(struct aw_session *session);

/* Stops all joints, whatever came of the command. Its status, or what went wrong now. */
enum aw_status unitysim_end_motion(struct aw_session *session, enum aw_status status);

/* How many feedback messages were lost since then, said once at the end of a command. */
void unitysim_notice_losses(struct aw_session *session, const struct aw_unitysim_counters *before);

/* Fields of a record that was given as a command: into the record, which may go out then. */
enum aw_status unitysim_read_fields(struct aw_session *session, const struct aw_args *args,
                                    struct aw_record *record);

/* Encodes and prints a record for --dry-run. */
enum aw_status unitysim_dry_run(struct aw_session *session, const struct aw_record *record);

enum aw_status unitysim_safe_stop(struct aw_session *session);
void unitysim_last_stop(struct aw_session *session, aw_frame_fn *add, void *context);
enum aw_status unitysim_replay_end(struct aw_session *session);
size_t unitysim_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_record *record, struct aw_joint_goal *goals,
                               double *seconds);
bool unitysim_elsewhere(struct aw_session *session, const struct aw_record *there, char *out,
                        size_t size);
enum aw_status unitysim_allow(struct aw_session *session, const struct aw_record *command);
const char *unitysim_remark(struct aw_session *session, char *out, size_t size);
enum aw_status unitysim_next_received(struct aw_session *session, int64_t deadline,
                                      struct aw_received *received);
enum aw_status unitysim_variant(struct aw_session *session, struct aw_variant *variant,
                                struct aw_error *err);

/* ---- joints.c ---- */

/* "elbow=45" of an argument of pairs: the joint and what it is to do, with --force beyond its cap,
 * with --clamp at its cap where it was to be beyond. As aw_unitysim_joint_parse and
 * aw_unitysim_drive_parse. */
enum aw_status unitysim_parse_drive(struct aw_session *session, const struct aw_bound *bound,
                                    int *joint, struct aw_unitysim_drive *drive);

/* "2135 (7.6 deg)" */
void unitysim_position_text(int ticks, char *out, size_t size);

/* Position of a joint into the result: elbow in ticks, elbow_deg. */
void unitysim_report_ticks(struct aw_session *session, int joint, int ticks);
void unitysim_report_joint(struct aw_session *session, int joint);

aw_complete_fn unitysim_complete_joints, unitysim_complete_drives, unitysim_complete_goals;

/* The next key that is waiting, with "UP", "DOWN", "LEFT", "RIGHT" for the arrows; NULL: none. text
 * holds 8 bytes. */
const char *unitysim_key(char *text);

/* ---- follow.c ---- */

/* What came of the lines. */
struct unitysim_lines {
    unsigned lines, refused;
    struct aw_error first; /* why, of the first one that was refused */
};

/* Drives as the lines of standard input say ("elbow=-20 hand=stop"), until its end. A line that is
 * refused changes nothing; with --keep-going it is said, counted, and passed over. */
enum aw_status unitysim_follow(struct aw_session *session, int64_t deadline,
                               struct unitysim_lines *lines);

/* ---- limits.c ---- */

/* The limits that hold: of --limits, else those that the simulator was sent last, else the usual
 * ones. */
enum aw_status unitysim_limits(struct aw_session *session, struct aw_unitysim_limits *limits);

/* Those of a scene that is loaded anew: of --limits, else the usual ones. */
enum aw_status unitysim_new_limits(struct aw_session *session, struct aw_unitysim_limits *limits);

/* Of a joint of the list, see struct aw_joints. */
size_t unitysim_joint_limits(struct aw_session *session, const struct aw_joint *joint,
                             struct aw_joint_limit rows[AW_JOINT_LIMITS]);

/* The simulator has them now. */
void unitysim_limits_reported(struct aw_session *session, const struct aw_unitysim_limits *limits);

/* A section "[joint elbow]" with min and max. */
enum aw_status unitysim_configure(struct aw_session *session, const char *section, const char *key,
                                  const char *value, struct aw_error *err);

/* ---- camera.c ---- */

/* A saved view; "default": the scene's own. */
enum aw_status unitysim_view(struct aw_session *session, const char *name,
                             struct aw_unitysim_camera *camera);
aw_complete_fn unitysim_complete_views;

/* ---- the commands ---- */

aw_run_fn run_scene, run_control, run_update, run_drive, run_limits, run_camera_request, run_camera,
    run_stop, run_play, run_teach, run_view, run_list, run_sim;
enum aw_status unitysim_simulate(const struct aw_sim *sim, struct aw_device **device,
                                 struct aw_error *err);
void unitysim_simulated(struct aw_session *session, struct aw_device *device);

extern const struct aw_transport unitysim_sim_transport;
extern const struct aw_joints unitysim_joints;

#endif
