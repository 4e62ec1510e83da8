/* What ping counts as lost of what comes by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shell/commands/ping.h"

static void gaps_are_counted(void **state)
{
    static const double intervals[] = {10, 9.9, 14.9, 15.1, 20, 31, 4};
    struct aw_samples samples = {0};
    (void)state;
    assert_int_equal(aw_ping_missing(&samples, 10), 0);
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++)
        aw_samples_add(&samples, intervals[i]);
    assert_int_equal(aw_ping_missing(&samples, 10), 1 + 1 + 2);
    assert_int_equal(aw_ping_missing(&samples, 0), 0);
    aw_samples_free(&samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
