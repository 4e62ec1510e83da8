#include <math.h>

#include "test.h"
#include "tuning/identify/mover.h"

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
