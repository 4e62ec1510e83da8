#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/response.h"

#define PI 3.14159265358979323846
#define N  20001

static struct aw_sample samples[N];

typedef double curve(double t, double a, double b);

/* Steps from from to to at time_s; the curve goes from 0 to 1. */
static void sample(curve *of, double a, double b, double dt, const struct aw_step *step)
{
    for (int i = 0; i < N; i++) {
        double t = i * dt, since = t - step->time_s, span = step->to - step->from;
        double y = since < 0 ? 0 : of(since, a, b);
        samples[i] =
            (struct aw_sample){t, since < 0 ? step->from : step->to, step->from + span * y, NAN};
    }
}

static double second_order(double t, double zeta, double wn)
{
    double root = sqrt(1 - zeta * zeta), wd = wn * root;
    return 1 - exp(-zeta * wn * t) * (cos(wd * t) + zeta / root * sin(wd * t));
}

static double delayed_lag(double t, double tau, double dead)
{
    return t < dead ? 0 : 1 - exp(-(t - dead) / tau);
}

static double half_way(double t, double tau, double unused)
{
    (void)unused;
    return 0.5 * (1 - exp(-t / tau));
}

static double oscillation(double t, double hz, double unused)
{
    (void)unused;
    return 1 + sin(2 * PI * hz * t);
}

/* The time between a and b where the curve is at level. */
static double solve(double zeta, double wn, double level, double a, double b)
{
    double side = second_order(a, zeta, wn) - level;
    for (int i = 0; i < 80; i++) {
        double middle = (a + b) / 2;
        if ((second_order(middle, zeta, wn) - level > 0) == (side > 0))
            a = middle;
        else
            b = middle;
    }
    return a;
}

static double exact_settling(double zeta, double wn)
{
    double end = 12 / (zeta * wn), dt = end / 200000;
    double t = end;
    while (fabs(second_order(t, zeta, wn) - 1) <= 0.02)
        t -= dt;
    double level = second_order(t, zeta, wn) > 1 ? 1.02 : 0.98;
    return solve(zeta, wn, level, t, t + dt);
}

static void near(double value, double wanted, double part)
{
    if (!(fabs(value - wanted) <= part * fabs(wanted)))
        fail_msg("%.9g instead of %.9g", value, wanted);
}

static void check_second_order(double zeta, double wn, double from, double to)
{
    struct aw_step step = {.from = from, .to = to, .time_s = 0};
    struct aw_response r;
    double dt = 20 / (zeta * wn) / (N - 1), span = fabs(to - from);
    double peak = PI / (wn * sqrt(1 - zeta * zeta));
    sample(second_order, zeta, wn, dt, &step);
    assert_int_equal(aw_response(samples, N, &step, &r, NULL), AW_OK);
    near(r.value[AW_OVERSHOOT], 100 * exp(-PI * zeta / sqrt(1 - zeta * zeta)), 2e-3);
    assert_true(fabs(r.value[AW_PEAK_TIME] - peak) <= dt);
    near(r.value[AW_RISE_TIME], solve(zeta, wn, 0.9, 0, peak) - solve(zeta, wn, 0.1, 0, peak),
         1e-4);
    near(r.value[AW_SETTLING_TIME], exact_settling(zeta, wn), 1e-4);
    near(r.value[AW_ISE], span * span * (1 + 4 * zeta * zeta) / (4 * zeta * wn), 1e-4);
    assert_true(fabs(r.value[AW_STEADY_STATE_ERROR]) < 1e-6 * span);
    assert_true(isnan(r.value[AW_MAX_OUTPUT]));
}

static void test_second_order(void **state)
{
    (void)state;
    static const double zetas[] = {0.2, 0.4, 0.5, 0.6, 0.7};
    static const double wns[] = {0.5, 3, 40};
    for (size_t i = 0; i < sizeof zetas / sizeof *zetas; i++)
        for (size_t k = 0; k < sizeof wns / sizeof *wns; k++) {
            check_second_order(zetas[i], wns[k], 0, 1);
            check_second_order(zetas[i], wns[k], 30, -15);
        }
}

static void test_first_order_with_dead_time(void **state)
{
    (void)state;
    const double tau = 0.3, dead = 0.123;
    struct aw_step step = {.from = 2, .to = 12, .time_s = 1};
    struct aw_response r;
    sample(delayed_lag, tau, dead, 0.0005, &step);
    for (int i = 0; i < N; i++)
        samples[i].output = i == 3000 ? -0.8 : 0.1;
    assert_int_equal(aw_response(samples, N, &step, &r, NULL), AW_OK);
    near(r.value[AW_RISE_TIME], tau * log(9), 1e-5);
    near(r.value[AW_SETTLING_TIME], dead + tau * log(50), 1e-5);
    near(r.value[AW_IAE], 10 * (dead + tau), 1e-4);
    near(r.value[AW_ISE], 100 * (dead + tau / 2), 1e-4);
    near(r.value[AW_MAX_OUTPUT], 0.8, 1e-12);
    assert_true(r.value[AW_OVERSHOOT] < 1e-9);
    assert_false(aw_metric_reached(r.value[AW_PEAK_TIME]));
    near(r.final, 12, 1e-9);
}

static void test_what_never_arrives(void **state)
{
    (void)state;
    struct aw_step step = {.from = 0, .to = 10, .time_s = 0};
    struct aw_response r;
    sample(half_way, 0.2, 0, 0.001, &step);
    assert_int_equal(aw_response(samples, N, &step, &r, NULL), AW_OK);
    assert_false(aw_metric_reached(r.value[AW_RISE_TIME]));
    assert_true(r.value[AW_OVERSHOOT] < 1e-9);
    near(r.value[AW_STEADY_STATE_ERROR], 5, 1e-9);
    near(r.value[AW_SETTLING_TIME], 0.2 * log(25), 1e-4);

    sample(oscillation, 2, 0, 0.001, &step);
    assert_int_equal(aw_response(samples, N, &step, &r, NULL), AW_OK);
    assert_false(aw_metric_reached(r.value[AW_SETTLING_TIME]));
    near(r.value[AW_OVERSHOOT], 100, 1e-3);
    near(r.value[AW_IAE], 10 * 2 / PI * 20, 1e-3);
}

static void test_noise_and_spikes(void **state)
{
    (void)state;
    struct aw_step step = {.from = 0, .to = 1, .time_s = 0, .median = 5};
    struct aw_response quiet, noisy;
    uint32_t seed = 7;
    sample(second_order, 0.5, 4, 0.001, &step);
    assert_int_equal(aw_response(samples, N, &step, &quiet, NULL), AW_OK);
    for (int i = 0; i < N; i++) {
        seed = seed * 1664525U + 1013904223U;
        samples[i].measured += 0.004 * ((double)(seed >> 8) / (1 << 24) - 0.5);
    }
    samples[150].measured = 0.95;
    samples[9000].measured = 3;
    samples[19990].measured = -2;
    assert_int_equal(aw_response(samples, N, &step, &noisy, NULL), AW_OK);
    for (int m = AW_RISE_TIME; m <= AW_SETTLING_TIME; m++)
        near(noisy.value[m], quiet.value[m], 0.03);
    assert_true(fabs(noisy.value[AW_STEADY_STATE_ERROR]) < 1e-3);
}

static void test_starts_on_the_way(void **state)
{
    (void)state;
    struct aw_sample few[] = {
        {0, 1, 0.5, NAN}, {1, 1, 0.8, NAN}, {2, 1, 1.0, NAN}, {3, 1, 1.0, NAN}, {4, 1, 1.0, NAN}};
    struct aw_step step = {.from = 0, .to = 1, .time_s = -0.5};
    struct aw_response r;
    assert_int_equal(aw_response(few, 5, &step, &r, NULL), AW_OK);
    near(r.value[AW_RISE_TIME], 2.0, 1e-9);
    near(r.value[AW_IAE], 0.25 + 0.35 + 0.1, 1e-9);
    near(r.value[AW_ISE], 0.125 + 0.39 / 3 + 0.04 / 3, 1e-9);
    near(r.value[AW_SETTLING_TIME], 2.4, 1e-9);
}

static void test_refusals(void **state)
{
    (void)state;
    struct aw_sample few[] = {
        {0, 0, 0, NAN}, {1, 1, 0, NAN}, {2, 1, 1, NAN}, {3, 1, 1, NAN}, {4, 1, 1, NAN}};
    struct aw_step step = {.from = 0, .to = 1, .time_s = 1};
    struct aw_response r;
    struct aw_error err;
    assert_int_equal(aw_response(few, 5, &step, &r, &err), AW_OK);
    assert_int_equal(aw_response(few, 4, &step, &r, &err), AW_USAGE);
    assert_non_null(err.text[0] ? err.text : NULL);
    few[3].t = 2;
    assert_int_equal(aw_response(few, 5, &step, &r, &err), AW_USAGE);
    few[3].t = 3;
    few[4].measured = NAN;
    assert_int_equal(aw_response(few, 5, &step, &r, &err), AW_USAGE);
    few[4].measured = 1;
    step.median = 4;
    assert_int_equal(aw_response(few, 5, &step, &r, &err), AW_USAGE);
    step = (struct aw_step){.from = 1, .to = 1};
    assert_int_equal(aw_response(few, 5, &step, &r, &err), AW_USAGE);
}

static void test_finding_the_step(void **state)
{
    (void)state;
    struct aw_sample few[] = {{0, 5, 5, NAN}, {1, 5, 5, NAN}, {2, -3, 5, NAN}, {3, -3, 1, NAN}};
    struct aw_step step;
    assert_int_equal(aw_step_find(few, 4, &step, NULL), AW_OK);
    assert_true(step.from == 5 && step.to == -3 && step.time_s == 2);
    few[0].setpoint = few[1].setpoint = -3;
    assert_int_equal(aw_step_find(few, 4, &step, NULL), AW_OK);
    assert_true(step.from == 5 && step.to == -3 && step.time_s == 0);
    few[0].measured = -3;
    assert_int_equal(aw_step_find(few, 4, &step, NULL), AW_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_order),
        cmocka_unit_test(test_first_order_with_dead_time),
        cmocka_unit_test(test_what_never_arrives),
        cmocka_unit_test(test_noise_and_spikes),
        cmocka_unit_test(test_starts_on_the_way),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_finding_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
