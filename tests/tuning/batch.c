/* Tests identification, design and prediction on processes with known formulas: accuracy of the
 * model, stability and performance of the loop.
 *
 *     batch         all processes at control periods of 4, 8 and 10 ms; prints the tables of
 *                   docs/tuning/results.md
 *     batch 1       the same without a search for the best gains; prints TAP and fails if a result
 *                   is worse than required
 *     batch 16      every 16th process at one of these control periods
 *     batch 16 -v   prints a line for each process
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"
#include "tuning/design.h"
#include "tuning/identify/excite.h"
#include "tuning/predict.h"

#define PROCESSES    334
#define SLOW_S       0.008 /* telemetry every control period, but at most 100 Hz */
#define TELEMETRY    0.01
#define RECORD       8000 /* samples */
#define AMPLITUDE    0.1
#define LARGEST      0.45 /* setpoint limit */
#define DEVIATION    0.06
#define EXPERIMENT   30.0 /* s */
#define RANDOM_GAINS 24   /* experiments per process */
#define OUTPUT       0.25 /* first output of a step, without the derivative part */
#ifndef OVERSHOOT
#define OVERSHOOT 0.2
#endif
#define SEED 20061122

struct verdict {
    bool identified, within; /* max error of the model up to the crossover */
    double gain_off, phase_off, phase_part;
    enum aw_process_kind kind;
    bool designed, stable;
    double ms, iae, best_iae;
    int unstable_passed, passed;
    bool predicted, overshoot_near, rise_near;
    double overshoot[2], rise[2];
};

struct record {
    size_t n;
    double t[RECORD], y[RECORD], u[RECORD];
    double input_t[3 * RECORD], input[3 * RECORD];
};

static const struct aw_driver driver_of_truth = {
    .dead_band = 0.01, .friction = 0.01, .output_max = 0.81, .gain_max = 100};

static struct aw_driver driver_of(const struct truth *p)
{
    struct aw_driver driver = driver_of_truth;
    driver.tick_s = p->tick_s;
    driver.quantum = p->quantum;
    driver.noise = p->noise;
    return driver;
}

static double effective(double u)
{
    return copysign(fmax(0, fmin(fabs(u), 0.81) - 0.01), u);
}

static double seen(const struct truth *p, const struct truth_run *run, unsigned long long *seed)
{
    double y = truth_measured(run) + p->noise * truth_normal(seed);
    return p->quantum > 0 ? round(y / p->quantum) * p->quantum : y;
}

/* Simulates an experiment: a driver with kp only, jittered 100 Hz telemetry with one frame in
 * ten missing. A setpoint takes effect after two control periods. */
static bool experiment(const struct truth *p, struct record *r, double amplitude,
                       unsigned long long seed)
{
    struct aw_excite *excite = malloc(sizeof *excite);
    struct truth_run run;
    struct aw_excite_config config = {.amplitude = amplitude,
                                      .hysteresis = DEVIATION / 50,
                                      .max_deviation = DEVIATION,
                                      .max_time_s = EXPERIMENT};
    double kp = aw_excite_find_gain(&config, LARGEST), setpoint = 0, next = 0, wanted = 0;
    int until = -1;
    r->n = 0;
    aw_excite_start(excite, &config);
    if (!truth_begin(&run, p, p->tick_s))
        abort();
    for (int tick = 0; excite->part < AW_EXCITE_OVER && r->n < RECORD; tick++) {
        double now = tick * p->tick_s, y = seen(p, &run, &seed);
        if (tick == until)
            setpoint = wanted;
        double u = kp * (setpoint - y);
        if (now > next - 1e-9) {
            next += p->tick_s < SLOW_S ? TELEMETRY : p->tick_s;
            if (truth_uniform(&seed) > 0.1) {
                double t = now + 0.001 * truth_uniform(&seed);
                r->t[r->n] = t;
                r->y[r->n] = y;
                r->u[r->n++] = u;
                wanted = y + aw_excite_add_sample(excite, t, y) / kp;
                until = tick + 1 + (int)(2 * truth_uniform(&seed));
            }
        }
        truth_tick(&run, effective(u));
    }
    truth_end(&run);
    bool done = aw_excite_result(excite, NULL) == AW_OK;
    free(excite);
    return done;
}

static bool identify(const struct truth *p, struct record *r, struct aw_fit *fit,
                     unsigned long long seed, struct aw_error *err)
{
    /* Repeats an experiment that moved too far with half the output, as canpid does. */
    if (!experiment(p, r, AMPLITUDE, seed) && !experiment(p, r, AMPLITUDE / 2, seed) &&
        !experiment(p, r, AMPLITUDE / 4, seed)) {
        snprintf(err->text, sizeof err->text, "too far");
        return false;
    }
    struct aw_trial trial =
        aw_excite_make_trial(r->t, r->u, r->y, r->n, p->tick_s, r->input_t, r->input);
    struct aw_fit_options options = {.dead_zone = 0.01, .find_dead_band = true};
    return aw_fit_best(&trial, &options, fit, err) == AW_OK;
}

static struct aw_loop *true_loop(const struct truth *p)
{
    return aw_loop_new_any(truth_response, p, p->integrating, truth_slow_s(p), p->delay, p->tick_s,
                           NULL);
}

/* Returns the IAE after a load step of 1 on the true process, or INFINITY if the loop never
 * settles. */
static double true_iae(const struct truth *p, const struct aw_gains *g)
{
    struct truth_run run;
    double sum = 0, before = 0, iae = 0, largest = 0, window = 0;
    size_t quiet = 0;
    if (!truth_begin(&run, p, p->tick_s))
        abort();
    size_t patience = run.delay + 200;
    for (size_t i = 0; i < 100000 && quiet < patience; i++) {
        double e = -truth_measured(&run);
        sum += g->ki * e;
        truth_tick(&run, g->kp * e + sum + g->kd * (e - before) + 1);
        before = e;
        iae += fabs(e) * p->tick_s;
        largest = fmax(largest, fabs(e));
        window = fmax(fabs(e), window * 0.98);
        quiet = i > 2 * patience && window < 2e-3 * largest ? quiet + 1 : 0;
        if (!(fabs(e) < 1e9))
            break;
    }
    truth_end(&run);
    return quiet >= patience ? iae : INFINITY;
}

static bool allowed(const struct aw_loop *loop, const struct aw_driver *driver, double ms,
                    const struct aw_gains *g)
{
    return g->kp <= 100 && g->ki <= 100 && g->kd <= 100 &&
           aw_driver_activity(driver, g) <= driver->dead_band && aw_loop_ms(loop, g) <= ms;
}

/* Returns the best IAE of a grid of controllers, each with the largest gain that Ms and the driver
 * allow, on the true process. */
static double brute_force(const struct truth *p, const struct aw_loop *loop, double ms,
                          const struct aw_driver *driver)
{
    double best = INFINITY, tu = truth_period(p);
    for (int i = 0; i < 24; i++)
        for (int k = 0; k < 14; k++) {
            double ti = tu / 40 * pow(400, i / 23.) / p->tick_s, td = tu * 0.03 * k / p->tick_s;
            double low = 400;
            struct aw_gains g = {low, low / ti, low * td};
            while (low > 1e-3 && !allowed(loop, driver, ms, &g)) {
                low *= 0.85;
                g = (struct aw_gains){low, low / ti, low * td};
            }
            double high = low / 0.85;
            for (int j = 0; j < 6 && low > 1e-3; j++) {
                double middle = (low + high) / 2;
                g = (struct aw_gains){middle, middle / ti, middle * td};
                *(allowed(loop, driver, ms, &g) ? &low : &high) = middle;
            }
            g = (struct aw_gains){low, low / ti, low * td};
            if (low > 1e-3)
                best = fmin(best, true_iae(p, &g));
        }
    return best;
}

static void compare_model(const struct truth *p, const struct aw_fit *fit, double up_to,
                          double from, struct verdict *v)
{
    for (double w = from; w <= up_to; w *= 1.05) {
        double complex ratio = aw_process_response(&fit->process, w) / truth_response(p, w);
        v->gain_off = fmax(v->gain_off, fabs(cabs(ratio) - 1));
        v->phase_off = fmax(v->phase_off, fabs(carg(ratio)));
        v->phase_part = fmax(v->phase_part, fabs(carg(ratio)) / fmax(fabs(truth_phase(p, w)), 1));
    }
    v->within = v->gain_off <= 0.05 && v->phase_part <= 0.05;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Replaces measured values by the median of up to nine neighbours, fewer near the ends. */
static void smooth(struct aw_sample *samples, const double *measured, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t half = i < 4 ? i : n - 1 - i < 4 ? n - 1 - i : 4;
        double window[9];
        memcpy(window, measured + i - half, (2 * half + 1) * sizeof *window);
        qsort(window, 2 * half + 1, sizeof *window, compare);
        samples[i].measured = window[half];
    }
}

/* Simulates a step with dead band, output limit, encoder steps and noise. The integrator starts
 * anywhere in the dead band. */
static bool true_step(const struct truth *p, const struct aw_proposal *proposal, double step,
                      double rest, struct aw_response *out, unsigned long long seed)
{
    struct truth_run run;
    const struct aw_gains *g = &proposal->per_tick;
    size_t n = (size_t)(proposal->duration_s / p->tick_s);
    struct aw_sample *samples = calloc(n, sizeof *samples);
    double *measured = calloc(n, sizeof *measured), sum = rest, before = 0;
    if (!samples || !measured || !truth_begin(&run, p, p->tick_s))
        abort();
    for (size_t i = 0; i < n; i++) {
        double y = seen(p, &run, &seed), e = step - y;
        sum += g->ki * e;
        double u = g->kp * e + sum + g->kd * (e - before);
        before = e;
        measured[i] = y;
        samples[i] = (struct aw_sample){(double)i * p->tick_s, step, y, u};
        truth_tick(&run, effective(u));
    }
    truth_end(&run);
    smooth(samples, measured, n);
    struct aw_step at = {.to = step};
    bool done = aw_response(samples, n, &at, out, NULL) == AW_OK;
    free(measured);
    free(samples);
    return done;
}

static void judge_step(const struct truth *p, const struct aw_proposal *proposal, double step,
                       double rest, struct verdict *v)
{
    struct aw_response measured;
    if (!true_step(p, proposal, step, rest, &measured, 7))
        return;
    v->predicted = true;
    v->overshoot[0] = proposal->step.value[AW_OVERSHOOT];
    v->overshoot[1] = measured.value[AW_OVERSHOOT];
    v->rise[0] = proposal->step.value[AW_RISE_TIME];
    v->rise[1] = measured.value[AW_RISE_TIME];
    v->overshoot_near = fabs(v->overshoot[0] - v->overshoot[1]) <= 3;
    v->rise_near =
        isnan(v->rise[0]) ? isnan(v->rise[1]) : fabs(v->rise[0] - v->rise[1]) <= 0.15 * v->rise[1];
}

/* Judges random gains around the proposed ones, each up to 20 times as large or as small. */
static void judge_random(const struct truth *p, const struct aw_loop *loop,
                         const struct aw_fit *fit, const struct aw_gains *around,
                         unsigned long long seed, struct verdict *v)
{
    struct aw_driver driver = driver_of(p);
    struct aw_design_options o = {0};
    for (int i = 0; i < RANDOM_GAINS; i++) {
        double by[3];
        for (int k = 0; k < 3; k++)
            by[k] = pow(20, 2 * truth_uniform(&seed) - 1);
        struct aw_proposal proposal = {
            .per_tick = {by[0] * around->kp, by[1] * around->ki, by[2] * around->kd}};
        if (aw_design_assess(&fit->process, &driver, &o, &proposal, NULL) != AW_OK)
            continue;
        v->passed++;
        v->unstable_passed += !isfinite(aw_loop_ms(loop, &proposal.per_tick));
    }
}

static void judge_design(const struct truth *p, const struct record *r, const struct aw_fit *fit,
                         bool brute, unsigned long long seed, struct verdict *v)
{
    struct aw_driver driver = driver_of(p);
    struct aw_loop *loop = true_loop(p);
    struct aw_design_options o = {.limits_overshoot = true,
                                  .overshoot = OVERSHOOT,
                                  .dead_time_half_s = fit->half_widths.dead_time};
    struct aw_proposal proposal;
    v->designed = aw_design(&fit->process, &driver, &o, &proposal, NULL) == AW_OK;
    if (!v->designed && proposal.min_overshoot > 0) { /* the design reported this lower bound */
        o.overshoot = 1.05 * proposal.min_overshoot;
        v->designed = aw_design(&fit->process, &driver, &o, &proposal, NULL) == AW_OK;
    }
    if (v->designed) {
        struct aw_margins m = aw_loop_margins(loop, &proposal.per_tick);
        double whole = r->t[r->n - 1] - r->t[0];
        double up = isnan(m.crossover) ? 1 / truth_slow_s(p) : m.crossover;
        v->ms = m.ms;
        v->iae = true_iae(p, &proposal.per_tick);
        v->stable = m.stable && isfinite(v->iae);
        compare_model(p, fit, up, fmin(up, 6.283185307 / whole), v);
        o.step = OUTPUT / proposal.per_tick.kp;
        o.rest.output = driver.dead_band * (2 * truth_uniform(&seed) - 1);
        aw_design_assess(&fit->process, &driver, &o, &proposal, NULL);
        judge_step(p, &proposal, o.step, o.rest.output, v);
        if (brute)
            v->best_iae = brute_force(p, loop, AW_DESIGN_MS, &driver);
    }
    if (v->designed)
        judge_random(p, loop, fit, &proposal.per_tick, seed, v);
    aw_loop_free(loop);
}

static struct verdict judge(const struct truth *p, struct record *r, unsigned long long seed,
                            bool brute, bool talk)
{
    struct verdict v = {.ms = INFINITY, .iae = INFINITY, .best_iae = NAN};
    struct aw_fit fit = {0};
    struct aw_error err = {0};
    v.identified = identify(p, r, &fit, seed, &err);
    v.kind = aw_process_kind_of(&fit.process);
    if (v.identified)
        judge_design(p, r, &fit, brute, seed, &v);
    if (talk)
        printf("# %-14s %2.0f ms %-12s fit %5.1f%% off %5.1f%% %4.1fdeg  Ms %5.2f  iae %.3f  "
               "overshoot %5.1f %5.1f  rise %.3f %.3f  %s\n",
               p->name, 1000 * p->tick_s, aw_process_kind_name(v.kind), 100 * fit.held_out,
               100 * v.gain_off, v.phase_off * 57.29578, v.ms, v.iae / v.best_iae, v.overshoot[0],
               v.overshoot[1], v.rise[0], v.rise[1], err.text);
    return v;
}

/* ---- Families, and the table ---- */

struct family {
    const char *name, *formula;
    int n, identified, within, stable, ms17, ms20, near, passed, unstable_passed;
    double worst_ms, ratios[3 * PROCESSES];
    int n_ratios;
};

static struct family families[] = {
    {.name = "P1", .formula = "e^-s/(1+sT)"},
    {.name = "P2", .formula = "e^-s/(1+sT)²"},
    {.name = "P3", .formula = "1/((1+s)(1+sT)²)"},
    {.name = "P4", .formula = "1/(1+s)^n"},
    {.name = "P5", .formula = "1/((1+s)(1+as)(1+a²s)(1+a³s))"},
    {.name = "P6", .formula = "e^-sL/(s(1+sT)), L+T=1"},
    {.name = "P7", .formula = "e^-sL/((1+sT)(1+sT1)), L+T1=1"},
    {.name = "P8", .formula = "(1-as)/(1+s)³"},
    {.name = "P9", .formula = "1/((1+s)((sT)²+1.4sT+1))"},
    {.name = "R", .formula = "200 random ones, half of them integrating"},
    {.name = "", .formula = "all"},
};
#define FAMILIES (sizeof families / sizeof *families)

static void count(struct family *f, const struct verdict *v)
{
    f->n++;
    f->identified += v->identified;
    f->within += v->within;
    f->stable += v->stable;
    f->ms17 += v->ms <= 1.7;
    f->ms20 += v->ms <= 2;
    f->worst_ms = fmax(f->worst_ms, v->ms);
    f->near += v->predicted && v->overshoot_near && v->rise_near;
    f->passed += v->passed;
    f->unstable_passed += v->unstable_passed;
    if (isfinite(v->iae / v->best_iae))
        f->ratios[f->n_ratios++] = v->iae / v->best_iae;
}

static double median(struct family *f)
{
    qsort(f->ratios, (size_t)f->n_ratios, sizeof *f->ratios, compare);
    return f->n_ratios ? f->ratios[f->n_ratios / 2] : NAN;
}

static void print_table(double tick_s)
{
    printf("\nControl period %g ms:\n\n", 1000 * tick_s);
    printf("| processes | n | model within 5 %% | stable | Ms ≤ 1.7 | Ms ≤ 2 | largest Ms | "
           "IAE / best | step as predicted |\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < FAMILIES; i++) {
        struct family *f = &families[i];
        printf("| %s%s%s | %d | %d | %d | %d | %d | %.2f | %.2f | %d |\n", f->name,
               *f->name ? " " : "", f->formula, f->n, f->within, f->stable, f->ms17, f->ms20,
               f->worst_ms, median(f), f->near);
        fflush(stdout);
        *f = (struct family){.name = f->name, .formula = f->formula};
    }
}

static int bar(int number, bool good, const char *what, int value, int of)
{
    printf("%s %d - %s: %d of %d\n", good ? "ok" : "not ok", number, what, value, of);
    return !good;
}

/* Checks the bounds that hold for every sample. */
static int judge_all(void)
{
    const struct family *f = &families[FAMILIES - 1];
    int failed = 0, most = 0;
    printf("1..6\n");
    failed += bar(1, f->within * 100 >= 95 * f->n, "the model is within 5 % up to the crossover",
                  f->within, f->n);
    failed +=
        bar(2, f->stable == f->n, "robust gains are stable on the true process", f->stable, f->n);
    failed +=
        bar(3, f->ms17 * 100 >= 95 * f->n, "the true Ms is at most 1.7 in 95 %", f->ms17, f->n);
    failed += bar(4, f->ms20 == f->n, "the true Ms is at most 2", f->ms20, f->n);
    failed += bar(5, f->near * 100 >= 90 * f->n, "the true step agrees with its prediction in 90 %",
                  f->near, f->n);
    failed += bar(6, f->unstable_passed == most && f->passed > f->n,
                  "unstable ones among the random gains that the design accepts",
                  f->unstable_passed, f->passed);
    return failed;
}

static const double ticks[] = {0.004, 0.008, 0.01};
#define TICKS (sizeof ticks / sizeof *ticks)

static void add_up(const struct truth *p, struct record *r, size_t i, bool brute, bool talk)
{
    struct verdict v = judge(p, r, i + 1, brute, talk);
    for (size_t f = 0; f < FAMILIES; f++)
        if (strncmp(p->name, families[f].name, strlen(families[f].name)) == 0)
            count(&families[f], &v);
}

static void tables(struct truth *truths, struct record *record)
{
    for (size_t k = 0; k < TICKS; k++) {
        for (size_t i = 0; i < PROCESSES; i++) {
            truths[i].tick_s = ticks[k];
            add_up(&truths[i], record, i, true, false);
        }
        print_table(ticks[k]);
    }
}

/* Tests all processes at all control periods, or every n-th process at one of them. */
static int bars(struct truth *truths, struct record *record, size_t every, bool talk)
{
    for (size_t i = 0; i < PROCESSES; i += every)
        for (size_t k = 0; k < TICKS; k++) {
            truths[i].tick_s = ticks[k];
            if (every == 1 || k == i / every % TICKS)
                add_up(&truths[i], record, i, false, talk);
        }
    return judge_all() ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static struct truth truths[PROCESSES];
    static struct record record;
    int every = argc > 1 ? atoi(argv[1]) : 0;
    size_t n = truth_batch(truths, PROCESSES);
    truth_random(truths + n, PROCESSES - n, SEED);
    if (every > 0)
        return bars(truths, &record, (size_t)every, argc > 2 && strcmp(argv[2], "-v") == 0);
    tables(truths, &record);
    return EXIT_SUCCESS;
}
