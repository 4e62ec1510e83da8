/* What ping counts as lost of what comes by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "shell/commands/ping.h"

static void gaps_are_counted(void **state)
{
    static const struct {
        double intervals[9];
        double usual;
        uint64_t missing;
    } rows[] = {
        {{0}, 10, 0},
        {{10, 9.9, 14.9, 15.1, 20, 31}, 10, 1 + 1 + 2},
        {{10, 20}, 0, 0},
        {{40, 0.1, 0.1, 0.1, 40, 0.1, 0.1, 0.1, 10}, 10, 0}, /* late, and then all at once */
        {{40, 0.1, 0.1, 40, 4, 10, 0.1, 0.1}, 10, 1 + 2},
        {{16, 4, 20, 10, 4, 4}, 10, 1}, /* what was early is not what was missing before */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_samples samples = {0};
        for (size_t k = 0; k < 9 && rows[i].intervals[k] > 0; k++)
            aw_samples_add(&samples, rows[i].intervals[k]);
        if (aw_ping_missing(&samples, rows[i].usual) != rows[i].missing)
            fail_msg("row %zu: %d", i, (int)aw_ping_missing(&samples, rows[i].usual));
        aw_samples_free(&samples);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
