/* Runs commands: one from its tokens, and the lines of a file or a pipe. */
#ifndef AW_SHELL_RUN_RUN_H
#define AW_SHELL_RUN_RUN_H

#include "shell/session/session.h"

/* Runs one command and prints its error. where: "FILE:LINE" in a script; NULL: the command line or
 * the prompt. */
enum aw_status aw_dispatch(struct aw_session *session, struct aw_tokens *tokens, const char *where);

/* Runs the lines of fd until the end, the first failure (unless --keep-going), "quit" or a signal.
 * name: for messages; NULL: standard input. Returns the status of the first failure. */
enum aw_status aw_run_lines(struct aw_session *session, int fd, const char *name);

extern const struct aw_command aw_run_command, aw_quit_command, aw_exit_command;

#endif
