/* Process models: frequency response and the exact solution for a piecewise linear input. */
#include "tuning/identify/process.h"

#include <math.h>

#define MIN_LAG_DIFFERENCE 1e-3 /* relative difference to which equal lags are separated */

const char *aw_process_kind_name(enum aw_process_kind kind)
{
    static const char *const names[AW_PROCESS_KINDS] = {
        [AW_PROCESS_FIRST] = "first-order",
        [AW_PROCESS_INTEGRATING] = "integrating",
        [AW_PROCESS_SECOND] = "second-order",
        [AW_PROCESS_THIRD] = "third-order",
    };
    return names[kind];
}

enum aw_process_kind aw_process_kind_of(const struct aw_process *process)
{
    if (process->integrating)
        return AW_PROCESS_INTEGRATING;
    if (process->a3 > 0)
        return AW_PROCESS_THIRD;
    return process->a2 > 0 ? AW_PROCESS_SECOND : AW_PROCESS_FIRST;
}

void aw_process_lags(const struct aw_process *process, double *tau1, double *tau2, double *damping)
{
    double a1 = process->a1, a2 = process->a2, root = a1 * a1 - 4 * a2;
    if (damping)
        *damping = a2 > 0 ? a1 / (2 * sqrt(a2)) : NAN;
    if (root < 0) {
        *tau1 = *tau2 = sqrt(a2);
        return;
    }
    *tau1 = (a1 + sqrt(root)) / 2;
    *tau2 = *tau1 > 0 ? a2 / *tau1 : 0;
}

double complex aw_process_response(const struct aw_process *process, double omega)
{
    double complex s = I * omega;
    double complex lags = (1 + process->a1 * s + process->a2 * s * s) * (1 + process->a3 * s);
    double complex g =
        process->gain * (1 + process->lead * s) * cexp(-s * process->dead_time_s) / lags;
    return process->integrating ? g / s : g;
}

double aw_process_phase(const struct aw_process *process, double omega)
{
    double lags =
        atan2(process->a1 * omega, 1 - process->a2 * omega * omega) + atan(process->a3 * omega);
    return atan(process->lead * omega) - lags - omega * process->dead_time_s -
           (process->integrating ? M_PI / 2 : 0);
}

bool aw_process_ultimate(const struct aw_process *process, double *omega, double *ku)
{
    double low = 0, high = 1;
    while (aw_process_phase(process, high) > -M_PI)
        if ((high *= 2) > 1e9)
            return false;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        *(aw_process_phase(process, middle) > -M_PI ? &low : &high) = middle;
    }
    *omega = high;
    *ku = 1 / cabs(aw_process_response(process, high));
    return true;
}

double aw_process_measured(const struct aw_process *process, const struct aw_process_state *x)
{
    return process->gain * (x->y + process->lead * x->rate);
}

/* Advances y and y' of the homogeneous second order by h, for real and complex poles. c is
 * cosh(d·h) or cos(w·h), s is sinh(d·h)/d or sin(w·h)/w, each times exp(sigma·h). */
static void advance_pair(const struct aw_process *process, double h, double *y, double *rate)
{
    double sigma = -process->a1 / (2 * process->a2), natural2 = 1 / process->a2;
    double d2 = sigma * sigma - natural2, d = sqrt(fabs(d2)), c, s;
    if (d * h < 1e-4) {
        c = exp(sigma * h);
        s = h * c;
    } else if (d2 < 0) {
        c = exp(sigma * h) * cos(d * h);
        s = exp(sigma * h) * sin(d * h) / d;
    } else {
        double slow = exp(-natural2 / (d - sigma) * h), fast = exp((sigma - d) * h);
        c = (slow + fast) / 2;
        s = (slow - fast) / (2 * d);
    }
    double y0 = *y, rate0 = *rate;
    *y = c * y0 + s * (rate0 - sigma * y0);
    *rate = c * rate0 + s * (sigma * rate0 - natural2 * y0);
}

/* After a transient, a lag a1 follows the line from + slope·t with a delay of a1. The lag a3, if
 * any, comes first. Its output is such a line plus an excess that decays. The rest of the process
 * responds to the line and to the excess separately; c is the amplitude of its response to the
 * excess. */
void aw_process_advance(const struct aw_process *process, struct aw_process_state *x, double from,
                        double to, double h)
{
    if (h <= 0)
        return;
    double a1 = process->a1, a2 = process->integrating ? 0 : process->a2, a3 = process->a3;
    double slope = (to - from) / h, c = 0, decay = 0;
    if (a3 > 0) {
        double excess = x->lagged - (from - slope * a3);
        /* keeps the poles distinct */
        a3 *= 1 + MIN_LAG_DIFFERENCE * MIN_LAG_DIFFERENCE /
                      (4 * MIN_LAG_DIFFERENCE + 4 * fabs(1 - a1 / a3 + a2 / a3 / a3));
        decay = exp(-h / a3);
        from -= slope * a3;
        x->lagged = from + slope * h + excess * decay;
        c = excess / (1 - a1 / a3 + a2 / a3 / a3);
    }
    double steady = from - slope * a1;
    if (a2 > 0) {
        double y = x->y - steady - c, rate = x->rate - slope + (a3 > 0 ? c / a3 : 0);
        advance_pair(process, h, &y, &rate);
        x->y = y + steady + slope * h + c * decay;
        x->rate = rate + slope - (a3 > 0 ? c * decay / a3 : 0);
        return;
    }
    double lag_decay = a1 > 0 ? exp(-h / a1) : 0;
    double *lag = process->integrating ? &x->rate : &x->y, excess = *lag - steady - c;
    if (process->integrating)
        x->y +=
            steady * h + slope * h * h / 2 + excess * a1 * (1 - lag_decay) + c * a3 * (1 - decay);
    *lag = steady + slope * h + excess * lag_decay + c * decay;
}
