/* The state of ezphys at session->state, and functions shared by its commands. */
#ifndef AW_CMD_EZPHYS_STATE_H
#define AW_CMD_EZPHYS_STATE_H

#include "protocol/ezphys/client.h"
#include "protocol/ezphys/framing.h"
#include "protocol/ezphys/names.h"
#include "shell/session/session.h"

#define EZ_WIRES_NAMED 8
#define EZ_WIRE_NAME   32

/* Wire descriptions in the config file, "[wire NAME]". */
struct ezphys_wires {
    size_t n;
    char name[EZ_WIRES_NAMED][EZ_WIRE_NAME];
    char text[EZ_WIRES_NAMED][AW_EZPHYS_FRAMING_TEXT];
};

/* The previous packet, for counting axes. */
struct ezphys_order {
    double id; /* NaN: identified by name */
    char name[AW_TEXT_MAX + 1];
    int axis; /* 0: not an axis packet */
};

/* Names of bodies and joints. */
struct ezphys_known {
    /* Names of the current simulation: those of --names and --scene and, on sim: links, those of
     * the scene, which are added when the link opens. */
    struct aw_ezphys_names names;
    /* the --names and --scene that names was read from */
    char source[160];
    struct aw_ezphys_names recorded; /* from the recording being read */
};

/* The framings of --wire. A wire in use may point to one of two slots, so the slots are used in
 * turn. */
struct ezphys_framings {
    struct ezphys_wires wires;
    struct aw_ezphys_framing slots[2];
    unsigned current;
    char text[AW_EZPHYS_FRAMING_TEXT]; /* text of the current framing */
};

/* The time of the simulation as the session's clock. */
struct ezphys_model {
    uint64_t epoch;
    int64_t sim_time_ns;  /* simulation time, continued across restarts */
    int64_t base_time_ns; /* sim_time_ns at the start of the current epoch */
};

/* Counts the answers and steps that were caused only by reading. */
struct ezphys_read_stats {
    uint64_t n_answered; /* messages answered only to read on */
    int64_t steps;       /* simulation steps meanwhile, if it sends them */
};

/* Describes how the simulation advances. */
struct ezphys_pace {
    bool lock_step;    /* lock-step: known from the link, or observed */
    bool real_time;    /* the simulator started last uses real time */
    bool paused;       /* advance has paused it: the simulator waits for an answer */
    uint64_t answered; /* messages answered by the holder of the lease */
};

struct ezphys_problems {
    bool reported_waiting;
    uint64_t reported; /* problems reported so far */
    /* session clock: receiving only noise is not an error before this time */
    int64_t noise_until_ns;
    bool last_was_noise; /* the last data was noise */
};

/* The joints of the last list. */
struct ezphys_motion {
    uint64_t epoch;   /* epoch of the simulation when the joints were listed */
    int64_t paced_ns; /* session clock: the simulation is paced up to here */
    double window_s;  /* observation time of the rates; 0: the simulation is in lock-step */
};

struct ezphys_state {
    struct ezphys_motion motion;
    struct ezphys_known name_sets;
    struct ezphys_framings framing;
    bool has_client, has_dry; /* ez and dry are initialised */
    struct aw_ezphys ez;
    struct aw_ezphys dry; /* client for --dry-run, without a link, separate from the real one */
    struct ezphys_order order;
    size_t next; /* next packet for ezphys_next_received */
    struct ezphys_model model;
    struct ezphys_read_stats read_stats;
    struct ezphys_pace pace;
    struct ezphys_problems problems;
    char text[8][AW_EZPHYS_NAME_SIZE + 16]; /* strings in the result */
};

struct ezphys_options {
    const char *wire, *names, *scene;
    bool listen_only, state, coast;
    double max_torque; /* for commands that move joints; NAN: not given */
};
AW_GIVEN(tool, ezphys_options, ezphys_given)

struct ezphys_read_options {
    double stall_s; /* option of hz */
    double speed;   /* option of view */
};
AW_GIVEN(command, ezphys_read_options, ezphys_read_given)

AW_STATE(ezphys_state)

static inline struct aw_ezphys *ezphys_client(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    return session->options.run.dry_run ? &state->dry : &state->ez;
}

/* sim: starts ezphys-sim and connects to it. Its open gets the session as context, and adds the
 * names of the scene's bodies and joints to ezphys_state(session)->name_sets.names. */
extern const struct aw_transport ezphys_sim_transport;
extern const struct aw_joints ezphys_joints;
void ezphys_connected(struct aw_session *session, struct aw_link *link);

/* ---- wire.c: options of the wire, names ---- */
enum aw_status ezphys_select_variant(struct aw_session *session, struct aw_variant *variant,
                                     struct aw_error *err);
enum aw_status ezphys_configure(struct aw_session *session, const char *section, const char *key,
                                const char *value, struct aw_error *err);
aw_complete_fn ezphys_complete_wires, ezphys_complete_joints;

/* Lists bodies, joints and axes that are known or named, see struct aw_subject_hooks. */
void ezphys_list_subjects(struct aw_session *session, const struct aw_message *message,
                          aw_candidate_fn *add, void *context);

/* Reads the names of --names and --scene, once for each value. */
enum aw_status ezphys_read_names(struct aw_session *session);

/* Checks --scene of the config file: returns the error of aw_scene_load if the scene cannot be
 * loaded. */
enum aw_status ezphys_check_scene(struct aw_session *session, const char *text);

/* The units of a joint's values; they depend on its kind according to the names. */
struct ezphys_units {
    const char *displacement, *velocity, *torque;
};
struct ezphys_units ezphys_units(struct aw_session *session, const char *joint);

/* AW_USAGE for a value in the other kind's unit, if the joint's kind is known. */
enum aw_status ezphys_check_unit(struct aw_session *session, const char *joint,
                                 enum aw_ezphys_motion given_motion);

/* Returns the scene of a link sim:, as part of *url; NULL: another link. */
const char *ezphys_find_sim_scene(struct aw_session *session, struct aw_url *url);

/* Adds a scene's names, by scene name or file. */
enum aw_status ezphys_add_scene_names(struct aw_session *session, const char *name,
                                      struct aw_error *err);

/* ---- talk.c: the conversation ---- */

/* Prepares the client and opens the link. */
enum aw_status ezphys_open(struct aw_session *session);

/* When to reconnect after a lost link. */
enum ezphys_retry {
    EZ_ONCE,      /* never, for motions; waits up to --timeout (5 s) */
    EZ_STREAM,    /* never: the stream reopens a lost link, or ends */
    EZ_RECONNECT, /* always, without a time limit */
};

/* Receives the next message without answering it, and logs what it waits for. AW_OK, AW_TIMEOUT at
 * the deadline, AW_STOPPED, or an error. */
enum aw_status ezphys_receive(struct aw_session *session, int64_t deadline,
                              enum ezphys_retry retry);

/* Answers the message and receives the next one, which stays unanswered. A lock-step simulation
 * thus stands still between commands, and each exchange is one step. AW_MALFORMED: no valid message
 * arrived in time. */
enum aw_status ezphys_exchange(struct aw_session *session);

extern const struct aw_transmit ezphys_transmit;

/* Opens the link and receives a message to answer; of a free-running simulation the latest one. */
enum aw_status ezphys_begin(struct aw_session *session);

/* Waits until the deadline and returns true if the simulation continues without an answer. A
 * lock-step simulation does not: reading must not advance the world. Returns at once if the mode is
 * known. */
bool ezphys_is_free_running(struct aw_session *session, int64_t deadline);

/* Exchanges messages until the simulator must have applied the last command. */
enum aw_status ezphys_confirm(struct aw_session *session, int64_t deadline);

/* Returns AW_TIMEOUT with a reason, such as another program that uses the simulator. */
enum aw_status ezphys_fail_no_message(struct aw_session *session);

/* Like ezphys_begin() for commands that create messages; --dry-run needs no link. */
enum aw_status ezphys_begin_for_send(struct aw_session *session);

/* Returns an error with --listen-only. */
enum aw_status ezphys_check_send(struct aw_session *session);

/* Returns the deadline for one message, from --timeout. */
int64_t ezphys_get_deadline(const struct aw_session *session);

/* Returns AW_REFUSED if the simulation restarted since this epoch. A restart clears motors and
 * possibly joints, so the motion must end. */
enum aw_status ezphys_check_epoch(struct aw_session *session, uint64_t epoch);

/* Exchanges messages until this many seconds of simulation time have passed, or of real time if the
 * simulator sends none. Before every answer, calls the callback, which may be NULL. */
typedef enum aw_status ezphys_step_fn(void *context);
enum aw_status ezphys_run_for(struct aw_session *session, double seconds, ezphys_step_fn *on_step,
                              void *context);

/* Writes step and time of the simulation into the result. With --state, also writes all joints. */
void ezphys_report_time(struct aw_session *session);

enum aw_status ezphys_next_received(struct aw_session *session, int64_t deadline,
                                    struct aw_received *received);
/* Returns the joint's or body's name in a recorded record, from --names or the recording. */
const char *ezphys_recorded_name(struct aw_session *session, const struct aw_record *record,
                                 char *out, size_t size);
/* Write names to a recording, and read them. */
bool ezphys_write_names(struct aw_session *session, uint64_t *names_at, char *out, size_t size);
bool ezphys_read_recorded_names(struct aw_session *session, const char *text);
bool ezphys_has_names(struct aw_session *session);
const char *ezphys_write_wire_name(struct aw_session *session, char *out, size_t size);
const char *ezphys_write_subject(struct aw_session *session, const struct aw_record *record,
                                 char *out, size_t size);
/* Reads the messages that arrive. At the prompt it also answers them, at most in real time; after
 * 'advance' it does not, so that the simulation stands still. */
enum aw_status ezphys_idle(struct aw_session *session, int fd);
enum aw_status ezphys_safe_stop(struct aw_session *session);
void ezphys_last_stop(struct aw_session *session, aw_frame_fn *add, void *context);
bool ezphys_resume_link(struct aw_session *session);
size_t ezphys_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                             const struct aw_record *record, struct aw_joint_goal *goals,
                             double *seconds);

/* See struct aw_share_hooks. */
enum aw_frame_role ezphys_get_role(struct aw_session *session, struct aw_span frame);
enum aw_motion_effect ezphys_note_frame(struct aw_session *session, bool tx, struct aw_span frame);
void ezphys_handle_turn(struct aw_session *session, enum aw_turn_event event);

void ezphys_disconnect(struct aw_session *session);
void ezphys_finish(struct aw_session *session);

/* ---- show.c ---- */

/* See struct aw_tool. */
void ezphys_order(struct aw_session *session, struct aw_record *record, bool inside);

/* Writes the object's name, and its axis if the joint has several: "hip.axis2". */
const char *ezphys_write_axis_name(const struct aw_ezphys_packet_subject *subject, char *out,
                                   size_t size);

aw_run_fn run_hz;
enum aw_status ezphys_list(struct aw_session *session, bool running);
enum aw_status ezphys_ping(struct aw_session *session, double *ms);
enum aw_status ezphys_report_ping(struct aw_session *session, enum aw_status status);
aw_run_fn run_motor, run_force, run_reset, run_stop, run_advance, run_pause, run_probe, run_view;

/* "sim": runs ezphys-sim for other processes. */
aw_run_fn run_sim;

#endif
