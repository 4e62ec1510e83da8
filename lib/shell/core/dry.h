/* --dry-run opens nothing, in every command: one that makes something to send shows it; one that
 * can do nothing without the device ends where it would open it, and the dispatcher says so in one
 * line. No command needs code of its own for that.
 */
#ifndef AW_SHELL_CORE_DRY_H
#define AW_SHELL_CORE_DRY_H

#include "shell/core/session.h"

/* Before anything is opened, started or overwritten: AW_OK, or with --dry-run AW_STOPPED, with
 * which the command is to end. Every link of a session passes here. */
enum aw_status aw_dry_ends(struct aw_session *session);

/* With --dry-run, for a command of which only the device knows what it would send: the same, and
 * the line names what that depends on ("where the arm is"). */
enum aw_status aw_dry_depends(struct aw_session *session, const char *on);

/* What came of a command: its status, or AW_OK and that line where it ended in one of those. */
enum aw_status aw_dry_outcome(struct aw_session *session, const char *command,
                              enum aw_status status);

/* Bytes that would go out and that no record describes. In CSV and --format they are printed on
 * standard error. */
enum aw_status aw_dry_bytes(struct aw_session *session, struct aw_span frame);

#endif
