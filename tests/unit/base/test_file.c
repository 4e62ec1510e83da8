#include <errno.h>
#include <fcntl.h>
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

/* Advice and exit code of every error that a file can have. */
static void every_error_has_its_advice(void **state)
{
    static const struct {
        int number;
        enum aw_status status;
        const char *advice;
    } rows[] = {
        {ENOTDIR, AW_USAGE, "check the name"},
        {EISDIR, AW_USAGE, "name a file in it"},
        {EACCES, AW_USAGE, "choose another place, or have it permitted"},
        {ENAMETOOLONG, AW_USAGE, "give a shorter one"},
        {EROFS, AW_USAGE, "choose another place"},
        {ENXIO, AW_USAGE, "a pipe needs somebody at its other end"},
        {EFBIG, AW_LOST, "raise the limit (ulimit -f), or write elsewhere"},
        {EIO, AW_LOST, "check the disk"},
        {EPIPE, AW_LOST, "its reader is gone: let it read to the end, or write to a file"},
        {ETIMEDOUT, AW_LOST, "its reader takes nothing: let it read, or write to a file"},
        {ENOMEM, AW_NO_MEMORY, ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_error err;
        errno = rows[i].number;
        assert_int_equal(aw_file_fail(&err, NULL, "x"), rows[i].status);
        assert_non_null(strstr(err.text, rows[i].advice));
    }
}

/* A pipe with a writer is read from its first byte; one without is given up, as is one to write to
 * that nobody reads. */
static void pipes_wait_for_nobody(void **state)
{
    char folder[] = "/tmp/test_file.XXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(aw_file_create(path));
    assert_int_equal(errno, ENXIO);
    int both = open(path, O_RDWR);
    assert_true(both >= 0);
    assert_int_equal(write(both, "line\n", 5), 5);
    FILE *in = aw_file_open(path);
    assert_non_null(in);
    char text[8] = "";
    assert_non_null(fgets(text, sizeof text, in));
    assert_string_equal(text, "line\n");
    fclose(in);
    FILE *out = aw_file_create(path);
    assert_non_null(out);
    assert_int_equal(fcntl(fileno(out), F_GETFL) & O_NONBLOCK, 0);
    fclose(out);
    close(both);
    assert_null(aw_file_open(path));
    assert_int_equal(errno, ENXIO);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

static void folders_on_the_way_are_made(void **state)
{
    char folder[] = "/tmp/test_file.XXXXXX", path[64];
    struct stat about;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a/b/file", folder);
    aw_file_make_folders(path, 0700);
    assert_int_equal(aw_file_write(path, "x", 1, NULL), AW_OK);
    unlink(path);
    for (int i = 0; i < 2; i++) {
        *strrchr(path, '/') = '\0';
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 0777, 0700);
        assert_int_equal(rmdir(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_advice_fits_the_error),
        cmocka_unit_test(what_can_be_written),
        cmocka_unit_test(what_is_saved_is_whole_or_as_it_was),
        cmocka_unit_test(every_error_has_its_advice),
        cmocka_unit_test(pipes_wait_for_nobody),
        cmocka_unit_test(folders_on_the_way_are_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
