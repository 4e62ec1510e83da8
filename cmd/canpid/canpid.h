/* Declares the command table of canpid for main() and the tests. */
#ifndef AW_CMD_CANPID_H
#define AW_CMD_CANPID_H

#include "shell/words/tool.h"

extern const struct aw_tool canpid_tool;

#endif
