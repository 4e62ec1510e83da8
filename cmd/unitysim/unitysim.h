/* Declares the command table of unitysim for main() and the tests. */
#ifndef AW_CMD_UNITYSIM_H
#define AW_CMD_UNITYSIM_H

#include "shell/words/tool.h"

extern const struct aw_tool unitysim_tool;

#endif
