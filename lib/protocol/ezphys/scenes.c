/* The scenes that are built into ezphys-sim, and scenes from files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"
#include "protocol/ezphys/scene.h"

/* The Makefile generates this from scenes/NAME.scene: an array of characters for each file, and the
 * rows. */
#include "scenes.inc"

#define NAMES_MAX 32

enum { BUFFER_SIZE = AW_SCENE_TEXT_MAX + 1 }; /* one byte more, to detect files that are too long */

const struct aw_scene_text *aw_scene_list_shipped(void)
{
    return shipped;
}

static enum aw_status fail_unknown_scene(const char *name, struct aw_error *err)
{
    const char *names[NAMES_MAX];
    char list[200], advice[280];
    size_t n = 0;
    for (const struct aw_scene_text *row = shipped; row->name && n < NAMES_MAX; row++)
        names[n++] = row->name;
    aw_join(list, sizeof list, " ", names, n);
    snprintf(advice, sizeof advice, "use one of: %s; or give a path that contains '/'", list);
    return aw_fail_unknown(err, aw_suggest(name, names, n), advice, "scene '%.40s' not found",
                           name);
}

static enum aw_status read_file(struct aw_scene *scene, const char *path, FILE *file, char *text,
                                struct aw_error *err)
{
    size_t size = fread(text, 1, BUFFER_SIZE, file);
    if (ferror(file))
        return aw_fail(err, AW_NO_LINK, "%.100s: %s — give a scene file", path, strerror(errno));
    if (size > AW_SCENE_TEXT_MAX)
        return aw_fail(err, AW_LIMIT, "%.100s: larger than %u bytes — check that it is a scene",
                       path, AW_SCENE_TEXT_MAX);
    const char *slash = strrchr(path, '/');
    return aw_scene_parse(scene, slash ? slash + 1 : path, text, size, err);
}

static enum aw_status load_file(struct aw_scene *scene, const char *path, struct aw_error *err)
{
    FILE *file = aw_file_open(path);
    if (!file)
        return aw_fail(err, AW_NO_LINK, "%.100s: %s — give a scene file, or the name of a scene",
                       path, strerror(errno));
    char *text = malloc(BUFFER_SIZE);
    enum aw_status status = text ? read_file(scene, path, file, text, err) : aw_no_memory(err);
    free(text);
    fclose(file);
    return status;
}

enum aw_status aw_scene_load(struct aw_scene *scene, const char *name, struct aw_error *err)
{
    for (const struct aw_scene_text *row = shipped; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return aw_scene_parse(scene, name, row->text, row->size, err);
    return strpbrk(name, "/.") ? load_file(scene, name, err) : fail_unknown_scene(name, err);
}
