/* The control law of the published driver firmware, without time and without a joint.
 *
 *     struct aw_canpid_law law = aw_canpid_law_defaults();
 *     aw_canpid_law_setpoint(&law, AW_CANPID_POS, 20 / 360.0); // enables it
 *     every tick: double u = aw_canpid_law_tick(&law, measured[law.controller]);
 *                 double duty = aw_canpid_duty(u);
 *
 * All values are fractions of full scale. The law knows no time: a tick is once round the driver's
 * loop, 4 ms at the shortest and 8 to 10 ms with telemetry of 125 to 100 Hz. One tick: e = setpoint
 * − measured; I += ki·e (no time in it, no limit; ki 0 clears it); u = kp·e + I + kd·(e − previous
 * e). u is not limited; the motor stands for |u| < 0.01, else its PWM has a duty of min(0.90, |u| +
 * 0.09) and the sign of u.
 *
 * Hazards of the published firmware that are kept: a gain for another controller switches over and
 * holds the joint where it is, with force; a setpoint that is not a number passes both comparisons
 * with the limits and enables. u is not a number either then; here the motor stands.
 *
 * Our choice: a disabled controller forgets its integral.
 */
#ifndef AW_PROTOCOL_CANPID_LAW_H
#define AW_PROTOCOL_CANPID_LAW_H

#include <stdbool.h>

#include "protocol/canpid/names.h"

struct aw_canpid_law {
    int controller; /* the active one, enum aw_canpid_controller */
    bool enabled;
    double gains[AW_CANPID_CONTROLLERS][AW_CANPID_GAINS];
    double setpoint;
    double integral, previous; /* I and e of the last tick */
    double output;             /* u of the last tick, 0 while disabled */
};

/* pos with 3.0, 0.0005, 0; tor with 0.6, 0, 0; the others 0; disabled, and, as published,
 * in tor: a gain for pos switches a driver that has just woken up, and enables it. */
struct aw_canpid_law aw_canpid_law_defaults(void);

/* Makes the controller (0..3) the active one. If it was not: integral and previous error are
 * cleared, the setpoint becomes what it measures now (measured[controller]), which enables it if it
 * is within the limits. Returns whether it was a switch. */
bool aw_canpid_law_switch(struct aw_canpid_law *law, int controller, const double *measured);

/* Stores a gain, clamped to ±100, and switches over. */
bool aw_canpid_law_gain(struct aw_canpid_law *law, int controller, enum aw_canpid_gain gain,
                        double value, const double *measured);

/* Switches over and sets: enabled within the limits, disabled outside. */
bool aw_canpid_law_setpoint(struct aw_canpid_law *law, int controller, double value);

void aw_canpid_law_disable(struct aw_canpid_law *law);

/* One tick; returns the output, 0 while disabled. */
double aw_canpid_law_tick(struct aw_canpid_law *law, double measured);

/* Signed duty of the motor's PWM, −0.90 … 0.90, or 0. */
double aw_canpid_duty(double output);

/* As the telemetry carries a fraction: times 32768, rounded and saturated; 0 for what is no number.
 */
int aw_canpid_q15(double fraction);

#endif
