/* With --dry-run no command opens anything. A command that can build its messages shows them. A
 * command that needs the device ends where it would open it, and the dispatcher reports that in one
 * line. No command needs its own code for this.
 */
#ifndef AW_SHELL_SAFETY_DRY_H
#define AW_SHELL_SAFETY_DRY_H

#include "shell/session/session.h"

/* Call it before opening, starting or overwriting anything. Returns AW_OK, or with --dry-run
 * AW_STOPPED, which ends the command. Every link of a session passes here. */
enum aw_status aw_dry_ends(struct aw_session *session);

/* Like aw_dry_ends, for a command whose messages depend on the device; on names the dependency
 * ("the position of the arm"). */
enum aw_status aw_dry_depends(struct aw_session *session, const char *on);

/* Returns the command's status; or prints that line and returns AW_OK if --dry-run ended the
 * command. */
enum aw_status aw_dry_outcome(struct aw_session *session, const char *command,
                              enum aw_status status);

/* Shows bytes to send that no record describes. With CSV and --format they go to standard error. */
enum aw_status aw_dry_bytes(struct aw_session *session, struct aw_span frame);

/* For --dry-run: prints the fields and the exact bytes. With CSV and --format the bytes go to
 * standard error. */
enum aw_status aw_session_dry_run(struct aw_session *session, const struct aw_record *record,
                                  struct aw_span frame);

#endif
