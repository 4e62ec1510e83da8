#include <math.h>

#include "test.h"
#include "tuning/identify/answer.h"

TEST(dead_zone_and_dead_band_reduce_the_output)
{
    static const struct {
        double zone, band, output, passes;
    } rows[] = {
        {0.01, 0, 0.0099, 0},      {0.01, 0, 0.01, 0.01},  {0.01, 0, -0.5, -0.5},
        {0, 0.01, 0.5, 0.49},      {0, 0.01, -0.005, 0},   {0.01, 0.02, 0.015, 0},
        {0.01, 0.02, -0.1, -0.08}, {0, 0, -0.001, -0.001},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct aw_dead_band dead = {rows[i].zone, rows[i].band};
        assert_true(fabs(aw_dead_band_output(&dead, rows[i].output) - rows[i].passes) < 1e-12);
    }
}

/* Steps between two samples, with linear or held input and any dead time, even a negative one.
 * The process is at rest at the first input. */
TEST(step_response_matches_the_formula)
{
    enum { N = 200 };
    double t[N], out[N], early[N];
    double input_t[] = {-1, 0.503, 0.503, 1.2}, input[] = {0.2, 0.2, 0.7, 0.7};
    struct aw_process process = {.gain = 3, .a1 = 0.1, .dead_time_s = 0.0412};
    struct aw_dead_band none = {0};
    for (int i = 0; i < N; i++)
        t[i] = 0.01 * i + (i % 3) * 0.001;
    for (int stairs = 0; stairs < 2; stairs++) {
        struct aw_trial trial = {input_t, input, 4, stairs > 0, t, t, N, 0, 0};
        process.dead_time_s = 0.0412;
        aw_simulate(&trial, N, &process, &none, out);
        process.dead_time_s = -0.02;
        aw_simulate(&trial, N, &process, &none, early);
        for (int i = 0; i < N; i++) {
            double since = t[i] - 0.503 - 0.0412, before = t[i] - 0.503 + 0.02;
            double wanted = since > 0 ? 1.5 * (1 - exp(-since / 0.1)) : 0;
            double sooner = before > 0 ? 1.5 * (1 - exp(-before / 0.1)) : 0;
            if (fabs(out[i] - wanted) > 1e-3 || fabs(early[i] - sooner) > 1e-3)
                fail_msg("at %g: %g instead of %g", t[i], out[i], wanted);
        }
    }
}

/* Times are rounded, but not the dead time: a slightly longer one changes the answer. */
TEST(response_varies_smoothly_with_dead_time)
{
    enum { N = 300 };
    double t[N], one[N], other[N], input_t[N], input[N];
    struct aw_process process = {.gain = 1, .integrating = true, .a1 = 0.05};
    struct aw_dead_band none = {0};
    for (int i = 0; i < N; i++) {
        t[i] = input_t[i] = 0.01 * i;
        input[i] = i / 40 % 2 ? 0.1 : 0;
    }
    struct aw_trial trial = {input_t, input, N, true, t, t, N, 0, 0};
    for (int k = 0; k < 50; k++) {
        process.dead_time_s = 0.02 + 1e-5 * k;
        aw_simulate(&trial, N, &process, &none, one);
        process.dead_time_s += 1e-7;
        aw_simulate(&trial, N, &process, &none, other);
        double slope = (other[70] - one[70]) / 1e-7;
        if (fabs(slope + 0.1) > 0.002)
            fail_msg("%d: %g", k, slope);
    }
}

/* ---- Moves ---- */

static const struct aw_process processes[] = {
    {.gain = 2, .a1 = 0.2},
    {.gain = 2, .integrating = true, .a1 = 0.05},
    {.gain = 2, .integrating = true, .a1 = 0.05, .a3 = 0.02},
    {.gain = 2, .a1 = 0.4, .a2 = 0.03},
    {.gain = 2, .a1 = 0.1, .a2 = 0.03},
    {.gain = 2, .a1 = 0.4, .a2 = 0.03, .a3 = 0.05},
};

static void same(const struct aw_process_state *a, const struct aw_process_state *b)
{
    if (fabs(a->y - b->y) > 1e-9 || fabs(a->rate - b->rate) > 1e-8 ||
        fabs(a->lagged - b->lagged) > 1e-9)
        fail_msg("%.12g %.12g %.12g instead of %.12g %.12g %.12g", a->y, a->rate, a->lagged, b->y,
                 b->rate, b->lagged);
}

/* Tries repeated times, times used once, 0, and more times than the cache holds. */
TEST(cached_moves_match_the_process)
{
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
        struct aw_mover mover;
        struct aw_process_state x = {0}, y = {0};
        aw_mover_init(&mover, &processes[i], 1e-6);
        for (int k = 0; k < 3000; k++) {
            double h = k % 7 == 6 ? 0
                       : k < 1000 ? 0.01 * (1 + k % 3)
                                  : 0.001 + 1e-5 * (k * 37 % 901);
            double from = sin(k / 50.), to = k % 2 ? from : cos(k / 30.);
            aw_mover_move(&mover, &x, from, to, h);
            aw_process_advance(&processes[i], &y, from, to, h);
            same(&x, &y);
        }
    }
}

TEST(cached_move_is_reused)
{
    struct aw_mover mover;
    aw_mover_init(&mover, &processes[3], 1e-6);
    for (int k = 0; k < 3; k++) {
        struct aw_process_state x = {1, -2, 0}, y = x;
        aw_move(aw_mover_get_move(&mover, 0.01), &x, 0.5, -0.5);
        aw_process_advance(&processes[3], &y, 0.5, -0.5, 0.01);
        same(&x, &y);
    }
}
