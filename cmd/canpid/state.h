/* What canpid keeps at session->state, and what its commands share. */
#ifndef AW_CMD_CANPID_STATE_H
#define AW_CMD_CANPID_STATE_H

#include "control/motion.h"
#include "protocol/canpid/client.h"
#include "shell/core/law.h"
#include "shell/core/session.h"

#define BOARDS_NAMED  32 /* most boards with a name of their own */
#define HEAD_ROWS_MAX 8

/* Boards of the config file; names and head are for a variant of the wire. */
struct canpid_boards {
    size_t n;
    char text[BOARDS_NAMED][AW_CANPID_NAME_MAX];
    struct aw_name names[BOARDS_NAMED + 1];
    struct aw_field head[HEAD_ROWS_MAX];
    uint64_t numbers; /* that were given in place of a name: they are boards, too */
};

/* Looks after one joint, by all that the bus shows of it. */
struct canpid_guard {
    unsigned board;
    int controller;
    double commanded; /* normalised; NaN: nothing yet */
    bool enabled;     /* since then the telemetry has shown it */
};

struct canpid_state {
    struct canpid_boards boards;
    struct aw_canpid client;
    struct aw_canpid dry;       /* of --dry-run: the real conversation is not touched */
    char url[512];              /* of the link, with kernel filters */
    uint64_t driven;            /* boards that the running command has enabled */
    uint64_t left_on;           /* boards that a recording leaves enabled */
    uint64_t chosen;            /* those that -b names, for commands that look on */
    uint64_t ongoing;           /* those that earlier commands have left enabled */
    int seen[AW_CANPID_BOARDS]; /* controllers, before a recording was checked */
    struct canpid_guard bench;  /* what an experiment knows of its board */
    struct canpid_guard watched[AW_CANPID_BOARDS]; /* what joints were sent in this command */
    int64_t looked_since_ns;                       /* from when on telemetry was news to status */
    bool busy;                                     /* a frame was received since the last wait */
    char lists[3][AW_CANPID_BOARDS * AW_CANPID_NAME_MAX]; /* of boards in a result */
    struct aw_canpid_gains remembered; /* that were sent over this link, by whatever process */
    unsigned no_current;               /* sensors frames so far, if none had a current but 0 */
};

struct canpid_options {
    const char *board, *layout;
    int controller; /* AW_CANPID_LAST: not given */
    bool may_switch, verify;
};
AW_GIVEN(tool, canpid_options, canpid_given)

struct canpid_command_options {
    int as;        /* of dump: candump, decoded, both */
    bool describe; /* of sim */
};
AW_GIVEN(command, canpid_command_options, canpid_command_given)

static inline struct aw_canpid *canpid_of(struct aw_session *session)
{
    struct canpid_state *state = session->state;
    return session->options.run.dry_run ? &state->dry : &state->client;
}

/* Begins a conversation on this link. */
void canpid_connect(struct aw_session *session, struct aw_link *link);

/* See struct aw_share_hooks. */
enum aw_status canpid_listen(struct aw_session *session, int64_t deadline,
                             struct aw_received *received);
enum aw_moves canpid_saw(struct aw_session *session, bool tx, struct aw_span frame);
int64_t canpid_due(struct aw_session *session, struct aw_span frame);

/* Keeps the gains that were sent over this link, for later processes. */
void canpid_remember(struct aw_session *session);

/* Opens the link, with the options of this command. */
enum aw_status canpid_ready(struct aw_session *session);

/* Which boards stay enabled. */
void canpid_goes_on(struct aw_session *session, char *out, size_t size);

/* Takes in what has come. */
enum aw_status canpid_poll(struct aw_session *session);

/* The same for what only makes frames with --dry-run: a client without a link then. */
enum aw_status canpid_ready_to_make(struct aw_session *session);

/* A section "[board NAME]" with "id = 0x100": another name, or another identifier for a known one.
 */
enum aw_status canpid_configure(struct aw_session *session, const char *section, const char *key,
                                const char *value, struct aw_error *err);

/* The variant that --sensors-layout names, with the boards of the config file. */
enum aw_status canpid_variant(struct aw_session *session, struct aw_variant *variant,
                              struct aw_error *err);

/* Names and identifiers of all boards, {0}-terminated. */
const struct aw_name *canpid_board_names(const struct aw_session *session);
bool canpid_keep_names(struct aw_session *session, uint64_t *at, char *out, size_t size);

/* -b: a set of boards, or exactly one. AW_USAGE if it is missing or unknown. */
enum aw_status canpid_boards(struct aw_session *session, uint64_t *boards);

/* The board with this name or number, which is known from now on; -1. */
int canpid_find_board(struct aw_session *session, const char *text);

/* For --board of the config file: does it name boards? */
enum aw_status canpid_check_board(struct aw_session *session, const char *text);
/* Adds the boards of one name (or "all") to a set; AW_USAGE with a suggestion. */
enum aw_status canpid_board_named(struct aw_session *session, const char *name, uint64_t *boards);
enum aw_status canpid_one_board(struct aw_session *session, unsigned *board);

/* Those that "all" means: every board that has a name. */
uint64_t canpid_all_boards(const struct aw_session *session);

/* -c: a controller, or AW_CANPID_LAST if it was not given and may be left out. */
enum aw_status canpid_controller(struct aw_session *session, bool needed, int *controller);

/* Board number of the lowest bit. */
unsigned canpid_first_board(uint64_t boards);

/* A value in the controller's unit ("10deg", "-5Nm", "20%") as a normalised number. */
enum aw_status canpid_parse(struct aw_session *session, const char *what, const char *text,
                            int controller, double *normalised);

/* Checks, shows and sends one message, or shows it only, with --dry-run. */
enum aw_status canpid_send(struct aw_session *session, struct aw_record *command,
                           struct aw_canpid_sent *sent);

/* Checks, shows and sends n messages (at most 3) to each board of -b (or shows them only, with
 * --dry-run); each: every one to boards of its own. Their result is one, of the command that was
 * typed. */
enum aw_status canpid_send_all(struct aw_session *session, struct aw_record *commands, size_t n,
                               int64_t verify_ns);
enum aw_status canpid_send_each(struct aw_session *session, struct aw_record *commands,
                                const uint64_t *boards, size_t n, int64_t verify_ns);

/* Setpoints of several boards, checked against the controller's range; with --verify. */
struct canpid_setpoint {
    unsigned board;
    double normalised;
};
enum aw_status canpid_send_setpoints(struct aw_session *session, int controller,
                                     const struct canpid_setpoint *setpoints, size_t n);

/* Does its setpoint enable a driver, as far as telemetry tells? */
bool canpid_is_enabled(const struct aw_canpid_board *board);

/* Takes in what has come, then rests: some ms if there was something, so that a full bus is read in
 * blocks and not frame by frame, else until something comes, at most 20 ms. fn as in
 * aw_canpid_idle.
 */
enum aw_status canpid_round(struct aw_session *session, int64_t deadline, aw_received_fn *fn,
                            void *context);

/* What the tool gives to the common commands that look on (see struct aw_tool). */
enum aw_status canpid_prepare(struct aw_session *session);
enum aw_status canpid_allow(struct aw_session *session, const struct aw_record *command);
size_t canpid_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                             const struct aw_record *record, struct aw_joint_goal *goals,
                             double *seconds);
bool canpid_elsewhere(struct aw_session *session, const struct aw_record *there, char *out,
                      size_t size);
enum aw_status canpid_replay_end(struct aw_session *session);
enum aw_status canpid_replay_send(struct aw_session *session, struct aw_span message, int64_t due,
                                  bool *held);
enum aw_status canpid_next_received(struct aw_session *session, int64_t deadline,
                                    struct aw_received *received);
const char *canpid_subject(struct aw_session *session, const struct aw_record *record, char *out,
                           size_t size);
void canpid_subject_about(struct aw_session *session, const char *subject, char *out, size_t size);
enum aw_status canpid_narrow(struct aw_session *session, aw_concerns_fn **concerns);
void canpid_notice(struct aw_session *session, const struct aw_record *record);
extern const struct aw_grid_column canpid_columns[];
bool canpid_unit(void *context, const char *subject, const char *field, double *factor,
                 const char **unit);
const char *canpid_remark(struct aw_session *session, char *out, size_t size);

/* Reads and passes over telemetry for a time. */
enum aw_status canpid_wait(struct aw_session *session, double seconds);

/* Waits until telemetry of this board has come; AW_TIMEOUT with advice. */
enum aw_status canpid_telemetry(struct aw_session *session, unsigned board);

/* These boards have been disabled: nothing that goes on is left of them. */
void canpid_disabled(struct aw_session *session, uint64_t boards);

/* These boards hold a setpoint when the command has come back. */
void canpid_left_on(struct aw_session *session, uint64_t boards);

/* Disables the boards that the running command has enabled, as aw_canpid_stop does; where others
 * are tried (law.h), puts the previous gains back and disables again. Returns status
 * with its error, or else AW_OK if their telemetry confirms it. */
enum aw_status canpid_end_motion(struct aw_session *session, enum aw_status status);
enum aw_status canpid_safe_stop(struct aw_session *session);
void canpid_last_stop(struct aw_session *session, aw_frame_fn *add, void *context);

aw_run_fn run_set, run_gain, run_zero, run_setpoint, run_event, run_ref, run_message, run_disable,
    run_gains, run_dump, run_ping, run_list, run_sim;
enum aw_status canpid_simulate(const struct aw_sim *sim, struct aw_device **device,
                               struct aw_error *err);
void canpid_simulated(struct aw_session *session, struct aw_device *device);

extern const struct aw_transport canpid_sim_transport;
extern const struct aw_joints canpid_joints;
extern const struct aw_bench_hooks canpid_bench;
extern const struct aw_law canpid_law;

#endif
