/* A question before something that cannot be undone. */
#ifndef AW_SHELL_CORE_ASK_H
#define AW_SHELL_CORE_ASK_H

#include "shell/core/session.h"

/* Yes by --yes, or by a person at a terminal who types y. Without a terminal, and with --no-input,
 * the answer is no. Shows what was printed so far first. */
bool aw_session_agrees(struct aw_session *session, const char *question);

#endif
