/* The help, the man page and the list of scenes of ezphys-sim, on standard output. */
#ifndef AW_CMD_EZPHYS_SIM_HELP_H
#define AW_CMD_EZPHYS_SIM_HELP_H

#include "protocol/ezphys/scene.h"
#include "shell/core/tool.h"

/* tables: of options, NULL-terminated. */
void help_page(const struct aw_option *const *tables);
void help_man(const struct aw_option *const *tables); /* the same as a manual page */
void help_scenes(void);

void help_check(const struct aw_scene *scene); /* what is in it, in one line */
void help_names(const struct aw_scene *scene); /* a file of names for ezphys */

#endif
