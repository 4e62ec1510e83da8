/* Confirmation questions before irreversible actions, and single-key input. */
#ifndef AW_SHELL_SAFETY_ASK_H
#define AW_SHELL_SAFETY_ASK_H

#include <termios.h>

#include "shell/session/session.h"

/* Returns true with --yes, or if the user's answer begins with y. Returns false without a terminal
 * and with --no-input. Prints the pending result and flushes the output before the question. */
bool aw_session_confirm(struct aw_session *session, const char *question);

/* Switches the terminal to single keys without echo; Ctrl-C stays a signal. Stores the old settings
 * in old_settings, for tcsetattr(3). Returns false if standard input is not a suitable terminal. */
bool aw_terminal_read_keys(struct termios *old_settings);

#endif
