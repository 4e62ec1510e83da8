/* A question before something that cannot be undone, and single keys. */
#ifndef AW_SHELL_CORE_ASK_H
#define AW_SHELL_CORE_ASK_H

#include <termios.h>

#include "shell/core/session.h"

/* Yes by --yes, or by a person at a terminal who types y. Without a terminal, and with --no-input,
 * the answer is no. Shows what was printed so far first. */
bool aw_session_agrees(struct aw_session *session, const char *question);

/* From now on the terminal gives each key as it comes, and shows none; Ctrl-C stays a signal.
 * before is for tcsetattr(3) at the end. False: standard input is no terminal that does so. */
bool aw_terminal_keys(struct termios *before);

#endif
