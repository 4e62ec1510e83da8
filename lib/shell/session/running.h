/* Finds simulators of the tool on this machine, at the path that its command sim uses. */
#ifndef AW_SHELL_SESSION_RUNNING_H
#define AW_SHELL_SESSION_RUNNING_H

#include "shell/session/session.h"

/* Returns true if a simulator is running, and writes its URL for -l to out. */
bool aw_running_sim(const struct aw_session *session, char *out, size_t size);

#endif
