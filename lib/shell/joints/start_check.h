/* The start check: a stream of targets never begins with a jump. The check compares the first
 * target of each joint with its measured position. It refuses a target that is too far, or
 * approaches it first.
 *
 *     status = aw_start_check(session, &list, goals, n);   after a read of the joints
 *     if (status == AW_OK)
 *         status = aw_start_approach(session, &list, goals, n);
 *
 * The max distance is --max-jump, else the joint's travel in 0.2 s at its max speed. If that speed
 * is unknown it is 2 % of the joint's range; without a range, 0.1 rad (10 deg, 0.1 of any other
 * unit). Positions count as plain numbers without wrapping, so a wrap is a jump.
 *
 * A script of setpoint commands (with .setpoints in their rows) is a stream, too. Each joint's
 * first setpoint is checked, and again after a stop, a gap, a reconnect, --take, or another motion
 * command. A single setpoint to which the device jumps is always checked. move, jog and home are
 * motions and are not checked.
 *
 * After the start, the following-error limit ends a motion, control/lag.h: --max-lag.
 *
 * A joint with unknown position is refused unless --force. --force does not allow a known large
 * distance; --max-jump does.
 */
#ifndef AW_SHELL_JOINTS_START_CHECK_H
#define AW_SHELL_JOINTS_START_CHECK_H

#include "shell/joints/joints.h"

#define AW_START_JOINTS 64 /* max joints of a stream */

/* clang-format off */
#define AW_START_OPTIONS                                                                           \
    {.name = "max-jump", AW_AT_ALL(move.max_jump), .value = "DISTANCE",                            \
     .help = "refuse to start if a joint is farther than this from its first target, such as "     \
         "5deg (exit code 6)"},                                                                    \
    {.name = "approach", AW_AT_ALL(move.approach), .value = "SPEED",                               \
     .help = "move to the first target at this speed, such as 10deg/s, then start"}
#define AW_LAG_OPTION                                                                              \
    {.name = "max-lag", AW_AT_ALL(move.max_lag), .value = "DISTANCE",                              \
     .help = "stop if a joint lags its target by more than this for 0.3 s"}
/* clang-format on */

/* Returns --max-lag in the joint's unit, else the joint's own limit. AW_USAGE: not a distance. */
enum aw_status aw_joint_read_max_lag(struct aw_session *session, const struct aw_joint *joint,
                                     double *max_lag);

/* Checks the following error of a joint. AW_REFUSED if it exceeded max_lag for AW_LAG_S
 * (control/lag.h); the error suggests a lower value of the option --OPTION. *behind_ns keeps the
 * state between calls; initially 0. */
struct aw_joint_lag {
    double target, max_lag;
    const char *option; /* name of the option to lower: "speed" */
};
enum aw_status aw_joint_check_lag(struct aw_session *session, const struct aw_joint *joint,
                                  const struct aw_joint_lag *lag, int64_t *behind_ns);

/* Returns the max distance of the first target, in the joint's unit; AW_USAGE if --max-jump is not
 * a distance. */
enum aw_status aw_start_max_jump(struct aw_session *session, const struct aw_joint *joint,
                                 double *max_jump);

/* Reads the speed of --approach in the unit of this joint; NaN: not given. AW_USAGE: not a speed.
 * AW_LIMIT: faster than the joint or --max-speed permits, without --force. */
enum aw_status aw_start_read_speed(struct aw_session *session, const struct aw_joint *joint,
                                   double *speed);

/* Runs the start check. AW_OK: all positions are known (or --force is given), and all targets are
 * close enough (or --approach is given). AW_LIMIT: the error names the joint, both positions and
 * the remedy. AW_USAGE: an invalid option. */
enum aw_status aw_start_check(struct aw_session *session, const struct aw_joint_list *list,
                              const struct aw_joint_goal *goals, size_t n);

/* For --loop: sets *is_far if the last and first target of a file are farther apart than the max
 * jump. AW_LIMIT if they are and --approach is not given. */
enum aw_status aw_start_check_loop(struct aw_session *session, const struct aw_joint *joint,
                                   double last, double first, bool *is_far);

/* Keeps only the goals beyond the max jump, for aw_start_approach, and returns their number. */
size_t aw_start_select_far(struct aw_session *session, const struct aw_joint_list *list,
                           struct aw_joint_goal *goals, size_t n);

/* Returns true if the device itself moves to the target within the joint's max speed, so the target
 * is not a jump. seconds: duration of the motion; 0 or NaN: a jump. */
bool aw_start_is_motion(const struct aw_joint *joint, double target, double seconds);

/* For a single setpoint, before it is sent. If it starts a stream in a script, reads the joints and
 * checks the setpoint; with --approach moves there. */
enum aw_status aw_start_check_streamed(struct aw_session *session, struct aw_joint_list *list,
                                       const struct aw_joint_command *command);

/* Like aw_start_check_streamed, also outside scripts, for setpoints to which the device jumps. */
enum aw_status aw_start_check_single(struct aw_session *session, struct aw_joint_list *list,
                                     const struct aw_joint_command *command);

/* If a motion would exceed the joint's max speed by this factor, its duration is probably in the
 * wrong unit: s or ms. */
#define AW_WRONG_UNIT 100

/* Reads the argument duration in s; NaN: not given. AW_USAGE: a short duration without a unit,
 * which may be meant in seconds. */
enum aw_status aw_read_duration(struct aw_session *session, const struct aw_args *args,
                                double *seconds);

/* Returns the seconds that a joint needs for this distance at its max speed. peak_ratio: peak speed
 * divided by mean speed; pi/2 for a sinusoidal motion. */
double aw_min_duration(const struct aw_joint *joint, double distance, double peak_ratio);

/* Returns AW_LIMIT, unless --force, if the joint would exceed its max speed in these seconds. Short
 * durations count as the period of a stream, so scripts may send small steps with duration 0. With
 * duration 0, a step within --max-jump passes. */
enum aw_status aw_check_duration(struct aw_session *session, const struct aw_joint *joint,
                                 double distance, double peak_ratio, double seconds);

/* Moves the joints to these targets at --approach, and waits for arrival. Without --approach takes
 * 0.5 s, or longer so as not to exceed 30 % of the max speed. AW_REFUSED: a fault, --max-lag
 * exceeded, or no arrival. AW_TIMEOUT: 0.5 s without reports. On failure the caller stops the
 * joints. */
enum aw_status aw_start_approach(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_goal *goals, size_t n);

#endif
