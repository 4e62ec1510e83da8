/* The start guard: nothing that streams targets begins with a jump. The first target of each joint
 * is compared with where the joint is measured, and what is farther away is refused, or gone to
 * first.
 *
 *     status = aw_start_guard(session, &list, goals, n);   after a read of the joints
 *     if (status == AW_OK)
 *         status = aw_start_go(session, &list, goals, n);
 *
 * How far is far: --max-jump; else what the joint covers in 0.2 s at its limit of speed; where that
 * is not known, 2 % of its range; where that is not known either, 0.1 rad (10 deg, 0.1 of any other
 * unit). Positions count as they are: there is no shortest way round, so a wrap is a jump.
 *
 * A script is a stream, too, where its commands are setpoints (setpoints, of their rows): the first
 * of each joint is compared, and again after a stop, a gap, a link that was lost and opened anew,
 * --take, or another command that moves. A single setpoint to which the device goes at once is
 * compared as well, however it is given. move, jog and home are motions: where they go is what they
 * are for.
 *
 * Behind the start it is the following error that ends a motion, control/lag.h: --max-lag.
 *
 * A joint that nothing is known of is refused unless --force. What is known to be far stays refused
 * with --force: --max-jump says how far it may be.
 */
#ifndef AW_SHELL_CORE_START_GUARD_H
#define AW_SHELL_CORE_START_GUARD_H

#include "shell/core/joints.h"

#define AW_START_JOINTS 64 /* at most, of a stream */

#define AW_START_OPTIONS                                                                           \
    {.name = "max-jump",                                                                           \
     AW_AT_ALL(move.max_jump),                                                                     \
     .value = "DISTANCE",                                                                          \
     .help = "the largest distance of a joint from its first target: 5deg; more is refused (6)"},  \
    {                                                                                              \
        .name = "approach", AW_AT_ALL(move.approach), .value = "SPEED",                            \
        .help = "go to the first target at this speed before anything else: 10deg/s"               \
    }

#define AW_LAG_OPTION                                                                              \
    {                                                                                              \
        .name = "max-lag", AW_AT_ALL(move.max_lag), .value = "DISTANCE",                           \
        .help = "stop when a joint is farther than this behind its target for 0.3 s: 15deg"        \
    }

/* --max-lag in the unit of this joint, else as far as its list says that it may be; AW_USAGE. */
enum aw_status aw_joint_max_lag(struct aw_session *session, const struct aw_joint *joint,
                                double *max_lag);

/* Has the joint been farther behind its target than most for AW_LAG_S (control/lag.h)? AW_REFUSED
 * says so, and to take a lower --slower. *behind_ns: 0 at the beginning. */
struct aw_joint_lag {
    double target, most;
    const char *slower; /* an option: "speed" */
};
enum aw_status aw_joint_keeps_up(struct aw_session *session, const struct aw_joint *joint,
                                 const struct aw_joint_lag *lag, int64_t *behind_ns);

/* How far the first target of this joint may be away, in its unit; AW_USAGE for a --max-jump that
 * is no distance. */
enum aw_status aw_start_reach(struct aw_session *session, const struct aw_joint *joint,
                              double *reach);

/* Reads the speed of --approach in the unit of this joint; NaN: not given. AW_USAGE. */
enum aw_status aw_start_speed(struct aw_session *session, const struct aw_joint *joint,
                              double *speed);

/* Compares: AW_OK if all are near enough, or --approach is there; AW_LIMIT names the joint, both
 * places and what to do. */
enum aw_status aw_start_guard(struct aw_session *session, const struct aw_joint_list *list,
                              const struct aw_joint_goal *goals, size_t n);

/* For --loop: *far if the last target of a file is farther from the first one than a jump may be.
 * AW_LIMIT if it is far and there is no --approach to go back with. */
enum aw_status aw_start_check_loop(struct aw_session *session, const struct aw_joint *joint,
                                   double last, double first, bool *far);

/* Leaves those that are farther away than that, for aw_start_go, and says how many; what is near
 * stays where it is. */
size_t aw_start_keep_far(struct aw_session *session, const struct aw_joint_list *list,
                         struct aw_joint_goal *goals, size_t n);

/* Returns true if the device itself moves to the target within the joint's max speed, so it is no
 * jump. seconds: duration of the motion; 0 or NaN: a jump. */
bool aw_start_is_motion(const struct aw_joint *joint, double target, double seconds);

/* For a command that is one setpoint, before it is sent: where it comes from a script and begins a
 * stream, the joints are read, and it is compared; with --approach they go there. */
bool aw_start_is_streamed(const struct aw_session *session);
enum aw_status aw_start_streamed(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_command *command);

/* The same however it is given, for setpoints to which a device goes at once. */
enum aw_status aw_start_single(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_joint_command *command);

/* A motion this many times faster than its limit was meant in another unit: s and ms. */
#define AW_WRONG_UNIT 100

/* The argument duration in s; NaN: not given. AW_USAGE for a short one without a unit, which may be
 * meant in seconds. */
enum aw_status aw_duration_read(struct aw_session *session, const struct aw_args *args,
                                double *seconds);

/* The seconds that a joint needs for this distance at its speed. steepest: the fastest moment of
 * the motion, times its mean speed; pi/2 of a sinusoidal one. */
double aw_duration_needed(const struct aw_joint *joint, double away, double steepest);

/* AW_LIMIT, unless --force, if the joint would be faster than its speed in these seconds. A shorter
 * time counts as the period of a stream, so that scripts may send small steps with duration 0; a
 * step that --max-jump permits may be longer. */
enum aw_status aw_duration_check(struct aw_session *session, const struct aw_joint *joint,
                                 double away, double steepest, double seconds);

/* Takes the joints from where they are to these targets, at --approach, or in half a second where
 * they are near, and waits until they are. On the way a fault, 0.5 s without news and --max-lag end
 * it: AW_REFUSED, AW_TIMEOUT; who called stops the joints. */
enum aw_status aw_start_go(struct aw_session *session, struct aw_joint_list *list,
                           const struct aw_joint_goal *goals, size_t n);

#endif
