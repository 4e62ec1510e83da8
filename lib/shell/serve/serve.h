/* Device sharing: the hooks and commands that the rest of the shell uses. */
#ifndef AW_SHELL_SERVE_SERVE_H
#define AW_SHELL_SERVE_SERVE_H

#include "shell/session/share.h"

extern const struct aw_sharing aw_sharing;

aw_run_fn aw_run_serve, aw_run_release, aw_run_speed;

#endif
