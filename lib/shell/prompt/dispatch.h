/* Runs commands from their words. */
#ifndef AW_SHELL_PROMPT_DISPATCH_H
#define AW_SHELL_PROMPT_DISPATCH_H

#include "shell/core/session.h"

/* Runs one command. The status it returns has been printed already. where: "FILE:LINE" that it
 * stands in; NULL: the command line, the prompt. */
enum aw_status aw_dispatch(struct aw_session *session, struct aw_words *words, const char *where);

#endif
