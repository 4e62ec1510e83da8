/* Process models for a controller: few parameters, responses in frequency and in time.
 *
 *     struct aw_process knee = {.gain = 2.08, .integrating = true, .a1 = 0.03,
 *                               .dead_time_s = 0.008};
 *     double complex g = aw_process_response(&knee, 10);     at 10 rad/s
 *     struct aw_process_state x = {0};
 *     aw_process_advance(&knee, &x, 0.1, 0.1, 0.004);        4 ms at an input of 0.1
 *
 *             gain · (1 + lead·s) · exp(-s · dead_time)
 *     G(s) = -------------------------------------------      p = 1 if it integrates, else 0
 *               s^p · (1 + a1·s + a2·s²) · (1 + a3·s)
 *
 * There are four kinds: first order with dead time, integrator with one or two lags and dead time,
 * second order and third order with dead time. The second order has a1 = tau1 + tau2 and a2 =
 * tau1·tau2, so complex poles (a1² < 4·a2) are not a special case. Only hand-written models have a
 * zero (lead), in all kinds except first order.
 *
 * The responses in time are exact for an input that is linear in each interval. They use the
 * closed-form solution of the linear differential equation, without a step size.
 */
#ifndef AW_IDENTIFY_PROCESS_H
#define AW_IDENTIFY_PROCESS_H

#include <complex.h>
#include <stdbool.h>

enum aw_process_kind {
    AW_PROCESS_FIRST,       /* first order with dead time */
    AW_PROCESS_INTEGRATING, /* integrator with a lag or two, and dead time */
    AW_PROCESS_SECOND,      /* second order with dead time */
    AW_PROCESS_THIRD,       /* third order with dead time */
    AW_PROCESS_KINDS,
};

/* gain is the measured value per output, or its rate per output for an integrating process. a1 and
 * a3 are in s, a2 in s²; none is below 0. An integrating process has a2 = 0. First and second order
 * have a3 = 0. lead is in s and may be negative; it is 0 for first order. */
struct aw_process {
    double gain;
    bool integrating;
    double a1, a2, a3, lead;
    double dead_time_s;
};

/* Returns the name of a kind: "first-order", "integrating", "second-order", "third-order". */
const char *aw_process_kind_name(enum aw_process_kind kind);
enum aw_process_kind aw_process_kind_of(const struct aw_process *process);

/* Calculates the two lags of 1 + a1·s + a2·s², the slower one first; the second is 0 if there is
 * only one. For complex poles, both are the modulus (1/natural frequency), and *damping is below 1.
 * damping may be NULL; it is NaN for first order. */
void aw_process_lags(const struct aw_process *process, double *tau1, double *tau2, double *damping);

/* Returns G(j·omega), omega in rad/s above 0. */
double complex aw_process_response(const struct aw_process *process, double omega);

/* Returns the phase in rad, unwrapped from omega = 0: -pi/2 and less for an integrator. */
double aw_process_phase(const struct aw_process *process, double omega);

/* Finds the frequency of phase -pi, and the ultimate gain 1/|G| there. Returns false if there is
 * none (no dead time and at most two more poles than zeros). */
bool aw_process_ultimate(const struct aw_process *process, double *omega, double *ku);

/* State of the process without gain, zero and dead time. rate is the slope of y, unused for first
 * order; lagged is the input after the lag a3. {0} is at rest. */
struct aw_process_state {
    double y, rate, lagged;
};

/* Returns the measured value in this state. */
double aw_process_measured(const struct aw_process *process, const struct aw_process_state *x);

/* Advances the state by h seconds, while the input changes linearly between the two values. */
void aw_process_advance(const struct aw_process *process, struct aw_process_state *x, double from,
                        double to, double h);

#endif
