/* Declares the command table of ezphys for main() and the tests. */
#ifndef AW_CMD_EZPHYS_H
#define AW_CMD_EZPHYS_H

#include "shell/words/tool.h"

#define EZPHYS_MAX_LAG 0.5 /* rad or m: default of --max-lag */

extern const struct aw_tool ezphys_tool;

#endif
