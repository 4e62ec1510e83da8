/* Declares the command table of hidmotor for main() and the tests. */
#ifndef AW_CMD_HIDMOTOR_H
#define AW_CMD_HIDMOTOR_H

#include "shell/words/tool.h"

extern const struct aw_tool hidmotor_tool;

#endif
