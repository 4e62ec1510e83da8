#include <math.h>

#include "control/samples.h"
#include "test.h"

static void near(double a, double b)
{
    assert_true(fabs(a - b) < 1e-9);
}

TEST(statistics_match_1000_known_values)
{
    struct aw_samples samples = {0};
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

TEST(statistics_handle_zero_and_one_value)
{
    struct aw_samples samples = {0};
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

TEST(histogram_counts_values)
{
    static const double values[] = {-5, 0, 0.9, 1, 2.5, 3.999, 4, 100};
    struct aw_samples samples = {0};
    size_t bins[4];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        aw_samples_add(&samples, values[i]);
    aw_samples_histogram(&samples, 0, 4, bins, 4);
    assert_int_equal(bins[0], 3);
    assert_int_equal(bins[1], 1);
    assert_int_equal(bins[2], 1);
    assert_int_equal(bins[3], 3);
    aw_samples_free(&samples);
}

/* Checks percentiles of one to five values, of the initial capacity, and of one more. */
TEST(percentiles_use_the_nearest_rank)
{
    static const struct {
        int n;
        double p50, p95, p99;
    } rows[] = {{1, 1, 1, 1},         {2, 1, 2, 2},         {3, 2, 3, 3},
                {4, 2, 4, 4},         {5, 3, 5, 5},         {20, 10, 19, 20},
                {21, 11, 20, 21},     {100, 50, 95, 99},    {101, 51, 96, 100},
                {256, 128, 244, 254}, {257, 129, 245, 255}, {513, 257, 488, 508}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_samples samples = {0};
        for (int first = 2; first > 0; first--) /* unordered values */
            for (int k = first; k <= rows[i].n; k += 2)
                assert_true(aw_samples_add(&samples, k));
        struct aw_stats s = aw_samples_stats(&samples);
        assert_true(s.p50 == rows[i].p50 && s.p95 == rows[i].p95 && s.p99 == rows[i].p99);
        assert_true(s.min == 1 && s.max == rows[i].n);
        near(s.mean, (rows[i].n + 1) / 2.0);
        aw_samples_free(&samples);
        assert_true(samples.values == NULL && samples.n == 0 && samples.room == 0);
    }
}

/* Without bins or width nothing is counted; an edge belongs to the higher bin. */
TEST(histogram_edges_belong_to_the_higher_bin)
{
    struct aw_samples samples = {0};
    size_t bins[3] = {7, 7, 7};
    for (int k = 0; k <= 4; k++)
        aw_samples_add(&samples, k);
    aw_samples_histogram(&samples, 0, 4, bins, 0);
    assert_true(bins[0] == 7 && bins[1] == 7);
    aw_samples_histogram(&samples, 2, 2, bins, 2);
    assert_true(bins[0] == 0 && bins[1] == 0 && bins[2] == 7);
    aw_samples_histogram(&samples, 1, 3, bins, 2);
    assert_true(bins[0] == 2 && bins[1] == 3 && bins[2] == 7);
    aw_samples_clear(&samples);
    assert_true(aw_samples_add(&samples, 2));
    aw_samples_histogram(&samples, 1, 3, bins, 2);
    assert_true(bins[0] == 0 && bins[1] == 1);
    aw_samples_free(&samples);
}
