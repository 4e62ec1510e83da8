/* Reads and writes named camera views, replacing one by name. */
#include "protocol/unitysim/views.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/suggest.h"
#include "protocol/unitysim/cells.h"

enum { NAME, FIRST, COLUMNS = 7, COORDINATE_MAX = 65535 };

static const char *const titles[COLUMNS] = {"name", "x", "y", "z", "rx", "ry", "rz"};

static const struct aw_cell_range ranges[COLUMNS] = {
    [1] = {"x", " mm", -COORDINATE_MAX, COORDINATE_MAX},
    [2] = {"y", " mm", -COORDINATE_MAX, COORDINATE_MAX},
    [3] = {"z", " mm", -COORDINATE_MAX, COORDINATE_MAX},
    [4] = {"rx", " deg", -COORDINATE_MAX, COORDINATE_MAX},
    [5] = {"ry", " deg", -COORDINATE_MAX, COORDINATE_MAX},
    [6] = {"rz", " deg", -COORDINATE_MAX, COORDINATE_MAX},
};

/* ---- Views ---- */

/* Returns the index of the name; views->n if it does not exist. */
static size_t find_index(const struct aw_unitysim_views *views, const char *name)
{
    size_t i = 0;
    while (i < views->n && strcasecmp(views->views[i].name, name) != 0)
        i++;
    return i;
}

const struct aw_unitysim_view *aw_unitysim_views_find(const struct aw_unitysim_views *views,
                                                      const char *name)
{
    size_t i = find_index(views, name);
    return i < views->n ? &views->views[i] : NULL;
}

static const char *suggest_view(const struct aw_unitysim_views *views, const char *name)
{
    const char **names = calloc(views->n + 1, sizeof *names);
    if (!names)
        return NULL;
    for (size_t i = 0; i < views->n; i++)
        names[i] = views->views[i].name;
    const char *suggestion = aw_suggest(name, names, views->n);
    free(names);
    return suggestion;
}

enum aw_status aw_unitysim_views_parse(const struct aw_unitysim_views *views, const char *name,
                                       struct aw_unitysim_camera *camera, struct aw_error *err)
{
    const struct aw_unitysim_view *view = aw_unitysim_views_find(views, name);
    if (view) {
        *camera = view->camera;
        return AW_OK;
    }
    if (views->n == 0)
        return aw_fail(err, AW_USAGE,
                       "view '%.60s' not found (no saved views) — save one with 'camera save NAME'",
                       name);
    return aw_fail_unknown(err, suggest_view(views, name),
                           "list the saved views with 'camera views'", "view '%.60s' not found",
                           name);
}

static bool is_valid_name(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length >= AW_UNITYSIM_VIEW_NAME || *name == '#' || *name == ' ' ||
        name[length - 1] == ' ' || strncmp(name, "\xEF\xBB\xBF", 3) == 0)
        return false;
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < ' ' || *p == ',' || *p == 0x7F)
            return false;
    return true;
}

static enum aw_status check_camera(const struct aw_unitysim_camera *camera, struct aw_error *err)
{
    const int values[] = {0, camera->x, camera->y, camera->z, camera->rx, camera->ry, camera->rz};
    for (size_t i = FIRST; i < COLUMNS; i++)
        if (values[i] < ranges[i].min || values[i] > ranges[i].max)
            return aw_fail(err, AW_LIMIT, "camera.%s: %d is out of range (%ld to %ld%s)", titles[i],
                           values[i], ranges[i].min, ranges[i].max, ranges[i].unit);
    return AW_OK;
}

enum aw_status aw_unitysim_views_put(struct aw_unitysim_views *views, const char *name,
                                     const struct aw_unitysim_camera *camera, struct aw_error *err)
{
    size_t index = find_index(views, name);
    if (!is_valid_name(name))
        return aw_fail(err, AW_USAGE,
                       "'%.80s' is not a valid view name — use 1 to %d bytes, no comma or control "
                       "character, no '#' at the start, no blank at either end",
                       name, AW_UNITYSIM_VIEW_NAME - 1);
    enum aw_status status = check_camera(camera, err);
    if (status != AW_OK)
        return status;
    if (index == views->n && views->n == AW_UNITYSIM_VIEWS)
        return aw_fail(
            err, AW_LIMIT,
            "more than %d saved views — delete lines from the views file (CameraViews.csv, or "
            "the file of --views)",
            AW_UNITYSIM_VIEWS);
    struct aw_unitysim_view *grown =
        aw_grow(views->views, &views->capacity, index + 1, sizeof *grown);
    if (!grown)
        return aw_no_memory(err);
    views->views = grown;
    views->n += index == views->n;
    struct aw_unitysim_view *view = &views->views[index];
    memcpy(view->name, name, strlen(name) + 1);
    view->camera = *camera;
    return AW_OK;
}

void aw_unitysim_views_free(struct aw_unitysim_views *views)
{
    free(views->views);
    *views = (struct aw_unitysim_views){0};
}

/* ---- File ---- */

static enum aw_status read_view(struct aw_cells *cells, struct aw_unitysim_views *views,
                                struct aw_error *err)
{
    char name[AW_UNITYSIM_VIEW_NAME + 1];
    long value[COLUMNS];
    struct aw_error reason = {0};
    enum aw_status status = aw_cells_check_count(cells, COLUMNS, titles, err);
    for (size_t i = FIRST; i < COLUMNS && status == AW_OK; i++)
        status = aw_cells_parse_int(cells, i, &ranges[i], &value[i], err);
    if (status != AW_OK)
        return status;
    aw_csv_copy(&cells->cell[NAME], name, sizeof name);
    if (aw_unitysim_views_find(views, name))
        return aw_cells_fail(cells, cells->cell[NAME].text, AW_MALFORMED, err,
                             "duplicate view '%s' — rename or remove one", name);
    struct aw_unitysim_camera camera = {(int)value[1], (int)value[2], (int)value[3],
                                        (int)value[4], (int)value[5], (int)value[6]};
    status = aw_unitysim_views_put(views, name, &camera, &reason);
    if (status == AW_OK)
        return AW_OK;
    if (status == AW_NO_MEMORY)
        return aw_no_memory(err);
    return aw_cells_fail(cells, cells->cell[NAME].text, AW_MALFORMED, err, "%s", reason.text);
}

enum aw_status aw_unitysim_views_read(FILE *file, const char *name, struct aw_unitysim_views *views,
                                      struct aw_error *err)
{
    struct aw_cells cells = {.lines = {.file = file, .name = name}};
    enum aw_status status = AW_OK;
    *views = (struct aw_unitysim_views){0};
    while (status == AW_OK && (status = aw_cells_next(&cells, COLUMNS + 1, err)) == AW_OK)
        status = read_view(&cells, views, err);
    status = aw_lines_end(&cells.lines, status, err);
    if (status != AW_OK)
        aw_unitysim_views_free(views);
    return status;
}

enum aw_status aw_unitysim_views_load(struct aw_unitysim_views *views, const char *path,
                                      struct aw_error *err)
{
    *views = (struct aw_unitysim_views){0};
    bool missing = access(path, F_OK) != 0 && errno == ENOENT;
    return missing ? AW_OK : aw_unitysim_views_read(NULL, path, views, err);
}

void aw_unitysim_views_write(FILE *file, const struct aw_unitysim_views *views)
{
    for (size_t i = 0; i < views->n; i++) {
        const struct aw_unitysim_camera *c = &views->views[i].camera;
        fprintf(file, "%s,%d,%d,%d,%d,%d,%d\n", views->views[i].name, c->x, c->y, c->z, c->rx,
                c->ry, c->rz);
    }
}

enum aw_status aw_unitysim_views_save(const struct aw_unitysim_views *views, const char *path,
                                      struct aw_error *err)
{
    struct aw_saving saving;
    aw_file_make_folders(path, 0777);
    if (aw_file_begin(&saving, path))
        aw_unitysim_views_write(saving.file, views);
    return aw_file_end(&saving) ? AW_OK : aw_file_fail(err, "cannot save the views", path);
}
