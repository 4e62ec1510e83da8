/* The joints of a tool, for the commands that are the same in all of them: status, limits, jog,
 * move, home, play, experiments, teleop and follow know joints from here, and messages not
 * at all. A tool fills a struct aw_joints and puts it into its struct aw_tool.
 *
 *     struct aw_joint_list list = {0};
 *     struct aw_joint_goal goal = {.value = 30};
 *     struct aw_joint_command command = {.what = AW_JOINT_TARGETS, .goals = &goal, .n = 1,
 *                                        .seconds = NAN, .show_ns = AW_NO_TIME};
 *     status = aw_joints_begin(session, &list);              the conversation, and who there is
 *     status = aw_joints_find(session, &list, "elbow", &goal.joint);
 *     status = aw_joints_command(session, &list, &command);  checked, announced, sent
 *     status = aw_joints_await(session, &list, &command, 3, deadline, &arrival);
 *     status = aw_joints_end(session, &list, status);
 *     aw_joints_free(&list);
 *
 * Joints have numbers, which count from 0 in the order of the list and stay while the list lives.
 * Targets and measurements are in the joint's own unit, which its entry in the list names. Unknown
 * values are NaN, here and in every state; a time that never was is AW_NO_TIME.
 *
 * How the tools fit. Single commands (move, jog, home) and streams of them all take; armctl's
 * streams are steps, each confirmed before the next.
 *
 * hidmotor   m1 m2 m3 take targets in deg (interpolated by the board in command.seconds) and
 *            velocities in deg/s, all of them in one packet: those that are not named keep their
 *            setpoint, or stand. (The published firmware takes velocities, and its servos do not
 *            move by them: who wants one there streams targets.) The gripper takes targets and
 *            tells nothing (blind). attend asks for positions; velocities and efforts (255: full)
 *            come with read.
 * canpid     A board is a joint. Its unit is that of its controller: of -c, else of the one that
 *            was seen on the bus; "%" where neither is known, and then it takes no targets. So a
 *            list is of one -c. Effort is the driver's output in %. One frame a board, and not
 *            sooner than its pace: command leaves out a stream's goal that is too early, because
 *            the next one is newer. end disables what was driven, confirmed by telemetry.
 * armctl     The profile's joints, by name, with kind (deg, a position, a pulse); digits that have
 *            no profile are listed once something was confirmed of them, as others. The arm
 *            tells nothing: actual is what it confirmed last, its time is when. A command of
 *            several joints is one conversation each, one after the other; command comes back
 *            when the last is confirmed, so that await has nothing left to wait for. Of a stream
 *            goals are rounded, and left out where the joint has confirmed that place. R-theta-H is
 *            three joints by their roles: the command arm.
 * unitysim   Six joints in deg (ticks are extra). The simulator takes velocities only: streams of
 *            targets are steered (see there), a single one has an await of its own, by ticks.
 *            Velocities hold until the next command, or until end stops all.
 * ezphys     An axis is a joint: "hip.axis2", in rad or m. Only the simulation knows them: list
 *            has none before begin. Targets are steered, by motors with a greatest torque, and all
 *            times are those of the simulation, one exchange a step: see now.
 *
 * Steering. Where a device takes velocities and tells where its joints are, targets are reached by
 * velocities, here and for all tools and commands (control/steer.h): each news of a joint is
 * answered with the velocity of its path, and more where it is behind. The tool's command gets
 * velocities only then. Whatever ends the motion lets go of them first.
 *
 * Time. Deadlines and times of arrival are by the session's clock. Where the device has a time of
 * its own (ezphys), aw_joints_now is that, and what is to happen at a time happens by it; else it
 * is the session's clock, too.
 */
#ifndef AW_SHELL_CORE_JOINTS_H
#define AW_SHELL_CORE_JOINTS_H

#include "control/motion.h"
#include "shell/core/session.h"

struct aw_law;

#define AW_JOINT_NAME   64
#define AW_JOINT_LABEL  13 /* columns that labels take at least */
#define AW_JOINT_LIMITS 8
#define AW_JOINT_ABOVE  SIZE_MAX /* of the hook beside: above the head of the table */

/* What is known of a joint. */
enum aw_joint_value {
    AW_JOINT_TARGET,
    AW_JOINT_ACTUAL,
    AW_JOINT_VELOCITY,
    AW_JOINT_EFFORT,
    AW_JOINT_EXTRA, /* two more, which the tool's columns name */
    AW_JOINT_MORE,
    AW_JOINT_VALUES
};

struct aw_joint_state {
    double value[AW_JOINT_VALUES];
    int64_t time_ns[AW_JOINT_VALUES]; /* of arrival; AW_NO_TIME: it never came */
    const char *fault; /* what the device says is wrong with it, not copied; NULL: nothing */
    bool fails;        /* the fault is current: stop driving the joint */
};

/* What a joint takes. */
#define AW_JOINT_TAKES_TARGETS    1u
#define AW_JOINT_TAKES_VELOCITIES 2u

struct aw_joint {
    char name[AW_JOINT_NAME];  /* as results call it: "m3", "lknee", "hip.axis2" */
    char alias[AW_JOINT_NAME]; /* another name that commands take: "elbow"; or "" */
    char label[AW_JOINT_NAME]; /* for people, where that is another text: "m3 elbow"; or "" */
    const char *mode;          /* what takes its targets, where there are several: "pos"; or NULL */
    const char *unit[AW_JOINT_VALUES]; /* ACTUAL's is TARGET's; NULL: it has none */
    int decimals;                      /* of targets, for people */
    double min, max;  /* of targets, in force; infinite: none. --force is the caller's affair */
    double speed;     /* max speed; INFINITY: unknown. Warns of targets that need a higher one;
                         refuses velocities above it */
    double near;      /* so close to a target it has arrived */
    double least;     /* motion that is one: above noise and the encoder's steps */
    double far;       /* so far from where it is expected it has gone wrong; INFINITY: any way */
    double home;      /* where home brings it; NaN: nowhere */
    double full;      /* effort that is all there is; NaN: not known */
    unsigned takes;   /* AW_JOINT_TAKES_… */
    bool wraps;       /* rad: an angle that begins anew after a turn */
    bool blind;       /* nothing is measured of it: status leaves it out */
    bool left_out;    /* the command is about others (-b): status leaves it out, too */
    bool other;       /* nothing describes it: limits has one row for all of these */
    uint32_t id;      /* the tool's own number of it */
    double aim, rate; /* of joints that are steered: where to, and how fast that moves; NaN: not */
    double most;      /* no faster is it steered; NaN: than speed */
    struct aw_joint_state now;
};

/* A column behind the usual ones of status, record and files of samples. */
struct aw_joint_column {
    enum aw_joint_value value;
    const char *key; /* "velocity", "output"; NULL ends the list */
    int decimals;    /* for people; -1: those of the joint */
};

struct aw_joint_list {
    size_t n, room;
    struct aw_joint *joints;
    const struct aw_joint_column *columns; /* at first those of the tool */
    int width;                             /* of the labels, where the tool wants more of them */
    bool named; /* numbers of it were given out: read may no longer make another one of it */
};

/* A range of what a joint is sent, and who says so. A joint may have several. */
struct aw_joint_limit {
    const char *of;   /* what is limited: "angle", "velocity", "setpoint pos" */
    double min, max;  /* infinite or NaN: no limit there */
    const char *unit; /* "" for none */
    char from[160];   /* "table" (of the protocol), "config", "device" (told by it, or what it does
                         by itself), "none", the name of a file */
    bool firm;        /* --force does not take it away */
};

/* ---- Commands ---- */

enum aw_joint_what { AW_JOINT_TARGETS, AW_JOINT_VELOCITIES };

struct aw_joint_goal {
    size_t joint;
    double value; /* in the joint's unit: a target or a velocity */
};

/* A command for several joints. Joints that are not named keep their targets, or stop if the device
 * takes velocities. */
struct aw_joint_command {
    enum aw_joint_what what;
    const struct aw_joint_goal *goals;
    size_t n;
    double seconds; /* TARGETS: to be there in, where the device takes such a time; a path of
                       samples has the time between two of them. 0: a jump. NaN: as the tool does */
    bool stream;    /* one of many, the next one follows: it is not announced one by one, and a lost
                       answer is no failure before several were lost in a row */
    int64_t show_ns; /* the time that --dry-run shows it with; AW_NO_TIME: none */
};

/* How a motion ended. */
enum aw_arrival {
    AW_ARRIVED, /* within the tolerance of all targets */
    AW_HELD,    /* it rests elsewhere: a stop, a load, motors that are off */
    AW_LATE,    /* still on its way at the deadline */
};

/* Called after each news of any joint: list->joints[…].now is up to date. False: enough. */
typedef bool aw_joints_look_fn(void *context, const struct aw_joint_list *list);

/* ---- What a tool says of its joints ------------------------------------------------------------
 * A hook that is NULL is not there, and a command that cannot do without it is not in the tool's
 * help. All return AW_OK, or say in session->err why not; session->motion is theirs to keep, as in
 * every command: aw_session_moves before the first byte that moves something.
 */
struct aw_joints {
    /* The columns behind target and actual, the key of NULL last. */
    const struct aw_joint_column *columns;
    double hz;     /* default rate of a stream of commands; of steps if the device confirms */
    double most;   /* Hz: more is of no use */
    bool timed;    /* the device goes to a target in command.seconds by itself */
    bool told;     /* which joints there are is told by the device: list knows none before open */
    bool confirms; /* a single command comes back when it is done: there is nothing to await */
    double steer;  /* targets are steered: so much velocity for each unit that a joint is behind, in
                      1/s (--kp, where the tool has that option); 0: the device takes targets */
    bool stays;    /* after a single command a joint is held where it was told to go: end is for the
                      others */
    /* Converts a field "NAME.position" of messages to the joint's unit. NULL: it has that unit. */
    double (*of_wire)(double value, const char **unit);
    bool tabled;                   /* record FILE.csv is a table of the joints, not of messages */
    double usual_s;                /* default duration of the device for a target; 0: unknown */
    double key_s;                  /* how long a key of jog moves; 0: as long as any */
    enum aw_joint_value jogs_from; /* what jog adds to, where that is known: TARGET or ACTUAL */
    const char *const *words; /* what pairs of move may name beside joints: "velocity"; or NULL */
    const struct aw_law *law; /* by which the device drives them, see law.h; NULL: it tells none */

    /* Opens the link with the options of this command, and what a conversation begins with. With
     * --dry-run: only what making bytes needs. */
    enum aw_status (*open)(struct aw_session *session);

    /* Adds the joints with aw_joints_add. Without the device, unless it is open and they are told.
     */
    enum aw_status (*list)(struct aw_session *session, struct aw_joint_list *list);

    /* Is this joint also called so? NULL: by its name and alias only. */
    bool (*called)(struct aw_session *session, const struct aw_joint *joint, const char *text);

    /* A target, or for jog how far, in words that only the tool knows ("open", "50tick"); NULL: a
     * number in the unit of the joint. */
    enum aw_status (*parse)(struct aw_session *session, const struct aw_joint *joint, bool jogs,
                            const char *text, double *value);

    /* What the arguments of move, jog and home say beside joints and places: into the command, or
     * kept. NULL: nothing. */
    enum aw_status (*take)(struct aw_session *session, const struct aw_args *args,
                           struct aw_joint_command *command);

    /* The end of a single command, with what came of it: what of it goes on, and its result. NULL:
     * nothing goes on, and the result is the usual one, unless command has made one. */
    void (*report)(struct aw_session *session, struct aw_joint_list *list,
                   const struct aw_joint_command *command, enum aw_status status, bool awaited);

    /* Adds to the result of play. May be NULL. */
    void (*played)(struct aw_session *session);

    /* The ranges of one joint, the first of them that of its targets if it takes any; how many. */
    size_t (*limits)(struct aw_session *session, const struct aw_joint *joint,
                     struct aw_joint_limit limits[AW_JOINT_LIMITS]);

    /* Fills in a joint that is not listed, named by a digit or an identifier without a description.
     * text NULL: fills in what may be sent to all of these, with an empty name. Returns false if
     * there is no such joint. */
    bool (*others)(struct aw_session *session, const char *text, struct aw_joint *joint);

    /* News of all joints, waited for no longer than --timeout: into list->joints[…].now. partly:
     * AW_OK, too, when some were silent, and then what is there of them is from before. */
    bool partly;
    enum aw_status (*read)(struct aw_session *session, struct aw_joint_list *list);

    /* In status, what stands above the row of this joint, above all of them (AW_JOINT_ABOVE), or
     * below the last one (list->n): for people lines, for programs values of the result. An error
     * below the last one is that of the command, with all rows before it. */
    enum aw_status (*beside)(struct aw_session *session, struct aw_joint_list *list, size_t joint);

    /* Beyond the ranges: can this be done as it is? Nothing is sent. */
    enum aw_status (*check)(struct aw_session *session, struct aw_joint_list *list,
                            const struct aw_joint_command *command);

    /* Sends it, or with --dry-run shows its records and bytes (aw_dry_depends where only the
     * device could say them). Not a stream: comes back when the device has it, confirmed as far as
     * it confirms. */
    enum aw_status (*command)(struct aw_session *session, struct aw_joint_list *list,
                              const struct aw_joint_command *command);

    /* Communicates until the deadline and stores the reports; calls look (or NULL) after each
     * report of a joint. Asks a device that only answers, hz times a second (0: default, INFINITY:
     * as fast as it answers). AW_OK at the deadline or when look returns false; AW_STOPPED,
     * AW_LOST; AW_TIMEOUT if the device was silent for too long. */
    enum aw_status (*attend)(struct aw_session *session, struct aw_joint_list *list,
                             int64_t deadline, double hz, aw_joints_look_fn *look, void *context);

    /* Until the joints of the last command are within tolerance of their targets (NaN: near of
     * each joint): AW_OK and AW_ARRIVED. AW_REFUSED and AW_HELD, AW_TIMEOUT and AW_LATE, with the
     * joint and how far it is away in session->err. NULL: attend looks until then, and what is
     * steered goes there at the joint's speed, or --speed. */
    enum aw_status (*await)(struct aw_session *session, struct aw_joint_list *list,
                            const struct aw_joint_command *command, double tolerance,
                            int64_t deadline, enum aw_arrival *arrival);

    /* The motion of this command is over, with this status: what must not stay as it is (a driver
     * that is enabled, a velocity that holds) is ended and confirmed. Returns status with its
     * error, or else what went wrong now. What interrupts a command (AW_STOPPED) is ended by the
     * tool's stop, not here. NULL: nothing has to; what is steered is stopped by that stop. */
    enum aw_status (*end)(struct aw_session *session, struct aw_joint_list *list,
                          enum aw_status status);

    /* The device's own time, in ns from any start; NULL: the session's clock. */
    int64_t (*now)(struct aw_session *session);
};

/* ---- For commands ---- */

/* Opens, and lists. The list is freed with aw_joints_free, whatever comes of it. */
enum aw_status aw_joints_begin(struct aw_session *session, struct aw_joint_list *list);

/* Lists without opening anything. */
enum aw_status aw_joints_list(struct aw_session *session, struct aw_joint_list *list);
void aw_joints_free(struct aw_joint_list *list);

/* The number of a joint by name or alias, which is added if it is one of the others; AW_USAGE with
 * a suggestion, and what there is. */
enum aw_status aw_joints_find(struct aw_session *session, struct aw_joint_list *list,
                              const char *text, size_t *joint);

/* The same without an error: list->n if not found. */
size_t aw_joints_number(const struct aw_joint_list *list, const char *text);

/* A target ("30", "0.5rad") or a velocity of a joint in its unit; what: for the error. */
enum aw_status aw_joints_value(struct aw_session *session, const struct aw_joint *joint,
                               enum aw_joint_what what, const char *text, double *value);

/* The ranges in list and, unless --force, what the tool knows beyond them: AW_LIMIT, AW_USAGE for
 * what a joint does not take or that is not finite. */
enum aw_status aw_joints_check(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_joint_command *command);

/* Reads the joints by the tool's hook. With --dry-run no link is open, so a command ends here that
 * did not ask for it before: AW_STOPPED. */
enum aw_status aw_joints_read(struct aw_session *session, struct aw_joint_list *list);

/* read, for what goes on from there: what is from before, nothing says to be anywhere (NaN). */
enum aw_status aw_joints_news(struct aw_session *session, struct aw_joint_list *list);

/* Checks, then the hooks of these names, with what NULL means for each. stream: unchecked. await
 * says how far the motion is, see aw_session_work. */
enum aw_status aw_joints_stream(struct aw_session *session, struct aw_joint_list *list,
                                const struct aw_joint_command *command);
enum aw_status aw_joints_command(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_command *command);
enum aw_status aw_joints_attend(struct aw_session *session, struct aw_joint_list *list,
                                int64_t deadline, double hz, aw_joints_look_fn *look,
                                void *context);
enum aw_status aw_joints_await(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_joint_command *command, double tolerance,
                               int64_t deadline, enum aw_arrival *arrival);
enum aw_status aw_joints_end(struct aw_session *session, struct aw_joint_list *list,
                             enum aw_status status);
int64_t aw_joints_now(struct aw_session *session);

/* Duration in s of a motion that begins now, by aw_joints_now; NaN: unknown. */
double aw_joints_seconds(const struct aw_session *session, const struct aw_joint_list *list,
                         const struct aw_joint_command *command);

/* As attend, until that time of the device: one that goes by its own is not held up. */
enum aw_status aw_joints_until(struct aw_session *session, struct aw_joint_list *list,
                               int64_t at_ns, aw_joints_look_fn *look, void *context);

/* What people call it: "elbow", and not "m3"; "base", and not "1". */
const char *aw_joint_called(const struct aw_joint *joint);

/* Nothing is steered any more: who goes on says anew where to. aw_joints_end does it, too. */
void aw_joints_let_go(struct aw_joint_list *list);

/* Where it is, for one that should be near there: of an angle that begins anew after a turn (wraps)
 * the one of all these turns that is nearest. near NaN: as it is measured. What is on its way is
 * near its aim, and what is not, where its numbers say: there is no shortest way round. */
double aw_joint_at(const struct aw_joint *joint, double near);

/* How far it has to go to this place, on the way on which it is: the one difference that steering,
 * arrivals and following errors know. What is compared before anything moves is not this, but the
 * numbers as they are (start_guard.h). */
double aw_joint_way(const struct aw_joint *joint, double place);

/* How old the actual value is, in s; NaN: it never came. */
double aw_joint_age(const struct aw_session *session, const struct aw_joint *joint);

/* A guard for a joint (control/motion.h) with its own least and far (NaN: far of the joint), and a
 * sample of it as it is now; target NaN: it is only to make an output. */
void aw_joint_guard(struct aw_session *session, const struct aw_joint *joint, double far,
                    struct aw_motion *guard);
struct aw_motion_sample aw_joint_sample(struct aw_session *session, const struct aw_joint *joint,
                                        double target);

/* ---- For tools ---- */

/* One more joint, whose state is not known and which has no limits; its name is printed. NULL: out
 * of memory, session->err says so. */
struct aw_joint *aw_joints_add(struct aw_session *session, struct aw_joint_list *list,
                               const char *name);

/* A joint of this name as aw_joints_add has it. */
struct aw_joint aw_joint_unknown(const char *name);

/* A value that came at this time. */
void aw_joint_set(struct aw_joint *joint, enum aw_joint_value what, double value, int64_t time_ns);

/* For rows of commands: the joints that can be seen, for completion; with targets for pairs. */
aw_complete_fn aw_joints_complete, aw_joints_complete_pairs;

#endif
