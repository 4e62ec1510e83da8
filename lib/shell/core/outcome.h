/* The end of a command. Internal to the shell. */
#ifndef AW_SHELL_CORE_OUTCOME_H
#define AW_SHELL_CORE_OUTCOME_H

#include "shell/core/session.h"

/* Stops the motion of a command that failed or was interrupted. Returns the resulting status, with
 * session->err set.
 */
enum aw_status aw_outcome_safe(struct aw_session *session, enum aw_status status);

/* Prints its result or its error. */
void aw_outcome_print(struct aw_session *session, enum aw_status status);

/* Prints session->err, for people. */
void aw_outcome_error(struct aw_session *session);

#endif
