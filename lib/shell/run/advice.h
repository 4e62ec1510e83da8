/* Suggests the next command on a terminal after a successful command. Internal to the shell. */
#ifndef AW_SHELL_RUN_ADVICE_H
#define AW_SHELL_RUN_ADVICE_H

#include "shell/session/session.h"

/* Prints one line on stderr, "next: hidmotor plot run.csv draws it": either the command's .next, or
 * how to plot the samples or recording that it wrote. Prints at most one line per session. Prints
 * nothing with --quiet, -j, --csv or --format, in scripts, without a terminal on stdout and stderr,
 * or if the file is missing or empty. */
void aw_advise(struct aw_session *session, const struct aw_args *args);

#endif
