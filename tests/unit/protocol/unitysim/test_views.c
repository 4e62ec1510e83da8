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

TEST(published_format_is_read)
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

TEST(unknown_or_invalid_view_gets_advice)
{
    struct aw_unitysim_views views = {0};
    struct aw_unitysim_camera camera;
    struct aw_error err;
    assert_error_has(aw_unitysim_views_parse(&views, "top", &camera, &err), AW_USAGE, &err,
                     "none is saved");
    assert_error_has(
        aw_unitysim_views_put(&views, "a", &(struct aw_unitysim_camera){.rz = 65536}, &err),
        AW_LIMIT, &err, "camera.rz: 65536");
    aw_unitysim_views_put(&views, "from above", &(struct aw_unitysim_camera){.y = 900}, &err);
    assert_error_has(aw_unitysim_views_parse(&views, "form above", &camera, &err), AW_USAGE, &err,
                     "did you mean 'from above'?");
    assert_error_has(aw_unitysim_views_parse(&views, "xyz", &camera, &err), AW_USAGE, &err,
                     "list the 1 saved");
    assert_int_equal(aw_unitysim_views_parse(&views, "from above", &camera, &err), AW_OK);
    assert_int_equal(camera.y, 900);
    aw_unitysim_views_free(&views);
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

/* Prints the results of lines of a file. */
TEST(parsed_lines_match_the_golden_file)
{
    static const char *const lines[] = {
        "above,1,2,3,4,5,6",
        "above,1,2,3,4,5,6,",
        "above,1,2,3,4,5,6,,",
        "above,1,2,3,4,5,6,7",
        "above,1,2,3,4,5",
        "above",
        "a,1,1,1,1,1,1\nA,2,2,2,2,2,2",
        "a,65535,-65535,0,0,0,0",
        "a,65536,0,0,0,0,0",
        "a,0,-65536,0,0,0,0",
        "a,0,0,65536,0,0,0",
        "a,0,0,0,65536,0,0",
        "a,0,0,0,0,65536,0",
        "a,0,0,0,0,0,65536",
        ",1,2,3,4,5,6",
        "# a,1,2,3,4,5,6",
        "  a b  , 1 , 2 ,3,4,5,6",
        "a,1.5,2,3,4,5,6",
        "a,x,2,3,4,5,6",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,1,2,3,4,5,6",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,1,2,3,4,5,6"};
    static const char *const names[] = {"",     " a",     "a ", "#a", "a,b",
                                        "a\tb", "a\177b", "a",  "a#", "\xEF\xBB\xBFx"};
    FILE *out = begin_picture();
    struct aw_unitysim_views views;
    struct aw_error err;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        enum aw_status status = read_text(lines[i], &views, &err);
        fprintf(out, "%d %s\n", (int)status, err.text);
        aw_unitysim_views_write(out, &views);
        aw_unitysim_views_free(&views);
    }
    views = (struct aw_unitysim_views){0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct aw_unitysim_camera camera = {(int)i, 2, 3, 4, 5, 6};
        err.text[0] = '\0';
        enum aw_status status = aw_unitysim_views_put(&views, names[i], &camera, &err);
        fprintf(out, "put is %d %s\n", (int)status, err.text);
    }
    static const char *const wanted[] = {"A", "b", "a##", "left"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct aw_unitysim_camera camera = {0};
        err.text[0] = '\0';
        enum aw_status status = aw_unitysim_views_parse(&views, wanted[i], &camera, &err);
        fprintf(out, "%s is %d %d %s\n", wanted[i], (int)status, camera.x, err.text);
    }
    aw_unitysim_views_free(&views);
    end_picture(out, "views-unitysim.txt");
}
