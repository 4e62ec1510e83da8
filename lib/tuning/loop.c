/* The discrete loop in frequency: sums aliases, applies Nyquist's criterion, finds margins. */
#include "tuning/loop.h"

#include <math.h>
#include <stdlib.h>

#define ALIASES     24
#define MAX_POINTS  3000
#define MAX_SPACING 0.03 /* max ratio of neighbouring frequencies, minus 1 */
#define MIN_SPACING 0.003
/* phase of the dead time between neighbouring frequencies, rad, if within these limits */
#define PHASE_STEP 0.15

struct loop_point {
    double omega;
    double complex plant;           /* sampled response of the process, with the hold */
    double complex sum, difference; /* 1/(1 - 1/z), 1 - 1/z */
};

struct aw_loop {
    size_t n;
    int integrators;
    struct loop_point points[MAX_POINTS];
};

/* Returns the response of G behind a zero-order hold, sampled every tick_s: the sum over ALIASES
 * aliases on each side of omega. */
static double complex sample_response(aw_response_fn *response, const void *context, double omega,
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

struct aw_loop *aw_loop_new_any(aw_response_fn *response, const void *context, int integrators,
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
    while (loop->n < MAX_POINTS) {
        struct loop_point *at = &loop->points[loop->n++];
        at->omega = omega;
        at->plant = sample_response(response, context, omega, tick_s);
        at->difference = 1 - cexp(-I * omega * tick_s);
        at->sum = 1 / at->difference;
        if (omega >= last)
            break;
        omega = fmin(
            last, omega + fmin(omega * MAX_SPACING, fmax(omega * MIN_SPACING, PHASE_STEP / delay)));
    }
    return loop;
}

static double complex process_response(const void *context, double omega)
{
    return aw_process_response(context, omega);
}

struct aw_loop *aw_loop_new(const struct aw_process *process, double tick_s, struct aw_error *err)
{
    double slow_s, fast_s;
    aw_process_lags(process, &slow_s, &fast_s, NULL);
    return aw_loop_new_any(process_response, process, process->integrating ? 1 : 0,
                           slow_s + fast_s + process->a3 + fabs(process->lead),
                           process->dead_time_s, tick_s, err);
}

void aw_loop_free(struct aw_loop *loop)
{
    free(loop);
}

static double complex open_loop_at(const struct loop_point *point, const struct aw_gains *g)
{
    return (g->kp + g->ki * point->sum + g->kd * point->difference) * point->plant;
}

bool aw_loop_get_point(const struct aw_loop *loop, const struct aw_gains *per_tick, size_t i,
                       double *omega, double complex *open_loop)
{
    if (i >= loop->n)
        return false;
    *omega = loop->points[i].omega;
    *open_loop = open_loop_at(&loop->points[i], per_tick);
    return true;
}

/* Returns the initial angle of 1 + L: -90 deg per integrator, plus 180 deg for a negative gain. */
static double get_initial_angle(const struct aw_loop *loop, const struct aw_gains *g,
                                double complex value)
{
    int integrators = loop->integrators + (fabs(g->ki) > 0);
    double expected = -integrators * M_PI / 2;
    return carg(value * cexp(-I * expected)) + expected;
}

/* Returns +1 for a left turn across the negative real axis, -1 for a right turn, else 0. */
static int count_turn(double complex previous, double complex current)
{
    double from = cimag(previous), to = cimag(current);
    if ((from < 0) == (to < 0))
        return 0;
    double real = creal(previous) + (creal(current) - creal(previous)) * from / (from - to);
    if (real > 0)
        return 0;
    return to < 0 ? 1 : -1;
}

double aw_loop_ms(const struct aw_loop *loop, const struct aw_gains *g)
{
    double complex previous = 1 + open_loop_at(&loop->points[0], g);
    double angle = get_initial_angle(loop, g, previous) - carg(previous), nearest2 = INFINITY;
    int turns = 0;
    for (size_t i = 1; i < loop->n; i++) {
        double complex current = 1 + open_loop_at(&loop->points[i], g);
        double size2 = creal(current) * creal(current) + cimag(current) * cimag(current);
        nearest2 = size2 < nearest2 ? size2 : nearest2;
        turns += count_turn(previous, current);
        previous = current;
    }
    angle += turns * 2 * M_PI + carg(previous);
    return fabs(angle) > 1 ? INFINITY : 1 / sqrt(nearest2);
}

/* Returns the position of the zero between a and b, which have different signs: 0 to 1. */
static double find_zero(double a, double b)
{
    return a / (a - b);
}

/* Updates the gain margin: L is -gain at omega. */
static void limit_gain(struct aw_margins *m, double gain, double omega)
{
    if (gain > 0 && gain < 1 && 1 / gain < m->gain_margin) {
        m->gain_margin = 1 / gain;
        m->phase_crossover = omega;
    }
}

static void update_margins(const struct loop_point *a, const struct loop_point *b,
                           double complex la, double complex lb, struct aw_margins *m)
{
    double ga = cabs(la), gb = cabs(lb);
    if ((ga > 1) != (gb > 1)) {
        double x = find_zero(log(ga), log(gb));
        double complex l = la + (lb - la) * x;
        double margin = carg(-l) * 180 / M_PI;
        if (isnan(m->phase_margin_deg) || fabs(margin) < fabs(m->phase_margin_deg))
            m->phase_margin_deg = margin;
        m->crossover = a->omega + (b->omega - a->omega) * x;
    }
    if ((cimag(la) < 0) != (cimag(lb) < 0) && creal(la) < 0 && creal(lb) < 0) {
        double x = find_zero(cimag(la), cimag(lb));
        limit_gain(m, -creal(la + (lb - la) * x), a->omega + (b->omega - a->omega) * x);
    }
}

struct aw_margins aw_loop_margins(const struct aw_loop *loop, const struct aw_gains *g)
{
    struct aw_margins m = {.gain_margin = INFINITY,
                           .phase_crossover = NAN,
                           .phase_margin_deg = NAN,
                           .crossover = NAN,
                           .bandwidth = NAN};
    m.ms = aw_loop_ms(loop, g);
    m.stable = isfinite(m.ms);
    double closed0 = NAN, nearest = INFINITY;
    double complex previous = 0;
    for (size_t i = 0; i < loop->n; i++) {
        const struct loop_point *at = &loop->points[i];
        double complex l = open_loop_at(at, g);
        double closed = cabs(l / (1 + l)), distance = cabs(1 + l);
        if (i == 0)
            closed0 = closed;
        else
            update_margins(at - 1, at, previous, l, &m);
        if (distance < nearest) {
            nearest = distance;
            m.peak = at->omega;
        }
        if (isnan(m.bandwidth) && closed < closed0 * sqrt(0.5))
            m.bandwidth = at->omega;
        previous = l;
    }
    /* the open loop is real at half the sampling rate */
    limit_gain(&m, -creal(previous), loop->points[loop->n - 1].omega);
    return m;
}

double aw_driver_activity(const struct aw_driver *driver, const struct aw_gains *g)
{
    double step = driver->quantum * (fabs(g->kp) + fabs(g->kd));
    double sum = g->kp + g->kd;
    return fmax(step, 2 * driver->noise * sqrt(sum * sum + g->kd * g->kd));
}
