/* Models of a process that a controller moves: few parameters, answered in frequency and in time.
 *
 *     struct aw_process knee = {.gain = 2.08, .integrating = true, .a1 = 0.03,
 *                               .dead_time_s = 0.008};
 *     double complex g = aw_process_response(&knee, 10);     at 10 rad/s
 *     struct aw_process_state x = {0};
 *     aw_process_advance(&knee, &x, 0.1, 0.1, 0.004);        4 ms at an input of 0.1
 *
 *              gain · exp(-s · dead_time)
 *     G(s) = -------------------------------      p = 1 if it integrates, else 0
 *             s^p · (1 + a1·s + a2·s²)
 *
 * Three kinds are used: first order with dead time (a2 = 0), integrator with lag and dead time
 * (p = 1, a2 = 0), second order with dead time. The second order is written with a1 = tau1 + tau2
 * and a2 = tau1·tau2, so that two poles that swing (a1² < 4·a2) are no special case.
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
    AW_PROCESS_INTEGRATING, /* integrator with lag and dead time */
    AW_PROCESS_SECOND,      /* second order with dead time */
    AW_PROCESS_KINDS,
};

/* gain: measured per output, for an integrating process per second. a1 in s, a2 in s², both not
 * below 0; an integrating process has a2 = 0. */
struct aw_process {
    double gain;
    bool integrating;
    double a1, a2;
    double dead_time_s;
};

/* "first-order", "integrating", "second-order". */
const char *aw_process_kind_name(enum aw_process_kind kind);
enum aw_process_kind aw_process_kind_of(const struct aw_process *process);

/* The two lags of the denominator, the slower one first; the second is 0 if there is only one. Of
 * poles that swing: the modulus twice (1/natural frequency), and *damping below 1. damping may be
 * NULL; it is NaN for first order. */
void aw_process_lags(const struct aw_process *process, double *tau1, double *tau2, double *damping);

/* G(j·omega), omega in rad/s above 0. */
double complex aw_process_response(const struct aw_process *process, double omega);

/* Phase in rad, followed from omega = 0 without jumps: -pi/2 and less for an integrator. */
double aw_process_phase(const struct aw_process *process, double omega);

/* Where the phase is -pi, and 1/|G| there: the ultimate gain. False if it never gets there (no dead
 * time and at most two poles). */
bool aw_process_ultimate(const struct aw_process *process, double *omega, double *ku);

/* The process without gain and dead time. y is what is measured; rate is its slope (second order)
 * or that of the lag before the integrator; unused for first order. {0} is at rest. */
struct aw_process_state {
    double y, rate;
};

/* Moves on by h seconds, while the input goes straight from one value to the other. */
void aw_process_advance(const struct aw_process *process, struct aw_process_state *x, double from,
                        double to, double h);

#endif
