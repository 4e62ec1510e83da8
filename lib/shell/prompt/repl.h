/* The prompt, on GNU readline. */
#ifndef AW_SHELL_PROMPT_REPL_H
#define AW_SHELL_PROMPT_REPL_H

#include "shell/session/session.h"

/* Runs until Ctrl-D, "quit" or the loss of the terminal. A failed command does not end it. */
enum aw_status aw_repl(struct aw_session *session);

#endif
