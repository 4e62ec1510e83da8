/* Prints scenes for ezphys-sim's help. */
#ifndef AW_CMD_EZPHYS_SIM_HELP_H
#define AW_CMD_EZPHYS_SIM_HELP_H

#include "protocol/ezphys/scene.h"
#include "shell/session/output.h"

void help_scenes(struct aw_output *out); /* lists the built-in scenes */

void help_check(struct aw_output *out,
                const struct aw_scene *scene); /* describes a scene in one line */
/* prints the names for ezphys */
void help_names(struct aw_output *out, const struct aw_scene *scene);

#endif
