/* Pictures of charts, in the form that the name of the file ends in: .svg, .png or .pdf.
 *
 *     {.name = "plot", .value = "FILE", AW_PICTURE, …}                      another is refused
 *     char *bytes = aw_picture_draw(&chart, "run.png", &size, &err);        the caller frees it
 */
#ifndef AW_SHELL_COMMANDS_PICTURE_H
#define AW_SHELL_COMMANDS_PICTURE_H

#include "view/chart/chart.h"

/* For struct aw_option. */
#define AW_PICTURE .endings = "svg png pdf", .ends = true

/* The drawing, not yet written to the file (path NULL: SVG); or NULL: AW_USAGE for another ending
 * or if there is nothing to draw; AW_REFUSED if gnuplot, which draws PNG and PDF, is not there or
 * fails, with what to do; AW_NO_MEMORY. */
char *aw_picture_draw(const struct aw_chart *chart, const char *path, size_t *size,
                      struct aw_error *err);

#endif
