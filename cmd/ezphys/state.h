/* What ezphys keeps at session->state, and what its commands share. */
#ifndef AW_CMD_EZPHYS_STATE_H
#define AW_CMD_EZPHYS_STATE_H

#include "protocol/ezphys/client.h"
#include "protocol/ezphys/framing.h"
#include "protocol/ezphys/names.h"
#include "shell/core/session.h"

#define EZ_WIRES_NAMED 8
#define EZ_WIRE_NAME   32

/* Wire descriptions of the config file, "[wire NAME]". */
struct ezphys_wires {
    size_t n;
    char name[EZ_WIRES_NAMED][EZ_WIRE_NAME];
    char text[EZ_WIRES_NAMED][AW_EZPHYS_FRAMING_TEXT];
};

/* Records as they are shown: with the name of the object, and the number of the axis. */
struct ezphys_shown {
    struct aw_wire wire;
    struct aw_wire *raw; /* what packets are decoded with; NULL: the client's */
    struct aw_field head[AW_EZPHYS_FRAMING_ROWS + 1];
    const struct aw_codec *from[AW_MAX_MESSAGES]; /* codecs that the maps are for */
    int8_t map[AW_MAX_MESSAGES][AW_MAX_SCALARS];  /* scalar there to scalar here, -1: none */
};

/* The packet before, by which axes are counted. */
struct ezphys_order {
    double id; /* NaN: it has a name */
    char name[AW_TEXT_MAX + 1];
    int axis; /* 0: it was none */
};

struct ezphys_tree;

struct ezphys_state {
    struct ezphys_tree *tree; /* joints and bodies, as they were listed last; NULL: never */
    /* Names of the simulation that is spoken to: those of the scene on sim: links, put here when
     * the link is opened, and those of --names and --scene. */
    struct aw_ezphys_names names;
    char names_from[160];        /* the --names and --scene that were read */
    struct aw_ezphys_names kept; /* of the recording that is read */
    struct ezphys_wires wires;
    struct aw_ezphys_framing framings[2]; /* in turn: a wire in use may point into one */
    unsigned framing;
    char wire_text[AW_EZPHYS_FRAMING_TEXT];
    bool made, dry_made; /* ez and dry are initialised */
    struct aw_ezphys ez;
    struct aw_ezphys dry; /* of --dry-run: has no link, so that the conversation does not notice */
    struct ezphys_shown shown;
    struct ezphys_order order;
    size_t next; /* packet that ezphys_next_received hands out next */
    uint64_t model_epoch;
    int64_t model_ns, model_base_ns; /* time of the simulation; and when it began to count anew */
    uint64_t looked;                 /* messages that were answered only to look on */
    int64_t look_steps;              /* of the simulation meanwhile, where it sends them */
    bool reported_waiting;
    uint64_t reported_problems;
    bool in_step;      /* it waits for its answers: its link says so, or it did for a while */
    bool runs;         /* the simulator of our own that was opened last goes by the clock */
    uint64_t answered; /* messages that who commands has answered */
    bool paused;       /* by advance: the simulator waits for an answer on purpose */
    int64_t retry_ns;  /* pause before connecting anew */
    int64_t silent_ns; /* until when nothing but noise may come */
    bool noisy;        /* what came last was that */
    char text[8][AW_EZPHYS_NAME_SIZE + 16]; /* in the result */
};

struct ezphys_options {
    const char *wire, *names, *scene;
    bool listen_only, state, coast;
    double max_torque; /* of a command that moves joints; NAN: not given */
};
AW_GIVEN(tool, ezphys_options, ezphys_given)

struct ezphys_read_options {
    const char *where;
    bool once;
    double stall_s, speed; /* of hz; of view */
};
AW_GIVEN(command, ezphys_read_options, ezphys_read_given)

static inline struct ezphys_state *ezphys_state(struct aw_session *session)
{
    return session->state;
}

static inline struct aw_ezphys *ezphys_of(struct aw_session *session)
{
    struct ezphys_state *state = ezphys_state(session);
    return session->options.run.dry_run ? &state->dry : &state->ez;
}

/* sim: starts ezphys-sim and talks to it. Its open gets the session as context, and adds the names
 * of the scene's bodies and joints to ezphys_state(session)->names. */
extern const struct aw_transport ezphys_sim_transport;
extern const struct aw_joints ezphys_joints;
void ezphys_connected(struct aw_session *session, struct aw_link *link);

/* ---- wire.c: options of the wire, names ---- */
enum aw_status ezphys_variant(struct aw_session *session, struct aw_variant *variant,
                              struct aw_error *err);
enum aw_status ezphys_configure(struct aw_session *session, const char *section, const char *key,
                                const char *value, struct aw_error *err);
aw_complete_fn ezphys_complete_wires, ezphys_complete_joints, ezphys_complete_objects;

/* Bodies, joints and axes that have been seen or are named. */
aw_complete_fn ezphys_subjects;
void ezphys_known(struct aw_session *session, const struct aw_message *message,
                  aw_candidate_fn *add, void *context);

/* Names of --names and --scene; done once for each of them. */
enum aw_status ezphys_read_names(struct aw_session *session);

/* For --scene of the config file: is there such a scene? */
enum aw_status ezphys_check_scene(struct aw_session *session, const char *text);

/* How a joint moves, as far as the names say, and the units of its values. */
struct ezphys_units {
    const char *displacement, *velocity, *torque;
};
struct ezphys_units ezphys_units(struct aw_session *session, const char *joint);

/* AW_USAGE for a value in the unit of the other kind, where it is known how the joint moves. */
enum aw_status ezphys_check_unit(struct aw_session *session, const char *joint,
                                 enum aw_ezphys_moves said);

/* Names of a scene, by its own name or its file's. */
enum aw_status ezphys_learn_scene(struct aw_session *session, const char *name,
                                  struct aw_error *err);

/* ---- talk.c: the conversation ---- */

/* Gets the client ready and opens the link. */
enum aw_status ezphys_ready(struct aw_session *session);

/* Whether a link that was lost is opened again. */
enum ezphys_patience {
    EZ_ONCE,  /* no: for what moves something, and for the time of --timeout (5 s) only */
    EZ_AGAIN, /* yes, for as long as it takes */
};

/* The next message, not yet answered. Says what it waits for. AW_OK, AW_TIMEOUT at the deadline,
 * AW_STOPPED, or why not. */
enum aw_status ezphys_receive(struct aw_session *session, int64_t deadline,
                              enum ezphys_patience patience);

/* Answers the message, receives the next one, which is left without its answer: between two
 * commands a simulation in step stands still, and each exchange is one step of it. AW_MALFORMED:
 * nothing has been one for the time that a message may take. */
enum aw_status ezphys_exchange(struct aw_session *session);

/* A packet of a file: see struct aw_tool. */
enum aw_status ezphys_put(struct aw_session *session, struct aw_span packet);

/* Ready, and with a message that is not answered yet: of a simulation that goes on by itself the
 * latest. */
enum aw_status ezphys_begin(struct aw_session *session);

/* Waits until the deadline and returns true if the simulation goes on without an answer. A lock-
 * step simulation does not: reading must not advance the world. Returns at once if the mode is
 * known. */
bool ezphys_goes_on(struct aw_session *session, int64_t deadline);

/* Exchanges until the simulator must have taken what was sent last. */
enum aw_status ezphys_confirm(struct aw_session *session, int64_t deadline);

/* AW_TIMEOUT, saying why nothing may have come: another program has the simulator, if one does. */
enum aw_status ezphys_no_message(struct aw_session *session);

/* The same for what only makes messages with --dry-run: a client without a link then. */
enum aw_status ezphys_begin_to_make(struct aw_session *session);

/* Refused with --listen-only. */
enum aw_status ezphys_may_send(struct aw_session *session);

/* When to give up waiting for one message: --timeout. */
int64_t ezphys_deadline(const struct aw_session *session);

/* AW_REFUSED where the simulation was started again since this epoch: what was to go on with it
 * must end, because it forgets its motors, and maybe its joints. */
enum aw_status ezphys_check_epoch(struct aw_session *session, uint64_t epoch);

/* Exchanges until so much time of the simulation has passed (of the clock, where it does not tell
 * its time). each (or NULL) is called before every answer, with the time since the start. */
typedef enum aw_status ezphys_each_fn(struct aw_session *session, void *context, double time_s);
enum aw_status ezphys_go_on(struct aw_session *session, double seconds, ezphys_each_fn *each,
                            void *context);

/* Step and time of the simulation into the result, and with --state where all joints are. */
void ezphys_report_time(struct aw_session *session);

double ezphys_model_time(const struct aw_record *record);
enum aw_status ezphys_next_received(struct aw_session *session, int64_t deadline,
                                    struct aw_received *received);
/* The name of the joint or body of a recorded record, from --names or from the recording. */
const char *ezphys_recorded_name(struct aw_session *session, const struct aw_record *record,
                                 char *out, size_t size);
/* Names into a recording, and out of it. */
bool ezphys_keep_names(struct aw_session *session, uint64_t *at, char *out, size_t size);
bool ezphys_take_names(struct aw_session *session, const char *text);
bool ezphys_has_names(struct aw_session *session);
const char *ezphys_wire_name(struct aw_session *session, char *out, size_t size);
const char *ezphys_subject(struct aw_session *session, const struct aw_record *record, char *out,
                           size_t size);
/* Reads the messages that arrive. At the prompt it also answers them, at most in real time; after
 * 'advance' it does not, so that the simulation stands still. */
enum aw_status ezphys_idle(struct aw_session *session, int fd);
enum aw_status ezphys_safe_stop(struct aw_session *session);
void ezphys_last_stop(struct aw_session *session, aw_frame_fn *add, void *context);
bool ezphys_link_taken(struct aw_session *session);
size_t ezphys_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                             const struct aw_record *record, struct aw_joint_goal *goals,
                             double *seconds);

/* See struct aw_share_hooks. */
bool ezphys_keeps(struct aw_session *session, struct aw_span frame);
enum aw_moves ezphys_saw(struct aw_session *session, bool tx, struct aw_span frame);
void ezphys_turn(struct aw_session *session, enum aw_turn turn);

void ezphys_disconnect(struct aw_session *session);
void ezphys_finish(struct aw_session *session);

/* ---- show.c ---- */

/* From now on records are shown as struct ezphys_shown has them. */
enum aw_status ezphys_show_begin(struct aw_session *session);

/* A packet of the last message as such a record. */
enum aw_status ezphys_show_decode(struct aw_session *session, size_t packet,
                                  struct aw_record *record);

/* See struct aw_tool. */
void ezphys_order(struct aw_session *session, struct aw_record *record, bool inside);

/* The name of the object, behind its name the axis if the joint has several: "hip.axis2". */
const char *ezphys_about_name(const struct aw_ezphys_about *about, char *out, size_t size);

aw_run_fn run_echo, run_list, run_hz;
enum aw_status ezphys_ping(struct aw_session *session, double *ms);
enum aw_status ezphys_pinged(struct aw_session *session, enum aw_status status);
aw_run_fn run_motor, run_force, run_reset, run_stop, run_advance, run_pause, run_probe, run_view;

/* "sim": runs ezphys-sim for other processes. */
aw_run_fn run_sim;

#endif
