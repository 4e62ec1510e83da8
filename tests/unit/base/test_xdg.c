#include <sys/stat.h>
#include <unistd.h>

#include "base/xdg.h"
#include "test.h"

static char root[] = "/tmp/test_xdg.XXXXXX", path[128], expected[128];

TEST(xdg_directories_follow_the_environment)
{
    static const struct {
        enum aw_xdg kind;
        const char *variable, *home, *path;
    } rows[] = {
        {AW_XDG_CONFIG, "/c", "/h", "/c/armwire/x"},
        {AW_XDG_CONFIG, "", "/h", "/h/.config/armwire/x"},
        {AW_XDG_CONFIG, "c", "/h", "/h/.config/armwire/x"},
        {AW_XDG_STATE, "/s", "/h", "/s/armwire/x"},
        {AW_XDG_STATE, "s", "/h", "/h/.local/state/armwire/x"},
        {AW_XDG_STATE, "", "", ""},
    };
    EACH (row, rows) {
        bool config = row->kind == AW_XDG_CONFIG;
        setenv(config ? "XDG_CONFIG_HOME" : "XDG_STATE_HOME", row->variable, 1);
        setenv("HOME", row->home, 1);
        bool found = aw_xdg_path(row->kind, "x", path, sizeof path);
        assert_string_equal(path, row->path);
        assert_int_equal(found, *path != '\0');
    }
    unsetenv("HOME");
    assert_false(aw_xdg_path(AW_XDG_STATE, "x", path, sizeof path));
}

static enum aw_status runtime(struct aw_error *err)
{
    return aw_xdg_make_runtime(path, sizeof path, err);
}

/* The directory is created for this user only. An existing unsuitable one is refused. */
TEST(socket_directory_is_private)
{
    struct stat about;
    struct aw_error err;
    assert_non_null(mkdtemp(root));
    setenv("XDG_RUNTIME_DIR", root, 1);
    snprintf(expected, sizeof expected, "%s/armwire", root);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(runtime(&err), AW_OK);
        assert_string_equal(path, expected);
    }
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    chmod(path, 0701);
    assert_error_has(runtime(&err), AW_NO_LINK, &err, "directory not private");
    assert_has(err.text, "mode 701");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(symlink("/tmp", path), 0);
    assert_error_has(runtime(&err), AW_NO_LINK, &err, "armwire: not a directory");
    assert_int_equal(unlink(path), 0);
}

/* XDG_RUNTIME_DIR is unset or names no directory. */
TEST(socket_directory_falls_back_to_tmpdir)
{
    static const char *const useless[] = {"", "relative", "/nowhere"};
    struct aw_error err;
    setenv("TMPDIR", root, 1);
    snprintf(expected, sizeof expected, "%s/armwire-%u", root, (unsigned)geteuid());
    EACH (row, useless) {
        setenv("XDG_RUNTIME_DIR", *row, 1);
        assert_int_equal(runtime(&err), AW_OK);
        assert_string_equal(path, expected);
        assert_int_equal(rmdir(path), 0);
    }
    setenv("TMPDIR", "/nowhere", 1);
    assert_error_has(runtime(&err), AW_NO_LINK, &err,
                     "cannot create the directory: No such file or directory");
    assert_int_equal(rmdir(root), 0);
}
