#ifndef AW_CMD_HIDMOTOR_H
#define AW_CMD_HIDMOTOR_H

#include "shell/tool.h"

extern const struct aw_tool hidmotor_tool;

#endif
