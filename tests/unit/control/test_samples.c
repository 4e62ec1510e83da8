#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/samples.h"

static void near(double a, double b)
{
    assert_true(fabs(a - b) < 1e-9);
}

static void test_spread(void **state)
{
    struct aw_samples samples = {0};
    (void)state;
    for (int i = 1000; i >= 1; i--)
        assert_true(aw_samples_add(&samples, i));
    struct aw_stats s = aw_samples_stats(&samples);
    assert_int_equal(s.n, 1000);
    near(s.min, 1);
    near(s.max, 1000);
    near(s.mean, 500.5);
    near(s.p50, 500);
    near(s.p95, 950);
    near(s.p99, 990);
    near(s.deviation, sqrt((1000.0 * 1000 - 1) / 12));
    aw_samples_free(&samples);
}

static void test_few(void **state)
{
    struct aw_samples samples = {0};
    (void)state;
    assert_int_equal(aw_samples_stats(&samples).n, 0);
    near(aw_samples_stats(&samples).p99, 0);
    assert_false(aw_samples_add(&samples, NAN));
    assert_false(aw_samples_add(&samples, INFINITY));
    assert_true(aw_samples_add(&samples, 3));
    struct aw_stats s = aw_samples_stats(&samples);
    near(s.p50, 3);
    near(s.p99, 3);
    near(s.deviation, 0);
    aw_samples_clear(&samples);
    assert_int_equal(aw_samples_stats(&samples).n, 0);
    aw_samples_free(&samples);
}

static void test_histogram(void **state)
{
    static const double values[] = {-5, 0, 0.9, 1, 2.5, 3.999, 4, 100};
    struct aw_samples samples = {0};
    size_t bins[4];
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        aw_samples_add(&samples, values[i]);
    aw_samples_histogram(&samples, 0, 4, bins, 4);
    assert_int_equal(bins[0], 3);
    assert_int_equal(bins[1], 1);
    assert_int_equal(bins[2], 1);
    assert_int_equal(bins[3], 3);
    aw_samples_free(&samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_histogram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
