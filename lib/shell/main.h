/* The main function of a tool, and the commands that every tool has. */
#ifndef AW_SHELL_MAIN_H
#define AW_SHELL_MAIN_H

#include "shell/words/tool.h"

extern const struct aw_command *const aw_common_commands[]; /* NULL-terminated */

/* Runs the whole program and returns its exit code: main() is "return aw_main(&tool, argc,
 * argv);". */
int aw_main(const struct aw_tool *tool, int argc, char **argv);

#endif
