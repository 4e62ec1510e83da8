#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "shell/output.h"

static struct aw_output out;

static void start(int fd)
{
    memset(&out, 0, sizeof out);
    out.fd = fd;
}

static void nothing_is_written_before_a_flush(void **state)
{
    int ends[2];
    char text[16] = "";
    (void)state;
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    start(ends[1]);
    aw_output_print(&out, "%s %d\n", "deg", 90);
    assert_int_equal(read(ends[0], text, sizeof text), -1);
    assert_int_equal(aw_output_flush(&out, NULL), AW_OK);
    assert_int_equal(read(ends[0], text, sizeof text), 7);
    assert_memory_equal(text, "deg 90\n", 7);
    close(ends[0]);
    close(ends[1]);
}

static void a_flood_goes_out_in_blocks(void **state)
{
    static char block[AW_OUTPUT_SIZE * 3];
    int fd = open("/dev/null", O_WRONLY);
    (void)state;
    start(fd);
    aw_output_write(&out, block, sizeof block);
    assert_int_equal(out.error, 0);
    assert_true(out.used <= AW_OUTPUT_SIZE);
    char *at = aw_output_reserve(&out, AW_OUTPUT_SIZE);
    assert_ptr_equal(at, out.buffer);
    close(fd);
}

static void a_closed_pipe_is_noticed_before_and_at_writing(void **state)
{
    int ends[2];
    struct aw_error err = {0};
    (void)state;
    assert_int_equal(pipe(ends), 0);
    start(ends[1]);
    assert_int_equal(aw_output_check(&out, &err), AW_OK);
    close(ends[0]);
    assert_int_equal(aw_output_check(&out, &err), AW_LOST);
    assert_non_null(strstr(err.text, "closed the pipe"));
    start(ends[1]);
    aw_output_print(&out, "x");
    assert_int_equal(aw_output_flush(&out, &err), AW_LOST);
    aw_output_print(&out, "y");
    assert_int_equal(aw_output_flush(&out, &err), AW_LOST);
    close(ends[1]);
}

static void a_full_disk_is_told(void **state)
{
    struct aw_error err = {0};
    int fd = open("/dev/full", O_WRONLY);
    (void)state;
    start(fd);
    aw_output_print(&out, "x");
    assert_int_equal(aw_output_flush(&out, &err), AW_LOST);
    assert_non_null(strstr(err.text, "No space left"));
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_written_before_a_flush),
        cmocka_unit_test(a_flood_goes_out_in_blocks),
        cmocka_unit_test(a_closed_pipe_is_noticed_before_and_at_writing),
        cmocka_unit_test(a_full_disk_is_told),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
