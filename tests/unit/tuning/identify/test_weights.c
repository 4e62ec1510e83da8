#include <math.h>

#include "test.h"
#include "tuning/identify/weights.h"

#define N 400

static double t[N], y[N], out[N], work[N], input_t[2 * N], input[2 * N];
static bool held_out[N];
static struct aw_trial trial;

/* Records jumps every half second, in the middle between two samples. */
static void record(void)
{
    size_t k = 0;
    double level = 0;
    for (int i = 0; i < N; i++) {
        t[i] = 0.01 * i;
        y[i] = 1 + 0.5 * i;
        held_out[i] = i >= 300;
        input_t[k] = t[i];
        input[k++] = level;
        if (i % 50 != 49)
            continue;
        input_t[k] = input_t[k + 1] = t[i] + 0.005;
        input[k] = level;
        level = level > 0 ? -0.1 : 0.1;
        input[k + 1] = level;
        k += 2;
    }
    trial = (struct aw_trial){
        .input_t = input_t, .input = input, .n_inputs = k, .t = t, .y = y, .n = N};
}

TEST(equal_weights_remove_the_mean_of_each_piece)
{
    struct aw_weights w;
    struct aw_error err;
    record();
    assert_int_equal(aw_weights_begin(&w, &trial, NULL, &err), AW_OK);
    aw_weights_reset(&w, 150);
    aw_weights_apply(&w, y, out);
    assert_int_equal(aw_weights_piece_end(&w, 0), 150);
    assert_int_equal(aw_weights_piece_end(&w, 150), N); /* the rest is shorter than two pieces */
    assert_true(fabs(out[0] + 0.5 * 74.5) < 1e-9 && fabs(out[150] + 0.5 * 124.5) < 1e-9);
    aw_weights_hold_out(&w, held_out);
    aw_weights_reset(&w, N);
    aw_weights_apply(&w, y, out);
    assert_int_equal(w.n_counted, 300);
    assert_true(fabs(out[0] + 0.5 * 149.5) < 1e-9 && !(fabs(out[300]) > 0));
    aw_weights_end(&w);
}

/* A late jump leaves a permanent error in an integrating process. With weights it counts once, at
 * the samples after the jump, not in all later ones. */
TEST(late_jump_is_counted_once)
{
    struct aw_weights w;
    struct aw_error err;
    struct aw_process process = {.gain = 2, .integrating = true, .a1 = 0.02, .dead_time_s = 0.03};
    struct aw_dead_band none = {0};
    record();
    assert_int_equal(aw_weights_begin(&w, &trial, NULL, &err), AW_OK);
    for (int i = 0; i < N; i++) /* the jump at 0.995 is 2 ms late */
        y[i] = t[i] > 1.025 ? -2 * 0.2 * 0.002 * (1 - exp(-(t[i] - 1.025) / 0.02)) : 0;
    aw_weights_calculate(&w, &process, &none, 1e-10, 1);
    assert_true(w.uses_filter && w.log_det > 0);
    memcpy(out, y, sizeof y);
    aw_weights_innovate(&w, out, work);
    for (int i = 0; i < N; i++)
        if ((i < 100 || i > 110) && fabs(out[i]) > 3e-5)
            fail_msg("at %g: %g", t[i], out[i]);
    aw_weights_apply(&w, y, out);
    double sum = 0, plain = 0;
    for (int i = 0; i < N; i++) {
        sum += out[i] * out[i];
        plain += y[i] * y[i];
    }
    assert_true(sum < plain / 1000);
    aw_weights_end(&w);
}

TEST(weights_use_the_filter_only_if_there_are_impulses)
{
    struct aw_weights w;
    struct aw_error err;
    struct aw_process process = {.gain = 2, .a1 = 0.2};
    struct aw_dead_band none = {0}, all = {.zone = 1};
    record();
    assert_int_equal(aw_weights_begin(&w, &trial, NULL, &err), AW_OK);
    aw_weights_calculate(&w, &process, &none, 1e-6, 0);
    assert_false(w.uses_filter);
    aw_weights_calculate(&w, &process, &none, 0, 1);
    assert_false(w.uses_filter);
    aw_weights_calculate(&w, &process, &all, 1e-6, 1);
    assert_true(!(fabs(w.log_det) > 1e-12)); /* input within the dead zone causes no impulse */
    for (size_t k = 0; k < trial.n_inputs; k++)
        input_t[k] += k > 200 ? 0.03 : 0;
    aw_weights_calculate(&w, &process, &none, 1e-6, 0);
    assert_false(w.uses_filter);
    for (size_t k = 0; k < trial.n_inputs; k++)
        input_t[k] += input_t[k] > 0.9955 ? 0.03 : 0;
    aw_weights_calculate(&w, &process, &none, 1e-6, 0);
    assert_true(w.uses_filter);
    aw_weights_end(&w);
}
