/* Tests recordings that a filter reads: found by extension, read completely or partly, with the
 * filter's errors. */
#include <sys/stat.h>
#include <unistd.h>

#include "capture/reading.h"
#include "test.h"

static char folder[] = "/tmp/aw-reading-XXXXXX";
static char path[64];

static void write_program(const char *name, const char *text, mode_t mode)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_file(path, text);
    chmod(path, mode);
}

static void begin(void)
{
    assert_non_null(mkdtemp(folder));
    write_program("armwire-x", "#!/bin/sh\n[ \"$1 $2\" = 'read --' ] && exec sh \"$3\"\n", 0755);
    setenv("PATH", folder, 1);
    write_program("sh", "#!/bin/sh\nexec /bin/sh \"$@\"\n", 0755);
}

static void end(void)
{
    remove_tree(folder);
}

static void open_file(struct aw_reading *reading, const char *name, const char *text)
{
    struct aw_error err;
    write_program(name, text, 0644);
    assert_ok(aw_reading_open(reading, path, 0, &err), &err);
}

static void read_all(const struct aw_reading *reading, const char *expected)
{
    char text[64] = "";
    size_t used = 0;
    for (ssize_t n; (n = read(reading->fd, text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)n;
    assert_string_equal(text, expected);
}

TEST(filters_are_chosen_by_extension)
{
    struct aw_reading reading;
    open_file(&reading, "run.csv", "echo 1");
    assert_false(reading.filtered);
    read_all(&reading, "echo 1");
    assert_int_equal(aw_reading_end(&reading, NULL), AW_OK);
    aw_reading_close(&reading);
    open_file(&reading, "run.y", "echo 1"); /* no filter is installed */
    assert_false(reading.filtered);
    aw_reading_close(&reading);
    open_file(&reading, "run.x", "\n\r\r\n"); /* pcapng is detected by its first bytes */
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

TEST(filter_errors_are_reported)
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
    EACH (row, rows) {
        struct aw_reading reading;
        struct aw_error err;
        open_file(&reading, "run.x", row->script);
        read_all(&reading, "");
        assert_int_equal(aw_reading_end(&reading, &err), row->status);
        assert_string_equal(err.text, row->why);
        aw_reading_close(&reading);
    }
}

TEST(reader_may_close_early)
{
    struct aw_reading reading;
    char byte;
    open_file(&reading, "run.x", "echo 1; while :; do echo 2; done");
    assert_int_equal(read(reading.fd, &byte, 1), 1);
    aw_reading_close(&reading);
    aw_reading_close(&reading); /* a second close has no effect */
}

TEST(missing_files_and_filters_are_reported)
{
    struct aw_reading reading;
    struct aw_filter filter;
    struct aw_error err;
    write_program("run.mcap", "x", 0644);
    assert_int_equal(aw_reading_open(&reading, path, 0, &err), AW_USAGE);
    assert_has(err.text, "run.mcap: armwire-mcap not installed — apt install armwire-mcap");
    assert_int_equal(reading.fd, -1);
    assert_false(aw_filter_find(&filter, "run.mcap", &err));
    assert_int_equal(err.status, AW_USAGE);
    static const char *const none[] = {
        "run",        "run.", ".x", "a/.x", "run.X", "run.a-b", "run.abcdefghijklm",
        "run.pcapng", "run.y"};
    EACH (row, none) {
        assert_false(aw_filter_find(&filter, *row, &err));
        assert_int_equal(err.status, AW_OK);
    }
    assert_true(aw_filter_find(&filter, "a.b/run.x", &err));
    assert_string_equal(filter.program, "armwire-x");
    assert_int_equal(aw_reading_open(&reading, "/no/such.x", 0, &err), AW_USAGE);
}

ALL_TESTS_WITH(begin, end);
