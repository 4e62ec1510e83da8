/* A pad from a recording, in the time that it is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "evemu_helper.h"
#include "file_helper.h"

#include "base/clock.h"
#include "input/pad.h"

static struct aw_error err;

static struct aw_pad *open_text(const char *text)
{
    char path[] = "/tmp/pad-XXXXXX", where[40];
    struct aw_pad *pad;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    snprintf(where, sizeof where, "file:%s", path);
    enum aw_status status = aw_pad_open(&pad, where, NULL, &err);
    unlink(path);
    assert_int_equal(status, AW_OK);
    return pad;
}

static void test_recording(void **state)
{
    (void)state;
    struct aw_pad_event event;
    int fds[2];
    struct aw_pad *pad =
        open_text(XBOX "E: 5.0 0003 0000 32767\nE: 5.0 0001 0137 1\nE: 5.0 0000 0000 0\n"
                       "E: 5.1 0004 0004 7\nE: 5.1 0000 0000 0\n"
                       "E: 5.2 0000 0003 0\nE: 5.2 0000 0000 0\n");
    int x = aw_pad_find(pad, "leftx"), held = aw_pad_find(pad, "rightshoulder");
    assert_true(x >= 0 && held >= 0 && aw_pad_find(pad, "paddle1") < 0);
    assert_int_equal(aw_pad_fds(pad, fds), 0);
    assert_true(aw_pad_next(pad, AW_SECOND, &event));
    assert_int_equal(event.what, AW_PAD_CHANGED);
    assert_int_equal(event.time_ns, AW_SECOND);
    assert_true(aw_pad_value(pad, x) == 1 && aw_pad_value(pad, held) == 1);
    assert_false(aw_pad_next(pad, AW_SECOND, &event));
    assert_int_equal(aw_pad_due(pad), AW_SECOND + AW_SECOND / 10);
    assert_true(aw_pad_next(pad, 2 * AW_SECOND, &event));
    assert_int_equal(event.what, AW_PAD_ALIVE);
    assert_true(aw_pad_next(pad, 2 * AW_SECOND, &event));
    assert_int_equal(event.what, AW_PAD_LOST);
    assert_true(aw_pad_next(pad, 2 * AW_SECOND, &event));
    assert_int_equal(event.what, AW_PAD_GONE);
    assert_false(aw_pad_next(pad, 3 * AW_SECOND, &event));
    assert_int_equal(aw_pad_due(pad), AW_NEVER);
    aw_pad_close(pad);
}

static void test_nothing(void **state)
{
    (void)state;
    struct aw_pad *pad;
    assert_int_equal(aw_pad_open(&pad, "/nowhere", NULL, &err), AW_NO_LINK);
    assert_null(pad);
    assert_int_equal(aw_pad_open(&pad, "/dev/null", NULL, &err), AW_NO_LINK);
    assert_non_null(strstr(err.text, "no input device"));
    assert_int_equal(aw_pad_open(&pad, "file:/nowhere", NULL, &err), AW_NO_LINK);
    aw_pad_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recording),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
