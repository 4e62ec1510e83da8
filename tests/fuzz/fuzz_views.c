/* Any text as a file of camera views: read, or refused with the place. What is read reads back the
 * same when it is written, and each view is found by its name.
 */
#include <string.h>

#include "fuzz.h"
#include "unitysim/views.h"

static bool same(const struct aw_unity_view *a, const struct aw_unity_view *b)
{
    return strcmp(a->name, b->name) == 0 && memcmp(&a->camera, &b->camera, sizeof a->camera) == 0;
}

static void write_and_read(const struct aw_unity_views *views)
{
    struct aw_error err;
    struct aw_unity_views again = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    MUST(out && aw_unity_views_write(out, views, &err) == AW_OK && fclose(out) == 0);
    FILE *in = fmemopen(text, size ? size : 1, "r");
    MUST(in);
    if (size > 0)
        MUST(aw_unity_views_read(in, "again", &again, &err) == AW_OK);
    fclose(in);
    MUST(again.n == views->n);
    for (size_t i = 0; i < again.n; i++)
        MUST(same(&again.views[i], &views->views[i]));
    aw_unity_views_free(&again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct aw_error err = {0};
    struct aw_unity_views views = {0};
    if (size == 0)
        return 0;
    FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
    MUST(in);
    if (aw_unity_views_read(in, "fuzz", &views, &err) == AW_OK) {
        for (size_t i = 0; i < views.n; i++)
            MUST(aw_unity_views_find(&views, views.views[i].name) == &views.views[i]);
        write_and_read(&views);
    } else {
        MUST(strncmp(err.text, "fuzz:", 5) == 0 && views.n == 0);
    }
    fclose(in);
    aw_unity_views_free(&views);
    return 0;
}
