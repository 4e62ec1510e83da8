/* A process and a discrete PID law as a loop: is it stable, how far from not being so, how fast.
 *
 *     struct aw_driver driver = {.tick_s = 0.004, .dead_band = 0.01, .output_max = 0.81,
 *                                .gain_max = 100, .quantum = 0.045 / 360};
 *     struct aw_loop *loop = aw_loop_new(&process, driver.tick_s, &err);
 *     struct aw_gains gains = {3, 0.0005, 0};                per tick, as the driver has them
 *     struct aw_margins m = aw_loop_margins(loop, &gains);
 *     printf("Ms %.2f, stable %d\n", m.ms, m.stable);
 *     aw_loop_free(loop);
 *
 * Nothing is approximated as continuous: the law runs once a tick,
 *
 *     C(z) = kp + ki / (1 - 1/z) + kd·(1 - 1/z),    z = exp(j·omega·tick)
 *
 * and between the law and the process are a hold and a sampler: G times the hold, summed over the
 * aliases (Åström, Wittenmark, Computer-Controlled Systems, 1997, 7.2). Frequencies go up to half
 * the sampling rate.
 *
 * Ms is the greatest |1/(1 + L)|: 1/Ms is how near the Nyquist curve comes to -1. Ms below 2 means
 * a gain margin above 2 and a phase margin above 29 deg (Åström, Hägglund, Advanced PID Control,
 * 2006, 4.5). Whether the loop is stable is decided by Nyquist's criterion: the angle of 1 + L is
 * followed from the lowest frequency, where L is that of its integrators, to the highest. It is
 * stable if the angle comes back to 0.
 */
#ifndef AW_CONTROL_LOOP_H
#define AW_CONTROL_LOOP_H

#include <complex.h>
#include <stddef.h>

#include "base/status.h"
#include "control/process.h"
#include "control/rules.h"

/* What a driver does to the law. Outputs and measured values are shares of full scale. */
struct aw_driver {
    double tick_s;     /* the law runs once in it */
    double dead_band;  /* outputs below it do nothing */
    double lost;       /* of the others: friction, or where a motor amplifier's range begins */
    double output_max; /* above it the motor gets no more */
    double gain_max;   /* of each gain per tick, either sign */
    double quantum;    /* step of the measured value */
    double noise;      /* its standard deviation from tick to tick */
};

struct aw_loop; /* the process at the frequencies that count */

/* The response at omega (rad/s); for what is no struct aw_process. */
typedef double complex aw_response_fn(const void *context, double omega);

/* NULL: AW_NO_MEMORY. The second one for any process: integrators of its own, 0 or 1; slow_s and
 * dead_time_s are about its longest time constant and its dead time, which decide where and how
 * dense the frequencies are. */
struct aw_loop *aw_loop_new(const struct aw_process *process, double tick_s, struct aw_error *err);
struct aw_loop *aw_loop_new_of(aw_response_fn *response, const void *context, int integrators,
                               double slow_s, double dead_time_s, double tick_s,
                               struct aw_error *err);
void aw_loop_free(struct aw_loop *loop);

/* Frequencies in rad/s; NaN where there is no such crossing. */
struct aw_margins {
    bool stable;
    double ms;
    double gain_margin; /* by which all gains may grow; INFINITY: as far as you like */
    double phase_margin_deg;
    double crossover; /* |L| = 1 for the last time */
    double bandwidth; /* setpoint to measured, 3 dB below its start */
};
struct aw_margins aw_loop_margins(const struct aw_loop *loop, const struct aw_gains *per_tick);

/* Only whether it is stable, and Ms: faster. INFINITY if it is not. */
double aw_loop_ms(const struct aw_loop *loop, const struct aw_gains *per_tick);

/* The open loop, for Bode curves: the i-th of its frequencies; false behind the last.
 */
bool aw_loop_point(const struct aw_loop *loop, const struct aw_gains *per_tick, size_t i,
                   double *omega, double complex *open);

/* The output of a joint at rest whose measured value only jumps by one step of the encoder, or has
 * noise: kp + kd steps, or, if that is more, two standard deviations of the law's answer to the
 * noise. */
double aw_driver_activity(const struct aw_driver *driver, const struct aw_gains *per_tick);

#endif
