/* Tests start, end and refusals of predictions. control-predictions.txt contains their course. */
#include <math.h>

#include "test.h"
#include "tuning/predict.h"

static const struct aw_process lag = {.gain = 2, .a1 = 0.1, .dead_time_s = 0.025};

TEST(prediction_length_follows_the_duration)
{
    static const struct {
        double tick_s, duration_s;
        size_t n;
        const char *says;
    } rows[] = {
        {0.5, 0.5, 1, NULL},
        {0.5, 0.49, 0, "predict: duration 0.49 s is out of range (0.5 to 500000 s)"},
        {0.5, 2.4, 4, NULL},
        {1. / 1024, 1e6 / 1024, 1000000, NULL},
        {1. / 1024, 977, 0, "predict: duration 977 s is out of range (0.000976562 to 976.562 s)"},
        {0.5, NAN, 0, "predict: duration nan s is out of range (0.5 to 500000 s)"},
    };
    EACH (row, rows) {
        struct aw_driver driver = {.tick_s = row->tick_s};
        struct aw_gains gains = {0.1, 0, 0};
        struct aw_scene scene = {.step = 1, .duration_s = row->duration_s};
        struct aw_error err;
        size_t n = 0;
        struct aw_sample *samples = aw_predict(&lag, &driver, &gains, &scene, &n, &err);
        assert_int_equal(n, row->n);
        assert_int_equal(samples == NULL, row->says != NULL);
        if (row->says)
            assert_string_equal(err.text, row->says);
        free(samples);
    }
}

/* The first output continues the output at rest: the integral provides what kp alone does not. */
TEST(prediction_starts_from_rest)
{
    const struct aw_driver driver = {.tick_s = 0.01};
    const struct aw_gains gains = {2, 0.01, 3};
    const struct aw_scene scene = {.step = 0.1, .rest = {-0.02, 0.005}, .duration_s = 0.1};
    struct aw_error err;
    size_t n = 0;
    struct aw_sample *samples = aw_predict(&lag, &driver, &gains, &scene, &n, &err);
    assert_non_null(samples);
    assert_true(fabs(samples[0].measured + 0.005) < 1e-12);
    assert_true(fabs(samples[0].output - (-0.02 + (2 + 3) * 0.1 + 0.01 * 0.105)) < 1e-12);
    free(samples);
}

TEST(load_error_is_infinite_without_integral_or_stability)
{
    assert_true(isinf(aw_predict_load_iae(&lag, 0.01, &(struct aw_gains){0.5, 0, 0})));
    assert_true(isinf(aw_predict_load_iae(&lag, 0.01, &(struct aw_gains){30, 1, 0})));
    assert_true(isfinite(aw_predict_load_iae(&lag, 0.01, &(struct aw_gains){0.5, 0.03, 0})));
    assert_true(aw_predict_overshoot(&lag, 0.01, &(struct aw_gains){0.1, 0, 0}) == 0);
}
