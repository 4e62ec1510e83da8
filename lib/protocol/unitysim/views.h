/* Camera views by name, in the file format of brachI/Oplexus: one view a line, no header.
 *
 *     slam dunk close,-208,403,-222,55,299,0
 *
 * that is name, position x y z in mm, rotation x y z in whole degrees.
 *
 *     struct aw_unitysim_views views = {0};
 *     if (aw_unitysim_views_load(&views, "CameraViews.csv", &err) == AW_OK &&
 *         (view = aw_unitysim_views_find(&views, "slam dunk close"))) use(&view->camera);
 *     aw_unitysim_views_free(&views);
 */
#ifndef AW_PROTOCOL_UNITYSIM_VIEWS_H
#define AW_PROTOCOL_UNITYSIM_VIEWS_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "protocol/unitysim/arm.h"

#define AW_UNITYSIM_VIEW_NAME 64   /* bytes, with its NUL */
#define AW_UNITYSIM_VIEWS     1000 /* most views of a file */

struct aw_unitysim_view {
    char name[AW_UNITYSIM_VIEW_NAME];
    struct aw_unitysim_camera camera;
};

/* Owns its views; {0} is empty. In the order of the file. */
struct aw_unitysim_views {
    size_t n, room;
    struct aw_unitysim_view *views;
};

/* Reads all of the file (NULL: the one called name): blanks around cells, CRLF, blank lines, '#'
 * comments and a comma at the end are taken. AW_MALFORMED names file, line and column; AW_LIMIT a
 * number outside ±65535; twice the same name is AW_MALFORMED. The list is empty after an error. */
enum aw_status aw_unitysim_views_read(FILE *file, const char *name, struct aw_unitysim_views *views,
                                      struct aw_error *err);

/* The same by path; a file that is not there is an empty list. AW_USAGE if it cannot be read. */
enum aw_status aw_unitysim_views_load(struct aw_unitysim_views *views, const char *path,
                                      struct aw_error *err);

/* The view of this name (case does not count), or NULL. */
const struct aw_unitysim_view *aw_unitysim_views_find(const struct aw_unitysim_views *views,
                                                      const char *name);

/* The same; AW_USAGE with a suggestion, or the names there are. */
enum aw_status aw_unitysim_views_parse(const struct aw_unitysim_views *views, const char *name,
                                       struct aw_unitysim_camera *camera, struct aw_error *err);

/* Adds a view, or replaces the one of this name in its place. AW_USAGE for a name that the file
 * cannot hold: empty, too long, with a comma, a control character, '#' in front or blanks at its
 * ends; AW_LIMIT for one too many or a number outside ±65535. */
enum aw_status aw_unitysim_views_put(struct aw_unitysim_views *views, const char *name,
                                     const struct aw_unitysim_camera *camera, struct aw_error *err);

void aw_unitysim_views_write(FILE *file, const struct aw_unitysim_views *views);

/* Writes it in one step (a new file that is renamed); folders are made. as aw_file_fail says
 * (base/file.h).
 */
enum aw_status aw_unitysim_views_save(const struct aw_unitysim_views *views, const char *path,
                                      struct aw_error *err);

void aw_unitysim_views_free(struct aw_unitysim_views *views);

#endif
