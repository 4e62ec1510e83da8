/* Declares the command table of armctl for main() and the tests. */
#ifndef AW_CMD_ARMCTL_H
#define AW_CMD_ARMCTL_H

#include "shell/words/tool.h"

extern const struct aw_tool armctl_tool;

#endif
