/* What to type next, said on a terminal after a command that did what it should. Internal to the
 * shell. */
#ifndef AW_SHELL_CORE_ADVICE_H
#define AW_SHELL_CORE_ADVICE_H

#include "shell/core/session.h"

/* One line on stderr, "next: hidmotor plot run.csv  draws it", as the command's .next has it; of
 * any other command that wrote samples or a recording, how they are drawn. Nothing with --quiet,
 * where stdout or stderr is no terminal, in scripts, with -j, --csv and --format, where the file
 * that it is about is none or is empty, and after the first time in a session. */
void aw_advise(struct aw_session *session, const struct aw_args *args);

#endif
