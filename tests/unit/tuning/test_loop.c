#include <math.h>

#include "numbers_helper.h"
#include "test.h"

#include "tuning/design.h"
#include "tuning/loop.h"
#include "tuning/predict.h"

static struct aw_margins margins_of(const struct aw_process *process, double tick_s,
                                    struct aw_gains gains)
{
    struct aw_loop *loop = aw_loop_new(process, tick_s, NULL);
    assert_non_null(loop);
    struct aw_margins m = aw_loop_margins(loop, &gains);
    aw_loop_free(loop);
    return m;
}

/* A lag with a proportional controller is y' = a·y + (1 - a)·kp·(r - y). It is stable until the
 * pole reaches -1; 1/(1 + L) at half the sampling rate is 1/(1 - kp·(1 - a)/(1 + a)). */
TEST(margins_of_a_lag_match_the_formula)
{
    struct aw_process lag = {.gain = 1, .a1 = 0.02};
    double a = exp(-0.004 / 0.02), most = (1 + a) / (1 - a);
    assert_true(margins_of(&lag, 0.004, (struct aw_gains){0.98 * most, 0, 0}).stable);
    assert_false(margins_of(&lag, 0.004, (struct aw_gains){1.02 * most, 0, 0}).stable);
    struct aw_margins half = margins_of(&lag, 0.004, (struct aw_gains){most / 2, 0, 0});
    assert_near(half.ms, 2, 0.02);
    assert_near(half.gain_margin, 2, 0.02);
}

/* An integrator with one tick of dead time and a proportional controller: z² - z + k is stable
 * until k = 1. With two ticks: until 0.618 (golden ratio). */
TEST(margins_of_an_integrator_match_the_formula)
{
    struct aw_process p = {.gain = 1, .integrating = true, .a1 = 1e-6, .dead_time_s = 0.0039999};
    struct aw_process q = p;
    q.dead_time_s = 0.0079999;
    /* kp times the control period is k. */
    assert_true(margins_of(&p, 0.004, (struct aw_gains){0.97 / 0.004, 0, 0}).stable);
    assert_false(margins_of(&p, 0.004, (struct aw_gains){1.03 / 0.004, 0, 0}).stable);
    assert_true(margins_of(&q, 0.004, (struct aw_gains){0.60 / 0.004, 0, 0}).stable);
    assert_false(margins_of(&q, 0.004, (struct aw_gains){0.64 / 0.004, 0, 0}).stable);
}

/* Converts gains in 1/s and s to those of a driver that computes once per tick. */
static struct aw_gains per_tick(struct aw_gains g, double tick_s)
{
    return (struct aw_gains){g.kp, g.ki * tick_s, g.kd / tick_s};
}

/* Compares with Skogestad 2003, table 1: SIMC for first order with tau1 = 8 theta and less, and for
 * an integrator. */
TEST(margins_match_the_simc_table)
{
    double tick = 0.001;
    struct aw_process lag = {.gain = 1, .a1 = 1, .dead_time_s = 1 - tick / 2};
    struct aw_process integrator = {.gain = 1, .integrating = true, .dead_time_s = 1 - tick / 2};
    struct aw_margins m = margins_of(&lag, tick, per_tick((struct aw_gains){0.5, 0.5, 0}, tick));
    assert_near(m.ms, 1.59, 0.005);
    assert_near(m.gain_margin, 3.14, 0.01);
    assert_near(m.phase_margin_deg, 61.4, 0.1);
    m = margins_of(&integrator, tick, per_tick((struct aw_gains){0.5, 0.0625, 0}, tick));
    assert_near(m.ms, 1.70, 0.005);
    assert_near(m.gain_margin, 2.96, 0.01);
    assert_near(m.phase_margin_deg, 46.9, 0.1);
    assert_near(m.crossover, 0.515, 0.002);
}

TEST(stability_agrees_with_simulation)
{
    struct aw_process p = {.gain = 1.3, .a1 = 0.4, .a2 = 0.03, .dead_time_s = 0.07};
    struct aw_loop *loop = aw_loop_new(&p, 0.004, NULL);
    int stable = 0, unstable = 0;
    for (double kp = 0.3; kp < 30; kp *= 1.3)
        for (double ti = 10; ti < 500; ti *= 3)
            for (double td = 0; td < 30; td += 9) {
                struct aw_gains g = {kp, kp / ti, kp * td};
                double ms = aw_loop_ms(loop, &g);
                bool dies = isfinite(aw_predict_load_iae(&p, 0.004, &g));
                if (isfinite(ms) && ms > 20)
                    continue; /* at the stability limit */
                if (isfinite(ms) != dies)
                    fail_msg("kp %g, Ti %g, Td %g: Ms %g, but it %s", kp, ti, td, ms,
                             dies ? "dies away" : "does not");
                *(dies ? &stable : &unstable) += 1;
            }
    aw_loop_free(loop);
    assert_true(stable > 20 && unstable > 20);
}

/* Two slow lags with a fast PID lag by up to 270 deg, but by less near the crossover: the loop
 * is stable, although much smaller gains are not. */
TEST(conditional_stability_is_detected)
{
    static const struct {
        double times;
        bool stable;
    } rows[] = {{0.01, false}, {0.17, false}, {0.19, true}, {0.3, true},
                {1, true},     {3, true},     {100, false}};
    struct aw_process p = {.gain = 1, .a1 = 20, .a2 = 100};
    EACH (row, rows) {
        double k = 2000 * row->times;
        struct aw_gains g = per_tick((struct aw_gains){k, 4 * k, k}, 0.01);
        assert_int_equal(margins_of(&p, 0.01, g).stable, row->stable);
        assert_int_equal(isfinite(aw_predict_load_iae(&p, 0.01, &g)), row->stable);
    }
}

/* By hand: the integrated load error of an integral controller is 1/ki, in seconds and in ticks. */
TEST(load_error_is_the_inverse_of_ki)
{
    struct aw_process p = {.gain = 2, .a1 = 0.3, .dead_time_s = 0.05};
    struct aw_gains g = per_tick((struct aw_gains){0.8, 1.5, 0}, 0.004);
    assert_near(aw_predict_load_iae(&p, 0.004, &g), 1 / 1.5, 0.01);
}

TEST(output_activity_matches_the_formula)
{
    struct aw_driver driver = {.quantum = 0.045 / 360};
    struct aw_gains g = {3, 0, 99};
    assert_near(aw_driver_activity(&driver, &g), 0.01275, 1e-6);
    driver.noise = 1e-3;
    assert_near(aw_driver_activity(&driver, &g), 2e-3 * sqrt(102. * 102 + 99. * 99), 1e-6);
}

/* Follows the open-loop curve point by point. A lag with gain 2 and kp = 3 starts at 6, and at
 * 1/tau it has -45 deg and -3 dB. */
TEST(open_loop_curve_matches_the_formula)
{
    struct aw_process lag = {.gain = 2, .a1 = 0.5};
    struct aw_loop *loop = aw_loop_new(&lag, 0.001, NULL);
    assert_non_null(loop);
    double omega, before = 0;
    double complex open;
    size_t n = 0;
    bool corner = false;
    for (; aw_loop_get_point(loop, &(struct aw_gains){.kp = 3}, n, &omega, &open); n++) {
        assert_true(omega > before);
        if (omega < 0.02)
            assert_near(cabs(open), 6, 0.01);
        if (before < 2 && omega >= 2) {
            assert_near(cabs(open), 6 / sqrt(1 + omega * omega / 4), 0.01);
            assert_near(carg(open), -atan(omega / 2), 0.01);
            corner = true;
        }
        before = omega;
    }
    assert_true(corner && n > 100);
    aw_loop_free(loop);
}

static double complex slow_turn(const void *context, double omega)
{
    return *(const double *)context * cexp(-I * omega * 0.02) / (1 + I * omega * 0.1);
}

/* Prints margins of stable, marginal and unstable loops, also with negative gains; then some
 * points of the curve and a custom response. */
TEST(margins_match_the_golden_file)
{
    static const struct aw_process processes[] = {
        {.gain = 2, .a1 = 0.05},
        {.gain = 1, .a1 = 0.1, .a2 = 0.01, .dead_time_s = 0.05},
        {.gain = 3, .integrating = true, .a1 = 0.02, .dead_time_s = 0.03},
        {.gain = 0.5, .a1 = 0.3, .a2 = 0.02, .a3 = 0.1, .lead = -0.05, .dead_time_s = 0.2},
        {.gain = 1, .integrating = true, .a1 = 0.02, .a3 = 0.01, .lead = 0.04, .dead_time_s = 0.9},
        {.gain = 1, .a1 = 1, .dead_time_s = 2000}, /* more frequencies than allowed */
    };
    static const struct aw_gains gains[] = {
        {0.5, 0, 0}, {1.5, 0.05, 0},  {2, 0.02, 3}, {-0.4, 0, 0},    {0, 0.2, 0}, {0, -0.01, 0},
        {6, 0, 0},   {0.2, 0.4, 0.1}, {0.3, 0, 9},  {-1.5, -0.1, 0}, {0, 0, 0}};
    const double gain = -1.25;
    FILE *out = begin_picture();
    for (size_t i = 0; i <= sizeof processes / sizeof *processes; i++) {
        struct aw_loop *loop = i < sizeof processes / sizeof *processes
                                   ? aw_loop_new(&processes[i], 0.02, NULL)
                                   : aw_loop_new_any(slow_turn, &gain, 0, 0.1, 0.02, 0.004, NULL);
        size_t n = 0;
        double omega;
        double complex open;
        while (aw_loop_get_point(loop, &gains[2], n, &omega, &open)) {
            if (n % 150 == 0 && n < 700)
                NUMBERS(out, " ", omega, creal(open), cimag(open));
            n++;
        }
        fprintf(out, "%zu points", n);
        NUMBERS(out, ", the last", omega, creal(open));
        for (size_t k = i % 2; k < sizeof gains / sizeof *gains; k += 2) {
            struct aw_margins m = aw_loop_margins(loop, &gains[k]);
            NUMBERS(out, "  margins", m.stable, m.ms, m.gain_margin, m.phase_margin_deg,
                    m.crossover, m.bandwidth, aw_loop_ms(loop, &gains[k]));
        }
        aw_loop_free(loop);
    }
    end_picture(out, "control-loops.txt");
}
