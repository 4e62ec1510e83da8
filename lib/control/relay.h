/* The relay experiment of Åström and Hägglund: a relay in place of the controller makes the loop
 * oscillate by itself, with bounded amplitude, near the frequency where its phase is -180 deg.
 *
 * A pure state machine: it is fed each sample and says what the control output should be now.
 *
 *     struct aw_relay_config config = {.centre = y0, .amplitude = 0.1, .hysteresis = 0.002,
 *                                      .max_deviation = 0.05, .max_time_s = 20};
 *     aw_relay_start(&relay, &config, &err);
 *     while (!relay.over) {
 *         … wait for telemetry: t, measured …
 *         double u = aw_relay_feed(&relay, t, measured);
 *         … send the setpoint measured + u/kp …
 *     }
 *
 * A driver that takes only setpoints and gains. With Ki = Kd = 0 such a driver puts out
 * u = Kp·(sp - y), so sp = y ± d/Kp makes it a relay with amplitude d, renewed with each telemetry
 * frame. Between two frames y moves on by dy and u is wrong by Kp·dy: a SMALL Kp with a far
 * setpoint is the good choice. aw_relay_gain gives the smallest Kp whose setpoints stay inside the
 * driver's limit (outside it, the driver would disable itself).
 *
 * The relay switches late: by the wait for the next telemetry frame, transport both ways, and the
 * wait for the driver's next tick. So no figures are taken from the oscillation itself: a model is
 * fitted to the record (fit.h), whose output is the real one.
 *
 * Source: K. J. Åström, T. Hägglund, "Automatic tuning of simple regulators with specifications on
 * phase and amplitude margins", Automatica 20 (1984).
 */
#ifndef AW_CONTROL_RELAY_H
#define AW_CONTROL_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#define AW_RELAY_CYCLES 6 /* that must be alike at the end */

/* measured, centre, hysteresis and max_deviation share a unit; amplitude and output share one. */
struct aw_relay_config {
    double centre;        /* the value to swing around */
    double amplitude;     /* d > 0: the relay puts out bias + d or bias - d */
    double hysteresis;    /* h >= 0: switches at centre ± h; above the noise */
    double max_deviation; /* > h: so far it is let go, for aw_relay_gain */
    double max_time_s;    /* > 0: then it is over, with equal cycles or without */
    double max_bias;      /* the bias is corrected within ± this until half cycles are equal */
};

/* One full cycle, from one switch upwards to the next. */
struct aw_relay_cycle {
    double start_s, period_s;
    double high_s; /* of the period with the upper output */
    double min, max;
};

struct aw_relay {
    struct aw_relay_config config;
    bool over;   /* equal cycles were seen, the time is over, or a sample was no number */
    bool high;   /* the upper output is on */
    double bias; /* as it is now */
    double start_s, last_s; /* of the samples; NaN before the first */
    bool in_cycle;          /* current has begun with a switch upwards */
    struct aw_relay_cycle current;
    size_t n_cycles; /* all since the start; cycles is a ring of the last ones */
    struct aw_relay_cycle cycles[AW_RELAY_CYCLES];
};

/* AW_USAGE if the configuration makes no sense; it is copied. */
enum aw_status aw_relay_start(struct aw_relay *relay, const struct aw_relay_config *config,
                              struct aw_error *err);

/* Takes one sample, whose time must grow. Returns the output wanted from now on; 0 when it is over.
 */
double aw_relay_feed(struct aw_relay *relay, double t, double measured);

/* The smallest kp with which such a setpoint stays within 90 % of ± limit during the whole
 * experiment; NaN if centre ± max_deviation leaves no room. */
double aw_relay_gain(const struct aw_relay_config *config, double limit);

#endif
