/* The prompt, on GNU readline, and completion; the commands config and completion, and the hidden
 * commands that completion calls. */
#ifndef AW_SHELL_PROMPT_PROMPT_H
#define AW_SHELL_PROMPT_PROMPT_H

#include "shell/session/session.h"

/* Runs until Ctrl-D, "quit", the loss of the terminal or a signal (AW_STOPPED). A failed command
 * does not end it. */
enum aw_status aw_run_prompt(struct aw_session *session);

/* Calls add for each completion of partial, the token that follows the n tokens in before. Does not
 * list files: for a file argument *files is the list of extensions, "csv ndjson", or "" for any
 * file. Otherwise it is NULL. partial may be "". */
void aw_complete_token(struct aw_session *session, const char *const *before, size_t n,
                       const char *partial, aw_candidate_fn *add, void *context,
                       const char **files);

/* Writes a hint for the next argument of an incomplete line: "<angle 0 to 360 deg>"; "" if there is
 * none. */
void aw_write_hint(struct aw_session *session, const char *line, char *out, size_t size);

/* Prints a config file that lists every key of the tool as a comment. */
enum aw_status aw_print_config_example(struct aw_session *session);

extern const struct aw_command aw_config_command, aw_completion_command, aw_complete_command,
    aw_commands_command;

#endif
