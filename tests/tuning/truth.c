/* Processes with known formulas: test batch, random processes, frequency response, simulation. */
#include "truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

double truth_uniform(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

double truth_normal(unsigned long long *seed)
{
    double u = 1 - truth_uniform(seed), v = truth_uniform(seed);
    return sqrt(-2 * log(u)) * cos(2 * PI * v);
}

double complex truth_response(const void *context, double omega)
{
    const struct truth *p = context;
    double complex s = I * omega, g = p->gain * (1 - p->zero * s) * cexp(-s * p->delay);
    for (size_t i = 0; i < p->n_lags; i++)
        g /= 1 + p->lags[i] * s;
    if (p->pair > 0)
        g /= 1 + 2 * p->zeta * p->pair * s + p->pair * p->pair * s * s;
    return p->integrating ? g / s : g;
}

double truth_phase(const struct truth *p, double w)
{
    double sum = -w * p->delay - atan(p->zero * w) - (p->integrating ? PI / 2 : 0);
    for (size_t i = 0; i < p->n_lags; i++)
        sum -= atan(p->lags[i] * w);
    if (p->pair > 0)
        sum -= atan2(2 * p->zeta * p->pair * w, 1 - p->pair * p->pair * w * w);
    return sum;
}

double truth_slow_s(const struct truth *p)
{
    double most = p->pair + p->zero;
    for (size_t i = 0; i < p->n_lags; i++)
        most += p->lags[i];
    return most;
}

double truth_period(const struct truth *p)
{
    double low = 1e-6, high = 1e6;
    for (int i = 0; i < 200; i++) {
        double middle = sqrt(low * high);
        *(truth_phase(p, middle) > -PI ? &low : &high) = middle;
    }
    return 2 * PI / low;
}

/* Scales a process to this ultimate period and gain. */
static void scale(struct truth *p, double tu_s, double ku)
{
    double c = tu_s / truth_period(p);
    for (size_t i = 0; i < p->n_lags; i++)
        p->lags[i] *= c;
    p->pair *= c;
    p->zero *= c;
    p->delay *= c;
    p->gain /= ku * cabs(truth_response(p, 2 * PI / tu_s));
}

/* Appends a process without lags. */
static struct truth *add(struct truth **out, const char *family, const char *parameter,
                         double value)
{
    struct truth *p = (*out)++;
    *p = (struct truth){.gain = 1, .quantum = 0.045 / 360};
    snprintf(p->name, sizeof p->name, "%s %s=%g", family, parameter, value);
    return p;
}

static void add_lag(struct truth *p, double tau)
{
    p->lags[p->n_lags++] = tau;
}

static void add_lags(struct truth *p, size_t n, double tau)
{
    while (n-- > 0)
        add_lag(p, tau);
}

static const double p1[] = {0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1,   1.3, 1.5, 2,
                            4,    6,    8,   10,  20,  50,  100, 200, 500, 1000};
static const double p2[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1,   1.3, 1.5,
                            2,    4,    6,    8,   10,  20,  50,  100, 200, 500};
static const double p3[] = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 2, 5, 10};
static const double p6[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0};
static const double p7_t[] = {1, 2, 5, 10};
static const double p7_l[] = {0.01, 0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct truth *add_families_1_to_5(struct truth *out)
{
    for (size_t i = 0; i < COUNT(p1); i++) {
        struct truth *p = add(&out, "P1", "T", p1[i]);
        p->delay = 1;
        add_lag(p, p1[i]);
    }
    for (size_t i = 0; i < COUNT(p2); i++) {
        struct truth *p = add(&out, "P2", "T", p2[i]);
        p->delay = 1;
        add_lags(p, 2, p2[i]);
    }
    for (size_t i = 0; i < COUNT(p3); i++) {
        struct truth *p = add(&out, "P3", "T", p3[i]);
        add_lag(p, 1);
        add_lags(p, 2, p3[i]);
    }
    for (size_t order = 3; order <= 8; order++)
        add_lags(add(&out, "P4", "n", (double)order), order, 1);
    for (int i = 1; i <= 9; i++) {
        struct truth *p = add(&out, "P5", "a", i / 10.0);
        for (int k = 0; k < 4; k++)
            add_lag(p, pow(i / 10.0, k));
    }
    return out;
}

static struct truth *add_families_6_to_9(struct truth *out)
{
    for (size_t i = 0; i < COUNT(p6); i++) {
        struct truth *p = add(&out, "P6", "L", p6[i]);
        p->integrating = true;
        p->delay = p6[i];
        if (p6[i] < 1)
            add_lag(p, 1 - p6[i]);
    }
    for (size_t i = 0; i < COUNT(p7_t) * COUNT(p7_l); i++) {
        char family[32];
        double t = p7_t[i / COUNT(p7_l)], l = p7_l[i % COUNT(p7_l)];
        snprintf(family, sizeof family, "P7 T=%g", t);
        struct truth *p = add(&out, family, "L", l);
        p->delay = l;
        add_lag(p, t);
        if (l < 1)
            add_lag(p, 1 - l);
    }
    for (int i = 1; i <= 11; i++) {
        struct truth *p = add(&out, "P8", "a", i / 10.0);
        p->zero = i / 10.0;
        add_lags(p, 3, 1);
    }
    for (int i = 1; i <= 10; i++) {
        struct truth *p = add(&out, "P9", "T", i / 10.0);
        add_lag(p, 1);
        p->pair = i / 10.0;
        p->zeta = 0.7;
    }
    return out;
}

size_t truth_batch(struct truth *out, size_t room)
{
    if (room < 134)
        return 0;
    size_t n = (size_t)(add_families_6_to_9(add_families_1_to_5(out)) - out);
    for (size_t i = 0; i < n; i++)
        scale(&out[i], 0.5, 10);
    return n;
}

void truth_random(struct truth *out, size_t n, unsigned long long seed)
{
    for (size_t i = 0; i < n; i++) {
        struct truth p = {.gain = 1};
        size_t lags = 1 + (size_t)(truth_uniform(&seed) * 4);
        p.integrating = truth_uniform(&seed) < 0.5;
        double sum = 0;
        for (size_t k = 0; k < lags; k++) {
            add_lag(&p, pow(10, -2 * truth_uniform(&seed)));
            sum = fmax(sum, p.lags[k]);
        }
        p.delay = 2 * sum * truth_uniform(&seed);
        p.quantum = 0.045 / 360 * pow(2, 3 * truth_uniform(&seed) - 1.5);
        p.noise = p.quantum * truth_uniform(&seed);
        snprintf(p.name, sizeof p.name, "R%zu %zu%s", i + 1, lags, p.integrating ? "i" : "");
        double tu_s = 0.25 * pow(4, truth_uniform(&seed));
        scale(&p, tu_s, 4 * pow(7.5, truth_uniform(&seed)));
        out[i] = p;
    }
}

/* ---- In time ---- */

typedef double matrix[TRUTH_STATES][TRUTH_STATES];

static void multiply(size_t n, matrix a, matrix b, matrix out)
{
    matrix product;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++) {
            product[r][c] = 0;
            for (size_t k = 0; k < n; k++)
                product[r][c] += a[r][k] * b[k][c];
        }
    memcpy(out, product, sizeof product);
}

/* Computes exp(a·h) by a power series for a small part of h and repeated squaring. */
static void exponential(size_t n, matrix a, double h, matrix out)
{
    double norm = 0;
    matrix small, term;
    for (size_t r = 0; r < n; r++) {
        double sum = 0;
        for (size_t c = 0; c < n; c++)
            sum += fabs(a[r][c]) * h;
        norm = fmax(norm, sum);
    }
    int halvings = norm > 0.25 ? (int)ceil(log2(norm / 0.25)) : 0;
    memset(out, 0, sizeof(matrix));
    memset(term, 0, sizeof term);
    for (size_t r = 0; r < n; r++) {
        out[r][r] = term[r][r] = 1;
        for (size_t c = 0; c < n; c++)
            small[r][c] = a[r][c] * ldexp(h, -halvings);
    }
    for (int k = 1; k < 14; k++) {
        multiply(n, term, small, term);
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c < n; c++) {
                term[r][c] /= k;
                out[r][c] += term[r][c];
            }
    }
    while (halvings-- > 0)
        multiply(n, out, out, out);
}

/* Builds the system matrix: each state is the input of the next one; the last state is the constant
 * input. A zero is combined with the first lag. Returns the number of states. */
static size_t chain(const struct truth *p, matrix a)
{
    size_t n = 0, input = TRUTH_STATES - 1;
    memset(a, 0, sizeof(matrix));
    for (size_t i = 0; i < p->n_lags; i++, n++) {
        double tau = p->lags[i];
        a[n][n] = -1 / tau;
        if (i == 0) {
            a[0][input] = 1 / tau;
        } else if (i == 1 && p->zero > 0) {
            a[1][0] = (1 + p->zero / p->lags[0]) / tau;
            a[1][input] = -p->zero / p->lags[0] / tau;
        } else {
            a[n][n - 1] = 1 / tau;
        }
    }
    if (p->pair > 0) {
        double w = 1 / p->pair;
        a[n][n + 1] = 1;
        a[n + 1][n] = -w * w;
        a[n + 1][n + 1] = -2 * p->zeta * w;
        a[n + 1][n > 0 ? n - 1 : input] = w * w;
        /* The measured state must be the last one. */
        for (size_t c = 0; c < TRUTH_STATES; c++) {
            double other = a[n][c];
            a[n][c] = a[n + 1][c];
            a[n + 1][c] = other;
        }
        for (size_t r = 0; r < TRUTH_STATES; r++) {
            double other = a[r][n];
            a[r][n] = a[r][n + 1];
            a[r][n + 1] = other;
        }
        n += 2;
    }
    if (p->integrating) {
        a[n][n > 0 ? n - 1 : input] = 1;
        n++;
    }
    return n;
}

bool truth_begin(struct truth_run *run, const struct truth *truth, double tick_s)
{
    matrix a;
    double ticks = truth->delay / tick_s, whole = floor(ticks + 1e-9);
    double part = fmax(0, ticks - whole) * tick_s;
    memset(run, 0, sizeof *run);
    run->truth = truth;
    run->n = chain(truth, a);
    run->delay = (size_t)whole;
    run->past = calloc(run->delay + 2, sizeof *run->past);
    exponential(TRUTH_STATES, a, part, run->early);
    exponential(TRUTH_STATES, a, tick_s - part, run->late);
    return run->past;
}

double truth_measured(const struct truth_run *run)
{
    return run->truth->gain * run->x[run->n - 1];
}

static void move(const struct truth_run *run, double m[TRUTH_STATES][TRUTH_STATES], double *x,
                 double input)
{
    double to[TRUTH_STATES];
    for (size_t r = 0; r < run->n; r++) {
        to[r] = m[r][TRUTH_STATES - 1] * input;
        for (size_t c = 0; c < run->n; c++)
            to[r] += m[r][c] * x[c];
    }
    memcpy(x, to, run->n * sizeof *x);
}

void truth_tick(struct truth_run *run, double input)
{
    size_t ring = run->delay + 2;
    run->past[run->now % ring] = input;
    move(run, run->early, run->x, run->past[(run->now + 1) % ring]);
    move(run, run->late, run->x, run->past[(run->now + 2) % ring]);
    run->now++;
}

void truth_end(struct truth_run *run)
{
    free(run->past);
    run->past = NULL;
}
