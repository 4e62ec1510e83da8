/* Simulators of the tool that run on this machine, in the place that its command sim has. */
#ifndef AW_SHELL_CORE_RUNNING_H
#define AW_SHELL_CORE_RUNNING_H

#include "shell/core/session.h"

/* Does one? Then its link, as -l takes it, is in out. */
bool aw_running_sim(const struct aw_session *session, char *out, size_t size);

#endif
