#include <math.h>

#include "numbers_helper.h"
#include "test.h"

#include "tuning/response.h"

#define PI 3.14159265358979323846
#define N  20001

static struct aw_sample samples[N];

typedef double curve(double t, double a, double b);

/* Samples a curve from 0 to 1, scaled to a step at time_s between these values. */
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

/* Returns the time between a and b at which the curve crosses level. */
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

static void check_second_order(double zeta, double wn, double from, double to)
{
    struct aw_step step = {.from = from, .to = to, .time_s = 0};
    struct aw_response r;
    double dt = 20 / (zeta * wn) / (N - 1), span = fabs(to - from);
    double peak = PI / (wn * sqrt(1 - zeta * zeta));
    sample(second_order, zeta, wn, dt, &step);
    assert_int_equal(aw_response(samples, N, &step, &r, NULL), AW_OK);
    assert_share(r.value[AW_OVERSHOOT], 100 * exp(-PI * zeta / sqrt(1 - zeta * zeta)), 2e-3);
    assert_true(fabs(r.value[AW_PEAK_TIME] - peak) <= dt);
    assert_share(r.value[AW_RISE_TIME],
                 solve(zeta, wn, 0.9, 0, peak) - solve(zeta, wn, 0.1, 0, peak), 1e-4);
    assert_share(r.value[AW_SETTLING_TIME], exact_settling(zeta, wn), 1e-4);
    assert_share(r.value[AW_ISE], span * span * (1 + 4 * zeta * zeta) / (4 * zeta * wn), 1e-4);
    assert_true(fabs(r.value[AW_STEADY_STATE_ERROR]) < 1e-6 * span);
    assert_true(isnan(r.value[AW_MAX_OUTPUT]));
}

TEST(second_order_metrics_match_the_formula)
{
    static const double zetas[] = {0.2, 0.4, 0.5, 0.6, 0.7};
    static const double wns[] = {0.5, 3, 40};
    EACH (row, zetas)
        for (size_t k = 0; k < sizeof wns / sizeof *wns; k++) {
            check_second_order(*row, wns[k], 0, 1);
            check_second_order(*row, wns[k], 30, -15);
        }
}

TEST(first_order_metrics_match_the_formula)
{
    const double tau = 0.3, dead = 0.123;
    struct aw_step step = {.from = 2, .to = 12, .time_s = 1};
    struct aw_response r;
    sample(delayed_lag, tau, dead, 0.0005, &step);
    for (int i = 0; i < N; i++)
        samples[i].output = i == 3000 ? -0.8 : 0.1;
    assert_int_equal(aw_response(samples, N, &step, &r, NULL), AW_OK);
    assert_share(r.value[AW_RISE_TIME], tau * log(9), 1e-5);
    assert_share(r.value[AW_SETTLING_TIME], dead + tau * log(50), 1e-5);
    assert_share(r.value[AW_IAE], 10 * (dead + tau), 1e-4);
    assert_share(r.value[AW_ISE], 100 * (dead + tau / 2), 1e-4);
    assert_share(r.value[AW_MAX_OUTPUT], 0.8, 1e-12);
    assert_true(r.value[AW_OVERSHOOT] < 1e-9);
    assert_false(aw_metric_is_reached(r.value[AW_PEAK_TIME]));
    assert_share(r.final, 12, 1e-9);
}

TEST(unreached_levels_have_no_metrics)
{
    struct aw_step step = {.from = 0, .to = 10, .time_s = 0};
    struct aw_response r;
    sample(half_way, 0.2, 0, 0.001, &step);
    assert_int_equal(aw_response(samples, N, &step, &r, NULL), AW_OK);
    assert_false(aw_metric_is_reached(r.value[AW_RISE_TIME]));
    assert_true(r.value[AW_OVERSHOOT] < 1e-9);
    assert_share(r.value[AW_STEADY_STATE_ERROR], 5, 1e-9);
    /* At rest, but away from the target. */
    assert_false(aw_metric_is_reached(r.value[AW_SETTLING_TIME]));

    sample(oscillation, 2, 0, 0.001, &step);
    assert_int_equal(aw_response(samples, N, &step, &r, NULL), AW_OK);
    assert_false(aw_metric_is_reached(r.value[AW_SETTLING_TIME]));
    assert_share(r.value[AW_OVERSHOOT], 100, 1e-3);
    assert_share(r.value[AW_IAE], 10 * 2 / PI * 20, 1e-3);
}

TEST(smoothing_removes_spikes)
{
    struct aw_step step = {.from = 0, .to = 1, .time_s = 0, .smooths = true};
    struct aw_response quiet, noisy;
    uint32_t seed = 7;
    sample(second_order, 0.5, 4, 0.001, &step);
    assert_int_equal(aw_response(samples, N, &step, &quiet, NULL), AW_OK);
    for (int i = 0; i < N; i++) {
        seed = seed * 1664525U + 1013904223U;
        samples[i].measured += 0.002 * ((double)(seed >> 8) / (1 << 24) - 0.5);
    }
    samples[150].measured = 0.95;
    samples[9000].measured = 3;
    samples[19990].measured = -2;
    assert_int_equal(aw_response(samples, N, &step, &noisy, NULL), AW_OK);
    for (int m = AW_RISE_TIME; m <= AW_SETTLING_TIME; m++)
        assert_share(noisy.value[m], quiet.value[m], 0.03);
    assert_true(fabs(noisy.value[AW_STEADY_STATE_ERROR]) < 1e-3);
}

TEST(response_already_moving_is_measured)
{
    struct aw_sample few[] = {
        {0, 1, 0.5, NAN}, {1, 1, 0.8, NAN}, {2, 1, 1.0, NAN}, {3, 1, 1.0, NAN}, {4, 1, 1.0, NAN}};
    struct aw_step step = {.from = 0, .to = 1, .time_s = -0.5};
    struct aw_response r;
    assert_int_equal(aw_response(few, 5, &step, &r, NULL), AW_OK);
    assert_share(r.value[AW_RISE_TIME], 2.0, 1e-9);
    assert_share(r.value[AW_IAE], 0.25 + 0.35 + 0.1, 1e-9);
    assert_share(r.value[AW_ISE], 0.125 + 0.39 / 3 + 0.04 / 3, 1e-9);
    assert_share(r.value[AW_SETTLING_TIME], 2.4, 1e-9);
}

TEST(invalid_steps_and_records_are_refused)
{
    static const struct {
        struct aw_step step;
        size_t n;
        const char *says;
    } rows[] = {
        {{0, 1, 1, false}, 5, NULL},
        {{0, 1, 1, true}, 5, NULL},
        {{0, 1, 1, false}, 4, "step: too few samples (3 after 1 s) — record longer"},
        {{0, 1, 9, false}, 5, "step: too few samples (0 after 9 s) — record longer"},
        {{1, 1, 1, false}, 5, "step: no step from 1 to 1 at 1 s — give two different values"},
        {{NAN, 1, 1, false}, 5, "step: no step from nan to 1 at 1 s — give two different values"},
        {{0, INFINITY, 1, false}, 5, "step: no step from 0 to inf at 1 s — "},
        {{0, 1, NAN, false}, 5, "step: no step from 0 to 1 at nan s — "},
    };
    EACH (row, rows) {
        struct aw_sample few[] = {
            {0, 0, 0, NAN}, {1, 1, 0, NAN}, {2, 1, 1, NAN}, {3, 1, 1, NAN}, {4, 1, 1, NAN}};
        struct aw_response r;
        struct aw_error err;
        enum aw_status status = aw_response(few, row->n, &row->step, &r, &err);
        assert_int_equal(status, row->says ? AW_USAGE : AW_OK);
        if (row->says)
            assert_memory_equal(err.text, row->says, strlen(row->says));
    }
}

TEST(arrival_requires_a_final_value_near_the_target)
{
    const struct {
        double from, to, final, near;
        bool arrived;
    } rows[] = {{0, 10, 0, 0.1, false},   {0, 10, 2, 0.1, false},   {0, 10, 8.9, 0.1, false},
                {0, 10, 9.1, 0.1, true},  {0, 10, 10.9, 0.1, true}, {0, 10, 11.1, 0.1, false},
                {5, -5, -4.1, 0.1, true}, {5, -5, 4, 0.1, false},   {0, 10, 5.1, 0.5, true},
                {0, 10, 4.9, 0.5, false}, {0, 10, NAN, 0.5, false}};
    EACH (row, rows) {
        struct aw_step step = {.from = row->from, .to = row->to};
        struct aw_response response = {.final = row->final};
        assert_int_equal(aw_response_reached_target(&response, &step, row->near), row->arrived);
    }
    struct aw_sample still[20] = {{.t = 0}};
    for (int i = 0; i < 20; i++)
        still[i] = (struct aw_sample){.t = i * 0.1, .setpoint = 10, .output = 0.08};
    struct aw_step step = {.to = 10};
    struct aw_response response;
    assert_int_equal(aw_response(still, 20, &step, &response, NULL), AW_OK);
    assert_true(response.value[AW_OVERSHOOT] == 0 && isnan(response.value[AW_SETTLING_TIME]));
    assert_false(aw_response_reached_target(&response, &step, AW_RESPONSE_TOLERANCE));
}

TEST(metrics_have_names_and_units)
{
    char text[400] = "";
    for (int m = 0; m < AW_METRICS; m++) {
        const struct aw_metric_row *row = aw_metric((enum aw_metric)m);
        sprintf(text + strlen(text), "%s, %s, %d%s\n", row->name, row->title, row->uses_sample_unit,
                row->unit_after);
    }
    assert_string_equal(text, "rise_time, rise time, 0s\n"
                              "overshoot, overshoot, 0%\n"
                              "peak_time, peak time, 0s\n"
                              "settling_time, settling time, 0s\n"
                              "steady_state_error, steady-state error, 1\n"
                              "iae, IAE, 1·s\n"
                              "ise, ISE, 1²·s\n"
                              "max_output, max output, 0\n");
}

TEST(samples_are_copied_to_columns)
{
    static const struct aw_sample few[] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    static const double wanted[] = {1, 5, 20, 60, 30, 70, 4, 8}; /* the columns of one block */
    struct aw_columns columns = aw_copy_columns(few, 2, 10);
    assert_memory_equal(columns.t, wanted, sizeof wanted);
    assert_true(columns.setpoint == columns.t + 2 && columns.measured == columns.t + 4 &&
                columns.output == columns.t + 6);
    free(columns.t);
}
