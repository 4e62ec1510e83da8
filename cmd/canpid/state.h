/* The state of canpid at session->state, and functions shared by its commands. */
#ifndef AW_CMD_CANPID_STATE_H
#define AW_CMD_CANPID_STATE_H

#include "control/motion.h"
#include "protocol/canpid/client.h"
#include "shell/safety/controller.h"
#include "shell/session/session.h"

#define BOARDS_NAMED  32 /* maximum number of boards with custom names */
#define HEAD_ROWS_MAX 8

/* Boards of the config file; names and head belong to a variant of the wire. */
struct canpid_boards {
    size_t n;
    char text[BOARDS_NAMED][AW_CANPID_NAME_MAX];
    struct aw_name names[BOARDS_NAMED + 1];
    struct aw_field head[HEAD_ROWS_MAX];
    uint64_t numbers; /* boards given by number, which are listed too */
};

/* Monitors one joint with all data from the bus. */
struct canpid_monitor {
    unsigned board;
    int controller;
    double commanded; /* last setpoint, normalised; NaN: none yet */
    bool enabled;     /* telemetry has shown it enabled since then */
};

struct canpid_state {
    struct canpid_boards boards;
    struct aw_canpid client;
    struct aw_canpid dry;  /* client for --dry-run, separate from the real conversation */
    uint64_t driven;       /* boards that the running command has enabled */
    uint64_t left_enabled; /* boards that a recording leaves enabled */
    uint64_t selected;     /* boards named by -b, for commands that only read */
    uint64_t ongoing;      /* boards that earlier commands have left enabled */
    /* last controllers seen, saved while a recording is checked */
    int controllers[AW_CANPID_BOARDS];
    struct canpid_monitor monitors[AW_CANPID_BOARDS]; /* joints commanded by this command */
    int64_t status_ns; /* start of the last status query: earlier telemetry counts as old */
    bool busy;         /* a frame was received since the last wait */
    char lists[3][AW_CANPID_BOARDS * AW_CANPID_NAME_MAX]; /* lists of boards in a result */
    struct aw_gain saved_gains[AW_CANPID_GAIN_COUNT];     /* sent over this link by any process */
    unsigned n_zero_current; /* number of sensors frames so far, if all had a current of 0 */
};

struct canpid_options {
    const char *board, *layout;
    int controller; /* AW_CANPID_LAST: none given */
    bool may_switch, verify;
};
AW_GIVEN(tool, canpid_options, canpid_given)

struct canpid_command_options {
    int format; /* dump's format: candump, decoded, both */
};
AW_GIVEN(command, canpid_command_options, canpid_command_given)

AW_STATE(canpid_state)

static inline struct aw_canpid *canpid_client(struct aw_session *session)
{
    struct canpid_state *state = session->state;
    return session->options.run.dry_run ? &state->dry : &state->client;
}

/* Starts a conversation on this link. */
void canpid_connect(struct aw_session *session, struct aw_link *link);

/* See struct aw_share_hooks. */
enum aw_motion_effect canpid_note_frame(struct aw_session *session, bool tx, struct aw_span frame);
int64_t canpid_next_send_ns(struct aw_session *session, struct aw_span frame);

/* Saves the gains sent over this link. */
void canpid_save_gains(struct aw_session *session);

/* Opens the link, with the options of this command. */
enum aw_status canpid_open(struct aw_session *session);

/* Reads and handles pending frames. */
enum aw_status canpid_poll(struct aw_session *session);

/* Like canpid_open() for commands that create frames; --dry-run needs no link. */
enum aw_status canpid_open_for_send(struct aw_session *session);

/* Handles a section "[board NAME]" with "id = 0x100". It gives a board another name, or a known
 * name another identifier. */
enum aw_status canpid_configure(struct aw_session *session, const char *section, const char *key,
                                const char *value, struct aw_error *err);

/* Selects the variant of --sensors-layout, with the boards of the config file. */
enum aw_status canpid_select_variant(struct aw_session *session, struct aw_variant *variant,
                                     struct aw_error *err);

/* Returns the names and identifiers of all boards, {0}-terminated. */
const struct aw_name *canpid_board_names(const struct aw_session *session);

/* See struct aw_name_hooks. */
bool canpid_write_names(struct aw_session *session, uint64_t *names_at, char *out, size_t size);

/* Parse -b: a set of boards, and exactly one board. AW_USAGE if it is missing or unknown. */
enum aw_status canpid_parse_board(struct aw_session *session, unsigned *board);
enum aw_status canpid_parse_boards(struct aw_session *session, uint64_t *boards);

/* Returns the board with this name or number and adds it to state->boards.numbers; -1: unknown. */
int canpid_find_board(struct aw_session *session, const char *text);

/* Checks --board of the config file. AW_USAGE: it names an unknown board. Returns AW_OK without a
 * check if the wire cannot be prepared. */
enum aw_status canpid_check_board(struct aw_session *session, const char *text);
/* Adds the boards of one name (or "all") to a set; AW_USAGE with a suggestion. */
enum aw_status canpid_add_board(struct aw_session *session, const char *name, uint64_t *boards);

/* Returns the boards that "all" means: every named board. */
uint64_t canpid_all_boards(const struct aw_session *session);

/* Reads -c: a controller; AW_CANPID_LAST if none is given and none is required. */
enum aw_status canpid_get_controller(struct aw_session *session, bool required, int *controller);

/* Returns the board number of the lowest bit. */
unsigned canpid_find_first_board(uint64_t boards);

/* Checks, prints and sends one message; with --dry-run it only prints it. */
enum aw_status canpid_send(struct aw_session *session, struct aw_record *command,
                           struct aw_canpid_sent *sent);

/* Checks, prints and sends n messages (at most 3) to each board of -b; with --dry-run it only
 * prints them. canpid_send_each: boards has the boards of each message. The typed command has one
 * result. */
enum aw_status canpid_send_all(struct aw_session *session, struct aw_record *commands, size_t n);
enum aw_status canpid_send_each(struct aw_session *session, struct aw_record *commands,
                                const uint64_t *boards, size_t n);

/* Sends setpoints to several boards, with --verify, after checks against the controller's range. */
struct canpid_setpoint {
    unsigned board;
    double normalised;
};
enum aw_status canpid_send_setpoints(struct aw_session *session, int controller,
                                     const struct canpid_setpoint *setpoints, size_t n);

/* Returns true if telemetry shows an enabled driver. */
bool canpid_is_enabled(const struct aw_canpid_board *board);

/* Hooks for the common commands (see struct aw_tool). */
enum aw_status canpid_prepare(struct aw_session *session);
enum aw_status canpid_allow(struct aw_session *session, const struct aw_record *command);
size_t canpid_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                             const struct aw_record *record, struct aw_joint_goal *goals,
                             double *seconds);
bool canpid_is_elsewhere(struct aw_session *session, const struct aw_record *recorded, char *out,
                         size_t size);
enum aw_status canpid_replay_end(struct aw_session *session);
enum aw_status canpid_replay_send(struct aw_session *session, struct aw_span message, int64_t due,
                                  bool *delayed);
enum aw_status canpid_next_received(struct aw_session *session, int64_t deadline,
                                    struct aw_received *received);
const char *canpid_write_subject(struct aw_session *session, const struct aw_record *record,
                                 char *out, size_t size);
void canpid_describe_subject(struct aw_session *session, const char *subject, char *out,
                             size_t size);
enum aw_status canpid_select_subjects(struct aw_session *session, aw_selects_fn **filter);
void canpid_report_problem(struct aw_session *session, const struct aw_record *record);
extern const struct aw_grid_column canpid_columns[];
bool canpid_convert_unit(void *context, const char *subject, const char *field, double *factor,
                         const char **unit);
const char *canpid_write_remark(struct aw_session *session, char *out, size_t size);

/* Reads and discards telemetry for a time. */
enum aw_status canpid_wait(struct aw_session *session, double seconds);

/* Waits for telemetry of this board; AW_TIMEOUT with advice. */
enum aw_status canpid_await_telemetry(struct aw_session *session, unsigned board);

/* Records that these boards were disabled. */
void canpid_note_disabled(struct aw_session *session, uint64_t boards);

/* Records that these boards hold a setpoint after the command. */
void canpid_note_enabled(struct aw_session *session, uint64_t boards);

/* Disables the boards that the running command has enabled, as aw_canpid_stop does. If new gains
 * are being tried (controller.h), restores the old ones and disables again. Returns status if it is
 * an error, else AW_OK if telemetry confirms the disable. */
enum aw_status canpid_end_motion(struct aw_session *session, enum aw_status status);
enum aw_status canpid_safe_stop(struct aw_session *session);
void canpid_last_stop(struct aw_session *session, aw_frame_fn *add, void *context);

aw_run_fn run_set, run_setpoint, run_disable, run_gains, run_dump, run_ping;
enum aw_status canpid_list(struct aw_session *session, bool running);
enum aw_status canpid_send_message(struct aw_session *session, struct aw_record *message);
/* The options of sim. */
struct canpid_sim_options {
    const char *fault, *plant;
    double rate_hz, tick_s; /* tick 0: not given */
    int quirk;              /* -1: not given */
};
enum aw_status canpid_simulate(const struct aw_sim *sim, struct aw_device **device,
                               struct aw_error *err);
void canpid_report_sim(struct aw_session *session, struct aw_device *device);

extern const struct aw_transport canpid_sim_transport;
extern const struct aw_joints canpid_joints;
extern const struct aw_experiment_hooks canpid_experiment;
extern const struct aw_controller canpid_gain_access;

#endif
