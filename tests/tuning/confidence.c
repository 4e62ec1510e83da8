/* Tests how often the confidence intervals (±) of identification contain the true value, by
 * experiments on linear processes with known formulas, a driver with a dead zone and telemetry of
 * 100 Hz.
 *
 *     confidence            400 experiments; prints the table of docs/tuning/results.md
 *     confidence 120        120 experiments; prints TAP and fails if significantly fewer than 95 %
 *                           of the intervals contain the true value
 *     confidence 120 -v     prints a line for each experiment
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"
#include "tuning/identify/excite.h"

#define RECORD     6000 /* samples */
#define TELEMETRY  0.01
#define STEP_S     0.001
#define ZONE       0.01
#define AMPLITUDE  0.1
#define LARGEST    0.5 /* setpoint limit */
#define DEVIATION  (15. / 360)
#define EXPERIMENT 30.0 /* s */
#define ENCODER    (0.045 / 360)
#define WIRE       (1. / 32768)

enum { GAIN, DEAD_TIME, LAG_1, LAG_2, LAG_3, NUMBERS };
static const char *const names[NUMBERS] = {"gain", "dead time", "lag 1", "lag 2", "further lag"};

struct record {
    size_t n;
    double t[RECORD], y[RECORD], u[RECORD];
    double input_t[3 * RECORD], input[3 * RECORD];
};

static double between(unsigned long long *seed, double least, double most)
{
    return least * pow(most / least, truth_uniform(seed));
}

/* Makes a random process; the kinds alternate. */
static struct truth plant_of(int i, unsigned long long *seed)
{
    struct truth p = {.integrating = i % 4 == 1, .n_lags = i % 4 == 3 ? 3 : i % 4 == 2 ? 2 : 1};
    if (p.integrating) {
        p.gain = between(seed, 0.5, 3);
        p.lags[0] = between(seed, 0.02, 0.2);
        p.delay = between(seed, 0.004, 0.05);
        return p;
    }
    p.gain = between(seed, 0.3, 2);
    p.lags[0] = between(seed, 0.08, 0.8);
    p.lags[1] = p.lags[0] * between(seed, 0.1, 0.6);
    p.lags[2] = p.lags[1] * between(seed, 0.2, 0.7);
    p.delay = between(seed, 0.005, 0.1);
    return p;
}

static double on_wire(double value)
{
    return round(value / WIRE) * WIRE;
}

/* Simulates an experiment in steps of 1 ms. The controller runs once per control period with the
 * latest setpoint; the motor ignores outputs within the dead zone. Telemetry shows the last control
 * period, has jitter and lacks one frame in ten. The host answers at once. */
static bool experiment(const struct truth *p, struct record *r, int tick_ms, double amplitude,
                       double noise, unsigned long long *seed)
{
    struct aw_excite excite;
    struct truth_run run;
    struct aw_excite_config config = {.amplitude = amplitude,
                                      .hysteresis = DEVIATION / 50,
                                      .max_deviation = DEVIATION,
                                      .max_time_s = EXPERIMENT};
    double kp = aw_excite_find_gain(&config, LARGEST), setpoint = 0, wanted = 0, arrives = -1;
    double y = 0, u = 0;
    int phase = (int)(10 * truth_uniform(seed));
    r->n = 0;
    aw_excite_start(&excite, &config);
    if (!truth_begin(&run, p, STEP_S))
        abort();
    for (int ms = 0; excite.part < AW_EXCITE_OVER && r->n < RECORD; ms++) {
        double now = ms * STEP_S;
        if (ms % tick_ms == 0) {
            if (arrives >= 0 && arrives <= now) {
                setpoint = wanted;
                arrives = -1;
            }
            y = round((truth_measured(&run) + noise * truth_normal(seed)) / ENCODER) * ENCODER;
            u = kp * (setpoint - y);
        }
        if (ms % 10 == (tick_ms == 10 ? 0 : phase) && truth_uniform(seed) > 0.1) {
            double t = now + 0.0005 * truth_uniform(seed);
            r->t[r->n] = t;
            r->y[r->n] = on_wire(y);
            r->u[r->n] = on_wire(u);
            wanted = r->y[r->n] + aw_excite_add_sample(&excite, t, r->y[r->n]) / kp;
            arrives = t + 0.0003 + 0.001 * truth_uniform(seed);
            r->n++;
        }
        truth_tick(&run, fabs(u) < ZONE ? 0 : u);
    }
    truth_end(&run);
    return aw_excite_result(&excite, NULL) == AW_OK;
}

static bool identify(const struct truth *p, struct record *r, int tick_ms, bool told,
                     unsigned long long seed, struct aw_fit *fit, struct aw_error *err)
{
    double amplitude = AMPLITUDE, noise = ENCODER * truth_uniform(&seed);
    for (int more = 3; !experiment(p, r, tick_ms, amplitude, noise, &seed); amplitude /= 2)
        if (more-- == 0)
            return aw_fail(err, AW_REFUSED, "too far") == AW_OK;
    struct aw_trial trial = aw_excite_make_trial(r->t, r->u, r->y, r->n,
                                                 told ? tick_ms * STEP_S : 0, r->input_t, r->input);
    struct aw_fit_options options = {.dead_zone = ZONE, .find_dead_band = true};
    return aw_fit_best(&trial, &options, fit, err) == AW_OK;
}

struct count {
    int said, held;
};

static struct count counts[NUMBERS], all;
static int failed, same_kind;

static void judge(const struct truth *p, const struct aw_fit *fit, bool talk)
{
    double tau1, tau2;
    aw_process_lags(&fit->process, &tau1, &tau2, NULL);
    enum aw_process_kind kind = aw_process_kind_of(&fit->process);
    enum aw_process_kind wanted = p->integrating   ? AW_PROCESS_INTEGRATING
                                  : p->n_lags == 1 ? AW_PROCESS_FIRST
                                  : p->n_lags == 2 ? AW_PROCESS_SECOND
                                                   : AW_PROCESS_THIRD;
    bool same = kind == wanted && !(p->integrating && fit->process.a3 > 0);
    struct interval {
        double value, half_width, truth;
    } numbers[NUMBERS] = {
        [GAIN] = {fit->process.gain, fit->half_widths.gain, p->gain},
        [DEAD_TIME] = {fit->process.dead_time_s, fit->half_widths.dead_time, p->delay},
        [LAG_1] = {tau1, fit->half_widths.tau1, p->lags[0]},
        [LAG_2] = {tau2, fit->half_widths.tau2, p->lags[1]},
        [LAG_3] = {fit->process.a3, fit->half_widths.tau3, p->lags[2]},
    };
    same_kind += same;
    /* the order of the lags is not defined */
    for (int i = LAG_3; same && kind == AW_PROCESS_THIRD && i > LAG_1; i--) {
        struct interval *a = &numbers[i - 1], *b = &numbers[i], other = *a;
        if (b->value <= a->value)
            break;
        *a = (struct interval){b->value, b->half_width, a->truth};
        *b = (struct interval){other.value, other.half_width, b->truth};
    }
    bool everything = true;
    if (talk)
        printf("# %-12s %s fit %5.1f own %5.1f sc %.2f ind %.2f ", aw_process_kind_name(kind),
               same ? "=" : "!", 100 * fit->held_out, 100 * fit->used, fit->jump_scatter,
               fit->independent / (double)fit->n);
    for (int i = 0; i < NUMBERS; i++) {
        bool said = i == GAIN        ? p->integrating == fit->process.integrating
                    : i == DEAD_TIME ? true
                                     : same && i - LAG_1 < (int)p->n_lags;
        bool held = fabs(numbers[i].value - numbers[i].truth) <= numbers[i].half_width;
        counts[i].said += said;
        counts[i].held += said && held;
        everything &= !said || held;
        if (talk && said)
            printf(" %s %.4g±%.2g (%.4g)%s", names[i], numbers[i].value, numbers[i].half_width,
                   numbers[i].truth, held ? "" : " MISSED");
    }
    if (talk && !same)
        printf(" [%.4g %.4g %.4g not %.4g %.4g %.4g]", tau1, tau2, fit->process.a3, p->lags[0],
               p->lags[1], p->lags[2]);
    if (talk)
        printf(" band %.4f±%.4f%s\n", fit->dead_band, fit->half_widths.dead_band,
               everything ? "" : " --");
    all.said++;
    all.held += everything;
}

static void row(const char *name, const struct count *c)
{
    printf("| %s | %d | %d | %.1f %% |\n", name, c->said, c->held, 100. * c->held / c->said);
}

/* Requires 95 %, less two standard deviations for this number of trials. */
static int bar(int number, const char *name, const struct count *c)
{
    double n = c->said, least = 0.95 * n - 2 * sqrt(n * 0.95 * 0.05);
    bool good = c->held >= least;
    printf("%s %d - the interval of %s contains the true value: %d of %d\n", good ? "ok" : "not ok",
           number, name, c->held, c->said);
    return !good;
}

int main(int argc, char **argv)
{
    static const int ticks[] = {4, 8, 10};
    static struct record record;
    int n = argc > 1 ? atoi(argv[1]) : 400, bad = 0;
    bool talk = argc > 2 && strcmp(argv[2], "-v") == 0;
    for (int i = 0; i < n; i++) {
        unsigned long long seed = 9000 + (unsigned long long)i;
        struct truth plant = plant_of(i, &seed);
        struct aw_fit fit;
        struct aw_error err;
        int tick = ticks[i / 4 % 3];
        bool told = i / 12 % 2;
        if (talk)
            printf("# %d tick %d%s", i, tick, told ? " told\n" : "\n");
        if (identify(&plant, &record, tick, told, seed, &fit, &err)) {
            judge(&plant, &fit, talk);
        } else {
            failed++;
            if (talk)
                printf("# %s\n", err.text);
        }
    }
    if (argc < 2) {
        printf("| parameter | intervals | with the true value | share |\n|---|---|---|---|\n");
        for (int i = 0; i < NUMBERS; i++)
            row(names[i], &counts[i]);
        return 0;
    }
    printf("# %d of %d are of the plant's kind, all numbers hold in %d\n1..%d\n", same_kind, n,
           all.held, NUMBERS + 1);
    for (int i = 0; i < NUMBERS; i++)
        bad += bar(i + 1, names[i], &counts[i]);
    printf("%s %d - every experiment gives a model; failures: %d\n", failed ? "not ok" : "ok",
           NUMBERS + 1, failed);
    return bad || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
