#include <sys/stat.h>
#include <unistd.h>

#include "picture_helper.h"
#include "protocol/unitysim/views.h"
#include "test.h"

static char root[64], folder[96], path[128];

static void make_root(void)
{
    strcpy(root, "/tmp/test_unitysim_views.XXXXXX");
    assert_non_null(mkdtemp(root));
    snprintf(folder, sizeof folder, "%s/armwire", root);
    snprintf(path, sizeof path, "%s/CameraViews.csv", folder);
}

static void remove_root(void)
{
    unlink(path);
    rmdir(folder);
    assert_int_equal(rmdir(root), 0);
}

static enum aw_status read_text(const char *text, struct aw_unitysim_views *views,
                                struct aw_error *err)
{
    FILE *file = text_file(text);
    *err = (struct aw_error){0};
    enum aw_status status = aw_unitysim_views_read(file, "v.csv", views, err);
    fclose(file);
    return status;
}

TEST(views_in_the_published_format_are_read)
{
    struct aw_unitysim_views views;
    struct aw_error err;
    assert_int_equal(read_text("Default Task View,0,0,0,0,0,0\r\n"
                               "close, -208,403,-222, 55,299,0,\n",
                               &views, &err),
                     AW_OK);
    assert_int_equal(views.n, 2);
    assert_string_equal(views.views[0].name, "Default Task View");
    const struct aw_unitysim_view *close = aw_unitysim_views_find(&views, "Close");
    assert_non_null(close);
    assert_memory_equal(&close->camera, (&(struct aw_unitysim_camera){-208, 403, -222, 55, 299, 0}),
                        sizeof close->camera);
    assert_null(aw_unitysim_views_find(&views, "clos"));
    aw_unitysim_views_free(&views);
}

TEST(view_is_replaced_in_place)
{
    struct aw_unitysim_views views;
    struct aw_error err;
    char *out = NULL;
    size_t size = 0;
    assert_int_equal(read_text("a,1,2,3,4,5,6\nb,0,0,0,0,0,0\n", &views, &err), AW_OK);
    assert_int_equal(aw_unitysim_views_put(
                         &views, "A", &(struct aw_unitysim_camera){-1, -2, -3, 10, 20, 30}, &err),
                     AW_OK);
    assert_int_equal(
        aw_unitysim_views_put(&views, "from above", &(struct aw_unitysim_camera){.y = 900}, &err),
        AW_OK);
    FILE *file = open_memstream(&out, &size);
    aw_unitysim_views_write(file, &views);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(out, "A,-1,-2,-3,10,20,30\nb,0,0,0,0,0,0\nfrom above,0,900,0,0,0,0\n");
    free(out);
    aw_unitysim_views_free(&views);
}

TEST(view_out_of_range_is_refused)
{
    static const struct aw_unitysim_camera camera = {.rz = 65536};
    struct aw_unitysim_views views = {0};
    struct aw_error err;
    assert_error_has(aw_unitysim_views_put(&views, "a", &camera, &err), AW_LIMIT, &err,
                     "camera.rz: 65536");
    assert_int_equal(aw_unitysim_views_put(&views, "a\177b", &camera, &err), AW_USAGE);
}

TEST_WITH(make_root, remove_root, views_file_round_trip)
{
    struct aw_unitysim_views views, again;
    struct aw_error err;
    assert_int_equal(aw_unitysim_views_load(&views, path, &err), AW_OK); /* no file yet */
    assert_int_equal(views.n, 0);
    aw_unitysim_views_put(&views, "top", &(struct aw_unitysim_camera){.y = 900, .rx = 90}, &err);
    assert_int_equal(aw_unitysim_views_save(&views, path, &err), AW_OK);
    assert_int_equal(aw_unitysim_views_load(&again, path, &err), AW_OK);
    assert_int_equal(again.n, 1);
    assert_memory_equal(&again.views[0].camera, &views.views[0].camera,
                        sizeof again.views[0].camera);
    aw_unitysim_views_free(&again);
    assert_error_has(aw_unitysim_views_save(&views, "/dev/null/v.csv", &err), AW_USAGE, &err,
                     "cannot save the views: /dev/null/v.csv: ");
    assert_int_equal(aw_unitysim_views_load(&again, root, &err), AW_USAGE); /* a directory */
    aw_unitysim_views_free(&views);
}

/* Reads lines of a file ("read a,1,…"), or changes one list: "put NAME", then "find NAME". */
static struct aw_unitysim_views saved;

static void run_views(const char *input, size_t i, FILE *out)
{
    struct aw_unitysim_views views = {0};
    struct aw_error err = {.text = ""};
    const char *name = strchr(input, ' ') + 1;
    struct aw_unitysim_camera camera = {(int)strlen(name), 2, 3, 4, 5, 6}, found = {0};
    char lines[200];
    enum aw_status status;
    (void)i;
    unescape(name, lines);
    if (*input == 'r')
        status = read_text(lines, &views, &err);
    else if (*input == 'p')
        status = aw_unitysim_views_put(&saved, name, &camera, &err);
    else
        status = aw_unitysim_views_parse(&saved, name, &found, &err);
    fprintf(out, "%d %d %s\n%s", (int)status, found.x, err.text, views.n ? "\t" : "");
    aw_unitysim_views_write(out, &views);
    aw_unitysim_views_free(&views);
}

TEST(view_lists_match_the_golden_file)
{
    expect_cases("views-unitysim.txt", run_views);
    aw_unitysim_views_free(&saved);
}
