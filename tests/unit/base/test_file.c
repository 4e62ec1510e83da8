#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

static void the_advice_fits_the_error(void **state)
{
    struct aw_error err;
    (void)state;
    errno = ENOENT;
    assert_int_equal(aw_file_fail(&err, NULL, "run.csv"), AW_USAGE);
    assert_string_equal(err.text, "run.csv: No such file or directory — check the name");
    errno = ENOSPC;
    assert_int_equal(aw_file_fail(&err, "--record", "run.pcapng"), AW_LOST);
    assert_non_null(strstr(err.text, "--record: run.pcapng: No space left on device — free some"));
    errno = EMFILE;
    assert_int_equal(aw_file_fail(&err, NULL, "x"), AW_USAGE);
    assert_non_null(strstr(err.text, "— check the file"));
}

static void what_can_be_written(void **state)
{
    struct aw_error err;
    char folder[] = "/tmp/test_file.XXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/new", folder);
    assert_int_equal(aw_file_check(path, &err), AW_OK);
    assert_int_equal(access(path, F_OK), -1); /* it was not made */
    assert_int_equal(aw_file_check(folder, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "name a file in it"));
    snprintf(path, sizeof path, "%s/no/new", folder);
    assert_int_equal(aw_file_check(path, &err), AW_USAGE);
    assert_non_null(strstr(err.text, "check the name"));
    assert_int_equal(aw_file_check("new", &err), AW_OK);
    rmdir(folder);
}

static const char *content(const char *path)
{
    static char text[64];
    FILE *file = aw_file_open(path);
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* A new file; one that is there, with its permissions; a link, which stays one; a device; a folder
 * that takes no new file. */
static void what_is_saved_is_whole_or_as_it_was(void **state)
{
    struct aw_error err;
    struct aw_saving saving;
    struct stat about;
    char folder[] = "/tmp/test_file.XXXXXX", path[64], link[64], fresh[96];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    snprintf(link, sizeof link, "%s/b", folder);
    snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    assert_int_equal(aw_file_write(path, "one", 3, &err), AW_OK);
    chmod(path, 0640);
    assert_int_equal(symlink("a", link), 0);
    assert_int_equal(aw_file_write(path, "two", 3, &err), AW_OK);
    assert_string_equal(content(path), "two");
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(aw_file_write(link, "three", 5, &err), AW_OK);
    assert_string_equal(content(path), "three");
    assert_int_equal(symlink("/dev/full", fresh), 0);
    assert_int_equal(aw_file_write(path, "four", 4, &err), AW_LOST);
    assert_string_equal(content(path), "three");
    assert_int_equal(access(fresh, F_OK), -1);
    assert_int_equal(aw_file_write("/dev/full", "x", 1, &err), AW_LOST);
    assert_non_null(strstr(err.text, "/dev/full: No space left on device"));
    assert_int_equal(aw_file_write("/dev/null", "x", 1, &err), AW_OK);
    assert_int_equal(aw_file_write("/dev/null/x", "x", 1, &err), AW_USAGE);
    assert_int_equal(aw_file_write(folder, "x", 1, &err), AW_USAGE);
    assert_true(aw_file_begin(&saving, path));
    fputs("five", saving.file);
    assert_string_equal(content(path), "three");
    assert_true(aw_file_end(&saving));
    assert_string_equal(content(path), "five");
    unlink(link);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_advice_fits_the_error),
        cmocka_unit_test(what_can_be_written),
        cmocka_unit_test(what_is_saved_is_whole_or_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
