/* The state of a running tool: options, output, wire, link, and the last result. Every command gets
 * it as its first argument. */
#ifndef AW_SHELL_SESSION_SESSION_H
#define AW_SHELL_SESSION_SESSION_H

#include <signal.h>
#include <stddef.h>
#include <stdio.h>

#include "control/gain_list.h"
#include "shell/session/object.h"
#include "shell/session/output.h"
#include "shell/session/wanted.h"
#include "shell/words/options.h"
#include "shell/words/tool.h"
#include "shell/words/words.h"
#include "view/text/view.h"

#define AW_FIELDS_MAX 32
#define AW_FRAME_ROOM 65536

struct aw_attached;
struct aw_config;
struct aw_watchdog;
struct aw_custom_arm;
struct aw_packets;
struct aw_recent;
struct aw_server;
struct aw_sharing;
struct aw_tee;

/* An activity that continues after its command has returned. */
enum aw_ongoing {
    AW_ONGOING_NOTHING,
    AW_ONGOING_ENDING,  /* a motion that ends by itself */
    AW_ONGOING_RUNNING, /* an activity that lasts until the next command */
};

/* Sources of a request to stop, see stop.h. One descriptor covers all of them. */
struct aw_stop {
    int all_fd, signal_fd, request_fd;
    sigset_t caught;     /* signals that request a stop */
    int parent_fd;       /* pidfd of the parent; -1: not watched */
    bool watches_parent; /* the parent is watched */
    int signal;          /* signal that requested the stop, or 0 */
    char effect[160];    /* result of the device's stop that was not reported yet, or "" */
};

/* Refreshes the prepared crash stop; the hold position changes during an unreported motion. */
struct aw_renewal {
    struct aw_background background; /* active during a motion that ends by itself */
    struct aw_session *session;
    bool is_on;
};

/* Reports the progress of a running command with aw_session_show_progress. */
typedef void aw_progress_fn(struct aw_session *session, const void *context);

/* The progress line. */
struct aw_progress_line {
    struct aw_background background; /* calls report while the command waits */
    struct aw_session *session;
    aw_progress_fn *report; /* reports progress; or NULL */
    const void *context;
    int64_t next_ns; /* due time of the next line, real clock; AW_NEVER: no line is shown */
    bool shown;      /* a line is on the terminal */
};

/* How the running command prints records and rows. */
struct aw_printing {
    struct aw_wire *wire;              /* wire of the printed records */
    struct aw_view *view;              /* created on first use */
    const char *const *default_fields; /* the command's default for --fields */
    bool is_brief;                     /* shortens records in text style, for watch */
    char field_text[512];              /* --fields, split in place */
    const char *fields[AW_FIELDS_MAX + 1];
    struct aw_wanted wanted;
    bool printed_rows; /* the command has printed rows */
    /* messages whose fields are the view's columns; empty: all messages */
    struct aw_messages messages;
    size_t n_columns; /* columns of the last printed header */
};

/* Custom packets (--packets), which extend the tool's messages in the wire's table. */
struct aw_session_custom {
    struct aw_packets *packets;      /* NULL: none */
    char *files;                     /* file names as the user gave them */
    struct aw_custom_arm *arm;       /* custom joints, see custom_joints.h; NULL: none */
    const struct aw_tool *base_tool; /* the tool without custom joints; valid if arm is set */
};

/* The device's side: the link, and input stored from it. */
struct aw_session_device {
    struct aw_link *link;     /* opened on first use, then kept for the session */
    bool was_lost;            /* the last link was lost and has not been reopened */
    struct aw_wire *decoding; /* see aw_session_get_decoding_wire; NULL: not needed yet */
    uint8_t *frame;           /* space for one frame, AW_FRAME_ROOM bytes */
    struct aw_tee *tee;       /* recording of --record; NULL: none */
    /* filters of finished recordings that are still running, see feeder.h */
    struct aw_feeder *ending_feeders;
    /* why the recorder or the watchdog failed, if not reported yet; else AW_OK */
    struct aw_error tee_error;
    struct aw_recent *recent; /* latest frames from the device, see recent.h; NULL: not stored */
    aw_selects_fn *selects;   /* selects messages by their subject; NULL: all messages */
    struct aw_session_custom custom;
    /* custom packets in the recording being read, for display; NULL: none */
    struct aw_packets *carried;
};

/* Both clocks; session->clock is one of them. */
struct aw_session_time {
    struct aw_real_clock real;
    struct aw_virtual_clock virtual; /* for sim:?time=virtual */
};

/* How the program runs. */
struct aw_session_mode {
    bool interactive; /* at the prompt */
    bool one_shot;    /* a single command on the command line */
    bool serving;     /* a simulated device; input consists of commands */
    bool quit;        /* the user asked to leave the program */
    bool idling;      /* the session waits for input and reads the link meanwhile */
    unsigned scripts; /* nesting depth of scripts */
    /* Set by the prompt while the user types a line. Removes that line from the screen before other
     * output (begin) and redraws it afterwards. NULL: no line is being typed. */
    void (*clear_typed)(struct aw_session *session, bool begin);
};

/* The running command. */
struct aw_session_run {
    const struct aw_command *command; /* its row; or NULL */
    const char *dry_run_reason;       /* why --dry-run ended the command, see safety.h */
    int64_t started_ns;               /* start time by session->clock, ns */
    struct aw_printing printing;
    struct aw_progress_line progress;
    /* why a packet file of this line could not be read; stored, because a pipe is read only once */
    struct aw_error packet_error;
    /* the last command created from a message, owned; or NULL */
    struct aw_message_command *message_command;
    bool reported;          /* the outcome has already been printed (scripts) */
    unsigned dropped_lines; /* lines that standard error did not accept */
};

#define AW_STREAMED 64

/* Joints that a script drives with a stream of setpoints. Only the first setpoint of each joint is
 * checked against its position, see start_check.h. */
struct aw_streamed {
    size_t n;
    uint32_t id[AW_STREAMED];     /* see struct aw_joint */
    int64_t last_ns[AW_STREAMED]; /* time of the joint's last setpoint, session clock */
};

/* The motion in progress, and how to stop it. */
struct aw_session_motion {
    struct aw_stop stop;
    bool moving;             /* a motion was sent and has not ended, see aw_session_start_motion */
    enum aw_ongoing ongoing; /* set by the tool's commands */
    /* the continuing activity: "lknee stays enabled"; "": "the motion continues" */
    char activity[128];
    int64_t end_ns; /* end time of AW_ONGOING_ENDING by session->clock, ns */
    struct aw_renewal renewal;
    struct aw_streamed streamed;
    double requested_speed;        /* playback speed that another client requested; NaN: none */
    struct aw_watchdog *watchdog;  /* watchdog of the moving command, see watchdog.h; NULL: none */
    struct aw_gain_list old_gains; /* old gains to restore after a trial, see controller.h */
    const char *stop_cause;        /* source of the stop if it is not a signal; or NULL */
    enum aw_status stop_status;    /* status of the command that the stop ends */
};

/* Sharing, see share.h. */
struct aw_session_share {
    const struct aw_sharing *sharing; /* NULL: no sharing */
    struct aw_attached *attached;     /* connection to the server of the device; NULL: none */
    struct aw_server *server;         /* set if this session is a server; else NULL */
    const char *url;                  /* URL of that server's device; NULL: no server */
    bool was_ended;                   /* another client ended the running command */
    bool waits_for_server;            /* the running command waits for another server */
};

struct aw_session {
    const struct aw_tool *tool;
    void *state; /* owned by the tool */
    struct aw_config *config;
    struct aw_options options;
    struct aw_output out;
    struct aw_object result; /* result of the running command */
    struct aw_error err;
    struct aw_wire *wire;   /* the tool's protocol in the device's variant */
    struct aw_clock *clock; /* points to one of the clocks in time */
    struct aw_session_time time;
    struct aw_session_device device;
    struct aw_session_mode mode;
    struct aw_session_run run;
    struct aw_session_motion motion;
    struct aw_session_share share;
};

/* Defines the function name(session), which returns the tool's state, a struct name. */
#define AW_STATE(name)                                                                             \
    static inline struct name *name(const struct aw_session *session)                              \
    {                                                                                              \
        return session->state;                                                                     \
    }

/* An argument of a command, bound to its row. */
struct aw_bound {
    const struct aw_arg *arg;
    const char *name; /* name of the field, for AW_ARG_PAIRS */
    const char *text;
    size_t repetition; /* index of the repetition of the argument list */
};

#define AW_JOINT_ARGS_MAX 16

struct aw_args {
    const struct aw_command *command;
    size_t n, n_repeats; /* number of bound arguments, and of repetitions of the argument list */
    struct aw_bound bound[AW_TOKENS_MAX + AW_JOINT_ARGS_MAX];
    size_t n_joints; /* number of JOINT=VALUE arguments, each of which binds two arguments */
    char joints[AW_JOINT_ARGS_MAX][48];
};

/* Finds a command of the tool, or creates one that sends a message with an .example; it is valid
 * until the next call. NULL: not found. */
const struct aw_command *aw_session_find_command(struct aw_session *session, const char *name);

/* Calls visit for each command, then for each message that acts as a command. */
void aw_session_each_command(struct aw_session *session,
                             void (*visit)(const struct aw_command *, void *), void *context);

/* Returns the text of an argument, or NULL if it was not given. */
const char *aw_arg(const struct aw_args *args, const char *name, size_t repetition);

/* Reads a number argument in its unit. AW_USAGE: not a number, or the wrong unit. AW_LIMIT: out of
 * range. *value is unchanged if the argument is missing. */
enum aw_status aw_arg_number(struct aw_session *session, const struct aw_args *args,
                             const char *name, double *value);

/* Copies the arguments named after fields into a record of the wire's message. */
enum aw_status aw_args_to_record(struct aw_session *session, const struct aw_args *args,
                                 size_t repetition, struct aw_record *record);

/* Returns an option's value as text, for lists of names. Other code reads the member of the options
 * struct. NULL: not set. */
const char *aw_option(const struct aw_session *session, const char *name);

/* Returns the URL of the device: of the attached server, from the options, or the tool's default;
 * aliases are resolved. AW_NO_LINK: no URL is given; the error advises how to give one. AW_USAGE:
 * an unknown alias. */
enum aw_status aw_session_get_url(struct aw_session *session, const char **url);

/* Finds a simulator of the tool on this machine, at the path that its command sim uses. Writes its
 * URL for -l to out; false: none is running. */
bool aw_find_running_sim(const struct aw_session *session, char *out, size_t size);

/* Writes the link's name in recordings: "can0" for can:can0, else its scheme. */
void aw_session_link_name(struct aw_session *session, char *out, size_t size);

/* Creates session->run.printing.view from the options and prints its header. sample: as in
 * struct aw_view_options, or NULL. */
enum aw_status aw_session_open_view(struct aw_session *session, const struct aw_record *sample);

/* Creates a view for writing records to a file, with the fields of --fields. CSV times start at 0
 * unless --time says otherwise. messages: as in struct aw_view_options. The caller frees the view.
 * Returns NULL and sets session->err on failure. */
struct aw_view *aw_session_make_file_view(struct aw_session *session, struct aw_wire *wire,
                                          enum aw_style style, const struct aw_messages *messages);

/* Returns AW_USAGE if a name in --fields is not a field of any record. */
enum aw_status aw_session_check_fields(struct aw_session *session);

/* Returns the wire for decoding and display; it must not be used for sending. It is the session's
 * wire, unless the recording carries packets, the tool has ordered fields, or --raw is given: then
 * records are printed with that wire, in a new view. */
enum aw_status aw_session_get_decoding_wire(struct aw_session *session, struct aw_wire **wire);

/* Sets session->device.decoding to a wire with raw numbers, for the session's variant. The next
 * call replaces it. */
enum aw_status aw_session_make_raw_wire(struct aw_session *session);

/* Applies options that select subjects (-b lknee). Call before the first message is read. AW_USAGE:
 * unknown name. */
enum aw_status aw_session_select_subjects(struct aw_session *session);

/* Returns true if the message is about a selected subject. Decides by the frame, or by the
 * subject's name if the frame is empty.
 */
static inline bool aw_session_is_selected(struct aw_session *session, struct aw_span frame,
                                          const char *subject)
{
    return !session->device.selects || session->device.selects(session, frame, subject);
}

/* Returns which subject names are accepted besides those in the wire table. */
enum aw_subjects aw_session_subjects(const struct aw_session *session);

/* Returns the subject of a record by the tool's hook, which may use out; "" without one. */
const char *aw_session_subject(struct aw_session *session, const struct aw_record *record,
                               char *out, size_t size);

/* Waits until fd is readable: AW_OK, AW_TIMEOUT at the deadline (real clock), AW_STOPPED. Keeps
 * reading the device while waiting, so callers never see stale data. */
enum aw_status aw_session_wait_input(struct aw_session *session, int fd, int64_t deadline);

/* Prints a record in the style of the options. AW_LOST if the output fails. */
enum aw_status aw_session_show_record(struct aw_session *session, const struct aw_record *record);

/* Initialises an empty record of this message for sending. The wire must have the message. */
void aw_session_init_command(const struct aw_session *session, const char *message,
                             struct aw_record *record);

/* Sets the command's time, prints the command (JSON, CSV, --format) and flushes the output. So a
 * full disk or a closed pipe fails before the first byte is sent. */
enum aw_status aw_session_announce(struct aw_session *session, struct aw_record *command);

/* Prints one row of a command's output as JSON, CSV or --format; in text style prints the text,
 * which ends with a newline. All rows of a command have the same columns. With CSV and --format no
 * result follows the rows. */
void aw_session_print_row(struct aw_session *session, const struct aw_object *row, const char *text,
                          ...) __attribute__((format(printf, 3, 4)));

/* Prints a row with one column; in text style only the text. */
void aw_session_print_row_text(struct aw_session *session, const char *key, const char *text);

/* Updates the wire from the options, which may differ between commands. AW_USAGE if they name no
 * valid wire. */
enum aw_status aw_session_prepare_wire(struct aw_session *session);

/* Checks the value of an option: AW_OK if that wire exists. */
enum aw_status aw_session_check_wire(struct aw_session *session, const char *text);

/* For tools whose devices have several variants: copies the variant that text, the value of the
 * option, names; AW_USAGE with the available names. text NULL: leaves *variant unchanged. */
enum aw_status aw_find_variant(struct aw_session *session, const char *option, const char *text,
                               struct aw_variant *variant, struct aw_error *err);

/* Completes the names of all variants. */
aw_complete_fn aw_complete_variants;

/* Returns true for a message of --packets, in the session's wire or another wire of its
 * protocol. */
bool aw_session_is_custom(const struct aw_session *session, const struct aw_message *message);

/* Returns the set of messages that watch and record receive. */
struct aw_messages aw_session_watched_messages(const struct aw_session *session);

/* Returns the next comment with custom packets for a recording, starting at *at, and advances *at;
 * includes packets of the recording being read. Returns false at the end. */
bool aw_session_write_packets(const struct aw_session *session, size_t *at, char *out, size_t size);

/* Returns true if a recording's comment holds packets or subject names, not a user's mark. */
bool aw_session_is_note(const char *comment);

/* Implements aw_pcap_comment_fn for readers of recordings: stores the names in a section header.
 * The context is the session. */
void aw_session_read_section(void *session, const char *program, const char *comment,
                             size_t length);

/* Reads the packets that the command's recording carries, unless --packets or --dbc is given. They
 * are only for display: session->wire, which checks commands, never has them. AW_MALFORMED: they
 * are invalid, and the command only reads; other commands continue without them. */
enum aw_status aw_session_read_packets(struct aw_session *session, const struct aw_args *args);

/* Sets *wire to a wire with the recording's packets; NULL: the recording carries none. */
enum aw_status aw_session_get_carried_wire(struct aw_session *session, struct aw_wire **wire);

/* Returns a checksum of the packet files, to compare two programs; 0: the files have no joints. */
uint32_t aw_session_packets_checksum(const struct aw_session *session);

/* Frees the custom packets. The caller must not use the wire afterwards. */
void aw_session_free_packets(struct aw_session *session);

/* Checks the value of an option: AW_OK if the file is readable. */
enum aw_status aw_session_check_file(struct aw_session *session, const char *text);

/* Prints an object as a line of text. */
void aw_session_print_line(struct aw_session *session, const struct aw_object *object);

/* Prints a row or result as JSON, CSV or --format. Returns false in text style. head: of a result;
 * NULL: a row. */
bool aw_session_print_object(struct aw_session *session, const struct aw_object *object,
                             const struct aw_object_head *head);

/* Writes a line to standard error; control characters in it become '?'. Never delays a device:
 * while a link is open, it waits only briefly for a blocked reader. Lost lines are counted and
 * reported later.
 */
void aw_session_report(struct aw_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Shows the progress of a command that takes more than a second: "sweep 3 of 10 s, lknee 12.4 deg".
 * The terminal shows one line, redrawn at most ten times a second and removed before other output.
 * Prints nothing with --quiet or without a terminal. Never waits. */
void aw_session_show_progress(struct aw_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void aw_session_begin_progress(struct aw_session *session);
void aw_session_hide_progress(struct aw_session *session);
void aw_session_end_progress(struct aw_session *session);

/* Shows the progress of reading a file since start_ns, by the real clock: "run.pcapng 40 %, 3 s
 * left". total 0: unknown. Cheap: most calls only read the clock. */
void aw_session_show_share(struct aw_session *session, const char *name, int64_t start_ns,
                           uint64_t done, uint64_t total);

/* For a command that waits without returning: calls callback periodically, until the command ends
 * or this function is called again. callback may be NULL. */
void aw_session_repeat_progress(struct aw_session *session, aw_progress_fn *callback,
                                const void *context);

/* Returns the seconds since the command began, by its clock. */
double aw_session_seconds(const struct aw_session *session);

/* Writes to standard error unchanged, for the tool's own escape sequences. */
void aw_session_draw(struct aw_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Creates the output file of a command. A request to stop ends the wait for the reader of a named
 * pipe. If a reader stays blocked, writing fails with ETIMEDOUT. prefix: printed before the path
 * in errors, or NULL. With --dry-run no file is created and the output is discarded. Errors as in
 * aw_file_fail, and AW_STOPPED on a request to stop. */
enum aw_status aw_session_create_file(struct aw_session *session, const char *prefix,
                                      const char *path, FILE **file);

/* Prints "tool: …" on stderr, unless --quiet is given. */
void aw_session_print_notice(struct aw_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints a notice if the link is simulated. */
void aw_session_mention_simulator(struct aw_session *session, const char *url);

/* Returns the output style from the options. */
enum aw_style aw_session_style(const struct aw_session *session);
bool aw_session_is_json(const struct aw_session *session);

/* Returns true for JSON, CSV and --format. */
bool aw_session_is_formatted(const struct aw_session *session);

/* Returns true for text style without --fields, where a table may replace records. */
bool aw_session_is_text(const struct aw_session *session);

/* Returns the time on session->clock at which --for ends a command that starts now; AW_NEVER
 * without --for. */
int64_t aw_session_end_time(const struct aw_session *session);

/* Returns the timestamp for a record, ns since 1970. In virtual time: ns of the virtual clock. */
int64_t aw_session_time(const struct aw_session *session);

/* Returns true if a simulator runs in virtual time. */
bool aw_session_is_virtual(const struct aw_session *session);

/* Returns true if an activity continues after its command returned. A motion that ends by itself
 * counts until its end time. */
bool aw_session_has_ongoing(const struct aw_session *session);

/* For a command that returns before its motion ends. The motion ends in about this many seconds;
 * until then, any stop also stops this motion. */
void aw_session_set_end(struct aw_session *session, double seconds);

/* Returns AW_USAGE if the command must not read standard input, because the session reads its
 * commands from there. */
enum aw_status aw_session_check_input(struct aw_session *session);

/* Returns the exit code for a status. */
int aw_session_exit_code(const struct aw_session *session, enum aw_status status);

#endif
