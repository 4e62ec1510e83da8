/* A tool as tables: its commands, their arguments and options. One-shot use, REPL, scripts, JSON
 * input, help, man pages, completion and hints all read the same tables; there is one dispatcher.
 *
 *     static const struct aw_arg deg_args[] = {
 *         {.name = "joint", .field = "deg.joint"},    unit, range and help come from the wire table
 *         {.name = "angle", .field = "deg.angle"},
 *         {0},
 *     };
 *     static const struct aw_command commands[] = {
 *         {.name = "deg", .summary = "turn joints", .args = deg_args, .repeats = true, .safety =
 * AW_MOTION, .examples = (const char *const[]){"deg 1 90", NULL}, .run = run_deg}, {0},
 *     };
 */
#ifndef AW_SHELL_CORE_TOOL_H
#define AW_SHELL_CORE_TOOL_H

#include "link/core/link.h"
#include "link/core/received.h"
#include "view/terminal/grid.h"
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
struct aw_joints;
struct aw_bench_hooks;

/* What a command can do to the world; decides about limits, questions and the safe stop. */
enum aw_safety {
    AW_READ,      /* changes nothing */
    AW_WRITE,     /* changes settings */
    AW_MOTION,    /* makes something move: a request to stop is passed on to the device */
    AW_DANGEROUS, /* asks on a terminal, needs --yes elsewhere */
};

/* Where the page of help at the prompt names a command. */
enum aw_group {
    AW_GROUP_USUAL, /* by its safety: what moves; what changes settings: set up; else look */
    AW_GROUP_MOVE,
    AW_GROUP_LOOK,
    AW_GROUP_MEASURE,
    AW_GROUP_KEEP,
    AW_GROUP_SET_UP,
};

enum aw_arg_kind {
    AW_ARG_WORD,   /* any text */
    AW_ARG_NUMBER, /* a number, with .unit */
    AW_ARG_CHOICE, /* one of .choices */
    AW_ARG_FILE,
    AW_ARG_LINK,
    AW_ARG_COMMAND, /* the name of a command */
    AW_ARG_MESSAGE, /* the name of a message */
    AW_ARG_PAIRS,   /* field=value …, fields of the message named before */
    AW_ARG_REST,    /* all remaining words as they are */
};

/* Calls add for each candidate; help may be NULL. */
typedef void aw_candidate_fn(void *context, const char *word, const char *help);
typedef void aw_complete_fn(struct aw_session *session, aw_candidate_fn *add, void *context);

/* What a command does: its words are bound to its arguments. */
typedef enum aw_status aw_run_fn(struct aw_session *session, const struct aw_args *args);

struct aw_arg {
    const char *name;
    const char *help;
    const char *unit;
    enum aw_arg_kind kind;
    const char *const *choices; /* AW_ARG_CHOICE, NULL-terminated */
    const char *field;          /* "message.field": take help, unit and range from the wire table */
    double min, max;            /* AW_ARG_NUMBER, for hints and help */
    bool whole;                 /* a whole number, in this range with --force, too */
    bool optional;
    aw_complete_fn *complete;
    const char *const *with; /* goes with these choices of the first argument only (its first one is
                                the usual one), NULL-terminated; or NULL */
    const char *const *fields; /* what records call it, where that is another name,
                                  NULL-terminated; or NULL */
    const char *endings;       /* AW_ARG_FILE: of the files that are meant, for completion: "csv
                                  ndjson"; NULL: any */
};

/* Who cannot do without an option's value where the config file has a wrong one. A stop can. */
enum aw_needed_by {
    AW_NEEDED_BY_NOBODY,
    AW_NEEDED_BY_DEVICES,  /* commands that speak to the device */
    AW_NEEDED_BY_MESSAGES, /* and those that speak of its messages */
};

/* What the binder writes into the field of an option, see AW_AT. */
enum aw_option_type {
    AW_OPTION_NO_FIELD,
    AW_OPTION_SWITCH, /* bool */
    AW_OPTION_TEXT,   /* const char *; NULL: not given */
    AW_OPTION_NUMBER, /* double in .unit; .missing: not given */
    AW_OPTION_COUNT,  /* int64_t; 0: not given */
    AW_OPTION_CHOICE, /* int: the place in .choices; -1: not given */
};

/* Where the field is. */
enum aw_option_home {
    AW_OPTION_OF_COMMAND, /* in the block of the command: see AW_GIVEN */
    AW_OPTION_OF_TOOL,    /* in that of the tool */
    AW_OPTION_OF_ALL,     /* in struct aw_options, for what commands of several tools share */
};

/* For the row of an option: the binder fills this member of the block. The type of the member is
 * the type of the option. */
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
    const char *value; /* what it takes, for help: "URL", "SECONDS"; NULL: a switch */
    const char *help;
    const char *bare;     /* value of "--name" without "=VALUE", for options that work with and
                             without one (the next word is never taken then); NULL: needs one */
    const char *fallback; /* value if it is given nowhere; NULL: none */
    const char *unit;     /* a number in this unit ("" for a bare one); NULL: text */
    double min, max;      /* of the number, if not both 0 */
    bool whole;           /* a number without a fraction */
    const char *const *choices;
    const char *const *words; /* that completion offers, {…, NULL}; what is right is the command's
                                 affair: a list of them, numbers behind them */
    aw_complete_fn *complete;
    const char *endings; /* of a FILE, as above */
    bool ends;           /* another ending is refused: it says the form of what is written */
    bool addresses; /* messages have a field of this name: records and JSON commands may name it,
                       and then it counts for them */
    bool joint;     /* it names joints: a word lknee=10deg is this option and the argument 10deg */
    /* Does the value that is set mean something, beyond what this row says of it? Asked when the
     * config file has been read, whose mistakes are told with their place. session->err. NULL: it
     * is found out where it is used. */
    enum aw_status (*check)(struct aw_session *session, const char *text);
    enum aw_needed_by needed_by;
    enum aw_option_type type; /* of the field that holds it, by AW_AT */
    enum aw_option_home home;
    size_t at;
    double missing; /* of AW_OPTION_NUMBER: NAN where 0 is a value that can be given */
};

/* Lists that stand in the row they are for: words; arguments and options of a command. */
#define AW_LIST(...)    ((const char *const[]){__VA_ARGS__, NULL})
#define AW_ARGS(...)    ((const struct aw_arg[]){__VA_ARGS__, {0}})
#define AW_OPTIONS(...) ((const struct aw_option[]){__VA_ARGS__, {0}})

/* A line that is worth typing after a command: "plot {file}", with the name of one of its arguments
 * or options that is a file. It needs no device, so that it works as it is copied. */
struct aw_next {
    const char *words; /* or NULL */
    const char *why;   /* "draws it" */
};

struct aw_command {
    const char *name;
    const char *summary;             /* one line, no full stop */
    const char *details;             /* more, or NULL */
    const struct aw_arg *args;       /* {0}-terminated, or NULL */
    const struct aw_option *options; /* {0}-terminated, or NULL; besides the global ones */
    bool repeats;                    /* the whole list of args may be given again and again */
    bool hidden;                     /* not in help and completion */
    bool offline;                    /* needs no device: signals keep their usual meaning */
    bool messages;                   /* but speaks of its messages */
    bool joints;                     /* only where the tool has joints, see joints.h */
    bool streams;                    /* only where these take streams of targets */
    bool hands;                      /* only where hands can drive the joints: it has maps */
    bool own;                        /* only where there can be packets of files */
    bool from_file;                  /* only for joints of packet files, for which it stands in
                                        place of the tool's command of that name */
    bool timed;                      /* of what moves: --for ends it */
    bool setpoints;                  /* it is one setpoint: of a script the first one of each joint
                                        is compared with where that is, see start_guard.h */
    enum aw_safety safety;
    enum aw_group group;
    /* Returns true if a dangerous command is harmless with these arguments, so it needs no --yes.
     * NULL: never. */
    bool (*harmless)(struct aw_session *session, const struct aw_args *args);
    const char *prints; /* what it prints where that is no records ("a script"): --csv, --format and
                           -j are refused; NULL: each of these gives its form */
    bool prints_json;   /* but -j is not */
    const char *const
        *examples;            /* what follows the name of the tool; each one is run by the tests */
    const char *const *lines; /* a worked example of several lines, after these: the files of later
                                 ones are made by the first. {move} and {field} are the tool's, '$ '
                                 begins a line of the shell. NULL: none */
    struct aw_next next;      /* said after success, see advice.h */
    aw_run_fn *run;
};

/* A key of a section of the config file, for help, config example and errors. */
struct aw_config_key {
    const char *name;
    const char *value; /* what it takes: "0 to 9" */
    const char *help;
    const char *example; /* a value; those of all keys together make a section that is right */
};

struct aw_config_section {
    const char *name;                 /* "joint NAME" */
    const char *help;                 /* a sentence */
    const char *instance;             /* of NAME, for the example; NULL: the name has none */
    const struct aw_config_key *keys; /* {0}-terminated */
};

/* Is a message about one of those that the options name? By its frame, or, if that is empty, by the
 * name of its subject. */
typedef bool aw_concerns_fn(struct aw_session *session, struct aw_span frame, const char *subject);

/* For tools with several devices or objects on one link. A subject is the device or object of a
 * message ("lknee", "humanoid.knee"). Each may be NULL. */
struct aw_subject_hooks {
    /* The subject of a record, which watch, plot and --where put before the names of its fields.
     * Writes a name of at most size - 1 characters to out and returns it; NULL: no subject. */
    const char *(*of)(struct aw_session *session, const struct aw_record *record, char *out,
                      size_t size);
    /* Every subject there can be, where the wire's table does not name them, once the first message
     * has come; added like candidates of completion. */
    aw_complete_fn *all;
    bool leads; /* without all: they are named in front of a field only ("base.angle"), and have no
                   topics of their own */
    /* Lists the subjects that a message of this kind can have, as far as known without the device:
     * for completion, if the wire's table does not name them. */
    void (*known)(struct aw_session *session, const struct aw_message *message,
                  aw_candidate_fn *add, void *context);
    /* Sets *concerns if the options name subjects (-b lknee): commands that read messages then skip
     * the others. AW_USAGE: unknown name. */
    enum aw_status (*narrow)(struct aw_session *session, aw_concerns_fn **concerns);
    /* What is known of a subject, for the title of a picture: "lknee pos kp 6"; out is "" before.
     */
    void (*about)(struct aw_session *session, const char *subject, char *out, size_t size);
    /* The columns of watch's table, where a row of it is a subject; and the unit in which a value
     * of a subject means something to a person, where another one than the record's: the context is
     * the session. */
    const struct aw_grid_column *columns;
    aw_grid_unit_fn *unit;
};

/* Names that the wire does not carry, kept in recordings. A text is lines of "subject FIELD NUMBER
 * NAME" ("subject board 64 lknee", "subject joint 3 neck axes=3"). */
struct aw_name_hooks {
    /* Writes the next text, from *at on, which starts at 0 and is the tool's. Names that are learnt
     * later follow when it is called again. False: nothing new. */
    bool (*keep)(struct aw_session *session, uint64_t *at, char *out, size_t size);
    /* Takes such a text from a recording that is read; NULL: another recording begins, whose names
     * replace those of the one before. False: the text is a plain comment. */
    bool (*take)(struct aw_session *session, const char *text);
    /* Are there names for the messages of a recording? decode adds them to its records. */
    bool (*any)(struct aw_session *session);
    /* Writes the name of the wire in use, or its whole description if it has no name; returns it.
     * NULL: the variant's name. */
    const char *(*wire)(struct aw_session *session, char *out, size_t size);
};

/* Messages with fields of no bits, whose values follow from the order of the packets. */
struct aw_ordered {
    const struct aw_message *messages; /* for the wire that records are decoded with; NULL: none */
    /* Fills those fields in, for each record in turn. inside: it is not the first of a message of
     * several. */
    void (*fill)(struct aw_session *session, struct aw_record *record, bool inside);
};

#define AW_REPLAY_GOALS 16 /* of one message */

/* Facts about a device for replay. Each may be NULL. */
struct aw_replay_hooks {
    bool in_step; /* the device answers every message and takes no second one before: the answers
                     that the recording has are waited for */
    /* Messages that say how far or how fast, and not where to, {…, NULL}: what comes of them
     * depends on where the device stands. NULL: they all say where. */
    const char *const *relative;
    const char *afresh; /* the message that puts it where it began; NULL: none */
    /* The device's message that says where it stands, NULL: none does; and whether that is not
     * there, in words, as "elbow at 2048, not 2300 ticks". It may ask the device. */
    const char *place;
    bool (*elsewhere)(struct aw_session *session, const struct aw_record *there, char *out,
                      size_t size);
    /* Writes the targets of this recorded message for joints of the list, and the seconds in which
     * the device moves there by itself (0: at once). Returns their number, at most AW_REPLAY_GOALS.
     * If commands are velocities, the device's own messages have the positions. NULL: unknown, and
     * replay may begin with a jump. */
    size_t (*targets)(struct aw_session *session, struct aw_joint_list *list,
                      const struct aw_record *record, struct aw_joint_goal *goals, double *seconds);
    /* May this command go out, beyond what the table's ranges say? Asked for each one before the
     * first is sent; session->err says why not. Asked with NULL when nothing was sent after all. */
    enum aw_status (*allow)(struct aw_session *session, const struct aw_record *command);
    /* From here on replay speaks on the link by itself, and reads what comes: what the tool knew
     * of the conversation is over. Before the first message. True: the device waits for that, and
     * what it said first of all was read before. */
    bool (*takes_link)(struct aw_session *session);
    /* Writes a message when it is due, or later, where the device must not be sent to so soon
     * again; *held says whether it was held back for that. NULL: it is written when it is due. */
    enum aw_status (*send)(struct aw_session *session, struct aw_span message, int64_t due,
                           bool *held);
    /* After the last message, for devices that go on with the last command for ever. */
    enum aw_status (*end)(struct aw_session *session);
};

/* A device that can be asked for a sign of life, for ping. once NULL: it cannot. */
struct aw_ping_hooks {
    const char *name; /* of what is measured: "round trip" */
    const char *key;  /* of that name, if end adds other rows to the table; or NULL */
    unsigned usual;   /* so many, unless -n or --for say */
    double pace_s;    /* with --for, and no --rate: at least so far apart */
    bool ends;        /* one that is lost ends it */
    enum aw_status (*begin)(struct aw_session *session);
    /* One question. The time in ms until the answer, which counts as it came; NaN: its time says
     * nothing. AW_TIMEOUT, or another failure: it is lost. */
    enum aw_status (*once)(struct aw_session *session, double *ms);
    /* At the end: what else the result has. NULL: nothing. Returns status, or what went wrong now.
     */
    enum aw_status (*end)(struct aw_session *session, enum aw_status status);
};

/* A map of teleop that the tool has, as lines of a section of the config file. */
struct aw_teleop_preset {
    const char *name, *help, *text;
};

enum aw_turn { AW_TURN_BEGIN, AW_TURN_GO_ON, AW_TURN_END };

/* What is known of the device after a frame: as before, it moves, nothing of it moves any more. */
enum aw_moves { AW_MOVES_ON, AW_MOVES, AW_MOVES_NO_MORE };

/* Facts for a server about the device's frames, and about a conversation that continues while
 * another program commands. Each may be NULL. */
struct aw_share_hooks {
    /* This frame has come from the device (tx: is about to go to it for a client): takes in what
     * the safe stop has to know. NULL: what does not only read moves. */
    enum aw_moves (*saw)(struct aw_session *session, bool tx, struct aw_span frame);
    /* As receive of the tool, but at once, without a rest; NULL: that one. */
    enum aw_status (*receive)(struct aw_session *session, int64_t deadline,
                              struct aw_received *received);
    /* When it may go out, by the clock; INT64_MIN: at once, as always where it is NULL. */
    int64_t (*due)(struct aw_session *session, struct aw_span frame);
    /* Is this the answer to a question? Where it is known, what several ask is asked once. */
    bool (*answers)(struct aw_span question, struct aw_span frame);
    /* May this command go out, beyond what the table's ranges say? session->err says why not. */
    enum aw_status (*allow)(struct aw_session *session, const struct aw_record *command);
    /* A frame that the table does not have, and that does nothing to the device. NULL: none is. */
    bool (*harmless)(struct aw_span frame);
    /* Does this frame of the host's say nothing but that the conversation goes on? Then it is for
     * who commands to say, else for the server. */
    bool (*keeps)(struct aw_session *session, struct aw_span frame);
    /* The conversation itself, plain data of *size bytes in the session, which goes from who
     * commands to the next one; there it is taken if it is sound. Both or none. */
    const void *(*memory)(struct aw_session *session, size_t *size);
    void (*remember)(struct aw_session *session, const void *bytes, size_t size);
    /* Says which program communicates from now on: this session, beginning with a new message
     * (AW_TURN_BEGIN) or with the unanswered one (AW_TURN_GO_ON), or another program (AW_TURN_END).
     */
    void (*turn)(struct aw_session *session, enum aw_turn turn);
};

/* A hook that is NULL has nothing to do. */
struct aw_tool {
    const char *name, *summary; /* of the program */
    const struct aw_protocol *protocol;
    const struct aw_command *commands; /* {0}-terminated */
    const struct aw_command *common;   /* what every tool has: aw_common_commands; {0}-terminated */
    const struct aw_option *options;   /* global options of this tool, {0}-terminated, or NULL */
    const char *const *examples;       /* for the first page of help, NULL-terminated */
    const char *field;                 /* one that people look at, for advice: "m1.position" */
    const char *move;                  /* a motion that ends by itself, for examples: "deg 1 90" */
    const char *moves;          /* lines of a motion that plot shows, "deg 1 10\\n…"; NULL: one
                                          move is enough */
    const char *const *usual;   /* what plot FILE draws if nothing is named: {"position", NULL} */
    const char *no_answer_hint; /* why the device may say nothing: printed once by watch, plot and
                                   record where none comes; NULL: no hint */
    const char *const *speaks; /* messages that watch and record get, {…, NULL}; NULL: all that the
                                  device can send */
    bool only_answers; /* the device speaks only when it is commanded: who looks on for a while
                          and sees nothing has not failed */

    /* ---- State and settings ---- */

    /* A program without commands has both; its main() takes the options with aw_bind_option. */
    const char *usage;               /* "[options] [SCENE]" */
    const struct aw_option *general; /* in place of the options that every tool has */

    size_t state_size; /* zeroed memory for the tool at session->state */
    /* Frees what is in state, at the end, after disconnect. */
    void (*finish)(struct aw_session *session);
    const struct aw_config_section *sections; /* of the config file besides [link] and [options],
                                                 {0}-terminated, or NULL */
    /* A section "[joint elbow]" of the config file: key and value, one call each. */
    enum aw_status (*configure)(struct aw_session *session, const char *section, const char *key,
                                const char *value, struct aw_error *err);
    /* Do all of these sections fit each other? session->err says what does not. NULL: any do. */
    enum aw_status (*configured)(struct aw_session *session);
    /* The range of a number that stands behind first, the first word of the command's list of
     * arguments (or "", it is the first one): that of the joint which is named there, or which the
     * argument is about. For hints; NULL: it is that of its row. */
    void (*range)(struct aw_session *session, const struct aw_command *command, const char *first,
                  const struct aw_arg *arg, struct aw_arg_info *info);
    /* Chooses the variant of the wire from options; NULL: the first. */
    enum aw_status (*variant)(struct aw_session *session, struct aw_variant *variant,
                              struct aw_error *err);

    /* ---- The link ---- */

    const struct aw_transport *sim; /* its sim: link, or NULL; the session is the context */
    /* Makes the simulated device, by aw_sim_option and aw_sim_number; *device is NULL if there is
     * no memory. Where it is made so, .sim's open is aw_sim_begin, and the command sim is
     * aw_run_sim (shell/commands/serve.h). And one line about what it has seen, at its end; NULL:
     * none. */
    enum aw_status (*simulate)(const struct aw_sim *sim, struct aw_device **device,
                               struct aw_error *err);
    void (*simulated)(struct aw_session *session, struct aw_device *device);
    const char *const *links; /* schemes that make sense for it, the likely ones first, for the
                                 first page of help; NULL: all */
    const char *link; /* to take if none is named, where there is but one: "udp:"; or NULL */
    /* Once for each link of the session, when it is open: the conversation begins. */
    void (*connect)(struct aw_session *session, struct aw_link *link);
    /* Once for each of them, before it is closed: what the conversation holds is kept or freed. */
    void (*disconnect)(struct aw_session *session);
    /* Before replay, which writes on the link by itself, and record: opens the link (unless
     * --dry-run needs none) and makes the session ready for receive and replay.allow. NULL: the
     * link is opened, and that is all. */
    enum aw_status (*prepare)(struct aw_session *session);
    /* The device's next message, for the commands that only look on. Opens the link on first use
     * and does what keeps the messages coming: asks a device that speaks only when it is asked (at
     * most as often as --rate says), answers one that waits for answers, connects anew. Returns
     * AW_OK, AW_TIMEOUT at the deadline, AW_STOPPED, AW_LOST, or why it cannot go on. NULL: the
     * link is read, and that is all. */
    enum aw_status (*receive)(struct aw_session *session, int64_t deadline,
                              struct aw_received *received);
    bool asks; /* receive asks the device: it says nothing by itself */
    /* Of a recording: the time of the simulation in s, if this message tells it, else NaN; over a
     * link receive says it. NULL: the device has no time of its own. */
    double (*model_time)(const struct aw_record *record);
    /* Takes in what has come, without waiting: while a line is waited for, so that nothing old is
     * read afterwards. AW_OK, AW_STOPPED, AW_LOST. NULL: the device says nothing by itself. */
    enum aw_status (*poll)(struct aw_session *session);
    /* Between two commands at the prompt: keeps up a conversation that must not stand still, until
     * fd can be read. AW_OK, or AW_STOPPED. NULL: fd is waited for, and that is all. */
    enum aw_status (*idle)(struct aw_session *session, int fd);

    /* ---- The stop ---- */

    /* Makes the device safe after a motion was interrupted: the bytes go out at once, then their
     * confirmation is looked for, for a short time. AW_OK: confirmed; it says by aw_stop_did what
     * it did. Else session->err says what is not confirmed, and the caller reports it: AW_TIMEOUT,
     * AW_STOPPED (a second signal: not waited for), AW_LOST … */
    enum aw_status (*stop)(struct aw_session *session);
    /* What goes on, where something does (aw_session_goes_on): "lknee stays enabled", written to
     * out. NULL: "what was set going goes on". */
    void (*goes_on)(struct aw_session *session, char *out, size_t size);
    /* The messages that stop what moves now, each to add: the same without waiting and receiving,
     * and without changing anything. Called whenever something has been sent, so it may be the
     * middle of another message. Sent when the tool crashes, stop_again times more. No message
     * (NULL) is a pause of stop_gap_ms; what is behind the first one is sent once, at the end. */
    void (*last_stop)(struct aw_session *session, aw_frame_fn *add, void *context);
    unsigned stop_again, stop_gap_ms;

    struct aw_ping_hooks ping;

    /* ---- Joints ---- */

    const struct aw_joints *joints; /* see joints.h; NULL: nothing has any */
    const struct aw_teleop_preset
        *maps; /* of teleop, {0}-terminated, or NULL; the usual one first */

    /* Puts a packet of a file, encoded, into the conversation, where the link has one that it must
     * fit: the link is open. NULL: it is written on it. */
    enum aw_status (*put)(struct aw_session *session, struct aw_span packet);
    bool from_file; /* they are those of packet files, see custom_joints.h: what else the tool has
                       that moves something is not there then */
    /* Sends a packet of a file, and waits for what answers it: *answer, whose codec stays NULL
     * where that has no values. The link is open. NULL: nothing answers, it is written. */
    enum aw_status (*exchange)(struct aw_session *session, const struct aw_record *packet,
                               struct aw_record *answer);

    /* ---- Messages ---- */

    const struct aw_bench_hooks *bench; /* experiments with its joints; NULL: none can be made */
    const struct aw_bench_hooks *own_bench; /* the same with those of packet files */
    /* Sends a packet of --packets, or shows it with --dry-run, and shows what comes back. NULL:
     * nothing does, it is written. */
    enum aw_status (*send)(struct aw_session *session, struct aw_record *packet);
    struct aw_subject_hooks subject;
    struct aw_name_hooks names;
    struct aw_ordered ordered;
    struct aw_replay_hooks replay;
    struct aw_share_hooks share;
    /* Sees each decoded message of watch, plot, record, decode and info, to say once what is odd
     * about all of them. */
    void (*notice)(struct aw_session *session, const struct aw_record *record);
    /* A few words about the link for the foot of the table of watch ("bus 12.3 %, lknee tor"),
     * written to out; NULL: nothing to say. */
    const char *(*remark)(struct aw_session *session, char *out, size_t size);
};

/* Finds a command of the tool or a common one. */
const struct aw_command *aw_find_command(const struct aw_tool *tool, const char *name);

/* Calls visit for each command, the tool's own first. */
void aw_each_command(const struct aw_tool *tool, void (*visit)(const struct aw_command *, void *),
                     void *context);

/* Is it the command that stops? It is refused for nothing that it can do without. */
bool aw_command_stops(const struct aw_command *command);

#endif
