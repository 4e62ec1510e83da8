/* Declares the command table of hidmotor for main() and the tests. */
#ifndef AW_CMD_HIDMOTOR_H
#define AW_CMD_HIDMOTOR_H

#include "shell/words/tool.h"

#define HIDMOTOR_MAX_LAG 20 /* deg: default of --max-lag */

extern const struct aw_tool hidmotor_tool;

#endif
