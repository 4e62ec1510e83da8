/* Measures the control period of known controllers from delayed telemetry of any period with
 * gaps. */
#include <math.h>

#include "test.h"
#include "tuning/identify/tick.h"

#define KI    0.002
#define ERROR 0.03
#define ROOM  2000
#define STEP  (1.0 / 32768)

static double t[ROOM], error[ROOM], output[ROOM];

static double share(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed / 4294967296.0;
}

struct scene {
    double tick, period, late, missing, noise; /* s, s, s, share, steps of the encoder */
    uint32_t seed;
};

/* Runs for one second, or until the output reaches 0.7 %, like the tools. */
static size_t watch(const struct scene *s)
{
    uint32_t seed = s->seed;
    double phase = share(&seed) * s->tick, u = 0;
    size_t n = 0;
    for (double next = 0, at = phase; next < 1 && n < ROOM && fabs(u) < 0.007; next += s->period) {
        for (; at <= next; at += s->tick)
            u += KI * ERROR;
        if (share(&seed) < s->missing)
            continue;
        t[n] = next + s->late * share(&seed);
        error[n] = ERROR + round(s->noise * (2 * share(&seed) - 1)) * STEP;
        output[n++] = round(u / STEP) * STEP;
    }
    return n;
}

TEST(true_control_period_is_within_the_reported_interval)
{
    static const double ticks[] = {0.004, 0.005, 0.0075, 0.008, 0.0099, 0.01, 0.02, 0.05};
    static const double periods[] = {0.001, 0.004, 0.008, 0.01, 0.0125, 0.02};
    int all = 0, within = 0;
    EACH (row, ticks)
        for (size_t k = 0; k < sizeof periods / sizeof *periods; k++)
            for (uint32_t seed = 1; seed <= 20; seed++) {
                struct scene scene = {*row, periods[k], 0.002, seed % 2 * 0.1, 4, seed};
                struct aw_tick tick = {0};
                size_t n = watch(&scene);
                if (!aw_tick_measure(t, error, output, n, KI, &tick))
                    fail_msg("tick %g, period %g, seed %u: none", *row, periods[k], seed);
                assert_int_equal(tick.source, AW_TICK_MEASURED);
                all++;
                within += fabs(tick.s - *row) <= tick.half_width;
                if (fabs(tick.s - *row) > 0.05 * *row || tick.half_width > 0.12 * *row)
                    fail_msg("tick %g, period %g, seed %u: %g ± %g", *row, periods[k], seed, tick.s,
                             tick.half_width);
            }
    if (within * 100 < all * 95)
        fail_msg("%d of %d", within, all);
}

TEST(tick_is_measured_while_the_joint_moves)
{
    struct aw_tick tick;
    double u = 0;
    for (int i = 0; i < 100; i++) {
        t[i] = i * 0.01;
        error[i] = ERROR * (1 + 0.5 * sin(i * 0.1));
        u += KI * error[i];
        output[i] = u;
    }
    assert_true(aw_tick_measure(t, error, output, 100, KI, &tick));
    assert_true(fabs(tick.s - 0.01) < 1e-4);
}

TEST(unsuitable_records_give_no_tick)
{
    struct aw_tick tick = {1, 2, AW_TICK_GIVEN};
    struct scene scene = {.tick = 0.01, .period = 0.01, .seed = 1};
    size_t n = watch(&scene);
    assert_false(aw_tick_measure(t, error, output, 7, KI, &tick));
    assert_false(aw_tick_measure(t, error, output, n, -KI, &tick)); /* the output falls */
    for (size_t i = 0; i < n; i++)
        output[i] = 0; /* constant output within the dead band shows no period */
    assert_false(aw_tick_measure(t, error, output, n, KI, &tick));
    for (size_t i = 0; i < n; i++)
        output[i] = i % 2 ? 0.5 : 0;
    assert_false(aw_tick_measure(t, error, output, n, KI, &tick));
    for (size_t i = 0; i < n; i++)
        t[i] = 3;
    assert_false(aw_tick_measure(t, error, output, n, KI, &tick));
    assert_true(tick.s == 1 && tick.half_width == 2);
    assert_int_equal(tick.source, AW_TICK_GIVEN);
}
