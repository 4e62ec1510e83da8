/* The commands status, limits, move, jog and home, and a single motion of joints for them and for a
 * tool's commands that compute their own targets.
 *
 *     status = aw_joints_begin(session, &list);
 *     … goals …
 *     struct aw_joint_command command = {.kind = AW_JOINT_TARGETS, .goals = goals, .n = n,
 *                                        .seconds = NAN, .show_ns = AW_NO_TIME};
 *     status = aw_move_joints(session, &list, &command);
 */
#ifndef AW_SHELL_JOINTS_VERBS_H
#define AW_SHELL_JOINTS_VERBS_H

#include "shell/joints/joints.h"

#define AW_WAIT_OPTION                                                                             \
    {                                                                                              \
        .name = "wait", AW_AT_ALL(move.wait), .value = "DISTANCE", .bare_value = "near",           \
        .help = "wait until each joint is this close to its target, such as 2deg (default: its "   \
                "tolerance)"                                                                       \
    }

/* Checks, announces and sends the motion. Waits for its end if --wait is given or the host steers
 * it. Then prints the tool's report or the default result. With --dry-run, prints its bytes. The
 * link must be open. */
enum aw_status aw_move_joints(struct aw_session *session, struct aw_joint_list *list,
                              const struct aw_joint_command *command);

/* For reports: returns the outcome, "arrived", "sent", "confirmed", "stopped" or "not-reached".
 * aw_move_add_ms adds the time since the command began to the result. */
const char *aw_move_result(const struct aw_session *session, enum aw_status status, bool awaited);
void aw_move_add_ms(struct aw_session *session);

aw_run_fn aw_run_move, aw_run_jog, aw_run_home;

extern const struct aw_command aw_custom_move_command, aw_move_command, aw_custom_home_command,
    aw_custom_jog_command, aw_jog_command, aw_stop_command;

aw_run_fn aw_run_status, aw_run_limits;

/* Shows the limits of one joint, or (NULL) of all. */
enum aw_status aw_limits_show(struct aw_session *session, const char *text);

extern const struct aw_command aw_status_command, aw_limits_command;

#endif
