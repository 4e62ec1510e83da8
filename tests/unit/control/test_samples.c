#include <math.h>

#include "control/samples.h"
#include "test.h"

static struct aw_samples samples;

static void clear(void)
{
    aw_samples_free(&samples);
    assert_true(samples.values == NULL && samples.n == 0 && samples.room == 0);
}

TEST_WITH(NULL, clear, statistics_skip_values_that_are_not_finite)
{
    assert_int_equal(aw_samples_stats(&samples).n, 0);
    assert_near(aw_samples_stats(&samples).p99, 0, 0);
    assert_false(aw_samples_add(&samples, NAN));
    assert_false(aw_samples_add(&samples, INFINITY));
    assert_true(aw_samples_add(&samples, 3));
    struct aw_stats s = aw_samples_stats(&samples);
    assert_true(s.p50 == 3 && s.p99 == 3 && s.deviation == 0);
    aw_samples_clear(&samples);
    assert_int_equal(aw_samples_stats(&samples).n, 0);
}

/* Tries one to five values, the initial capacity, one more, and more than double that. */
TEST(statistics_of_1_to_n_match_their_formulas)
{
    static const struct {
        int n;
        double p50, p95, p99;
    } rows[] = {{1, 1, 1, 1},         {2, 1, 2, 2},         {3, 2, 3, 3},
                {4, 2, 4, 4},         {5, 3, 5, 5},         {20, 10, 19, 20},
                {21, 11, 20, 21},     {100, 50, 95, 99},    {101, 51, 96, 100},
                {256, 128, 244, 254}, {257, 129, 245, 255}, {513, 257, 488, 508},
                {1000, 500, 950, 990}};
    EACH (row, rows) {
        for (int first = 2; first > 0; first--) /* unordered values */
            for (int k = first; k <= row->n; k += 2)
                assert_true(aw_samples_add(&samples, k));
        struct aw_stats s = aw_samples_stats(&samples);
        assert_true(s.p50 == row->p50 && s.p95 == row->p95 && s.p99 == row->p99);
        assert_true(s.n == (size_t)row->n && s.min == 1 && s.max == row->n);
        assert_near(s.mean, (row->n + 1) / 2.0, 1e-9);
        assert_near(s.deviation, sqrt((row->n * row->n - 1.0) / 12), 1e-9);
        clear();
    }
}

/* Values outside count in the first or last bin. Without bins or width nothing is counted. */
TEST_WITH(NULL, clear, histogram_edges_belong_to_the_higher_bin)
{
    static const double values[] = {-5, 0, 0.9, 1, 2.5, 3.999, 4, 100};
    static const struct {
        double low, high;
        size_t n, bins[4];
    } rows[] = {{0, 4, 4, {3, 1, 1, 3}},
                {1, 3, 2, {4, 4, 7, 7}},
                {0, 4, 0, {7, 7, 7, 7}},
                {2, 2, 2, {0, 0, 7, 7}}};
    EACH (value, values)
        aw_samples_add(&samples, *value);
    EACH (row, rows) {
        size_t bins[4] = {7, 7, 7, 7};
        aw_samples_histogram(&samples, row->low, row->high, bins, row->n);
        assert_memory_equal(bins, row->bins, sizeof bins);
    }
    aw_samples_clear(&samples);
    assert_true(aw_samples_add(&samples, 2));
    size_t bins[2];
    aw_samples_histogram(&samples, 1, 3, bins, 2);
    assert_true(bins[0] == 0 && bins[1] == 1);
}
