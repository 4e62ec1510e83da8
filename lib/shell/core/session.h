/* What a running tool has: options, output, wire, link, and the last result. Commands get it as
 * their first argument and go through it for everything they do.
 */
#ifndef AW_SHELL_CORE_SESSION_H
#define AW_SHELL_CORE_SESSION_H

#include <signal.h>
#include <stddef.h>
#include <stdio.h>

#include "control/gain_list.h"
#include "shell/core/object.h"
#include "shell/core/options.h"
#include "shell/core/output.h"
#include "shell/core/tool.h"
#include "shell/core/wanted.h"
#include "shell/input/words.h"
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

/* Activities that continue after a command has returned. */
enum aw_ongoing {
    AW_ONGOING_NOTHING,
    AW_ONGOING_ENDING,  /* a motion that ends by itself */
    AW_ONGOING_RUNNING, /* something that goes on until the next command */
};

/* What may ask to stop, see stop.h: descriptors, and all of them behind one. */
struct aw_stop {
    int all, signals, asked;
    sigset_t caught;  /* those that ask to stop, once they are */
    int parent;       /* -1: not watched */
    bool with_parent; /* it is watched */
    int signal;       /* the one that asked to stop, or 0 */
    char did[160];    /* what the device's stop has done, until that is reported; or "" */
};

/* Has the stop made anew that is ready for a crash: of what is on its way without a word of the
 * device the place changes. */
struct aw_renewal {
    struct aw_aside aside; /* while something goes on that ends by itself */
    struct aw_session *session;
    bool on;
};

/* Says how far the running command is, by aw_session_work. */
typedef void aw_work_fn(struct aw_session *session, const void *context);

/* The line that says so. */
struct aw_work {
    struct aw_aside aside; /* while the command waits: has tell called */
    struct aw_session *session;
    aw_work_fn *tell; /* or NULL */
    const void *context;
    int64_t next_ns; /* real time of the next line; AW_NEVER: none is shown */
    bool shown;      /* one stands on the terminal */
};

/* What the running command prints records and rows with. */
struct aw_printing {
    struct aw_wire *wire;            /* of the records */
    struct aw_view *view;            /* made on first use */
    const char *const *usual_fields; /* of the command, where there is no --fields */
    bool brief;                      /* records as text without what is formal: watch */
    char field_text[512];            /* --fields, cut up */
    const char *fields[AW_FIELDS_MAX + 1];
    struct aw_wanted wanted;
    bool rows;                   /* it has printed rows */
    struct aw_messages messages; /* that the view's columns are of; none: of all */
    size_t columns;              /* of the row or result whose names it has printed */
};

/* --packets: what the wire's table has beside the tool's. */
struct aw_own {
    struct aw_packets *packets; /* NULL: none */
    char *files;                /* as they were named */
    struct aw_custom_arm *arm;  /* the joints that they describe, see custom_joints.h; NULL: none */
    const struct aw_tool *base; /* the tool without them, if there are any */
};

/* The device's side: the link and what is kept of what comes from it. */
struct aw_session_device {
    struct aw_link *link;     /* made on first use, kept for the session */
    bool gone;                /* one was lost, and there has been none since */
    struct aw_wire *decoding; /* see aw_session_decoding_wire; NULL: not needed yet */
    uint8_t *frame;           /* room for one frame, AW_FRAME_ROOM bytes */
    struct aw_tee *tee;       /* --record; NULL: nothing is recorded */
    struct aw_feeder *ending; /* filters of recordings that are over, see feeder.h */
    struct aw_error tee_lost; /* why it records no more, until that is reported; or AW_OK */
    struct aw_recent *recent; /* what the device said last, see recent.h; NULL: nothing is kept */
    aw_concerns_fn *concerns; /* options restrict the subjects of messages; NULL: all */
    struct aw_own own;
    struct aw_packets *carried; /* of the recording that is read, to display it; NULL: none */
};

/* Both clocks; session->clock is one of them. */
struct aw_session_time {
    struct aw_real_clock real;
    struct aw_virtual_clock virtual; /* for sim:?time=virtual */
};

/* How the program runs. */
struct aw_session_mode {
    bool interactive; /* at the prompt */
    bool one_shot;    /* one command on the command line, nothing follows */
    bool serving;     /* a simulated device: what comes are commands */
    bool quit;        /* the user asked to leave */
    bool idling;      /* it waits for input, and reads the link beside */
    bool advised;     /* a next step has been told, see advice.h */
    unsigned scripts; /* that are being run, one from another */
    /* The prompt's, while a line is being typed: takes it off the screen and puts it there again,
     * around whatever is written. NULL: none is. */
    void (*make_room)(struct aw_session *session, bool begin);
};

/* The command that runs. */
struct aw_session_run {
    const struct aw_command *command; /* or NULL */
    const char *dry_end;              /* it ended because of --dry-run, see dry.h */
    int64_t started;                  /* by the clock */
    struct aw_printing printing;
    struct aw_work work;
    bool reported;       /* its outcome has been printed already (scripts) */
    unsigned unreported; /* lines that standard error did not take */
};

#define AW_STREAMED 64

/* Joints that commands of a script have told where to be, one setpoint after the other: the first
 * of each was compared, see start_guard.h. */
struct aw_streamed {
    size_t n;
    uint32_t id[AW_STREAMED];
    int64_t last_ns[AW_STREAMED];
};

/* What moves, and what stops it. */
struct aw_session_motion {
    struct aw_stop stop;
    bool moving; /* a motion has been sent and not been finished: see aw_session_moves */
    enum aw_ongoing ongoing; /* kept by the commands of the tool */
    int64_t until;           /* by the clock: when AW_ONGOING_ENDING is over */
    struct aw_renewal renewal;
    struct aw_streamed streamed;
    double asked; /* speed of what is played, by another program through a server; NaN: none */
    struct aw_watchdog *watchdog; /* of the command that moves; NULL: none, see watchdog.h */
    struct aw_gain_list kept;     /* others are tried for these, see law.h */
    const char *stopped_by;       /* who or what asked for the stop, if it is no signal; or NULL */
    enum aw_status stopped_as;    /* what comes of the command that it ends */
};

/* Sharing, see share.h. */
struct aw_session_share {
    const struct aw_sharing *sharing; /* NULL: nothing is shared */
    struct aw_attached *attached;     /* to the server that has the device; NULL: none */
    struct aw_server *server;         /* this is one; NULL: not */
    const char *url;                  /* of the device that a server has; NULL: none does */
    bool ended;                       /* another program has ended the command that runs */
    bool patient;                     /* the command that runs waits for another server */
};

struct aw_session {
    const struct aw_tool *tool;
    void *state; /* of the tool */
    struct aw_config *config;
    struct aw_options options;
    struct aw_output out;
    struct aw_object result; /* of the command that runs */
    struct aw_error err;
    struct aw_wire *wire;   /* of the tool's protocol, as the device speaks it */
    struct aw_clock *clock; /* one of time's */
    struct aw_session_time time;
    struct aw_session_device device;
    struct aw_session_mode mode;
    struct aw_session_run run;
    struct aw_session_motion motion;
    struct aw_session_share share;
};

/* A session with its defaults, prints to standard output. NULL: out of memory. */
struct aw_session *aw_session_new(const struct aw_tool *tool);

/* Closes the link, too. */
void aw_session_free(struct aw_session *session);

/* The words of a command bound to its table. */
struct aw_bound {
    const struct aw_arg *arg;
    const char *name; /* of the field, for AW_ARG_PAIRS */
    const char *text;
    size_t turn; /* repetition of the list of arguments, from 0 */
};

#define AW_JOINT_WORDS 16

struct aw_args {
    const struct aw_command *command;
    size_t n, turns;
    struct aw_bound bound[AW_WORDS_MAX + AW_JOINT_WORDS];
    size_t n_joints; /* of words JOINT=VALUE, which are two arguments in one */
    char joints[AW_JOINT_WORDS][48];
};

/* Text of an argument, or NULL if it was not given. */
const char *aw_arg(const struct aw_args *args, const char *name, size_t turn);

/* Reads a number argument in its unit. AW_USAGE: not a number, or a wrong unit. AW_LIMIT: out of
 * range. *value is unchanged if the argument is missing. */
enum aw_status aw_arg_number(struct aw_session *session, const struct aw_args *args,
                             const char *name, double *value);

/* Copies the arguments that name fields into a record of the wire's message. */
enum aw_status aw_args_to_record(struct aw_session *session, const struct aw_args *args,
                                 size_t turn, struct aw_record *record);

/* The text of an option by its name, for lists of names; else read its field. NULL: not set. */
const char *aw_option(const struct aw_session *session, const char *name);

/* session->device.link is open then, by the URL of the options on first use. AW_STOPPED with
 * --dry-run. */
enum aw_status aw_session_link(struct aw_session *session);
void aw_session_unlink(struct aw_session *session);

/* Opens any link: what passes it is printed with --verbose and recorded with --record. The caller
 * closes it. AW_STOPPED with --dry-run. */
enum aw_status aw_session_open(struct aw_session *session, const char *url,
                               const struct aw_link_options *options, struct aw_link **link);

/* Begins the recording of --record, if it is wanted and has not begun; url: of the link. */
enum aw_status aw_session_open_tee(struct aw_session *session, const char *url);

/* Is it through a server that the session has its device? AW_OK, and session->share.attached says
 * so. */
enum aw_status aw_session_find_server(struct aw_session *session);

/* Returns the URL from the options with aliases replaced; AW_NO_LINK with advice without a URL. */
enum aw_status aw_session_url(struct aw_session *session, const char **url);

/* What recordings call the link: "can0" of can:can0, else its scheme. */
void aw_session_interface(struct aw_session *session, char *out, size_t size);

/* For --dry-run: prints the fields and the exact bytes. In CSV and --format the bytes are printed
 * on standard error. */
enum aw_status aw_session_dry_run(struct aw_session *session, const struct aw_record *record,
                                  struct aw_span frame);

/* The view that the options ask for is session->run.printing.view then, its header printed. like:
 * NULL, or as in struct aw_view_options. */
enum aw_status aw_session_view(struct aw_session *session, const struct aw_record *like);

/* A view for records that are written into a file: of what --fields asks for; in CSV times begin at
 * 0 unless --time says otherwise. messages: as in struct aw_view_options. NULL: the error is set.
 */
struct aw_view *aw_session_file_view(struct aw_session *session, struct aw_wire *wire,
                                     enum aw_style style, const struct aw_messages *messages);

/* AW_USAGE for a name of --fields that is no field's of a record. */
enum aw_status aw_session_check_fields(struct aw_session *session);

/* The wire to decode and show with, never to send with: the session's, or one with the packets that
 * the recording carries, with the fields of tool->ordered, with wire numbers for --raw. */
enum aw_status aw_session_decoding_wire(struct aw_session *session, struct aw_wire **wire);

/* session->device.decoding is one with wire numbers then, for the variant that the session's has;
 * the next call makes it anew. */
enum aw_status aw_session_raw_wire(struct aw_session *session);

/* Call before the first message is read: applies options that restrict the subjects (-b lknee).
 * AW_USAGE: unknown name. */
enum aw_status aw_session_narrow(struct aw_session *session);

/* Is a message about one of those? By its frame, or, if that is empty, by the name of its subject.
 */
static inline bool aw_session_concerns(struct aw_session *session, struct aw_span frame,
                                       const char *subject)
{
    return !session->device.concerns || session->device.concerns(session, frame, subject);
}

/* Are there subjects that the wire does not name? */
enum aw_subjects aw_session_subjects(const struct aw_session *session);

/* Returns the subject of a record by the tool's hook, which may use out; "" without one. */
const char *aw_session_subject(struct aw_session *session, const struct aw_record *record,
                               char *out, size_t size);

/* Waits until fd can be read: AW_OK, AW_TIMEOUT at the deadline (of the real clock), AW_STOPPED.
 * What the device says meanwhile is taken in: who comes back to it sees what is, not what was. */
enum aw_status aw_session_wait_input(struct aw_session *session, int fd, int64_t deadline);

/* Prints a record in the style of the options. AW_LOST if the output cannot take it. */
enum aw_status aw_session_show(struct aw_session *session, const struct aw_record *record);

/* An empty record of this message to the device; the wire has it. */
void aw_session_command(const struct aw_session *session, const char *message,
                        struct aw_record *record);

/* Shows a command that is about to be sent (JSON, CSV, --format) and writes it out: a full disk or
 * a closed pipe is noticed before the first byte leaves. Sets its time. */
enum aw_status aw_session_announce(struct aw_session *session, struct aw_record *command);

/* Prints the result so far, if there is one, and starts afresh: for commands that do several things
 * in turn. */
void aw_session_print_result(struct aw_session *session);

/* One row of what a command shows: JSON, CSV, --format, or for people the text, which has its
 * newline. All rows of a command have the same columns; in CSV and --format its result is not
 * printed after them. */
void aw_session_row(struct aw_session *session, const struct aw_object *row, const char *text, ...)
    __attribute__((format(printf, 3, 4)));

/* A row of one column, the text itself for people. */
void aw_session_row_text(struct aw_session *session, const char *key, const char *text);

/* The wire follows the options, which may differ from command to command. AW_USAGE if they name
 * none. */
enum aw_status aw_session_prepare_wire(struct aw_session *session);

/* For an option's check: is there a wire as the options say? */
enum aw_status aw_session_check_wire(struct aw_session *session, const char *text);

/* Is it a message of --packets? One of the session's wire, or of another one of its protocol. */
bool aw_session_is_own(const struct aw_session *session, const struct aw_message *message);

/* A bit for each message that watch and record get. */
struct aw_messages aw_session_spoken(const struct aw_session *session);

/* Recordings carry custom packets as comments, also those of the recording that is read. Writes the
 * next text from *at on and advances *at. Returns false at the end. */
bool aw_session_keep_packets(const struct aw_session *session, size_t *at, char *out, size_t size);

/* Is a comment of a recording such a text, or names of subjects? Others are marks of the user. */
bool aw_session_is_note(const char *comment);

/* For readers of recordings, an aw_pcap_about_fn whose context is the session: takes the names in a
 * section header. */
void aw_session_about(void *session, const char *program, const char *comment, size_t length);

/* The same for a table: writes them as '#' lines at its beginning. */
void aw_session_write_packets(const struct aw_session *session, FILE *file);

/* Reads the packets that the command's recording carries, unless there is --packets. They only
 * display it: session->wire, which decides what is sent and how harmless it is, never has them.
 * AW_MALFORMED; a command that sends goes on without them. */
enum aw_status aw_session_take_packets(struct aw_session *session, const struct aw_args *args);

/* The table of what is read: that of the session's wire, or with the packets of the recording. */
const struct aw_protocol *aw_session_read_protocol(const struct aw_session *session);

/* *wire decodes with the packets that the recording carries; NULL: it carries none. */
enum aw_status aw_session_carried_wire(struct aw_session *session, struct aw_wire **wire);

/* A sum over what --packets says of joints and stops, to know whether two programs have the same;
 * 0: they say nothing of them. */
uint32_t aw_session_packets_sum(const struct aw_session *session);

/* Forgets what --packets has read; the wire is not used any more. */
void aw_session_free_packets(struct aw_session *session);

/* Can this file be read? */
enum aw_status aw_session_check_file(struct aw_session *session, const char *text);

/* An object as a line of text. */
void aw_session_print_line(struct aw_session *session, const struct aw_object *object);

/* The one printer of rows and results for programs: false where text is wanted. head: of a result;
 * NULL: it is a row. */
bool aw_session_print_object(struct aw_session *session, const struct aw_object *object,
                             const struct aw_object_head *head);

/* Reports an error that comes before any command, as aw_dispatch would: session->err. */
enum aw_status aw_session_refuse(struct aw_session *session, enum aw_status status);

/* Writes a line to standard error; control characters in it become '?'. What is written there never
 * holds up a device: while one is open, a reader that takes nothing is waited for a moment, and
 * what it misses is counted and reported later.
 */
void aw_session_report(struct aw_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How far a command is that takes more than a second, in words: on a terminal one line, which is
 * drawn again at most ten times a second and goes away before anything else is said; elsewhere, and
 * with --quiet, nothing. Never waits. "sweep 3 of 10 s, lknee 12.4 deg" */
void aw_session_work(struct aw_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void aw_session_work_begin(struct aw_session *session);
void aw_session_work_hide(struct aw_session *session);
void aw_session_work_end(struct aw_session *session);

/* For a command that waits without returning: calls tell from time to time until the command ends
 * or the next call of this function. tell may be NULL. */
void aw_session_work_while(struct aw_session *session, aw_work_fn *tell, const void *context);

/* Seconds since the command has begun, by its clock. */
double aw_session_seconds(const struct aw_session *session);

/* The same with the text as it is, for escape sequences of our own. */
void aw_session_draw(struct aw_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Creates the file that a command writes to. Reacts to a request to stop: a named pipe waits for
 * its reader only until then, and a reader that reads nothing for a moment ends the file with
 * ETIMEDOUT. what: printed before the path in errors, or NULL. With --dry-run no file is created
 * and the output is discarded. Errors as in aw_file_fail; AW_STOPPED. */
enum aw_status aw_session_create(struct aw_session *session, const char *what, const char *path,
                                 FILE **file);

/* A line for people on stderr, "tool: …"; not with --quiet. */
void aw_session_notice(struct aw_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One where the link is simulated. */
void aw_session_notice_simulator(struct aw_session *session, const char *url);

/* The style that the options ask for. */
enum aw_style aw_session_style(const struct aw_session *session);
bool aw_session_json(const struct aw_session *session);

/* Is it for programs: JSON, CSV or a format of the user's own? */
bool aw_session_formatted(const struct aw_session *session);

/* Is it lines for people, whole: neither JSON nor CSV, no format, no choice of fields? Then a table
 * may stand for a record. */
bool aw_session_text(const struct aw_session *session);

/* When a command ends by itself: --for after now; AW_NEVER without. */
int64_t aw_session_end(const struct aw_session *session);

/* Time of day for records. */
int64_t aw_session_time(const struct aw_session *session);

/* Returns true if a simulator runs in virtual time. */
bool aw_session_virtual(const struct aw_session *session);

/* From here on something moves: before the first byte of it leaves, or as soon as it is known. */
void aw_session_moves(struct aw_session *session);

/* Does anything go on though its command has come back? What ends by itself: not any more when it
 * is over. */
bool aw_session_goes_on(const struct aw_session *session);

/* A command comes back, and what it has set going ends by itself, in about so many seconds: until
 * then it is stopped by whatever stops a motion. */
void aw_session_ends_in(struct aw_session *session, double seconds);

/* AW_USAGE where standard input is not this command's to read: it is the script that the command
 * stands in, or with who asked a server. */
enum aw_status aw_session_own_input(struct aw_session *session);

/* Stops what goes on though its command has come back, if anything does; not with --hold. A stop
 * that is not confirmed has been reported then, and is what this returns. */
enum aw_status aw_session_halt(struct aw_session *session);

/* At the end of a script or of the prompt, which came to it with this status: what goes on is
 * stopped. Not with --hold, and not after a single command, which says by itself what is to go on.
 * Returns the status, or if that is AW_OK what came of the stop. */
enum aw_status aw_session_leave(struct aw_session *session, enum aw_status status);

/* Reports, once, that the recorder was lost: AW_LOST then, in session->err, unless there is a
 * failure already. */
enum aw_status aw_session_take_loss(struct aw_session *session, enum aw_status status);

/* Exit code for a status. */
int aw_exit_code(const struct aw_session *session, enum aw_status status);

#endif
