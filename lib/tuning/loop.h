/* A process and a discrete PID controller as a loop: stability, margins and bandwidth.
 *
 *     struct aw_driver driver = {.tick_s = 0.004, .dead_band = 0.01, .output_max = 0.81,
 *                                .gain_max = 100, .quantum = 0.045 / 360};
 *     struct aw_loop *loop = aw_loop_new(&process, driver.tick_s, &err);
 *     struct aw_gains gains = {3, 0.0005, 0};                per tick, as in the driver
 *     struct aw_margins m = aw_loop_margins(loop, &gains);
 *     printf("Ms %.2f, stable %d\n", m.ms, m.stable);
 *     aw_loop_free(loop);
 *
 * There is no continuous approximation: the controller runs once per tick,
 *
 *     C(z) = kp + ki / (1 - 1/z) + kd·(1 - 1/z),    z = exp(j·omega·tick)
 *
 * and between controller and process are a hold and a sampler. G times the hold is summed over the
 * aliases (Åström, Wittenmark, Computer-Controlled Systems, 1997, 7.2). Frequencies go up to half
 * the sampling rate.
 *
 * Ms is the greatest |1/(1 + L)|: 1/Ms is the distance of the Nyquist curve from -1. Ms below 2
 * means a gain margin above 2 and a phase margin above 29 deg (Åström, Hägglund, Advanced PID
 * Control, 2006, 4.5). Nyquist's criterion decides stability: it follows the angle of 1 + L from
 * the lowest frequency, where the integrators dominate L, to the highest. The loop is stable if the
 * angle returns to 0.
 */
#ifndef AW_TUNING_LOOP_H
#define AW_TUNING_LOOP_H

#include <complex.h>
#include <stddef.h>

#include "base/status.h"
#include "tuning/identify/process.h"

/* A driver computes once per tick, the control period, without knowing its length:
 *     sum += ki·e;  u = kp·e + sum + kd·(e - previous e)
 * A controller u = Kp·e + Ki·integral(e dt) + Kd·de/dt has ki = Ki·tick and kd = Kd/tick. The
 * exoskeleton's drivers have a tick of 4 ms. Their default ki of 0.0005 is then 0.125 per second,
 * and a Kd of 0.01 s is a kd of 2.5. Such a kd amplifies noise and every jump of the setpoint: a
 * step of 0.1 outputs kd·0.1 for one tick. */
struct aw_gains {
    double kp, ki, kd;
};

/* Properties of a driver. Outputs and measured values are shares of full scale. */
struct aw_driver {
    double tick_s;     /* period of the controller */
    double dead_band;  /* smaller outputs have no effect */
    double friction;   /* subtracted from larger outputs: friction, or the amplifier's threshold */
    double output_max; /* saturation of the output */
    double gain_max;   /* max magnitude of each gain per tick */
    double quantum;    /* step of the measured value */
    double noise;      /* standard deviation of the measured value between ticks */
};

struct aw_loop; /* response of a process at the frequencies of interest */

/* Returns the response at omega (rad/s), for processes other than struct aw_process. */
typedef double complex aw_response_fn(const void *context, double omega);

/* Create a loop; NULL: out of memory. The second function accepts any process, with 0 or 1
 * integrators. slow_s and dead_time_s approximate its longest time constant and its dead time. They
 * determine the grid of frequencies. */
struct aw_loop *aw_loop_new(const struct aw_process *process, double tick_s, struct aw_error *err);
struct aw_loop *aw_loop_new_any(aw_response_fn *response, const void *context, int integrators,
                                double slow_s, double dead_time_s, double tick_s,
                                struct aw_error *err);
void aw_loop_free(struct aw_loop *loop);

/* Margins of a loop. Frequencies are in rad/s, or NaN if there is no such crossing. */
struct aw_margins {
    bool stable;
    double ms;              /* greatest |1/(1 + L)| */
    double peak;            /* frequency of that maximum */
    double gain_margin;     /* max factor for all gains; INFINITY: no limit */
    double phase_crossover; /* frequency of the gain margin */
    double phase_margin_deg;
    double crossover; /* highest frequency with |L| = 1 */
    double bandwidth; /* frequency at which the response to the setpoint has dropped by 3 dB */
};
struct aw_margins aw_loop_margins(const struct aw_loop *loop, const struct aw_gains *per_tick);

/* Returns Ms; INFINITY: the loop is unstable. Faster than aw_loop_margins. */
double aw_loop_ms(const struct aw_loop *loop, const struct aw_gains *per_tick);

/* Returns the open loop at its i-th frequency, for Bode curves. Returns false after the last
 * one. */
bool aw_loop_get_point(const struct aw_loop *loop, const struct aw_gains *per_tick, size_t i,
                       double *omega, double complex *open_loop);

/* Returns the output at rest if the measured value of the joint jumps by one encoder step, or is
 * noisy: kp + kd steps, or two standard deviations of the controller's response to the noise,
 * whichever is larger. */
double aw_driver_activity(const struct aw_driver *driver, const struct aw_gains *per_tick);

#endif
