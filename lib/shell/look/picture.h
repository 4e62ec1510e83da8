/* Pictures of charts, drawn by gnuplot. The file extension selects the format: .svg, .png or .pdf;
 * .gp is the gnuplot script.
 *
 *     {.name = "plot", .value = "FILE", AW_PICTURE, …}                      another is refused
 *     enum aw_status status = aw_picture_check("run.png", &err);            before anything moves
 *     char *bytes = aw_picture_draw(session, &chart, "run.png", &size);     the caller frees it
 */
#ifndef AW_SHELL_LOOK_PICTURE_H
#define AW_SHELL_LOOK_PICTURE_H

#include "shell/session/session.h"
#include "view/chart/chart.h"

/* Members of an option (struct aw_option) that names a picture file: the permitted extensions. */
#define AW_PICTURE .endings = "svg png pdf gp", .checks_ending = true

/* Writes the title of a picture to out: "canpid step: lknee pos kp 6, 2026-11-22". It has the tool,
 * the command, contents, and the date of time_ns (AW_NO_TIME: today). */
void aw_picture_title(const struct aw_session *session, const char *contents, int64_t time_ns,
                      char *out, size_t size);

/* Checks that the file can be created and that gnuplot is installed (not needed for a script).
 * Changes nothing. Errors as in aw_file_check; AW_NO_LINK names the package to install. */
enum aw_status aw_picture_check(const char *path, struct aw_error *err);

/* Returns the drawing, NUL-terminated and not yet written to the file, which the caller frees; or
 * NULL with session->err set. path NULL: SVG. AW_USAGE: nothing to draw; AW_NO_LINK: no gnuplot;
 * AW_REFUSED: gnuplot failed or took more than 30 s; AW_STOPPED: a signal; AW_NO_MEMORY: out of
 * memory. */
char *aw_picture_draw(struct aw_session *session, const struct aw_chart *chart, const char *path,
                      size_t *size);

#endif
