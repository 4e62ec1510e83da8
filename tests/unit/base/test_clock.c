#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

static void virtual_time_jumps_to_deadlines(void **state)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    (void)state;
    assert_int_equal(aw_clock_now(&clock.base), 0);
    assert_int_equal(aw_clock_sleep(&clock.base, 3600 * AW_SECOND), AW_OK);
    assert_true(aw_clock_now(&clock.base) == 3600 * AW_SECOND);
    assert_int_equal(aw_clock_wait(&clock.base, -1, 0, 5), AW_TIMEOUT);
    assert_true(aw_clock_now(&clock.base) == 3600 * AW_SECOND);
}

static void real_time_never_goes_back(void **state)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    int64_t before = aw_clock_now(&clock.base);
    (void)state;
    for (int i = 0; i < 1000; i++) {
        int64_t now = aw_clock_now(&clock.base);
        assert_true(now >= before);
        before = now;
    }
    assert_int_equal(aw_clock_wait(&clock.base, -1, 0, before), AW_TIMEOUT);
    int64_t deadline = before + 2 * AW_MILLISECOND;
    assert_int_equal(aw_clock_sleep(&clock.base, deadline), AW_OK);
    assert_true(aw_clock_now(&clock.base) >= deadline);
    assert_true(aw_wall_time() > 1600000000 * AW_SECOND);
}

static void a_wait_ends_when_there_is_something_to_read(void **state)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(aw_clock_wait(&clock.base, ends[0], POLLIN, 0), AW_TIMEOUT);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(aw_clock_wait(&clock.base, ends[0], POLLIN, AW_NEVER), AW_OK);
    close(ends[0]);
    close(ends[1]);
}

static void a_stop_comes_before_everything(void **state)
{
    int stop[2], data[2];
    (void)state;
    assert_int_equal(pipe(stop), 0);
    assert_int_equal(pipe(data), 0);
    struct aw_real_clock clock = aw_real_clock(stop[0]);
    assert_int_equal(write(stop[1], "x", 1), 1);
    assert_int_equal(write(data[1], "x", 1), 1);
    assert_int_equal(aw_clock_wait(&clock.base, data[0], POLLIN, AW_NEVER), AW_STOPPED);
    assert_int_equal(aw_clock_sleep(&clock.base, AW_NEVER), AW_STOPPED);
    for (int i = 0; i < 2; i++) {
        close(stop[i]);
        close(data[i]);
    }
}

static void a_stop_waits_for_the_end_of_deafness(void **state)
{
    int stop[2];
    (void)state;
    assert_int_equal(pipe(stop), 0);
    struct aw_real_clock clock = aw_real_clock(stop[0]);
    assert_int_equal(write(stop[1], "x", 1), 1);
    int64_t end = aw_clock_now(&clock.base) + 20 * AW_MILLISECOND;
    clock.ignored_until = end;
    assert_int_equal(aw_clock_wait(&clock.base, stop[1], POLLOUT, AW_NEVER), AW_OK);
    assert_int_equal(aw_clock_sleep(&clock.base, end - 10 * AW_MILLISECOND), AW_OK);
    assert_int_equal(aw_clock_sleep(&clock.base, AW_NEVER), AW_STOPPED);
    assert_true(aw_clock_now(&clock.base) >= end);
    for (int i = 0; i < 2; i++)
        close(stop[i]);
}

static void times_from_now(void **state)
{
    (void)state;
    assert_true(aw_clock_after(5, 2) == 5 + 2 * AW_SECOND);
    assert_true(aw_clock_after(5, 0) == 5);
    assert_true(aw_clock_after(5, -1e300) == 5);
    assert_true(aw_clock_after(5, 1e300) == AW_NEVER);
    assert_true(aw_clock_after(0, 0x1p63 / 1e9) == AW_NEVER);
    assert_true(aw_clock_after(AW_NEVER, 1) == AW_NEVER);
    assert_true(aw_clock_after(AW_NEVER - 1, 1e-9) >= AW_NEVER - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(virtual_time_jumps_to_deadlines),
        cmocka_unit_test(real_time_never_goes_back),
        cmocka_unit_test(a_wait_ends_when_there_is_something_to_read),
        cmocka_unit_test(a_stop_comes_before_everything),
        cmocka_unit_test(a_stop_waits_for_the_end_of_deafness),
        cmocka_unit_test(times_from_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
