#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/ready.h"

static void a_read_takes_what_is_there_and_never_waits(void **state)
{
    char bytes[8] = "";
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    errno = 0;
    assert_int_equal(aw_read_ready(ends[0], bytes, sizeof bytes), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(write(ends[1], "key", 3), 3);
    assert_int_equal(aw_read_ready(ends[0], bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "key", 3);
    assert_int_equal(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0); /* others have it too */
    close(ends[1]);
    assert_int_equal(aw_read_ready(ends[0], bytes, sizeof bytes), 0);
    close(ends[0]);
    errno = 0;
    assert_int_equal(aw_read_ready(ends[0], bytes, sizeof bytes), -1);
    assert_int_equal(errno, EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_takes_what_is_there_and_never_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
