/* The relay experiment of Åström and Hägglund: a relay in place of the controller makes the loop
 * oscillate by itself, with bounded amplitude, near the frequency where its phase is -180 deg.
 *
 * A pure state machine. The caller feeds each sample and gets the control output to apply now.
 *
 *     struct aw_relay_config config = {.centre = y0, .amplitude = 0.1, .hysteresis = 0.002,
 *                                      .max_deviation = 0.05, .max_time_s = 20};
 *     aw_relay_start(&relay, &config);
 *     while (!relay.is_over) {
 *         … wait for telemetry: t, measured …
 *         double u = aw_relay_add_sample(&relay, t, measured);
 *         … send the setpoint measured + u/kp …
 *     }
 *
 * It suits a driver that accepts only setpoints and gains. With Ki = Kd = 0 such a driver outputs u
 * = Kp·(sp - y), so sp = y ± d/Kp makes it a relay with amplitude d, updated with each telemetry
 * frame. Between two frames y changes by dy, and u is wrong by Kp·dy. So choose a SMALL Kp with a
 * far setpoint. aw_relay_find_gain gives the smallest Kp whose setpoints stay within the driver's
 * limit (beyond it, the driver would disable itself).
 *
 * The relay switches late, by the wait for the next telemetry frame, the transport both ways, and
 * the wait for the driver's next tick. So the oscillation itself yields no parameters: a model is
 * fitted to the record (fit.h), which contains the real output.
 *
 * Source: K. J. Åström, T. Hägglund, "Automatic tuning of simple regulators with specifications on
 * phase and amplitude margins", Automatica 20 (1984).
 */
#ifndef AW_IDENTIFY_RELAY_H
#define AW_IDENTIFY_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#define AW_RELAY_CYCLES 6 /* number of equal cycles that end the experiment */

/* measured, centre, hysteresis and max_deviation have the same unit; amplitude and output share
 * one. */
struct aw_relay_config {
    double centre;        /* centre of the oscillation */
    double amplitude;     /* d > 0: the output is bias + d or bias - d */
    double hysteresis;    /* h >= 0: switches at centre ± h; must exceed the noise */
    double max_deviation; /* > h: max deviation from the centre, for aw_relay_find_gain */
    double max_time_s;    /* > 0: time limit, even without equal cycles */
    /* limit of the bias, which is adjusted until both half cycles are equal */
    double max_bias;
};

/* One full cycle, between two upward switches. */
struct aw_relay_cycle {
    double start_s, period_s;
    double high_s; /* time at the upper output */
    double min, max;
};

struct aw_relay {
    struct aw_relay_config config;
    bool is_over; /* equal cycles were found, the time is over, or a sample was not a number */
    bool is_high; /* the upper output is on */
    double bias;  /* current bias */
    double start_s, last_s; /* times of the first and the last sample; NaN before the first */
    bool in_cycle;          /* the current cycle began with an upward switch */
    struct aw_relay_cycle current;
    size_t n_cycles; /* number since the start; the last ones are in the ring */
    struct aw_relay_cycle cycles[AW_RELAY_CYCLES];
};

/* Starts the experiment with a copy of the configuration. */
void aw_relay_start(struct aw_relay *relay, const struct aw_relay_config *config);

/* Handles a sample; times must increase. Returns the output to apply from now on; 0 when over. */
double aw_relay_add_sample(struct aw_relay *relay, double t, double measured);

/* Returns the smallest kp whose setpoints stay within 90 % of ± limit during the whole experiment;
 * NaN if centre ± max_deviation leaves no room. */
double aw_relay_find_gain(const struct aw_relay_config *config, double limit);

#endif
