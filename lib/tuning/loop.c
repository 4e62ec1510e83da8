/* The discrete loop in frequency: sums aliases, applies Nyquist's criterion, finds margins. */
#include "tuning/loop.h"

#include <math.h>
#include <stdlib.h>

#define ALIASES 24
#define MOST    3000
#define WIDEST  0.03 /* max ratio of neighbouring frequencies, minus 1 */
#define FINEST  0.003
/* phase of the dead time between neighbouring frequencies, rad, if within these limits */
#define TURN 0.15

struct lens {
    double omega;
    double complex plant;           /* sampled response of the process, with the hold */
    double complex sum, difference; /* 1/(1 - 1/z), 1 - 1/z */
};

struct aw_loop {
    size_t n;
    int integrators;
    struct lens at[MOST];
};

/* Returns G with hold and sampler, summed over all aliases. */
static double complex sampled(aw_response_fn *response, const void *context, double omega,
                              double tick_s)
{
    double complex sum = 0, hold = 1 - cexp(-I * omega * tick_s);
    for (int k = -ALIASES; k <= ALIASES; k++) {
        double w = omega + k * 2 * M_PI / tick_s;
        double complex g = response(context, fabs(w));
        sum += (w < 0 ? conj(g) : g) * hold / (I * w * tick_s);
    }
    return sum;
}

struct aw_loop *aw_loop_new_of(aw_response_fn *response, const void *context, int integrators,
                               double slow_s, double dead_time_s, double tick_s,
                               struct aw_error *err)
{
    struct aw_loop *loop = calloc(1, sizeof *loop);
    if (!loop) {
        aw_no_memory(err);
        return NULL;
    }
    double last = M_PI / tick_s, omega = fmin(1e-3 / (slow_s + dead_time_s + tick_s), last / 100);
    double delay = dead_time_s + tick_s;
    loop->integrators = integrators;
    while (loop->n < MOST) {
        struct lens *at = &loop->at[loop->n++];
        at->omega = omega;
        at->plant = sampled(response, context, omega, tick_s);
        at->difference = 1 - cexp(-I * omega * tick_s);
        at->sum = 1 / at->difference;
        if (omega >= last)
            break;
        omega = fmin(last, omega + fmin(omega * WIDEST, fmax(omega * FINEST, TURN / delay)));
    }
    return loop;
}

static double complex of_process(const void *context, double omega)
{
    return aw_process_response(context, omega);
}

struct aw_loop *aw_loop_new(const struct aw_process *process, double tick_s, struct aw_error *err)
{
    double slow_s, fast_s;
    aw_process_lags(process, &slow_s, &fast_s, NULL);
    return aw_loop_new_of(of_process, process, process->integrating ? 1 : 0,
                          slow_s + fast_s + process->a3 + fabs(process->lead), process->dead_time_s,
                          tick_s, err);
}

void aw_loop_free(struct aw_loop *loop)
{
    free(loop);
}

static double complex open_at(const struct lens *at, const struct aw_gains *g)
{
    return (g->kp + g->ki * at->sum + g->kd * at->difference) * at->plant;
}

bool aw_loop_point(const struct aw_loop *loop, const struct aw_gains *per_tick, size_t i,
                   double *omega, double complex *open)
{
    if (i >= loop->n)
        return false;
    *omega = loop->at[i].omega;
    *open = open_at(&loop->at[i], per_tick);
    return true;
}

/* Returns the initial angle of 1 + L: -90 deg per integrator, plus 180 deg for a negative gain. */
static double first_angle(const struct aw_loop *loop, const struct aw_gains *g, double complex one)
{
    int integrators = loop->integrators + (fabs(g->ki) > 0);
    double expected = -integrators * M_PI / 2;
    return carg(one * cexp(-I * expected)) + expected;
}

/* Returns +1 for a left turn across the negative real axis, -1 for a right turn, else 0. */
static int turn(double complex before, double complex one)
{
    double from = cimag(before), to = cimag(one);
    if ((from < 0) == (to < 0))
        return 0;
    double real = creal(before) + (creal(one) - creal(before)) * from / (from - to);
    if (real > 0)
        return 0;
    return to < 0 ? 1 : -1;
}

double aw_loop_ms(const struct aw_loop *loop, const struct aw_gains *g)
{
    double complex before = 1 + open_at(&loop->at[0], g);
    double angle = first_angle(loop, g, before) - carg(before), nearest = INFINITY;
    int turns = 0;
    for (size_t i = 1; i < loop->n; i++) {
        double complex one = 1 + open_at(&loop->at[i], g);
        double size2 = creal(one) * creal(one) + cimag(one) * cimag(one);
        nearest = size2 < nearest ? size2 : nearest;
        turns += turn(before, one);
        before = one;
    }
    angle += turns * 2 * M_PI + carg(before);
    return fabs(angle) > 1 ? INFINITY : 1 / sqrt(nearest);
}

/* Returns the position of the zero between a and b, which have different signs: 0 to 1. */
static double zero_between(double a, double b)
{
    return a / (a - b);
}

static void note_crossings(const struct lens *a, const struct lens *b, double complex la,
                           double complex lb, struct aw_margins *m)
{
    double ga = cabs(la), gb = cabs(lb);
    if ((ga > 1) != (gb > 1)) {
        double x = zero_between(log(ga), log(gb));
        double complex l = la + (lb - la) * x;
        double margin = carg(-l) * 180 / M_PI;
        if (isnan(m->phase_margin_deg) || fabs(margin) < fabs(m->phase_margin_deg))
            m->phase_margin_deg = margin;
        m->crossover = a->omega + (b->omega - a->omega) * x;
    }
    if ((cimag(la) < 0) != (cimag(lb) < 0) && creal(la) < 0 && creal(lb) < 0) {
        double x = zero_between(cimag(la), cimag(lb));
        double gain = -creal(la + (lb - la) * x);
        if (gain < 1)
            m->gain_margin = fmin(m->gain_margin, 1 / gain);
    }
}

struct aw_margins aw_loop_margins(const struct aw_loop *loop, const struct aw_gains *g)
{
    struct aw_margins m = {
        .gain_margin = INFINITY, .phase_margin_deg = NAN, .crossover = NAN, .bandwidth = NAN};
    m.ms = aw_loop_ms(loop, g);
    m.stable = isfinite(m.ms);
    double closed0 = NAN;
    double complex before = 0;
    for (size_t i = 0; i < loop->n; i++) {
        const struct lens *at = &loop->at[i];
        double complex l = open_at(at, g);
        double closed = cabs(l / (1 + l));
        if (i == 0)
            closed0 = closed;
        else
            note_crossings(at - 1, at, before, l, &m);
        if (isnan(m.bandwidth) && closed < closed0 * sqrt(0.5))
            m.bandwidth = at->omega;
        before = l;
    }
    /* the open loop is real at half the sampling rate */
    double end = -creal(before);
    if (end > 0 && end < 1)
        m.gain_margin = fmin(m.gain_margin, 1 / end);
    return m;
}

double aw_driver_activity(const struct aw_driver *driver, const struct aw_gains *g)
{
    double step = driver->quantum * (fabs(g->kp) + fabs(g->kd));
    double both = g->kp + g->kd;
    return fmax(step, 2 * driver->noise * sqrt(both * both + g->kd * g->kd));
}
