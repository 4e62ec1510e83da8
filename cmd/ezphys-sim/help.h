/* Prints scenes for ezphys-sim's help. */
#ifndef AW_CMD_EZPHYS_SIM_HELP_H
#define AW_CMD_EZPHYS_SIM_HELP_H

#include "protocol/ezphys/scene.h"
#include "shell/session/output.h"

/* Lists the built-in scenes. */
void help_scenes(struct aw_output *out);

/* Describes a scene in one line. */
void help_check(struct aw_output *out, const struct aw_scene *scene);

/* Prints the names of bodies and joints as a file for the --names option of ezphys. */
void help_names(struct aw_output *out, const struct aw_scene *scene);

#endif
