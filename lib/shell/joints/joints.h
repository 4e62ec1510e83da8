/* The joints of a tool, for the commands that all tools share: status, limits, jog, move, home,
 * play, experiments, teleop and follow. These commands use joints only, never messages. A tool
 * fills a struct aw_joints and stores it in its struct aw_tool.
 *
 *     struct aw_joint_list list = {0};
 *     struct aw_joint_goal goal = {.value = 30};
 *     struct aw_joint_command command = {.kind = AW_JOINT_TARGETS, .goals = &goal, .n = 1,
 *                                        .seconds = NAN, .show_ns = AW_NO_TIME};
 *     status = aw_joints_begin(session, &list);              opens the link, lists the joints
 *     status = aw_joints_find(session, &list, "elbow", &goal.joint);
 *     status = aw_joints_command(session, &list, &command);  checked, announced, sent
 *     status = aw_joints_await(session, &list, &command, 3, deadline);
 *     status = aw_joints_end(session, &list, status);
 *     aw_joints_free(&list);
 *
 * Joint numbers start at 0 in the order of the list and stay valid while the list lives. Targets
 * and measurements are in the joint's own unit, which its entry in the list names. Unknown values
 * are NaN, here and in every state. The time of a value that never arrived is AW_NO_TIME.
 *
 * How the tools fit. All tools take single commands (move, jog, home) and streams of them; armctl's
 * streams are steps, each confirmed before the next.
 *
 * hidmotor   m1 m2 m3 take targets in deg (the board interpolates over command.seconds) and
 *            velocities in deg/s. One packet has all three; joints that are not named keep their
 *            setpoint, or stop. The published firmware's servos do not move by velocities: stream
 *            targets there. The gripper takes targets and reports nothing (blind). attend polls
 *            positions; read also gets velocities and efforts (255: full).
 * canpid     A board is a joint. Its unit is that of its controller: of -c, else of the one seen
 *            on the bus. If neither is known, the unit is "%" and the joint takes no targets. So
 *            a list is valid for one -c. Effort is the driver's output in %. Each board gets one
 *            frame per pace period; command skips a stream's goal that is too early. end disables
 *            the driven boards, confirmed by telemetry.
 * armctl     The profile's joints, by name, with kind (deg, a position, a pulse). Digits outside
 *            the profile are listed as undescribed joints once confirmed. The arm reports
 *            nothing: actual is the last confirmed value and its time. A command of several
 *            joints is one conversation each, in turn; command returns after the last
 *            confirmation, so await returns at once. Goals of a stream are rounded, and skipped
 *            if already confirmed. R-theta-H is three joints by their roles: the command arm.
 * unitysim   Six joints in deg (ticks are extra). The simulator takes velocities only: streams of
 *            targets are steered (see there); a single target has its own await, by ticks.
 *            Velocities hold until the next command, or until end stops all.
 * ezphys     An axis is a joint: "hip.axis2", in rad or m. Only the simulation knows the axes: the
 *            list is empty before begin. Targets are steered, by motors with a max torque. All
 *            times are those of the simulation, one exchange a step: see now.
 *
 * Steering. If a device takes velocities and reports positions, this layer reaches targets by
 * velocities, for all tools and commands (control/steer.h). It answers each report of a joint with
 * the velocity of its path, corrected by the following error. The tool's command then gets
 * velocities only. Steering ends before any other end of the motion.
 *
 * Time. Deadlines and times of arrival use the session's clock. aw_joints_now returns the device's
 * own time if it has one (ezphys), and timed actions follow it. Otherwise it returns the session's
 * clock.
 */
#ifndef AW_SHELL_JOINTS_JOINTS_H
#define AW_SHELL_JOINTS_JOINTS_H

#include "control/motion.h"
#include "shell/session/session.h"

#define AW_JOINT_NAME   64
#define AW_JOINT_LABEL  13 /* min width of labels, columns */
#define AW_JOINT_LIMITS 8
#define AW_JOINT_ABOVE  SIZE_MAX /* for the hook print_extra: above the table's header */

/* The values of a joint. */
enum aw_joint_value {
    AW_JOINT_TARGET,
    AW_JOINT_ACTUAL,
    AW_JOINT_VELOCITY,
    AW_JOINT_EFFORT,
    AW_JOINT_EXTRA_1, /* two more values, named by the tool's columns */
    AW_JOINT_EXTRA_2,
    AW_JOINT_VALUES
};

struct aw_joint_state {
    double value[AW_JOINT_VALUES];
    int64_t time_ns[AW_JOINT_VALUES]; /* time of arrival; AW_NO_TIME: never received */
    const char *fault;                /* fault that the device reports, not copied; NULL: none */
    bool has_fault;                   /* the fault is current: stop driving the joint */
};

/* The kinds of commands that a joint accepts. */
#define AW_JOINT_TAKES_TARGETS    1u
#define AW_JOINT_TAKES_VELOCITIES 2u

struct aw_joint {
    char name[AW_JOINT_NAME];  /* name in results: "m3", "lknee", "hip.axis2" */
    char alias[AW_JOINT_NAME]; /* alternative name that commands accept: "elbow"; or "" */
    char label[AW_JOINT_NAME]; /* display name if it differs: "m3 elbow"; or "" */
    /* controller of its targets if the joint has several: "pos"; or NULL */
    const char *mode;
    /* unit of each value; the same for ACTUAL and TARGET; NULL: none */
    const char *unit[AW_JOINT_VALUES];
    int decimals; /* decimals of targets in text style */
    struct {
        double min, max; /* limits of targets; infinite: none. The caller handles --force */
        /* max speed, in the targets' unit per second; INFINITY: unknown. Targets that need a higher
         * speed cause a warning; higher velocities are refused */
        double max_speed;
    } limits;
    /* in the targets' unit */
    struct {
        double tolerance;     /* arrival tolerance */
        double min_motion;    /* smallest detectable motion, above noise and encoder resolution */
        double max_deviation; /* max deviation from the expected position; INFINITY: no limit */
    } tolerance;
    double home_target; /* target of home; NaN: none */
    double full_effort; /* full-scale effort, in the unit of EFFORT; NaN: unknown */
    struct {
        unsigned accepts; /* AW_JOINT_TAKES_… */
        bool can_wrap;    /* an angle in rad that wraps after a turn */
        bool is_blind;    /* no measurements: status skips it */
        bool excluded;    /* not selected (-b): status skips it */
        bool undescribed; /* has no description: limits shows one row for all such joints */
    } flags;
    uint32_t id; /* number used by the tool */
    struct {
        double steer_target, steer_rate; /* steering target and its velocity; NaN: not steered */
        double max_steer_speed;          /* max steering speed; NaN: max_speed */
    } steer;
    struct aw_joint_state state;
};

/* An extra column of status, record and sample files, after the standard columns. */
struct aw_joint_column {
    enum aw_joint_value value;
    const char *key; /* "velocity", "output"; NULL ends the list */
    int decimals;    /* decimals in text; -1: those of the joint */
};

struct aw_joint_list {
    size_t n, room;
    struct aw_joint *joints;
    const struct aw_joint_column *columns; /* initially the tool's columns */
    bool is_frozen; /* callers hold joint numbers, so read must not rebuild the list */
};

/* A limit of a joint's commands, and its source. A joint may have several. */
struct aw_joint_limit {
    const char *quantity; /* limited quantity: "angle", "velocity", "setpoint pos" */
    double min, max;      /* infinite or NaN: no limit */
    const char *unit;     /* "" for none */
    /* "table" (of the protocol), "config", "device" (reported or built in), "none", or a file name
     * */
    char source[160];
    bool is_firm; /* --force does not override it */
};

/* ---- Commands ---- */

enum aw_joint_kind { AW_JOINT_TARGETS, AW_JOINT_VELOCITIES };

struct aw_joint_goal {
    size_t joint;
    double value; /* in the joint's unit: a target or a velocity */
};

/* A command for several joints. Joints that are not named keep their targets, or stop if the device
 * takes velocities. */
struct aw_joint_command {
    enum aw_joint_kind kind;
    const struct aw_joint_goal *goals;
    size_t n;
    /* TARGETS: duration if the device accepts one, or the sample interval of a path. 0: jump. NaN:
     * the tool's default */
    double seconds;
    /* part of a stream: not announced, and fails only after several consecutive lost answers */
    bool is_stream;
    int64_t show_ns; /* time shown by --dry-run; AW_NO_TIME: none */
};

/* Called after each report of a joint; list->joints[…].state is up to date. Returns false to end
 * the wait. */
typedef bool aw_joints_report_fn(void *context, const struct aw_joint_list *list);

/* Context that the hooks attend and await pass to the callback of their protocol client. */
struct aw_joints_watch {
    struct aw_session *session;
    struct aw_joint_list *list;
    aw_joints_report_fn *on_report;
    void *context;
    bool ended; /* on_report has ended the wait */
};

/* ---- Hooks of a tool for its joints ------------------------------------------------------------
 * Hooks may be NULL; help hides commands that need a missing hook. All return AW_OK, or set
 * session->err. They maintain session->motion like every command: they call aw_session_start_motion
 * before the first byte of a motion.
 */
struct aw_joints {
    /* The columns after target and actual; key NULL ends the list. */
    const struct aw_joint_column *columns;

    /* properties of the device */
    struct {
        /* default rate of a stream; for devices that confirm, the rate of steps */
        double rate_hz;
        double max_hz;     /* max useful rate, Hz */
        bool interpolates; /* the device itself interpolates to a target within command.seconds */
        /* the device reports which joints it has: the list is empty before open */
        bool reports_joints;
        /* a single command returns when the motion is complete, without a separate wait */
        bool confirms;
        /* the device holds its target after a single command, so end applies to other commands
         * only */
        bool holds_target;
        /* record FILE.csv writes a table of joints instead of messages */
        bool records_table;
        double default_s;             /* default duration for a target, s; 0: unknown */
        double jog_key_s;             /* how long a jog key moves the joint, s; 0: the default */
        enum aw_joint_value jog_base; /* the value that jog adds to, if known: TARGET or ACTUAL */
        /* read returns AW_OK even if some joints were silent; these keep their old values */
        bool allows_silent;
    } traits;
    /* names, limits and reports of the joints */
    struct {
        /* converts the message fields "NAME.position" to this unit of the joints: value * scale +
         * offset. unit NULL: no conversion */
        struct {
            const char *unit;
            double scale, offset;
        } position_field;

        /* Adds the joints with aw_joints_add. Works without a device, unless reports_joints is
         * set. */
        enum aw_status (*list)(struct aw_session *session, struct aw_joint_list *list);

        /* Writes the limits of one joint and returns their number. The limit of its targets, if
         * any, comes first. */
        size_t (*list_limits)(struct aw_session *session, const struct aw_joint *joint,
                              struct aw_joint_limit limits[AW_JOINT_LIMITS]);

        /* Fills in the joint that text names by its number: a listed joint, which has the same id,
         * or a joint without a description. text NULL: fills in the common limits of all joints
         * without a description, with an empty name. Returns false if there is no such joint. NULL:
         * joints have only a name and an alias. */
        bool (*find_other)(struct aw_session *session, const char *text, struct aw_joint *joint);

        /* Waits at most --timeout for reports of all joints and stores them in
         * list->joints[…].state. See allows_silent. */
        enum aw_status (*read)(struct aw_session *session, struct aw_joint_list *list);

        /* Prints extra lines of status above the row of this joint, above all rows (AW_JOINT_ABOVE)
         * or below the last one (list->n). In text style prints lines; in other styles adds values
         * to the result. An error below the last row makes the command fail after all rows are
         * printed. */
        enum aw_status (*print_extra)(struct aw_session *session, struct aw_joint_list *list,
                                      size_t joint);
    } info;
    /* names other than joints that the pairs of move accept: "velocity"; or NULL */
    const char *const *extra_names;

    /* steps of a motion command */
    struct {
        /* Opens the link with this command's options and starts the conversation. With --dry-run it
         * only prepares what encoding needs. */
        enum aw_status (*open)(struct aw_session *session);

        /* Stores the other arguments of move, jog and home, in the command or in the tool's state.
         * NULL: no other arguments. */
        enum aw_status (*parse_args)(struct aw_session *session, const struct aw_args *args,
                                     struct aw_joint_command *command);

        /* Reports the end of a single command: what continues, and the result. command NULL: adds
         * tool-specific fields to the result of play. NULL: nothing continues, and the default
         * result is printed unless command set one. */
        void (*report)(struct aw_session *session, struct aw_joint_list *list,
                       const struct aw_joint_command *command, enum aw_status status, bool awaited);

        /* Checks a command beyond the ranges, without sending anything. */
        enum aw_status (*check)(struct aw_session *session, struct aw_joint_list *list,
                                const struct aw_joint_command *command);

        /* Sends a command, or with --dry-run shows its records and bytes (aw_dry_run_depends if
         * only the device knows them). Unless the command is part of a stream, waits for the
         * confirmation if the device sends one. */
        enum aw_status (*command)(struct aw_session *session, struct aw_joint_list *list,
                                  const struct aw_joint_command *command);

        /* Communicates until the deadline and stores the reports; calls on_report (or NULL) after
         * each report of a joint. Polls a device that only answers, rate_hz times a second (0:
         * default, INFINITY: as fast as it answers). Returns AW_OK at the deadline or when
         * on_report returns false, otherwise AW_STOPPED or AW_LOST, or AW_TIMEOUT if the device was
         * silent for too long. */
        enum aw_status (*attend)(struct aw_session *session, struct aw_joint_list *list,
                                 int64_t deadline, double rate_hz, aw_joints_report_fn *on_report,
                                 void *context);

        /* Waits until the joints of the last command are within tolerance of their targets (NaN:
         * each joint's own tolerance), or until on_report returns false (AW_OK). AW_REFUSED if they
         * rest elsewhere, or AW_TIMEOUT, with the joint and its distance in session->err. NULL:
         * attend waits instead; steered joints move at their max speed or at --speed. */
        enum aw_status (*await)(struct aw_session *session, struct aw_joint_list *list,
                                const struct aw_joint_command *command, double tolerance,
                                int64_t deadline, aw_joints_report_fn *on_report, void *context);

        /* Ends the motion of a command that finished with this status: disables enabled drivers,
         * zeroes persistent velocities, and waits for confirmation. Returns status and its error if
         * it failed, otherwise the hook's own status. The tool's stop, not this hook, ends an
         * interrupted command (AW_STOPPED). NULL: the device holds its last target; after a
         * failure the motion counts as unfinished, and the caller sends a stop. The tool's stop
         * ends steering. */
        enum aw_status (*end)(struct aw_session *session, struct aw_joint_list *list,
                              enum aw_status status);

        /* Returns the device's own time, ns from an arbitrary start. NULL: the session's clock. */
        int64_t (*now)(struct aw_session *session);
    } run;

    /* Parses a target, or a distance for jog, in the tool's own notation ("open", "50tick"). NULL:
     * a number in the unit of the joint. */
    enum aw_status (*parse)(struct aw_session *session, const struct aw_joint *joint, bool jogs,
                            const char *text, double *value);
};

/* ---- For commands ---- */

/* Opens the link and lists the joints. The caller frees the list with aw_joints_free, also on
 * failure. */
enum aw_status aw_joints_begin(struct aw_session *session, struct aw_joint_list *list);

/* Lists the joints without opening the link. */
enum aw_status aw_joints_list(struct aw_session *session, struct aw_joint_list *list);
void aw_joints_free(struct aw_joint_list *list);

/* Finds a joint's number by name or alias, and adds joints that the hook find_other knows.
 * AW_USAGE: not found; the error suggests a name and lists those available. */
enum aw_status aw_joints_find(struct aw_session *session, struct aw_joint_list *list,
                              const char *text, size_t *joint);

/* Finds a listed joint's number; list->n if not found. */
size_t aw_joints_find_index(const struct aw_joint_list *list, const char *text);

/* Parses a target ("30", "0.5rad") or a velocity in the joint's unit; kind selects which. */
enum aw_status aw_joints_parse_value(struct aw_session *session, const struct aw_joint *joint,
                                     enum aw_joint_kind kind, const char *text, double *value);

/* Checks a command against the ranges in list (unless --force) and the tool's own rules. AW_LIMIT:
 * out of range. AW_USAGE: the joint does not accept the command, or the value is not finite. */
enum aw_status aw_joints_check(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_joint_command *command);

/* Reads the joints with the tool's hook. With --dry-run no link is open, so the command ends here
 * with AW_STOPPED. */
enum aw_status aw_joints_read(struct aw_session *session, struct aw_joint_list *list);

/* Reads the joints before a motion: sets targets and positions without a new report to NaN. */
enum aw_status aw_joints_read_new(struct aw_session *session, struct aw_joint_list *list);

/* Each function calls the hook of the same name, or performs its default if the hook is NULL.
 * aw_joints_command first checks the command; aw_joints_send_unchecked sends it without a check.
 * aw_joints_await shows the progress of the motion, see aw_session_show_progress. It stops a joint
 * that moves away from its target: AW_REFUSED. */
enum aw_status aw_joints_send_unchecked(struct aw_session *session, struct aw_joint_list *list,
                                        const struct aw_joint_command *command);
enum aw_status aw_joints_command(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_command *command);
enum aw_status aw_joints_attend(struct aw_session *session, struct aw_joint_list *list,
                                int64_t deadline, double rate_hz, aw_joints_report_fn *on_report,
                                void *context);
enum aw_status aw_joints_await(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_joint_command *command, double tolerance,
                               int64_t deadline);
enum aw_status aw_joints_end(struct aw_session *session, struct aw_joint_list *list,
                             enum aw_status status);
int64_t aw_joints_now(struct aw_session *session);

/* Returns the duration of a motion to the command's targets, s: that of the command, else the
 * tool's default, else for steered joints that at their max speed. NaN: unknown. */
double aw_joints_duration_s(const struct aw_session *session, const struct aw_joint_list *list,
                            const struct aw_joint_command *command);

/* Like aw_joints_attend, until this time of aw_joints_now. */
enum aw_status aw_joints_attend_until(struct aw_session *session, struct aw_joint_list *list,
                                      int64_t at_ns, aw_joints_report_fn *on_report, void *context);

/* Returns the name that users prefer: "elbow" rather than "m3", "base" rather than "1". */
const char *aw_joint_display_name(const struct aw_joint *joint);

/* Returns the velocity to send after a steered joint reported its position; 0: not steered. */
double aw_joint_steer_velocity(const struct aw_session *session, const struct aw_joint *joint);

/* Ends steering until the next command sets new targets. aw_joints_end also does this. */
void aw_joints_end_steering(struct aw_joint_list *list);

/* Returns the position of a joint. For a joint that wraps, picks the turn closest to reference;
 * NaN: as measured. Pass the target as reference only while the joint moves: a new motion must not
 * take the shorter way round. */
double aw_joint_position(const struct aw_joint *joint, double reference);

/* Returns the signed distance from the position to the target, for steering, arrivals and following
 * errors. Start checks compare the unwrapped numbers instead (start_check.h). */
double aw_joint_distance(const struct aw_joint *joint, double target);

/* Returns the age of the actual value in s; NaN: never received. */
double aw_joint_age(const struct aw_session *session, const struct aw_joint *joint);

/* Sets up a motion monitor (control/motion.h) with the joint's min_motion and this max_deviation
 * (NaN: the joint's own). aw_joint_sample returns a sample of its current state; target NaN:
 * without a target. */
void aw_joint_start_monitor(struct aw_session *session, const struct aw_joint *joint,
                            double max_deviation, struct aw_motion *monitor);
struct aw_motion_sample aw_joint_sample(struct aw_session *session, const struct aw_joint *joint,
                                        double target);

/* ---- For tools ---- */

/* Appends a joint with unknown state and without limits; name is copied. NULL: out of memory, in
 * session->err. */
struct aw_joint *aw_joints_add(struct aw_session *session, struct aw_joint_list *list,
                               const char *name);

/* Returns a joint with unknown state and without limits. */
struct aw_joint aw_joint_make(const char *name);

/* Stores a value that arrived at this time of the session's clock; NaN: it is unknown. */
void aw_joint_set_value(struct aw_joint *joint, enum aw_joint_value kind, double value,
                        int64_t time_ns);

/* Values for .complete of an argument. Offer the names of all joints except blind and excluded
 * ones; the pairs variant appends "=". */
aw_complete_fn aw_joints_complete, aw_joints_complete_pairs;

#endif
