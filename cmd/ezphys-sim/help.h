/* What ezphys-sim prints of scenes. */
#ifndef AW_CMD_EZPHYS_SIM_HELP_H
#define AW_CMD_EZPHYS_SIM_HELP_H

#include "protocol/ezphys/scene.h"
#include "shell/core/output.h"

void help_scenes(struct aw_output *out); /* those that come with it */

void help_check(struct aw_output *out, const struct aw_scene *scene); /* what is in it, a line */
void help_names(struct aw_output *out, const struct aw_scene *scene); /* names for ezphys */

#endif
