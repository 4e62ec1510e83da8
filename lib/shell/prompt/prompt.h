/* The commands config and completion, and the hidden commands that completion calls. */
#ifndef AW_SHELL_PROMPT_PROMPT_H
#define AW_SHELL_PROMPT_PROMPT_H

#include "shell/session/session.h"

struct aw_config_options {
    bool all;
};
AW_GIVEN(command, aw_config_options, aw_config_given)

aw_run_fn aw_run_config, aw_run_completion, aw_run_commands, aw_run_complete;

/* Prints a config file that lists every key of the tool as a comment. */
enum aw_status aw_config_example(struct aw_session *session);

#endif
