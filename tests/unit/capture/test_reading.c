/* Recordings that a filter reads: found by their ending, read to the end or not, and the reasons
 * that the filter gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/reading.h"

static char folder[] = "/tmp/aw-reading-XXXXXX";
static char path[64];

static void write_file(const char *name, const char *text, mode_t mode)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    chmod(path, mode);
}

static int begin(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    write_file("armwire-x", "#!/bin/sh\n[ \"$1 $2\" = 'read --' ] && exec sh \"$3\"\n", 0755);
    setenv("PATH", folder, 1);
    write_file("sh", "#!/bin/sh\nexec /bin/sh \"$@\"\n", 0755);
    return 0;
}

static int end(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "/bin/rm -rf %s", folder);
    return system(command);
}

static void open_file(struct aw_reading *reading, const char *name, const char *text)
{
    struct aw_error err;
    write_file(name, text, 0644);
    if (aw_reading_open(reading, path, 0, &err) != AW_OK)
        fail_msg("%s", err.text);
}

static void read_all(const struct aw_reading *reading, const char *expected)
{
    char text[64] = "";
    size_t used = 0;
    for (ssize_t n; (n = read(reading->fd, text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)n;
    assert_string_equal(text, expected);
}

static void plain_files_and_filters(void **state)
{
    struct aw_reading reading;
    (void)state;
    open_file(&reading, "run.csv", "echo 1");
    assert_false(reading.filtered);
    read_all(&reading, "echo 1");
    assert_int_equal(aw_reading_end(&reading, NULL), AW_OK);
    aw_reading_close(&reading);
    open_file(&reading, "run.y", "echo 1"); /* no filter is there */
    assert_false(reading.filtered);
    aw_reading_close(&reading);
    open_file(&reading, "run.x", "\n\r\r\n"); /* pcapng by its first bytes */
    assert_false(reading.filtered);
    aw_reading_close(&reading);
    open_file(&reading, "run.x", "echo {1");
    assert_true(reading.filtered);
    read_all(&reading, "{1\n");
    assert_true(aw_reading_has_values(&reading, (struct aw_span){(const uint8_t *)"{1", 2}));
    assert_int_equal(aw_reading_end(&reading, NULL), AW_OK);
    aw_reading_close(&reading);
    assert_int_equal(reading.fd, -1);
}

static void how_it_ended(void **state)
{
    static const struct {
        const char *script, *why;
        enum aw_status status;
    } rows[] = {
        {"echo 'armwire-x: run.x: cut off' >&2; exit 5", "run.x: cut off", AW_MALFORMED},
        {"exit 2", "armwire-x: exit 2", AW_USAGE},
        {"exit 77", "armwire-x: exit 77", AW_LOST},
        {"kill -9 $$", "armwire-x: killed by SIGKILL", AW_LOST},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_reading reading;
        struct aw_error err;
        open_file(&reading, "run.x", rows[i].script);
        read_all(&reading, "");
        assert_int_equal(aw_reading_end(&reading, &err), rows[i].status);
        assert_string_equal(err.text, rows[i].why);
        aw_reading_close(&reading);
    }
}

static void the_reader_stops_early(void **state)
{
    struct aw_reading reading;
    char byte;
    (void)state;
    open_file(&reading, "run.x", "echo 1; while :; do echo 2; done");
    assert_int_equal(read(reading.fd, &byte, 1), 1);
    aw_reading_close(&reading);
    aw_reading_close(&reading); /* a second time does nothing */
}

static void what_is_missing(void **state)
{
    struct aw_reading reading;
    struct aw_filter filter;
    struct aw_error err;
    (void)state;
    write_file("run.mcap", "x", 0644);
    assert_int_equal(aw_reading_open(&reading, path, 0, &err), AW_USAGE);
    assert_non_null(
        strstr(err.text, "run.mcap: armwire-mcap not installed — apt install armwire-mcap"));
    assert_int_equal(reading.fd, -1);
    assert_false(aw_filter_find(&filter, "run.mcap", &err));
    assert_int_equal(err.status, AW_USAGE);
    static const char *const none[] = {
        "run",        "run.", ".x", "a/.x", "run.X", "run.a-b", "run.abcdefghijklm",
        "run.pcapng", "run.y"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_false(aw_filter_find(&filter, none[i], &err));
        assert_int_equal(err.status, AW_OK);
    }
    assert_true(aw_filter_find(&filter, "a.b/run.x", &err));
    assert_string_equal(filter.program, "armwire-x");
    assert_int_equal(aw_reading_open(&reading, "/no/such.x", 0, &err), AW_USAGE);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files_and_filters),
        cmocka_unit_test(how_it_ended),
        cmocka_unit_test(the_reader_stops_early),
        cmocka_unit_test(what_is_missing),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
