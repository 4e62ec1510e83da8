/* Runs commands from their tokens. */
#ifndef AW_SHELL_RUN_DISPATCH_H
#define AW_SHELL_RUN_DISPATCH_H

#include "shell/session/session.h"

/* Runs one command and prints its error. where: "FILE:LINE" in a script; NULL: the command line or
 * the prompt. */
enum aw_status aw_dispatch(struct aw_session *session, struct aw_words *words, const char *where);

#endif
