/* The commands status and limits, for tools with a struct aw_joints. */
#ifndef AW_SHELL_JOINTS_STATUS_H
#define AW_SHELL_JOINTS_STATUS_H

#include "shell/joints/joints.h"

aw_run_fn aw_run_status, aw_run_limits;

/* Shows the limits of one joint, or (NULL) of all. */
enum aw_status aw_limits_show(struct aw_session *session, const char *text);

extern const struct aw_command aw_status_command, aw_limits_command;

#endif
