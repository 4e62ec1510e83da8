#include <complex.h>
#include <math.h>

#include "numbers_helper.h"
#include "test.h"

#include "tuning/identify/sweep.h"

#define PI 3.14159265358979323846
#define N  40000

static double times[N], input[N], output[N];
static struct aw_sweep sweep;
static struct aw_bode_point points[AW_SWEEP_TONES];

/* A second-order system wn²/(s² + 2 zeta wn s + wn²), or with zeta 0 a lag 1/(s/wn + 1). */
struct system {
    double wn, zeta;
};

static double complex exact(const struct system *system, double hz)
{
    double complex s = I * 2 * PI * hz / system->wn;
    return system->zeta > 0 ? 1 / (s * s + 2 * system->zeta * s + 1) : 1 / (s + 1);
}

static void slopes(const struct system *system, const double state[2], double u, double out[2])
{
    double w = system->wn;
    out[0] = system->zeta > 0 ? state[1] : w * (u - state[0]);
    out[1] = system->zeta > 0 ? w * w * (u - state[0]) - 2 * system->zeta * w * state[1] : 0;
}

/* Integrates by Runge-Kutta with the exact excitation between samples, so that no hold adds
 * phase. */
static void advance(const struct system *system, double state[2], double t, double dt)
{
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double k[2] = {0}, sum[2] = {0};
    for (int stage = 0; stage < 4; stage++) {
        double there[2] = {state[0] + at[stage] * dt * k[0], state[1] + at[stage] * dt * k[1]};
        slopes(system, there, aw_sweep_get_value(&sweep, t + at[stage] * dt), k);
        for (int i = 0; i < 2; i++)
            sum[i] += weight[stage] * k[i];
    }
    for (int i = 0; i < 2; i++)
        state[i] += dt / 6 * sum[i];
}

/* Simulates the system from 0 to to_s in steps of dt, records the samples from from_s on, and
 * returns their number. */
static size_t simulate(const struct system *system, double from_s, double to_s, double dt)
{
    double state[2] = {0};
    size_t n = 0;
    for (int i = 0; i * dt < to_s && n < N; i++) {
        double t = i * dt;
        if (t >= from_s) {
            times[n] = t;
            input[n] = aw_sweep_get_value(&sweep, t);
            output[n++] = state[0];
        }
        advance(system, state, t, dt);
    }
    return n;
}

static void check_points(const struct system *system, double part, double degrees)
{
    for (int i = 0; i < sweep.n; i++) {
        double complex wanted = exact(system, points[i].frequency_hz);
        double phase = carg(wanted) * 180 / PI;
        if (fabs(points[i].gain / cabs(wanted) - 1) > part ||
            fabs(points[i].phase_deg - phase) > degrees)
            fail_msg("%g Hz: %g, %g deg instead of %g, %g deg", points[i].frequency_hz,
                     points[i].gain, points[i].phase_deg, cabs(wanted), phase);
        assert_true(fabs(points[i].gain_db - 20 * log10(points[i].gain)) < 1e-9);
    }
}

static void check_system(double wn, double zeta)
{
    struct system system = {wn, zeta};
    double hz = wn / (2 * PI), duration = 20 / hz;
    struct aw_sweep_plan plan = {hz / 10, hz * 8, 20, 0.05, duration};
    double fit, dt = duration / 8000;
    assert_int_equal(aw_sweep_start(&sweep, &plan, NULL), AW_OK);
    size_t n = simulate(&system, duration, 3 * duration, dt);
    assert_int_equal(aw_sweep_response(&sweep, times, input, output, n, points, &fit, NULL), AW_OK);
    check_points(&system, 1e-4, 0.02);
    assert_true(fit > 0.999999);
}

TEST(frequency_response_matches_known_systems)
{
    static const double zetas[] = {0, 0.3, 0.7, 1.5};
    EACH (row, zetas) {
        check_system(30, *row);
        check_system(2, *row);
    }
}

TEST(noisy_uneven_records_are_evaluated)
{
    struct system system = {20, 0.5};
    struct aw_sweep_plan plan = {0.5, 20, 16, 0.1, 5};
    unsigned seed = 3;
    size_t kept = 0;
    double fit;
    assert_int_equal(aw_sweep_start(&sweep, &plan, NULL), AW_OK);
    size_t n = simulate(&system, 5, 15, 0.001);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525U + 1013904223U;
        if (seed >> 29 != 0)
            continue;
        times[kept] = times[i];
        input[kept] = input[i] + 0.2;
        output[kept] =
            output[i] + 7 - 0.3 * times[i] + 0.0005 * ((seed >> 8 & 0xFFFF) / 65536. - 0.5);
        kept++;
    }
    assert_true(kept > 1000 && kept < 1600);
    assert_int_equal(aw_sweep_response(&sweep, times, input, output, kept, points, &fit, NULL),
                     AW_OK);
    check_points(&system, 0.03, 2);
    assert_true(fit > 0.99 && fit < 1);
}

TEST(excitation_keeps_amplitude_and_crest_factor)
{
    struct aw_sweep_plan plan = {0.2, 20, 24, 0.02, 10};
    struct aw_sweep again;
    double most = 0, squares = 0;
    assert_int_equal(aw_sweep_start(&sweep, &plan, NULL), AW_OK);
    assert_int_equal(aw_sweep_start(&again, &plan, NULL), AW_OK);
    for (int i = 0; i < 100000; i++) {
        double t = i * 0.0002, value = aw_sweep_get_value(&sweep, t);
        most = fmax(most, fabs(value));
        squares += value * value;
        assert_true(value == aw_sweep_get_value(&again, t));
    }
    assert_true(most <= 0.02 && most > 0.0195);
    double crest = most / sqrt(squares / 100000);
    if (!(crest < 2.3)) /* equal phases would give 6.9 with 24 tones */
        fail_msg("crest factor %g", crest);
    for (int i = 0; i < sweep.n; i++) {
        double periods = sweep.frequency_hz[i] * 10;
        assert_true(fabs(periods - round(periods)) < 1e-9);
        assert_true(i == 0 || sweep.frequency_hz[i] > sweep.frequency_hz[i - 1]);
    }
}

/* Uses L = k/(s(1 + s/w)), whose closed loop is known. */
TEST(loop_margins_bandwidth_and_peak_match_their_formulas)
{
    const double k = 40, w = 20;
    struct aw_bode_point closed[AW_SWEEP_TONES], open[AW_SWEEP_TONES];
    struct aw_bode_summary of_closed, of_open;
    for (int i = 0; i < AW_SWEEP_TONES; i++) {
        double hz = 0.05 * pow(400, i / 47.);
        double complex s = I * 2 * PI * hz, l = k / (s * (1 + s / w)), t = l / (1 + l);
        closed[i] = (struct aw_bode_point){hz, cabs(t), 20 * log10(cabs(t)), carg(t) * 180 / PI};
    }
    aw_bode_open_loop(closed, AW_SWEEP_TONES, open);
    aw_bode_summary(closed, AW_SWEEP_TONES, &of_closed);
    aw_bode_summary(open, AW_SWEEP_TONES, &of_open);
    double wc = w * sqrt((sqrt(1 + 4 * k * k / (w * w)) - 1) / 2);
    double wn = sqrt(k * w), zeta = w / (2 * wn);
    double wb = wn * sqrt(1 - 2 * zeta * zeta + sqrt(2 - 4 * zeta * zeta * (1 - zeta * zeta)));
    assert_true(fabs(of_open.crossover_hz * 2 * PI / wc - 1) < 0.005);
    assert_true(fabs(of_open.phase_margin_deg - (90 - atan(wc / w) * 180 / PI)) < 0.3);
    assert_true(fabs(of_closed.bandwidth_hz * 2 * PI / wb - 1) < 0.01);
    assert_true(fabs(of_closed.peak_gain - 1 / (2 * zeta * sqrt(1 - zeta * zeta))) < 2e-3);
}

/* The dead time turns the phase of an integrator through -180, which gives its margins. */
TEST(margins_of_a_delayed_integrator_match_the_formula)
{
    const double k = 5, dead = 0.1;
    struct aw_bode_point open[AW_SWEEP_TONES];
    struct aw_bode_summary summary;
    for (int i = 0; i < AW_SWEEP_TONES; i++) {
        double hz = 0.2 * pow(50, i / 47.), omega = 2 * PI * hz;
        open[i] = (struct aw_bode_point){hz, k / omega, 20 * log10(k / omega),
                                         -90 - omega * dead * 180 / PI};
    }
    aw_bode_summary(open, AW_SWEEP_TONES, &summary);
    assert_true(fabs(summary.phase_margin_deg - (90 - k * dead * 180 / PI)) < 0.2);
    aw_bode_summary(open, 3, &summary);
    assert_true(isnan(summary.crossover_hz) && isnan(summary.bandwidth_hz) &&
                isnan(summary.phase_margin_deg));
}

TEST(invalid_plans_are_refused_others_match_the_golden_file)
{
    static const struct {
        struct aw_sweep_plan plan;
        const char *says;
    } rows[] = {
        {{0, 10, 5, 1, 2}, "sweep: empty range 0 Hz to 10 Hz — lower --from-hz or raise --to-hz"},
        {{1, 1, 5, 1, 2}, "sweep: empty range 1 Hz to 1 Hz — lower --from-hz or raise --to-hz"},
        {{1, INFINITY, 5, 1, 2},
         "sweep: empty range 1 Hz to inf Hz — lower --from-hz or raise --to-hz"},
        {{1, 10, 5, 0, 2}, "sweep: amplitude 0 is not above 0 — give a larger one"},
        {{1, 10, 5, INFINITY, 2}, "sweep: amplitude inf is not above 0 — give a larger one"},
        {{0.25, 10, 5, 1, 3.9}, "sweep: 3.9 s is less than one period of 0.25 Hz — give --for 4s"},
        {{0.25, 10, 5, 1, INFINITY},
         "sweep: inf s is less than one period of 0.25 Hz — give --for 4s"},
        {{0.25, 10, 1, 0.5, 4}, NULL},
        {{0.25, 10, 2, 0.5, 4}, NULL},
        {{0.25, 10, 48, 0.5, 4}, NULL},
        {{0.25, 0.35, 9, 0.5, 4.5}, NULL},
        {{0.25, 10, 48, 0.5, 4.5}, NULL},
    };
    FILE *out = begin_picture();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct aw_sweep_plan *plan = &rows[i].plan;
        struct aw_error err = {0};
        enum aw_status status = aw_sweep_start(&sweep, plan, &err);
        assert_int_equal(status, rows[i].says ? AW_USAGE : AW_OK);
        if (rows[i].says) {
            assert_string_equal(err.text, rows[i].says);
            continue;
        }
        fprintf(out, "row %zu\n", i);
        numbers(out, "  hz", sweep.frequency_hz, (size_t)sweep.n);
        numbers(out, "  phase", sweep.phase, (size_t)sweep.n);
        NUMBERS(out, "  scale", sweep.scale);
        double s = plan->duration_s;
        NUMBERS(out, "  value", aw_sweep_get_value(&sweep, -0.01), aw_sweep_get_value(&sweep, 0),
                aw_sweep_get_value(&sweep, 0.1), aw_sweep_get_value(&sweep, s / 2),
                aw_sweep_get_value(&sweep, s - 0.0123), aw_sweep_get_value(&sweep, s),
                aw_sweep_get_value(&sweep, s + 0.0123));
    }
    end_picture(out, "control-plans.txt");
}

/* Records beyond a limit and exactly at it. says: the error; NULL: accepted. */
TEST(records_beyond_a_limit_are_refused)
{
    static const struct {
        size_t n;
        double dt, dc; /* sample interval; constant input, if above 0 */
        const char *says;
    } rows[] = {
        {11, 0.01, 0, "sweep: too few samples (11) for 4 frequencies — record longer"},
        {32, 0.126, 0,
         "sweep: sampling rate 7.94 Hz is too low for 4 Hz — give --to-hz below 3.97"},
        {32, 0.125, 0, NULL},
        {12, 0.01, 0,
         "sweep: recording too short to separate the frequencies — record at least one period of 2 "
         "s"},
        {100, 0.05, 0.5, "sweep: input has no component at 1 Hz — check the input column"},
        {100, 0.05, 0, NULL},
    };
    EACH (row, rows) {
        struct aw_sweep_plan plan = {1, 4, 4, 1, 2};
        struct aw_error err = {0};
        double fit = 7;
        assert_int_equal(aw_sweep_start(&sweep, &plan, NULL), AW_OK);
        for (size_t k = 0; k < row->n; k++) {
            times[k] = row->dt * (double)k;
            input[k] = row->dc > 0 ? row->dc : aw_sweep_get_value(&sweep, times[k]);
            output[k] = aw_sweep_get_value(&sweep, times[k] - 0.1);
        }
        enum aw_status status =
            aw_sweep_response(&sweep, times, input, output, row->n, points, &fit, &err);
        assert_int_equal(status, row->says ? AW_USAGE : AW_OK);
        assert_string_equal(err.text, row->says ? row->says : "");
    }
}

TEST(phase_is_unwrapped_downwards)
{
    struct aw_sweep_plan plan = {1, 4, 4, 1, 1};
    assert_int_equal(aw_sweep_start(&sweep, &plan, NULL), AW_OK);
    for (int i = 0; i < 100; i++) {
        times[i] = 0.02 * i;
        input[i] = output[i] = 0;
        for (int k = 1; k <= 4; k++) {
            input[i] += cos(2 * PI * k * times[i]);
            output[i] += 0.5 * cos(2 * PI * k * times[i] - k * 179.8 * PI / 180);
        }
    }
    assert_int_equal(aw_sweep_response(&sweep, times, input, output, 100, points, NULL, NULL),
                     AW_OK);
    for (int k = 0; k < sweep.n; k++)
        assert_true(fabs(points[k].phase_deg + 179.8 * points[k].frequency_hz) < 1e-6 &&
                    fabs(points[k].gain - 0.5) < 1e-9);
}

TEST(summaries_match_the_golden_file)
{
    static const struct {
        int n;
        double db[4], deg[4];
    } rows[] = {
        {4, {20, 0, -10, -20}, {-90, -180, -190, -270}},
        {4, {-1, -2, -5, -30}, {0, -10, -90, -180}},
        {4, {-1, 10, 10, -10}, {-170, -190, -170, -190}},
        {3, {0, 0, -1, 0}, {-180, -181, -182, 0}},
        {2, {5, 2, 0, 0}, {-180, -180, 0, 0}},
        {1, {5, 0, 0, 0}, {-90, 0, 0, 0}},
        {3, {-100, -100, -100, 0}, {90.1, -89.7, 90.4, 0}},
        {0, {0}, {0}},
    };
    FILE *out = begin_picture();
    EACH (row, rows) {
        struct aw_bode_point p[4], open[4];
        struct aw_bode_summary s;
        for (int k = 0; k < row->n; k++)
            p[k] = (struct aw_bode_point){0.5 * pow(2, k), pow(10, row->db[k] / 20), row->db[k],
                                          row->deg[k]};
        aw_bode_summary(p, row->n, &s);
        NUMBERS(out, "summary", s.bandwidth_hz, s.crossover_hz, s.phase_margin_deg, s.peak_gain,
                s.peak_hz);
        aw_bode_open_loop(p, row->n, open);
        for (int k = 0; k < row->n; k++)
            NUMBERS(out, "  open", open[k].frequency_hz, open[k].gain, open[k].gain_db,
                    open[k].phase_deg);
    }
    end_picture(out, "control-summaries.txt");
}
