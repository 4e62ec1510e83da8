/* Models of a process that a controller moves: few parameters, answered in frequency and in time.
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
 * Four kinds are used: first order with dead time, integrator with one or two lags and dead time,
 * second order and third order with dead time. The second order is written with a1 = tau1 + tau2
 * and a2 = tau1·tau2, so that two poles that swing (a1² < 4·a2) are no special case. A zero (lead)
 * is for models that a person writes; all but the first order may have one.
 *
 * The answers in time are exact for an input that is a straight line in each interval: the solution
 * of the linear differential equation in closed form, no step size.
 */
#ifndef AW_CONTROL_PROCESS_H
#define AW_CONTROL_PROCESS_H

#include <complex.h>
#include <stdbool.h>

enum aw_process_kind {
    AW_PROCESS_FIRST,       /* first order with dead time */
    AW_PROCESS_INTEGRATING, /* integrator with a lag or two, and dead time */
    AW_PROCESS_SECOND,      /* second order with dead time */
    AW_PROCESS_THIRD,       /* third order with dead time */
    AW_PROCESS_KINDS,
};

/* gain: measured per output, for an integrating process per second. a1, a3 in s, a2 in s², none
 * below 0; an integrating process has a2 = 0, first and second order a3 = 0. lead in s, either
 * sign; 0 for first order. */
struct aw_process {
    double gain;
    bool integrating;
    double a1, a2, a3, lead;
    double dead_time_s;
};

/* "first-order", "integrating", "second-order", "third-order". */
const char *aw_process_kind_name(enum aw_process_kind kind);
enum aw_process_kind aw_process_kind_of(const struct aw_process *process);

/* The two lags of 1 + a1·s + a2·s², the slower one first; the second is 0 if there is only one. Of
 * poles that swing: the modulus twice (1/natural frequency), and *damping below 1. damping may be
 * NULL; it is NaN for first order. */
void aw_process_lags(const struct aw_process *process, double *tau1, double *tau2, double *damping);

/* G(j·omega), omega in rad/s above 0. */
double complex aw_process_response(const struct aw_process *process, double omega);

/* Phase in rad, followed from omega = 0 without jumps: -pi/2 and less for an integrator. */
double aw_process_phase(const struct aw_process *process, double omega);

/* Where the phase is -pi, and 1/|G| there: the ultimate gain. False if it never gets there (no dead
 * time and at most two poles more than zeros). */
bool aw_process_ultimate(const struct aw_process *process, double *omega, double *ku);

/* The process without gain, zero and dead time. rate is the slope of y, unused for first order;
 * lagged is the input behind a3. {0} is at rest. */
struct aw_process_state {
    double y, rate, lagged;
};

/* What is measured then. */
double aw_process_measured(const struct aw_process *process, const struct aw_process_state *x);

/* Moves on by h seconds, while the input goes straight from one value to the other. */
void aw_process_advance(const struct aw_process *process, struct aw_process_state *x, double from,
                        double to, double h);

#endif
