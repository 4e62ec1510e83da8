/* The commands config and completion, and the hidden commands that completion calls. */
#ifndef AW_SHELL_PROMPT_PROMPT_H
#define AW_SHELL_PROMPT_PROMPT_H

#include "shell/session/session.h"

/* Prints a config file that lists every key of the tool as a comment. */
enum aw_status aw_config_example(struct aw_session *session);

extern const struct aw_command aw_config_command, aw_completion_command, aw_complete_command,
    aw_commands_command;

#endif
