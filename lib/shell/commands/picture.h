/* Pictures of charts, in the form that the name of the file ends in: .svg, .png or .pdf.
 *
 *     {.name = "plot", .value = "FILE", AW_PICTURE, …}                      another is refused
 *     char *bytes = aw_picture_draw(&chart, "run.png", &size, &err);        the caller frees it
 */
#ifndef AW_SHELL_COMMANDS_PICTURE_H
#define AW_SHELL_COMMANDS_PICTURE_H

#include "shell/core/session.h"
#include "view/chart/chart.h"

/* For struct aw_option. */
#define AW_PICTURE .endings = "svg png pdf", .ends = true

/* "canpid step: lknee pos kp 6, 2026-11-22": tool, command, what it shows, and the day of time_ns
 * (AW_NO_TIME: today). */
void aw_picture_title(const struct aw_session *session, const char *what, int64_t time_ns,
                      char *out, size_t size);

/* The drawing, not yet written to the file (path NULL: SVG); or NULL: AW_USAGE for another ending
 * or if there is nothing to draw; AW_REFUSED if rsvg-convert, which makes PNG and PDF of the SVG,
 * is not there or fails, with what to do; AW_NO_MEMORY. */
char *aw_picture_draw(const struct aw_chart *chart, const char *path, size_t *size,
                      struct aw_error *err);

#endif
