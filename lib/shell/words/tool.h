/* A tool as tables: its commands, their arguments and options. The command line, the prompt,
 * scripts, JSON input, help, man pages, completion and hints all use these tables and one
 * dispatcher.
 *
 *     static const struct aw_arg deg_args[] = {
 *         {.name = "joint", .field = "deg.joint"},    unit, range and help come from the wire table
 *         {.name = "angle", .field = "deg.angle"},
 *         {0},
 *     };
 *     static const struct aw_command commands[] = {
 *         {.name = "deg", .summary = "turn joints", .args = deg_args, .repeats = true,
 *          .safety = AW_MOTION, .examples = AW_LIST("deg 1 90"), .run = run_deg},
 *         {0},
 *     };
 */
#ifndef AW_SHELL_WORDS_TOOL_H
#define AW_SHELL_WORDS_TOOL_H

#include "link/core/link.h"
#include "link/core/received.h"
#include "view/terminal/grid.h"
#include "view/text/select.h"
#include "wire/wire.h"

struct aw_device;
struct aw_options;
struct aw_session;
struct aw_sim;
struct aw_args;
struct aw_arg_info;
struct aw_joint_goal;
struct aw_joint_list;
struct aw_record;
struct aw_controller;
struct aw_joints;
struct aw_experiment_hooks;
struct aw_transmit;

/* Effect of a command on the device. It determines limits, questions and the safe stop. */
enum aw_safety {
    AW_READ,      /* changes no settings and moves no joint */
    AW_WRITE,     /* changes settings */
    AW_MOTION,    /* moves something: a request to stop also stops the device */
    AW_DANGEROUS, /* asks for confirmation on a terminal; requires --yes without one */
};

/* The section of the prompt's help page that lists a command. */
enum aw_group {
    AW_GROUP_BY_SAFETY, /* motions under "move", settings under "set up", the rest under "look" */
    AW_GROUP_MOVE,
    AW_GROUP_LOOK,
    AW_GROUP_MEASURE,
    AW_GROUP_KEEP,
    AW_GROUP_SET_UP,
    AW_GROUP_MESSAGES, /* commands created from messages, see aw_session_find_command */
};

enum aw_arg_kind {
    AW_ARG_STRING, /* any string */
    AW_ARG_NUMBER, /* a number, with .unit */
    AW_ARG_CHOICE, /* one of .choices */
    AW_ARG_FILE,
    AW_ARG_LINK,
    AW_ARG_COMMAND, /* the name of a command */
    AW_ARG_MESSAGE, /* the name of a message */
    AW_ARG_PAIRS,   /* field=value …: fields of the message that an earlier argument names */
    AW_ARG_REST,    /* all remaining tokens, unchanged */
};

/* Calls add for each candidate; help may be NULL. */
typedef void aw_candidate_fn(void *context, const char *candidate, const char *help);
typedef void aw_complete_fn(struct aw_session *session, aw_candidate_fn *add, void *context);

/* Runs a command with its bound arguments. */
typedef enum aw_status aw_run_fn(struct aw_session *session, const struct aw_args *args);

struct aw_arg {
    const char *name;
    const char *help;
    const char *unit;
    enum aw_arg_kind kind;
    const char *const *choices; /* for AW_ARG_CHOICE; NULL-terminated */
    /* "message.field" in the wire table, which provides help, unit and range */
    const char *field;
    double min, max; /* range of AW_ARG_NUMBER; both 0: no range */
    bool is_integer; /* --force does not override the range of an integer */
    bool optional;
    aw_complete_fn *complete;
    /* this argument is valid only with these choices of the first argument (by default its first
     * choice), NULL-terminated; NULL: always valid */
    const char *const *with;
    /* other names of this argument in records, NULL-terminated; or NULL */
    const char *const *field_names;
    /* AW_ARG_FILE: file extensions for completion: "csv ndjson"; NULL: any */
    const char *endings;
};

/* Commands that fail if this option is invalid in the config file; `stop` never does. */
enum aw_needed_by {
    AW_NEEDED_BY_NONE,
    AW_NEEDED_BY_DEVICES,  /* commands that use the device */
    AW_NEEDED_BY_MESSAGES, /* also commands that use its messages */
};

/* The type that the binder writes to an option's field, see AW_AT. */
enum aw_option_type {
    AW_OPTION_NO_FIELD,
    AW_OPTION_SWITCH, /* bool */
    AW_OPTION_TEXT,   /* const char *; NULL: not given */
    AW_OPTION_NUMBER, /* double in .unit; .missing: not given */
    AW_OPTION_COUNT,  /* int64_t; 0: not given */
    AW_OPTION_CHOICE, /* int: index in .choices; -1: not given */
};

/* The block that holds the field. */
enum aw_option_home {
    AW_OPTION_OF_COMMAND, /* in the command's block, see AW_GIVEN */
    AW_OPTION_OF_TOOL,    /* in the tool's block */
    AW_OPTION_OF_ALL,     /* in struct aw_options, for options that several tools share */
};

/* For the row of an option: names the member of the block that the binder sets. The type of the
 * member determines the type of the option. */
#define AW_FIELD(block, member, its_home)                                                          \
    .type = _Generic(((struct block *)0)->member,                                                  \
        bool: AW_OPTION_SWITCH,                                                                    \
        const char *: AW_OPTION_TEXT,                                                              \
        double: AW_OPTION_NUMBER,                                                                  \
        int64_t: AW_OPTION_COUNT,                                                                  \
        int: AW_OPTION_CHOICE),                                                                    \
    .home = its_home, .at = offsetof(struct block, member)
#define AW_AT(block, member)      AW_FIELD(block, member, AW_OPTION_OF_COMMAND)
#define AW_AT_TOOL(block, member) AW_FIELD(block, member, AW_OPTION_OF_TOOL)
#define AW_AT_ALL(member)         AW_FIELD(aw_options, member, AW_OPTION_OF_ALL)

struct aw_option {
    const char *name;  /* without the dashes */
    char letter;       /* 0: none */
    const char *value; /* name of its value in help: "URL", "SECONDS"; NULL: a switch */
    const char *help;
    /* value of a bare "--name"; the option's value is then optional, and a value is given only as
     * "--name=value"; NULL: the value is required */
    const char *bare_value;
    const char *fallback; /* default value; NULL: none */
    /* the value is a number in this unit ("" for a bare number); NULL: a string */
    const char *unit;
    double min, max; /* range of the number, unless both are 0 */
    bool is_integer;
    const char *const *choices;
    /* candidates for completion, {…, NULL}; the command checks the value, which may be a list */
    const char *const *candidates;
    aw_complete_fn *complete;
    const char *endings; /* file extensions, as in struct aw_arg */
    /* rejects other extensions, because the extension selects the output format */
    bool checks_ending;
    /* also the name of a message field: a record or JSON command with that field sets the option */
    bool in_messages;
    /* Checks the value beyond the rules of this row. Called when the config file is read, so that
     * errors name the line. Sets session->err. NULL: the command checks the value when it uses
     * it. */
    enum aw_status (*check)(struct aw_session *session, const char *text);
    enum aw_needed_by needed_by;
    enum aw_option_type type; /* type of the member that holds it, set by AW_AT */
    enum aw_option_home home;
    size_t at;
    double missing; /* value of AW_OPTION_NUMBER if not given; NAN if 0 is valid */
};

/* Lists for use inside a row: strings; arguments and options of a command. */
#define AW_TEXT_OF(number) AW_AS_TEXT(number)
#define AW_AS_TEXT(words)  #words
#define AW_LIST(...)       ((const char *const[]){__VA_ARGS__, NULL})
#define AW_ARGS(...)       ((const struct aw_arg[]){__VA_ARGS__, {0}})
#define AW_OPTIONS(...)    ((const struct aw_option[]){__VA_ARGS__, {0}})

struct aw_command {
    const char *name;
    const char *summary;             /* one line, without a full stop */
    const char *details;             /* longer description, or NULL */
    const struct aw_arg *args;       /* {0}-terminated, or NULL */
    const struct aw_option *options; /* {0}-terminated, or NULL; added to the global ones */
    bool repeats;                    /* the whole list of arguments may repeat */
    bool hidden;                     /* not listed in help and completion */
    bool offline;                    /* uses no device, so signals keep their default effect */
    bool uses_messages;              /* uses the device's messages although it is offline */
    bool needs_joints;               /* available only if the tool has joints, see joints.h */
    bool streams;                    /* available only if the joints accept streams of targets */
    bool needs_maps;                 /* available only if the tool has teleop maps */
    bool needs_custom;               /* available only if the tool supports custom packets */
    /* available only for custom joints; replaces the tool's command of that name */
    bool for_custom;
    bool timed; /* a motion that --for may end */
    /* sends one setpoint; in a script, the first setpoint of each joint is checked against its
     * position, see start_check.h */
    bool setpoints;
    enum aw_safety safety;
    enum aw_group group;
    /* Returns true if a dangerous command is harmless with these arguments, so it needs no --yes.
     * NULL: never. */
    bool (*is_harmless)(struct aw_session *session, const struct aw_args *args);
    /* describes the output of a command that prints no records ("a script"); --csv, --format and -j
     * are then refused. NULL: the command prints records */
    const char *prints;
    bool prints_json;            /* -j is accepted although .prints is set */
    const char *const *examples; /* without the tool's name; the tests run each example */
    /* lines of a longer example, printed after .examples; earlier lines create the files for later
     * lines. {move} and {field} stand for those of the tool; '$ ' begins a shell command. NULL:
     * none */
    const char *const *lines;
    aw_run_fn *run;
};

/* A key in a section of the config file, for help, config example and errors. */
struct aw_config_key {
    const char *name;
    const char *value; /* name of its value in help: "0 to 9" */
    const char *help;
    const char *example; /* example value; the examples of all keys form a valid section */
};

struct aw_config_section {
    const char *name;                 /* "joint NAME" */
    const char *help;                 /* one sentence */
    const char *instance;             /* example for NAME; NULL: the section has no NAME */
    const struct aw_config_key *keys; /* {0}-terminated */
};

/* Returns true if the message is about a subject that the options select. Decides by the frame, or
 * by the subject's name if the frame is empty. */
typedef bool aw_selects_fn(struct aw_session *session, struct aw_span frame, const char *subject);

/* Hooks of tools with several devices or objects on one link. A subject is the device or object
 * that a message is about ("lknee", "humanoid.knee"). Each hook may be NULL. */
struct aw_subject_hooks {
    /* Returns the subject of a record; watch, plot and --where put it before field names. Writes a
     * name of at most size - 1 characters to out. NULL: no subject. */
    const char *(*get_subject)(struct aw_session *session, const struct aw_record *record,
                               char *out, size_t size);
    enum aw_subjects accepted; /* which subjects are possible */
    /* Lists the subjects that a message of this kind can have, as far as they are known without the
     * device; used for completion if the wire's table does not name them. message NULL, only for
     * AW_SUBJECTS_ANY: lists all possible subjects; called after the first message. */
    void (*list)(struct aw_session *session, const struct aw_message *message, aw_candidate_fn *add,
                 void *context);
    /* Sets *selects to a filter if an option selects subjects (-b lknee); commands that read
     * messages then skip all others. AW_USAGE: unknown name. */
    enum aw_status (*select)(struct aw_session *session, aw_selects_fn **selects);
    /* Describes a subject for the title of a plot: "lknee pos kp 6". out is "" initially. */
    void (*describe)(struct aw_session *session, const char *subject, char *out, size_t size);
    /* The columns of watch's table if each row is a subject. unit returns the display unit of a
     * subject's value if it differs from the record's; its context is the session. */
    const struct aw_grid_column *columns;
    aw_grid_unit_fn *unit;
};

/* Names that the wire does not carry, stored in recordings as lines "subject FIELD NUMBER NAME"
 * ("subject board 64 lknee", "subject joint 3 neck axes=3"). */
struct aw_name_hooks {
    /* Writes the next lines and advances *at, the tool's position in its names, initially 0.
     * Includes names that became known since the last call. Returns false if there is nothing
     * new. */
    bool (*write_lines)(struct aw_session *session, uint64_t *at, char *out, size_t size);
    /* Reads such a line from a recording. NULL: a new recording begins, so its names replace the
     * previous ones. Returns false for any other comment. */
    bool (*read_line)(struct aw_session *session, const char *text);
    /* Returns true if the messages of a recording have names; decode adds them to its records. */
    bool (*has_names)(struct aw_session *session);
    /* Writes the name of the wire in use, or its whole description if it has no name; returns it.
     * NULL: the variant's name. */
    const char *(*write_wire)(struct aw_session *session, char *out, size_t size);
};

/* Messages with zero-width fields, whose values follow from the order of the packets. */
struct aw_ordered {
    const struct aw_message *messages; /* table for the decoding wire; NULL: none */
    /* Sets those fields in each record, one record after the other. inside: not the first record of
     * a compound message. */
    void (*fill)(struct aw_session *session, struct aw_record *record, bool inside);
    const char *const *labels; /* fields that decode adds and encode ignores; NULL-terminated */
};

#define AW_REPLAY_GOALS 16 /* max number of targets in one message */

/* Properties of a device, and hooks, for replay. Each may be NULL. */
struct aw_replay_hooks {
    /* the device answers each message before it accepts the next one, so replay waits for the
     * recorded answers */
    bool waits_for_answers;
    /* Messages with relative or velocity commands, {…, NULL}: their effect depends on the start
     * position. NULL: all messages are absolute. */
    const char *const *relative;
    const char *reset_message; /* the message that restores the start position; NULL: none */
    /* The device's message with its position; NULL: none. is_elsewhere returns true if the device
     * is not at that position and describes it: "elbow at 2048, not 2300 ticks". It may query the
     * device. */
    const char *position_message;
    bool (*is_elsewhere)(struct aw_session *session, const struct aw_record *recorded, char *out,
                         size_t size);
    /* Writes the targets of this recorded message for joints of the list, and the seconds that the
     * device takes to interpolate to them (0: it jumps). Returns their number, at most
     * AW_REPLAY_GOALS. If commands are velocities, reads positions from the device's messages
     * instead. NULL: targets are unknown, so replay may begin with a jump. */
    size_t (*get_targets)(struct aw_session *session, struct aw_joint_list *list,
                          const struct aw_record *record, struct aw_joint_goal *goals,
                          double *seconds);
    /* Checks a command beyond the table's ranges. Called for each command before the first is sent;
     * sets session->err on refusal. Called with NULL at the end if nothing was sent. */
    enum aw_status (*check_command)(struct aw_session *session, const struct aw_record *command);
    /* Called before the first message. From then on, replay reads and writes the link itself, so
     * the tool's conversation state is invalid. Returns true if the device's first message has
     * already been read. */
    bool (*begin)(struct aw_session *session);
    /* Writes a message when it is due, or later if the device needs a pause; *delayed reports
     * that. NULL: replay writes it when due. */
    enum aw_status (*send)(struct aw_session *session, struct aw_span message, int64_t due,
                           bool *delayed);
    /* Called after the last message, for devices that execute the last command forever. */
    enum aw_status (*end)(struct aw_session *session);
};

/* How ping queries the device. query NULL: ping is not supported. */
struct aw_ping_hooks {
    const char *name;       /* name of the measured time: "round trip" */
    const char *key;        /* key of that name in results, if end adds more rows; or NULL */
    unsigned default_count; /* default number of queries without -n and --for */
    double pace_s;          /* min interval with --for but without --rate, s */
    bool ends_on_loss;      /* a lost query ends ping */
    enum aw_status (*begin)(struct aw_session *session);
    /* Sends one query and measures the ms until the answer; NaN: the query has no meaningful time.
     * AW_TIMEOUT or another failure: the query is lost. */
    enum aw_status (*query)(struct aw_session *session, double *ms);
    /* Adds to the result at the end. Returns status, or a new failure. NULL: nothing to add.
     */
    enum aw_status (*end)(struct aw_session *session, enum aw_status status);
};

/* A built-in teleop map, as lines of a section of the config file. */
struct aw_teleop_preset {
    const char *name, *help, *text;
};

enum aw_turn_event { AW_TURN_BEGIN, AW_TURN_RESUME, AW_TURN_END };

/* Effect of a frame on the motion state: unchanged; the device moves; all motion has ended. */
enum aw_motion_effect { AW_EFFECT_NONE, AW_EFFECT_MOVES, AW_EFFECT_ENDS };

/* Role of a frame to the device. */
enum aw_frame_role {
    AW_FRAME_COMMAND,
    AW_FRAME_HARMLESS, /* not in the table, but does not affect the device */
    /* only keeps the conversation alive; sent by the holder of the lease, or else by the server */
    AW_FRAME_KEEPALIVE,
};

/* Hooks for a server. They inspect the device's frames, and pass on a conversation when another
 * client takes the lease. Each may be NULL. */
struct aw_share_hooks {
    /* Called for each frame from the device (tx: about to be sent for a client). Updates the state
     * that the safe stop needs. NULL: every command that is not read-only counts as a motion. */
    enum aw_motion_effect (*on_frame)(struct aw_session *session, bool tx, struct aw_span frame);
    /* Returns the earliest time to send the frame, by the clock; INT64_MIN: now. NULL: always now.
     */
    int64_t (*get_due)(struct aw_session *session, struct aw_span frame);
    /* An answer has the size of its question, and begins with the same bytes, this many. The server
     * then sends identical questions of several clients only once. 0: answers are not known. */
    size_t answer_head;
    /* Returns the role of a frame to the device. NULL: all are commands. */
    enum aw_frame_role (*get_role)(struct aw_session *session, struct aw_span frame);
    /* The conversation state, plain data of *size bytes in the session. The server passes it to the
     * next holder of the lease, which checks it before use. Both hooks or none. */
    const void *(*get_state)(struct aw_session *session, size_t *size);
    void (*set_state)(struct aw_session *session, const void *bytes, size_t size);
    /* Called when the communicating program changes: AW_TURN_BEGIN, this session with a new
     * message; AW_TURN_RESUME, this session with the unanswered message; AW_TURN_END, another
     * program. */
    void (*on_turn)(struct aw_session *session, enum aw_turn_event event);
};

/* An example of a command: a command line without the tool's name, or "$ " and a shell command. */
struct aw_example {
    const char *command, *line;
};

/* Hooks may be NULL. */
struct aw_tool {
    const char *name, *summary; /* name and one-line summary of the program */
    const struct aw_protocol *protocol;
    const struct aw_command *commands; /* {0}-terminated */
    /* commands of every tool: aw_common_commands; NULL-terminated */
    const struct aw_command *const *common;
    const struct aw_option *options; /* global options of this tool, {0}-terminated, or NULL */
    /* texts of the help pages */
    struct {
        const char *const *examples; /* for the first help page, NULL-terminated */
        const char *example_field;   /* a typical field, for advice: "m1.position" */
        const char *example_move;    /* a motion that ends by itself, for examples: "deg 1 90" */
        /* script of a longer motion, for the examples of plot: "deg 1 10\n…"; NULL: they use
         * example_move */
        const char *example_moves;
        /* examples of common commands that name the joints of this tool, {0}-terminated, or NULL */
        const struct aw_example *common_examples;
        /* why the device may be silent; watch, plot and record print it once if no data arrives;
         * NULL: no hint */
        const char *no_answer_hint;

        /* For a program without commands, whose main() reads the options with aw_bind_option. */
        const char *usage;               /* "[options] [SCENE]" */
        const struct aw_option *general; /* replaces the options of all tools */
    } help;
    struct {
        const char *max_lag; /* default of --max-lag: "20 deg"; the joints use it too */

        const struct aw_joints *joints; /* see joints.h; NULL: no joints */
        /* controller of the joints, see controller.h; NULL: the device reports none */
        const struct aw_controller *controller;
        /* steering gain if the host steers joints: velocity per unit of following error, 1/s (--kp
         * in tools that have it); 0: the device accepts targets */
        double steer_gain;
        /* teleop maps, {0}-terminated, or NULL; the default one first */
        const struct aw_teleop_preset *maps;
        /* the joints are custom joints, see custom_joints.h: the tool's own motion commands are not
         * available */
        bool custom_joints;

        /* hooks for experiments with its joints; NULL: the joints need none */
        const struct aw_experiment_hooks *experiments;
    } motion;
    /* data that watch, plot and record show */
    struct {
        const char *const *default_fields; /* default fields of plot FILE: {"position", NULL} */
        /* messages that watch and record receive, {…, NULL}; NULL: all that the device can send */
        const char *const *watched;
        /* the device only answers commands, so an observer that receives no data has not failed */
        bool only_answers;
        /* Writes a short remark about the link below watch's table ("bus 12.3 %, lknee tor") to
         * out. NULL: no remark. */
        const char *(*get_remark)(struct aw_session *session, char *out, size_t size);
    } watch;

    /* state, settings and config file */
    struct {
        size_t size; /* size of the tool's zeroed memory at session->state */
        /* Frees the contents of state at exit, after disconnect. */
        void (*free_state)(struct aw_session *session);
        /* config file sections in addition to [link] and [options], {0}-terminated, or NULL */
        const struct aw_config_section *sections;
        /* Receives one key of a config section such as "[joint elbow]". */
        enum aw_status (*set_config_key)(struct aw_session *session, const char *section,
                                         const char *key, const char *value, struct aw_error *err);
        /* Fills in the range of a number argument for hints, for the joint that first or arg names.
         * first: the command's first argument, or "" for the first argument itself. NULL: the range
         * of its row. */
        void (*fill_range)(struct aw_session *session, const struct aw_command *command,
                           const char *first, const struct aw_arg *arg, struct aw_arg_info *info);
        /* Selects the wire variant from the options. NULL: the first variant. */
        enum aw_status (*choose_variant)(struct aw_session *session, struct aw_variant *variant,
                                         struct aw_error *err);
    } state;

    /* links and simulators */
    struct {
        const struct aw_transport *sim; /* its sim: link, or NULL; its context is the session */
        /* Creates the simulated device from the options in sim->options; *device is NULL if out of
         * memory. A tool with this hook has aw_sim_begin in .sim, and aw_run_sim as its command sim
         * (shell/source/sim.h). report_sim prints one summary line at the end; NULL: none. */
        enum aw_status (*create_sim)(const struct aw_sim *sim, struct aw_device **device,
                                     struct aw_error *err);
        void (*report_sim)(struct aw_session *session, struct aw_device *device);
        /* supported schemes for the first help page, the most likely one first; NULL: all */
        const char *const *links;
        const char *link; /* default link if only one is possible: "udp:"; or NULL */
        /* For the command list: prints the devices that a link can open. running: the caller has
         * already printed a server or simulator. NULL: the link cannot list devices. */
        enum aw_status (*list_devices)(struct aw_session *session, bool running);
        /* Starts the conversation. Called once for each link, after it opens. */
        void (*connect)(struct aw_session *session, struct aw_link *link);
        /* Ends the conversation and saves or frees its state. Called once for each link before it
         * closes. */
        void (*disconnect)(struct aw_session *session);
    } device;
    /* messages from and to the device */
    struct {
        /* Called before replay and record: opens the link (unless --dry-run needs none) and
         * prepares receive and replay.check_command. NULL: only opens the link. */
        enum aw_status (*prepare)(struct aw_session *session);
        /* Receives the device's next message, for read-only commands. Opens the link on first use,
         * and keeps the conversation going: polls a device that only answers (at most at --rate),
         * answers a device that expects answers, and reconnects. Returns AW_OK, AW_TIMEOUT at the
         * deadline, AW_STOPPED, AW_LOST, or another failure. NULL: only reads the link. */
        enum aw_status (*receive)(struct aw_session *session, int64_t deadline,
                                  struct aw_received *received);
        bool polls; /* receive polls the device, which sends nothing by itself */
        /* Reads pending input without waiting, so that no stale data is left after a wait for a
         * line. Returns AW_OK, AW_STOPPED or AW_LOST. NULL: the device sends nothing by itself. */
        enum aw_status (*poll)(struct aw_session *session);
        /* Keeps the conversation alive between two commands at the prompt until fd is readable.
         * AW_OK or AW_STOPPED. NULL: only waits for fd. */
        enum aw_status (*idle)(struct aw_session *session, int fd);

        struct aw_ping_hooks ping;

        /* how the tool's messages and custom packets are sent, see transmit.h; NULL: custom packets
         * are not supported */
        const struct aw_transmit *transmit;
        /* Sends a message that the user typed with its fields, or shows it with --dry-run. NULL: no
         * message is a command. */
        enum aw_status (*send_message)(struct aw_session *session, struct aw_record *message);
        struct aw_replay_hooks replay;
    } talk;
    /* names and interpretation of records */
    struct {
        /* Simulation time of a recorded message, s: the product of two of its fields. On a link,
         * receive reports that time. message NULL: the device has no clock of its own. */
        struct {
            const char *message, *steps, *step_s;
        } model_time;
        struct aw_subject_hooks subject;
        struct aw_name_hooks names;
        struct aw_ordered ordered;
        /* Called for each decoded message of watch, plot, record, decode and info, to report a
         * problem of the device once. */
        void (*report_problem)(struct aw_session *session, const struct aw_record *record);
    } records;

    struct {
        /* Makes the device safe after an interrupted motion. Sends the bytes at once, then waits
         * briefly for their confirmation. AW_OK: confirmed, and described with aw_stop_set_effect.
         * Otherwise (AW_TIMEOUT, AW_LOST, AW_STOPPED if a second signal ended the wait)
         * session->err names the unconfirmed part, and the caller reports it. */
        enum aw_status (*stop)(struct aw_session *session);
        /* Passes the messages that stop the current motion to add, without I/O and without changing
         * any state. Called after each write, so it may run in the middle of another message. The
         * crash handler sends them and repeats them stop_repeats times. A NULL message is a pause
         * of stop_gap_ms. Messages after the first pause are sent only once, at the end. */
        void (*last_stop)(struct aw_session *session, aw_frame_fn *add, void *context);
        unsigned stop_repeats, stop_gap_ms;
    } safety;
    struct aw_share_hooks share;
};

/* Finds a command of the tool or a common one; NULL: not found, or not available for this tool. */
const struct aw_command *aw_find_command(const struct aw_tool *tool, const char *name);

/* Calls visit for each command, the tool's own first. */
void aw_each_command(const struct aw_tool *tool, void (*visit)(const struct aw_command *, void *),
                     void *context);

/* Returns true for the commands stop and disable, which must work even if optional settings are
 * invalid. */
bool aw_command_is_stop(const struct aw_command *command);

#endif
