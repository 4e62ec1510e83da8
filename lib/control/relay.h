/* The relay experiment of Åström and Hägglund: a relay in place of the controller makes the loop
 * oscillate by itself, with bounded amplitude, and the oscillation tells how the loop answers near
 * the frequency where its phase is -180 deg: the ultimate gain Ku and period Tu.
 *
 * A pure state machine: it is fed each sample and says what the control output should be now.
 *
 *     struct aw_relay_config config = {.centre = y0, .amplitude = 0.1, .hysteresis = 0.002,
 *                                      .max_deviation = 0.05, .max_time_s = 20};
 *     aw_relay_start(&relay, &config, &err);
 *     while (relay.state == AW_RELAY_RUNNING) {
 *         … wait for telemetry: t, measured, output …
 *         double u = aw_relay_feed(&relay, t, measured, output);
 *         … send the setpoint aw_relay_setpoint(&relay, measured, kp, limit) …
 *     }
 *     status = aw_relay_result(&relay, &result, &err);
 *
 * A driver that takes only setpoints and gains. With Ki = Kd = 0 such a driver puts out
 * u = Kp·(sp - y), so sp = y ± d/Kp makes it a relay with amplitude d, renewed with each telemetry
 * frame. Between two frames y moves on by dy and u is wrong by Kp·dy: a SMALL Kp with a far
 * setpoint is the good choice. aw_relay_gain gives the smallest Kp whose setpoints stay inside the
 * driver's limit (outside it, the driver would disable itself).
 *
 * Delay of the host. The relay switches late: by the wait for the next telemetry frame, transport
 * both ways, and the wait for the driver's next tick. A plain relay experiment counts that as dead
 * time of the plant (period 4 times longer than it: at 100 Hz some 10 ms become 40 ms of Tu). Here
 * the response is instead taken from the fundamental waves of output and measured, both out of the
 * same telemetry frames: the delay makes the oscillation slower but is not between these two, and
 * drops out. What is read is one point G(jw) of the plant with a phase above -180 deg; from there
 * to -180 deg it is extended as integrator plus dead time, which keeps G(jw) exact and errs in
 * second order of the distance. The same step removes the effect of the hysteresis. It goes to at
 * most four times the frequency of the oscillation: where the plant has so little dead time of its
 * own that this is not enough, the dead time is taken longer than it is (capped), which errs to the
 * careful side. If the output is not known (NaN), the commanded one is used, and input_delay_s says
 * by how much it is early. The classic figure (describing function, hysteresis corrected, all
 * delays included) is given too: it is the careful one, with a smaller Ku and a longer Tu.
 *
 * Which to use: aw_plant_ultimate(result.classic_ku, result.period_s) for gains that are to be
 * applied. On the simulated joint (100 Hz telemetry, d 0.1, h 0.3 deg) that is Ku 35, Tu 0.16 s,
 * and every rule in its own form makes steps with 0 to 25 % overshoot and a third of the default
 * gains' IAE (no-overshoot: 60 %). The exact figures there, Ku 68 and Tu 0.08 s, say what the plant
 * is; gains made from them are twice as high and overshoot by 35 % and more, but for no-overshoot.
 *
 * Source: K. J. Åström, T. Hägglund, "Automatic tuning of simple regulators with specifications on
 * phase and amplitude margins", Automatica 20 (1984).
 */
#ifndef AW_CONTROL_RELAY_H
#define AW_CONTROL_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#define AW_RELAY_SAMPLES 4096 /* of the oscillation that is evaluated */
#define AW_RELAY_CYCLES  32   /* at most */

/* measured, centre, hysteresis and max_deviation share a unit; amplitude and output share one. */
struct aw_relay_config {
    double centre;        /* the value to swing around */
    double amplitude;     /* d > 0: the relay puts out bias + d or bias - d */
    double hysteresis;    /* h >= 0: switches at centre ± h; above the noise */
    double max_deviation; /* > h: gives up when |measured - centre| is beyond */
    double max_time_s;    /* > 0: gives up */
    int cycles;           /* equal ones wanted, 2..AW_RELAY_CYCLES; 0: 6 */
    double tolerance;     /* by which equal cycles may differ; 0: 0.1 */
    double bias;          /* first guess of the output that holds centre */
    double max_bias;      /* the bias is corrected within ± this until half cycles are equal */
    double input_delay_s; /* from feeding to effect, only where output is NaN */
};

enum aw_relay_state { AW_RELAY_RUNNING, AW_RELAY_DONE, AW_RELAY_FAILED };

enum aw_relay_failure {
    AW_RELAY_NO_FAILURE,
    AW_RELAY_NO_MOTION, /* time is over and the value hardly moved */
    AW_RELAY_NO_CYCLE,  /* it moved, but time is over without equal cycles */
    AW_RELAY_TOO_FAR,   /* beyond max_deviation */
    AW_RELAY_BACKWARDS, /* beyond max_deviation, against the sign of the output */
    AW_RELAY_TOO_FAST,  /* more than AW_RELAY_SAMPLES samples in the cycles: feed fewer */
    AW_RELAY_BAD_INPUT, /* NaN or a time that does not grow */
};

struct aw_relay_point {
    double t, y;
    double u;       /* the real output at t, or the commanded one from t on */
    bool commanded; /* which of the two */
};

/* One full cycle, from one switch upwards to the next. */
struct aw_relay_cycle {
    size_t first; /* point */
    double start_s, period_s;
    double high_s; /* of the period with the upper output */
    double min, max;
};

/* About 130 kB, so rather not on a small stack. Plain data, no need to free. */
struct aw_relay {
    struct aw_relay_config config;
    enum aw_relay_state state;
    enum aw_relay_failure failure;
    bool high;   /* the upper output is on */
    double bias; /* as it is now */
    double output;
    double least, most; /* measured so far */
    double start_s;
    size_t n_switches;
    bool in_cycle; /* current has begun with a switch upwards */
    struct aw_relay_cycle current;
    size_t n_cycles; /* all since the start; cycles and points are rings of the last ones */
    struct aw_relay_cycle cycles[AW_RELAY_CYCLES];
    size_t n_points;
    struct aw_relay_point points[AW_RELAY_SAMPLES];
};

struct aw_relay_result {
    double ku, tu_s;           /* ultimate gain (output per measured) and period */
    double period_s;           /* of the oscillation itself */
    double amplitude;          /* of measured: half of peak to peak */
    double gain, phase_deg;    /* the plant at that period: |G|, arg G in -360..0 */
    double classic_ku;         /* 4d/(pi·sqrt(a² - h²)); its period is period_s */
    double slope, dead_time_s; /* the model slope·exp(-s·dead_time)/s through G(jw) */
    double asymmetry;          /* (high - low time)/period, -1..1: 0 is a good experiment */
    bool capped;               /* the dead time is longer than read: see above */
    int cycles;
};

/* AW_USAGE or AW_LIMIT if the configuration makes no sense; it is copied. */
enum aw_status aw_relay_start(struct aw_relay *relay, const struct aw_relay_config *config,
                              struct aw_error *err);

/* Takes one sample; output is the real one at that moment, or NaN. Returns the output wanted from
 * now on; 0 when the experiment is over, then relay->state tells how. */
double aw_relay_feed(struct aw_relay *relay, double t, double measured, double output);

/* The same output as a setpoint for a driver with u = kp·(sp - y), clamped to ± limit. */
double aw_relay_setpoint(const struct aw_relay *relay, double measured, double kp, double limit);

/* The smallest kp with which that setpoint stays within 90 % of ± limit during the whole
 * experiment; NaN if centre ± max_deviation leaves no room. */
double aw_relay_gain(const struct aw_relay_config *config, double limit);

/* AW_OK after AW_RELAY_DONE; AW_REFUSED with the reason and what to try after AW_RELAY_FAILED, or
 * where the phase leaves no ultimate point; AW_TIMEOUT while it is still running. */
enum aw_status aw_relay_result(const struct aw_relay *relay, struct aw_relay_result *result,
                               struct aw_error *err);

#endif
