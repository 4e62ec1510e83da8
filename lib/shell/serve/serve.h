/* Device sharing: the hooks and commands that the rest of the shell uses. */
#ifndef AW_SHELL_SERVE_SERVE_H
#define AW_SHELL_SERVE_SERVE_H

#include "shell/session/share.h"

extern const struct aw_sharing aw_sharing;

extern const struct aw_command aw_serve_command, aw_speed_command;

#endif
