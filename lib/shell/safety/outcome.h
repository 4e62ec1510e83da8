/* The end of a command. Internal to the shell. */
#ifndef AW_SHELL_SAFETY_OUTCOME_H
#define AW_SHELL_SAFETY_OUTCOME_H

#include "shell/session/session.h"

/* Stops the motion of a command that failed or was interrupted. Returns the resulting status, with
 * session->err set.
 */
enum aw_status aw_outcome_safe(struct aw_session *session, enum aw_status status);

/* Prints its result or its error. */
void aw_outcome_print(struct aw_session *session, enum aw_status status);

/* Prints session->err, for people. */
void aw_outcome_error(struct aw_session *session);

/* Prints the current result, if any, and starts a new one, for commands with several steps. */
void aw_session_print_result(struct aw_session *session);

/* Reports session->err like aw_dispatch, for errors before any command. */
enum aw_status aw_session_refuse(struct aw_session *session, enum aw_status status);

/* Marks the start of a motion. Call it before the first byte is sent, or as soon as the motion is
 * known. */
void aw_session_moves(struct aw_session *session);

/* Stops an activity that continues after its command returned; not with --hold. Reports an
 * unconfirmed stop and returns its status. */
enum aw_status aw_session_halt(struct aw_session *session);

/* Stops continuing activities at the end of a script or of the prompt. Does nothing with --hold, or
 * after a single command. Returns status, or the stop's status if status is AW_OK. */
enum aw_status aw_session_leave(struct aw_session *session, enum aw_status status);

/* Reports once that the recorder was lost: AW_LOST in session->err, unless the command already
 * failed. */
enum aw_status aw_session_take_loss(struct aw_session *session, enum aw_status status);

#endif
