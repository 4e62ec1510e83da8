#include <math.h>
#include <stdatomic.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "numbers_helper.h"
#include "test.h"

#include "base/task.h"
#include "tuning/identify/excite.h"
#include "tuning/identify/fit.h"
#include "tuning/identify/spectrum.h"

#define N 1500

static double t[N], u[N], y[N], at[3 * N], input[3 * N];
static unsigned long long seed;

static double uniform(void)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static double normal(void)
{
    double a = 1 - uniform(), b = uniform();
    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

/* Returns a record of steps with many durations and two sizes. The output is the sum of textbook
 * step responses. */
static struct aw_trial record_of(double (*step)(double), double gain, double dead_time,
                                 double dead_band, double noise)
{
    double jump_t[200], jump[200], level = 0, when = 0.5;
    size_t jumps = 0;
    memset(u, 0, sizeof u);
    for (seed = 7; when < 14.5; when += 0.1 + 0.6 * uniform() * uniform()) {
        double was = copysign(fmax(0, fabs(level) - dead_band), level);
        level = (uniform() < 0.5 ? 0.1 : 0.05) * (level > 0 ? -1 : 1);
        jump_t[jumps] = floor(when * 100) / 100;
        jump[jumps++] = copysign(fmax(0, fabs(level) - dead_band), level) - was;
        for (size_t i = (size_t)floor(when * 100); i < N; i++)
            u[i] = level;
    }
    for (size_t k = 0; k < N; k++) {
        t[k] = (double)k / 100;
        y[k] = 0.2 + noise * normal();
        for (size_t j = 0; j < jumps; j++)
            if (t[k] > jump_t[j] + dead_time)
                y[k] += gain * jump[j] * step(t[k] - jump_t[j] - dead_time);
    }
    memcpy(at, t, sizeof t);
    memcpy(input, u, sizeof u);
    return (struct aw_trial){
        .input_t = at, .input = input, .n_inputs = N, .is_stairs = true, .t = t, .y = y, .n = N};
}

static double lag(double s)
{
    return 1 - exp(-s / 0.2);
}

static double integrator(double s)
{
    return s - 0.05 * (1 - exp(-s / 0.05));
}

static double two(double s)
{
    return 1 - (0.3 * exp(-s / 0.3) - 0.1 * exp(-s / 0.1)) / 0.2;
}

static void within(const char *what, double value, double half, double wanted)
{
    if (!(fabs(value - wanted) <= 2 * half + 1e-9 * fabs(wanted)) || !(half < 0.2 * fabs(wanted)))
        fail_msg("%s: %g ± %g instead of %g", what, value, half, wanted);
}

/* Golden text: the fits of all tests below, in order. */
static FILE *fits;

static void print_fit(const struct aw_fit *f)
{
    const struct aw_process *p = &f->process;
    fprintf(fits, "%s of %zu\n", aw_process_kind_name(aw_process_kind_of(p)), f->n);
    NUMBERS(fits, " process", p->gain, p->a1, p->a2, p->a3, p->dead_time_s, f->dead_band);
    NUMBERS(fits, " half", f->half_widths.gain, f->half_widths.tau1, f->half_widths.tau2,
            f->half_widths.tau3, f->half_widths.dead_time, f->half_widths.dead_band);
    NUMBERS(fits, " fit", f->sigma, f->used, f->held_out, f->piece_s, f->independent);
}

static struct aw_fit fit_of(const struct aw_trial *trial, const struct aw_fit_options *options)
{
    struct aw_fit fit;
    struct aw_error err;
    assert_ok(aw_fit_best(trial, options, &fit, &err), &err);
    print_fit(&fit);
    return fit;
}

TEST(processes_are_identified)
{
    static const struct {
        double (*step)(double);
        double gain, dead_time, band, noise, tau1, tau2;
        enum aw_process_kind kind;
    } rows[] = {{lag, 3, 0.053, 0, 0.002, 0.2, 0, AW_PROCESS_FIRST},
                {integrator, 2, 0.03, 0, 0.0005, 0.05, 0, AW_PROCESS_INTEGRATING},
                {two, -4, 0.04, 0.013, 0.0005, 0.3, 0.1, AW_PROCESS_SECOND}};
    EACH (row, rows) {
        struct aw_trial trial =
            record_of(row->step, row->gain, row->dead_time, row->band, row->noise);
        struct aw_fit_options options = {.find_dead_band = row->band > 0};
        struct aw_fit fit = fit_of(&trial, &options);
        double tau1, tau2;
        aw_process_lags(&fit.process, &tau1, &tau2, NULL);
        assert_int_equal(aw_process_kind_of(&fit.process), row->kind);
        within("gain", fit.process.gain, fit.half_widths.gain, row->gain);
        within("dead time", fit.process.dead_time_s, fit.half_widths.dead_time, row->dead_time);
        within("lag 1", tau1, fit.half_widths.tau1, row->tau1);
        if (row->tau2 > 0)
            within("lag 2", tau2, fit.half_widths.tau2, row->tau2);
        if (row->band > 0)
            within("dead band", fit.dead_band, fit.half_widths.dead_band, row->band);
        assert_near(fit.sigma, row->noise, row->noise / 10);
        assert_true(fit.held_out > 0.9 && fit.independent > 1000);
    }
}

static double three(double s)
{
    return 1 - (0.09 * exp(-s / 0.3) / (0.2 * 0.25) - 0.01 * exp(-s / 0.1) / (0.2 * 0.05) +
                0.0025 * exp(-s / 0.05) / (0.25 * 0.05));
}

TEST(third_order_process_is_identified)
{
    struct aw_trial trial = record_of(three, 2, 0.02, 0, 0.0001);
    struct aw_fit fit = fit_of(&trial, NULL);
    struct aw_process truth = {.gain = 2, .a1 = 0.4, .a2 = 0.03, .a3 = 0.05, .dead_time_s = 0.02};
    assert_int_equal(aw_process_kind_of(&fit.process), AW_PROCESS_THIRD);
    for (double w = 0.3; w < 20; w *= 1.3)
        if (cabs(aw_process_response(&fit.process, w) / aw_process_response(&truth, w) - 1) > 0.02)
            fail_msg("at %g rad/s: %g", w,
                     cabs(aw_process_response(&fit.process, w) / aw_process_response(&truth, w)));
}

/* The sampled input jumps up to 8 ms after a sample; a motor integrates this time error. */
TEST(input_jumps_between_samples_are_fitted)
{
    double jump_t[40], jump[40], level = 0;
    size_t jumps = 0;
    seed = 11;
    memset(u, 0, sizeof u);
    for (size_t i = 50; i < N && jumps < 40; i += 20 + (size_t)(30 * uniform())) {
        double was = level;
        level = level > 0 ? -0.1 : 0.1;
        jump_t[jumps] = (double)i / 100 + 0.008 * uniform();
        jump[jumps++] = level - was;
        for (size_t k = i + 1; k < N; k++)
            u[k] = level;
    }
    for (size_t k = 0; k < N; k++) {
        t[k] = (double)k / 100;
        y[k] = 0.0001 * normal();
        for (size_t j = 0; j < jumps; j++)
            if (t[k] > jump_t[j] + 0.03)
                y[k] += 2 * jump[j] * integrator(t[k] - jump_t[j] - 0.03);
    }
    struct aw_trial trial = aw_excite_make_trial(t, u, y, N, 0, at, input);
    struct aw_fit fit = fit_of(&trial, NULL);
    assert_int_equal(aw_process_kind_of(&fit.process), AW_PROCESS_INTEGRATING);
    within("gain", fit.process.gain, fit.half_widths.gain, 2);
    within("lag", fit.process.a1, fit.half_widths.tau1, 0.05);
    assert_true(fabs(fit.process.dead_time_s - 0.03) < fit.half_widths.dead_time);
    assert_true(fit.half_widths.dead_time > 0.005 && fit.half_widths.dead_time < 0.0065);
    if (!(fabs(fit.process.gain - 2) < 0.02 && fit.held_out > 0.97 && fit.sigma < 0.00012))
        fail_msg("gain %g, fit %g, sigma %g", fit.process.gain, fit.held_out, fit.sigma);
}

/* For 40 records with independent noise, the 95 % interval of the gain contains the true value in
 * about 38. */
TEST(confidence_interval_contains_the_true_gain)
{
    int inside = 0;
    for (int i = 0; i < 40; i++) {
        struct aw_trial trial = record_of(lag, 3, 0.053, 0, 0);
        seed = 1000 + (unsigned long long)i;
        trial.n = trial.n_inputs = N / 3;
        for (size_t k = 0; k < trial.n; k++)
            y[k] += 0.01 * normal();
        struct aw_fit fit;
        struct aw_error err;
        assert_ok(aw_fit_best(&trial, NULL, &fit, &err), &err);
        inside += fabs(fit.process.gain - 3) <= fit.half_widths.gain;
    }
    if (inside < 34)
        fail_msg("%d of 40 are inside", inside);
}

TEST(records_without_a_process_are_refused)
{
    struct aw_trial trial = record_of(lag, 3, 0.05, 0, 0);
    struct aw_fit fit;
    struct aw_error err;
    for (size_t k = 0; k < N; k++)
        y[k] = normal();
    assert_int_equal(aw_fit_best(&trial, NULL, &fit, &err), AW_REFUSED);
    assert_has(err.text, "fit: output does not follow the input (fit ");
    assert_has(err.text, " %) — use a larger amplitude, or check the columns");
    for (size_t k = N / 2; k < N; k++)
        t[k] += 1;
    assert_int_equal(aw_fit_best(&trial, NULL, &fit, &err), AW_REFUSED);
    assert_has(err.text, "%, no samples for 1 s) — measure again ");
    memset(input, 0, sizeof input);
    assert_error(aw_fit_best(&trial, NULL, &fit, &err), AW_REFUSED, &err,
                 "fit: input is constant — start at rest, then excite the process");
    static const struct {
        size_t n, inputs;
        bool enough;
    } rows[] = {{30, 2, true}, {29, 2, false}, {30, 1, false}};
    for (size_t i = 0; i < 3; i++) {
        trial.n = rows[i].n;
        trial.n_inputs = rows[i].inputs;
        aw_fit_best(&trial, NULL, &fit, &err);
        assert_int_equal(strstr(err.text, "too few") == NULL, rows[i].enough);
    }
    trial = record_of(lag, 3, 0.05, 0, 0);
    t[7] = 0.06;
    assert_error(aw_fit_best(&trial, NULL, &fit, &err), AW_USAGE, &err,
                 "fit: time of sample 8 does not increase — correct the row");
    trial.n = 29;
    assert_error(aw_fit_best(&trial, NULL, &fit, &err), AW_USAGE, &err,
                 "fit: too few samples (29, required 30) — record longer");
}

TEST(coherence_separates_answer_from_noise)
{
    struct aw_trial trial = record_of(lag, 3, 0.05, 0, 0.0005);
    struct aw_process truth = {.gain = 3, .a1 = 0.2, .dead_time_s = 0.05};
    struct aw_spectrum_point points[AW_SPECTRUM_POINTS];
    size_t n = aw_find_spectrum(&trial, points), good = 0;
    assert_true(n > 15);
    for (size_t i = 0; i < n; i++) {
        if (points[i].coherence < 0.95 || points[i].frequency_hz > 3)
            continue;
        good++;
        double complex g = aw_process_response(&truth, 6.283185307 * points[i].frequency_hz);
        double off = points[i].phase_deg - carg(g) * 57.29578;
        if (fabs(points[i].gain / cabs(g) - 1) > 0.15 || fabs(off - 360 * round(off / 360)) > 10)
            fail_msg("%g Hz: gain %g instead of %g, phase off by %g", points[i].frequency_hz,
                     points[i].gain, cabs(g), off);
    }
    assert_true(good > 8);
    for (size_t k = 0; k < N; k++)
        y[k] = normal();
    n = aw_find_spectrum(&trial, points);
    double mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += points[i].coherence * points[i].n_segments / (double)n;
    /* noise: 1/pieces, or more for overlapping pieces */
    assert_true(mean > 0.5 && mean < 3);
}

/* Without a known control period, the output is assumed to jump halfway between samples, with an
 * error of half the interval. With a period equal to the sample interval, it is held since the
 * previous sample. */
TEST(trial_is_created_from_telemetry)
{
    const double when[] = {0, 1, 2, 3}, what[] = {0, 0.01, 1, 1};
    double x[16], v[16];
    struct aw_trial trial = aw_excite_make_trial(when, what, what, 4, 0, x, v);
    assert_int_equal(trial.n_inputs, 6);
    assert_true(fabs(x[1] - 1) < 1e-12 && fabs(x[2] - 1.5) < 1e-12 && fabs(x[3] - 1.5) < 1e-12);
    assert_true(fabs(v[2] - 0.01) < 1e-12 && fabs(v[3] - 1) < 1e-12);
    assert_true(fabs(trial.jump_half_s - 0.5) < 1e-12);
    trial = aw_excite_make_trial(when, what, what, 4, 0.4, x, v);
    assert_true(fabs(x[1] - 1.2) < 1e-12 && fabs(x[2] - 1.7) < 1e-12);
    assert_true(fabs(trial.jump_half_s - 0.3) < 1e-12);
    trial = aw_excite_make_trial(when, what, what, 4, 8, x, v);
    assert_true(fabs(x[1] - 1.5) < 1e-12 && fabs(x[2] - 2) < 1e-12);
    assert_true(fabs(trial.jump_half_s) < 1e-12);
}

/* Adds noise of known size to a slow motion with known steps. */
TEST(noise_and_quantum_match_known_values)
{
    assert_true(aw_find_grain(y, 3).noise == 0 && aw_find_grain(y, 3).quantum == 0);
    for (int i = 0; i < 400; i++)
        y[i] = 0.25 * floor(i / 40.);
    struct aw_grain steps = aw_find_grain(y, 400);
    assert_true(steps.noise == 0);
    assert_true(fabs(steps.quantum - 0.25) < 1e-12);
    for (int i = 0; i < 400; i++)
        y[i] = 3 + 0.5 * i + (i % 2 ? 0.125 : -0.125); /* third differences are 8 times 0.125 */
    struct aw_grain noisy = aw_find_grain(y, 400);
    assert_true(fabs(noisy.noise - 1 / sqrt(20)) < 1e-12);
    assert_true(noisy.quantum == 0); /* all values differ */
    for (int i = 0; i < 400; i++)
        y[i] = i < 100 ? i * i * 1e-3 : i < 150 ? 10.5 : 10 + 3 * (i % 2);
    struct aw_grain quiet = aw_find_grain(y, 400); /* noisy except for the quietest tenth */
    assert_true(quiet.noise < 1e-9);
    double few[] = {0, 0, 0, 2, 2, 2, 5, 5, 5, 5};
    assert_true(fabs(aw_find_grain(few, 10).quantum - 2) < 1e-12);
    double far[] = {-4e9, 0, 0, 0, 1, 1, 1}; /* 1 is within the rounding error */
    assert_true(fabs(aw_find_grain(far, 7).quantum - 4e9) < 1);
    double half[] = {0, 0, 1, 1};
    assert_true(fabs(aw_find_grain(half, 4).quantum - 1) < 1e-12);
}

/* Fits short simulated records with slow disturbances: pieces of two periods, lags as long as
 * the record, dead bands. */
TEST(short_records_are_fitted)
{
    enum { SHORT = 160 };
    /* clang-format off */
    static const struct {
        const char *name;
        struct aw_process process;
        double noise, slow, every; /* noise of y; amplitude of a sine; samples between two jumps */
        double band;               /* dead band to find; 0: none */
        bool stairs;
    } rows[] = {
        {"motor with slow disturbance", {1, true, 0.05, 0, 0, 0, 0.02}, 0.0005, 0.05, 5, 0, true},
        {"lag with larger slow disturbance",
         {1, false, 0.1, 0, 0, 0, 0.03}, 0.002, 0.15, 9, 0, false},
        {"lag with few input jumps", {1, false, 0.1, 0, 0, 0, 0.03}, 0.002, 0.1, 25, 0, true},
        {"lag longer than the record", {20, false, 4, 0, 0, 0, 0.05}, 0.003, 0, 11, 0, true},
        {"slow lag with little noise", {20, false, 1.5, 0, 0, 0, 0.05}, 1e-5, 0, 11, 0, true},
        {"slow lag with much noise", {20, false, 1.2, 0, 0, 0, 0.05}, 0.06, 0, 11, 0, true},
        {"two lags with a dead band", {2, false, 0.3, 0.02, 0, 0, 0.04}, 1e-4, 0, 13, 0.02, true},
        {"oscillating process", {2, false, 0.04, 0.01, 0, 0, 0.02}, 1e-3, 0, 17, 0, true},
        {"three lags", {2, false, 0.3, 0.02, 0.1, 0, 0.02}, 1e-5, 0, 15, 0, false},
        {"motor with two lags", {2, true, 0.2, 0, 0.05, 0, 0.02}, 1e-5, 0, 10, 0,
         true},
        {"output that hardly follows the input",
         {0.2, false, 0.1, 0, 0, 0, 0.04}, 0.02, 0, 8, 0, true},
    };
    /* clang-format on */
    EACH (row, rows) {
        struct aw_process_state x = {0};
        size_t jumps = 0;
        double level = 0;
        seed = 5;
        for (size_t k = 0; k < SHORT; k++) {
            t[k] = 0.02 * (double)k + (k % 2 ? 0.003 : 0);
            y[k] = 1 + aw_process_measured(&row->process, &x) + row->noise * normal() +
                   row->slow * sin(1.4 * t[k]);
            if (k % (size_t)row->every == 4) {
                jumps++;
                level = (jumps % 2 ? 0.1 : -0.08) + 0.02 * (double)(jumps % 3);
            }
            u[k] = level;
            /* Dead times are whole samples: uses the output of that time. */
            size_t late = (size_t)(row->process.dead_time_s / 0.02);
            double in = k >= late ? u[k - late] : 0, band = row->band;
            in = copysign(fmax(0, fabs(in) - band), in);
            aw_process_advance(&row->process, &x, in, in, 0.02 + (k % 2 ? -0.003 : 0.003));
        }
        struct aw_fit fit;
        struct aw_error err;
        struct aw_trial trial = aw_excite_make_trial(t, u, y, SHORT, 0, at, input);
        struct aw_fit_options options = {.find_dead_band = row->band > 0};
        trial.is_stairs = row->stairs;
        fprintf(fits, "%s: ", row->name);
        if (aw_fit_best(&trial, &options, &fit, &err) == AW_OK)
            print_fit(&fit);
        else
            fprintf(fits, "%s\n", err.text);
    }
}

/* Uses the smallest number of samples that give noise and steps, and values at the bounds. */
TEST(noise_and_quantum_are_estimated_from_few_samples)
{
    seed = 8;
    for (size_t k = 0; k < 200; k++)
        y[k] = floor(8 * uniform() + (double)k / 3) / 4;
    for (size_t n = 2; n < 200; n += n < 6 ? 1 : n == 6 ? 12 : n < 22 ? 1 : 13) {
        struct aw_grain grain = aw_find_grain(y, n);
        fprintf(fits, "grain of %zu: %.6g %.6g\n", n, grain.noise, grain.quantum);
    }
}

static size_t shortest = 20; /* samples between two jumps of the input */

/* Returns a first-order record at 100 Hz with gain 0.6, lag 0.2 s, dead time 0.03 s, noise and
 * encoder steps. The input is 0 before sample from, steps randomly between 0.1 and -0.1, and stays
 * at 0.1 from sample until on. */
static struct aw_trial long_record(size_t n, double *times, double *inputs, double *measured,
                                   size_t from, size_t until)
{
    double level = 0, x = 0, left = exp(-0.01 / 0.2);
    size_t holds = 0;
    for (size_t i = 0; i < n; i++) {
        if (i >= from && i < until && holds-- == 0) {
            level = level > 0 ? -0.1 : 0.1;
            holds = shortest + (size_t)(2 * (double)shortest * uniform());
        }
        times[i] = 0.01 * (double)i;
        inputs[i] = i >= until ? 0.1 : level;
        measured[i] = round((x + 1e-4 * normal()) / 1.25e-4) * 1.25e-4;
        x = x * left + 0.6 * (i >= 3 ? inputs[i - 3] : 0) * (1 - left);
    }
    return (struct aw_trial){.input_t = times,
                             .input = inputs,
                             .n_inputs = n,
                             .is_stairs = true,
                             .t = times,
                             .y = measured,
                             .n = n};
}

static struct aw_fit fit_long(size_t n, size_t from, size_t until, double *cpu_s)
{
    double *block = calloc(3 * n, sizeof *block);
    struct aw_fit fit;
    struct aw_error err;
    seed = 4;
    struct aw_trial trial = long_record(n, block, block + n, block + 2 * n, from, until);
    clock_t began = clock();
    assert_ok(aw_fit_best(&trial, NULL, &fit, &err), &err);
    *cpu_s = (double)(clock() - began) / CLOCKS_PER_SEC;
    free(block);
    return fit;
}

TEST(records_mostly_at_rest_are_fitted)
{
    static const struct {
        size_t n, from, until;
    } rows[] = {{1500, 50, 900},  {2000, 200, 200},  {3000, 2000, 2400},
                {1500, 100, 100}, {6000, 500, 1500}, {600, 300, 300}};
    EACH (row, rows) {
        double cpu_s;
        struct aw_fit fit = fit_long(row->n, row->from, row->until, &cpu_s);
        assert_int_equal(aw_process_kind_of(&fit.process), AW_PROCESS_FIRST);
        within("gain", fit.process.gain, fit.half_widths.gain, 0.6);
        within("lag", fit.process.a1, fit.half_widths.tau1, 0.2);
        assert_true(fit.held_out > 0.95 && fit.used > 0.95);
        assert_true(aw_fit_is_trusted(&fit) && aw_fit_is_linear(&fit));
    }
}

TEST(fit_time_is_linear_in_the_record_length)
{
    double cpu_s, long_s;
    struct aw_fit some = fit_long(10000, 50, 9000, &cpu_s);
    struct aw_fit all = fit_long(80000, 50, 72000, &long_s);
    within("gain", some.process.gain, some.half_widths.gain, 0.6);
    within("lag", some.process.a1, some.half_widths.tau1, 0.2);
    within("gain", all.process.gain, all.half_widths.gain, 0.6);
    within("lag", all.process.a1, all.half_widths.tau1, 0.2);
    assert_true(fabs(all.process.gain - some.process.gain) <
                some.half_widths.gain + all.half_widths.gain);
    assert_true(all.half_widths.gain < some.half_widths.gain / 2);
    if (long_s > 16 * cpu_s + 0.1)
        fail_msg("10,000 samples take %g s, 80,000 take %g s", cpu_s, long_s);
}

TEST(fast_jumps_in_a_long_record_are_fitted)
{
    double cpu_s;
    shortest = 2;
    struct aw_fit fit = fit_long(80000, 50, 72000, &cpu_s);
    shortest = 20;
    within("gain", fit.process.gain, fit.half_widths.gain, 0.6);
    within("lag", fit.process.a1, fit.half_widths.tau1, 0.2);
}

/* The fit of a wrong model on held-out data is at least -100 %. */
TEST(fit_of_a_wrong_model_is_bounded)
{
    struct aw_trial trial = record_of(lag, 3, 0.05, 0, 0.0005);
    struct aw_fit fit;
    struct aw_error err;
    for (size_t k = 1050; k < N; k++)
        y[k] = 0.2 - 20 * (y[k] - 0.2);
    enum aw_status status = aw_fit_best(&trial, NULL, &fit, &err);
    assert_true(status == AW_REFUSED || status == AW_OK);
    if (!(fit.held_out >= -1 && fit.held_out < 0.75 && fit.used >= -1))
        fail_msg("%g and %g", fit.used, fit.held_out);
    assert_false(aw_fit_is_trusted(&fit));
}

TEST(fit_is_trusted_only_with_good_held_out_results)
{
    static const struct {
        double held_out, dead_time, interval_s;
        bool trusted;
    } rows[] = {{1, 0, 0, true},          {0.75, NAN, 0.01, true},   {0.7499, 0, 0.01, false},
                {0.083, NAN, 0, false},   {-1, 0, 0, false},         {NAN, NAN, 0, true},
                {0.9, 0.009, 0.01, true}, {0.9, 0.044, 0.01, false}, {NAN, 0.044, 0, true}};
    EACH (row, rows) {
        struct aw_fit fit = {.held_out = row->held_out,
                             .process = {.a1 = 0.1},
                             .half_widths = {.dead_time = row->dead_time},
                             .interval_s = row->interval_s};
        assert_int_equal(aw_fit_is_trusted(&fit), row->trusted);
    }
}

static void begin_fits(void)
{
    fits = begin_picture();
}

/* Must be the last test. */
TEST(all_fits_match_the_golden_file)
{
    end_picture(fits, "control-fits.txt");
}

ALL_TESTS_WITH(begin_fits, NULL);

/* ---- Abandoned fits ---- */

static atomic_bool dropped;

static void run_fit(void *trial)
{
    struct aw_fit fit;
    (void)aw_fit_best(trial, NULL, &fit, NULL);
}

static void drop_fit(void *trial)
{
    (void)trial;
    dropped = true;
}

/* Without the stop, this fit takes many seconds of CPU time. */
TEST(fit_ends_soon_after_a_stop)
{
    size_t n = 400000;
    double *block = calloc(3 * n, sizeof *block);
    struct aw_trial trial = long_record(n, block, block + n, block + 2 * n, 50, 360000);
    int stop = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    const struct itimerspec soon = {.it_value.tv_nsec = 300000000};
    const struct timespec nap = {.tv_nsec = 1000000};
    timerfd_settime(stop, 0, &soon, NULL);
    struct aw_real_clock real = aw_real_clock(stop);
    assert_int_equal(aw_task_run(&real.base, run_fit, drop_fit, &trial), AW_STOPPED);
    clock_t from = clock();
    while (!dropped)
        nanosleep(&nap, NULL);
    double cpu_s = (double)(clock() - from) / CLOCKS_PER_SEC;
    if (cpu_s > 1)
        fail_msg("%g s after the stop", cpu_s);
    free(block);
    close(stop);
}
