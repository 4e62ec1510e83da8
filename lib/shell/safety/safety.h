/* Functions for commands: opening the link, dry runs, and the start and end of a motion.
 *
 * With --dry-run no command opens anything. A command that can build its messages shows them. A
 * command that needs the device ends where it would open it, and the dispatcher reports that in one
 * line. No command needs its own code for this.
 */
#ifndef AW_SHELL_SAFETY_SAFETY_H
#define AW_SHELL_SAFETY_SAFETY_H

#include "shell/session/session.h"

/* Creates a session with default settings that prints to standard output. NULL: out of memory. */
struct aw_session *aw_session_new(const struct aw_tool *tool);

/* Frees the session and closes its link. */
void aw_session_free(struct aw_session *session);

/* Opens session->device.link on first use, with the URL from the options. AW_STOPPED with
 * --dry-run. */
enum aw_status aw_session_open_link(struct aw_session *session);
void aw_session_close_link(struct aw_session *session);

/* Opens a link. Prints its traffic with --verbose and records it with --record. The caller closes
 * it. AW_STOPPED with --dry-run. */
enum aw_status aw_session_open_url(struct aw_session *session, const char *url,
                                   const struct aw_link_options *options, struct aw_link **link);

/* Starts the recording of --record unless it is running. url: URL of the link, stored in the
 * recording. */
enum aw_status aw_session_start_recording(struct aw_session *session, const char *url);

/* Sets session->share.attached if the session uses its device through a server. Also returns AW_OK
 * if there is no server. */
enum aw_status aw_session_find_server(struct aw_session *session);

/* Call before opening, starting or overwriting anything. Returns AW_OK, or AW_STOPPED with
 * --dry-run, which ends the command. Every link of a session is opened through this check. */
enum aw_status aw_dry_run_check(struct aw_session *session);

/* Call with --dry-run only: ends a command whose messages depend on the device, with AW_STOPPED.
 * dependency (not copied) is what they depend on: "the position of the arm". */
enum aw_status aw_dry_run_depends(struct aw_session *session, const char *dependency);

/* Returns the command's status. If --dry-run ended the command, prints one line that explains this,
 * and returns AW_OK. */
enum aw_status aw_dry_run_outcome(struct aw_session *session, const char *command,
                                  enum aw_status status);

/* Shows bytes that would be sent and that no record describes. With CSV and --format they go to
 * standard error. */
enum aw_status aw_dry_run_show_bytes(struct aw_session *session, struct aw_span frame);

/* For --dry-run: prints the fields and the exact bytes. With CSV and --format the bytes go to
 * standard error. */
enum aw_status aw_session_show_dry_run(struct aw_session *session, const struct aw_record *record,
                                       struct aw_span frame);

/* Stops the motion of a command that failed or was interrupted. Returns the resulting status, with
 * session->err set. */
enum aw_status aw_outcome_stop(struct aw_session *session, enum aw_status status);

/* Prints the result of the command, or its error if status is not AW_OK. In JSON a failed command
 * has both. */
void aw_outcome_print(struct aw_session *session, enum aw_status status);

/* Prints session->err in text form. */
void aw_outcome_print_error(struct aw_session *session);

/* Prints the current result, if any, and starts a new one, for commands with several steps. */
void aw_session_print_result(struct aw_session *session);

/* Discards the current result and prints session->err, for errors outside a command. Returns
 * status. */
enum aw_status aw_session_fail_outside_command(struct aw_session *session, enum aw_status status);

/* Marks the start of a motion. Call before the first byte is sent, or as soon as the motion is
 * known. */
void aw_session_start_motion(struct aw_session *session);

/* Stops an activity that continues after its command returned, except with --hold. Reports an
 * unconfirmed stop and returns its status. */
enum aw_status aw_session_halt(struct aw_session *session);

/* Stops continuing activities at the end of a script or of the prompt. Does nothing with --hold or
 * after a single command. Returns status if it is an error, otherwise the stop's status. */
enum aw_status aw_session_stop_at_end(struct aw_session *session, enum aw_status status);

/* Reports once that the recorder or the watchdog failed (session->device.tee_error). Returns
 * AW_LOST with the reason in session->err; if the command has already failed, prints the reason and
 * returns status. */
enum aw_status aw_session_report_loss(struct aw_session *session, enum aw_status status);

#endif
