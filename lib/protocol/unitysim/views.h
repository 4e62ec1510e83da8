/* Camera views by name, in the file format of brachI/Oplexus: one view per line, without a header.
 *
 *     slam dunk close,-208,403,-222,55,299,0
 *
 * The cells are the name, the position x y z in mm, and the rotation x y z in whole degrees.
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

#define AW_UNITYSIM_VIEW_NAME 64   /* max length, with its NUL */
#define AW_UNITYSIM_VIEWS     1000 /* max number of views in a file */

struct aw_unitysim_view {
    char name[AW_UNITYSIM_VIEW_NAME];
    struct aw_unitysim_camera camera;
};

/* Owns its views, in the file's order. {0} is empty. */
struct aw_unitysim_views {
    size_t n, capacity;
    struct aw_unitysim_view *views;
};

/* Reads a whole file (NULL: the file named name). Accepts blanks around cells, CRLF, blank lines,
 * '#' comments and a comma at the end. AW_MALFORMED names file, line and column, also for a
 * duplicate name. AW_LIMIT: a number outside ±65535. The list is empty after an error. */
enum aw_status aw_unitysim_views_read(FILE *file, const char *name, struct aw_unitysim_views *views,
                                      struct aw_error *err);

/* Reads a file by path; a missing file is an empty list. AW_USAGE if it cannot be read. */
enum aw_status aw_unitysim_views_load(struct aw_unitysim_views *views, const char *path,
                                      struct aw_error *err);

/* Returns the view with this name, ignoring case; NULL: not found. */
const struct aw_unitysim_view *aw_unitysim_views_find(const struct aw_unitysim_views *views,
                                                      const char *name);

/* Finds a view by name. AW_USAGE with a suggestion, or the list of names. */
enum aw_status aw_unitysim_views_parse(const struct aw_unitysim_views *views, const char *name,
                                       struct aw_unitysim_camera *camera, struct aw_error *err);

/* Adds a view, or replaces the view with this name in its place. AW_USAGE: the file cannot hold the
 * name (empty, too long, contains a comma or a control character, begins with '#', or has blanks at
 * its ends). AW_LIMIT: the list is full, or a number is outside ±65535. */
enum aw_status aw_unitysim_views_put(struct aw_unitysim_views *views, const char *name,
                                     const struct aw_unitysim_camera *camera, struct aw_error *err);

void aw_unitysim_views_write(FILE *file, const struct aw_unitysim_views *views);

/* Saves the list atomically (renames a new file) and creates folders. Errors as in aw_file_fail
 * (base/file.h). */
enum aw_status aw_unitysim_views_save(const struct aw_unitysim_views *views, const char *path,
                                      struct aw_error *err);

void aw_unitysim_views_free(struct aw_unitysim_views *views);

#endif
