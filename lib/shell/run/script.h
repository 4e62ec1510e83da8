/* Runs commands from a file or a pipe, one per line. */
#ifndef AW_SHELL_RUN_SCRIPT_H
#define AW_SHELL_RUN_SCRIPT_H

#include "shell/session/session.h"

/* Runs the lines of fd until the end, the first failure (unless --keep-going), "quit" or a signal.
 * name: for messages; NULL: standard input. Returns the status of the first failure. */
enum aw_status aw_run_lines(struct aw_session *session, int fd, const char *name);

extern const struct aw_command aw_run_command, aw_quit_command, aw_exit_command;

#endif
