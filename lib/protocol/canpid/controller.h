/* The controller (PID) of the published driver firmware, without a model of time or of the joint.
 *
 *     struct aw_canpid_pid pid = aw_canpid_pid_defaults();
 *     aw_canpid_pid_set_setpoint(&pid, AW_CANPID_POS, 20 / 360.0); // enables it
 *     every control period: double u = aw_canpid_pid_update(&pid, measured[pid.controller]);
 *                           double duty = aw_canpid_output_to_duty(u);
 *
 * All values are fractions of full scale. The controller has no notion of time: a control period is
 * one round of the driver's loop, 4 ms at least and 8 to 10 ms with telemetry of 125 to 100 Hz. One
 * control period: e = setpoint − measured; I += ki·e (independent of time and unlimited; ki 0
 * clears it); u = kp·e + I + kd·(e − previous e). u is not limited. The motor stops for |u| < 0.01;
 * otherwise its PWM has a duty of min(0.90, |u| + 0.09) and the sign of u.
 *
 * This model includes hazards of the published firmware. A gain for another controller switches to
 * it and holds the joint in place, with force. A setpoint of NaN passes both comparisons with the
 * limits and enables the controller. u is NaN then; here the motor stops.
 *
 * Our choice: a disabled controller clears its integral.
 */
#ifndef AW_PROTOCOL_CANPID_CONTROLLER_H
#define AW_PROTOCOL_CANPID_CONTROLLER_H

#include <stdbool.h>

#include "protocol/canpid/names.h"

struct aw_canpid_pid {
    int controller; /* the active controller, enum aw_canpid_controller */
    bool enabled;
    double gains[AW_CANPID_CONTROLLERS][AW_CANPID_GAINS];
    double setpoint;
    double integral, last_error; /* I and e of the last control period */
    double output;               /* u of the last control period, 0 while disabled */
};

/* Returns the state after power-up: gains kp, ki, kd: pos (3.0, 0.0005, 0), tor (0.6, 0, 0), others
 * (0, 0, 0); disabled. As published, tor is active, so a gain for pos switches a driver that has
 * just started, and enables it. */
struct aw_canpid_pid aw_canpid_pid_defaults(void);

/* Makes the controller (0..3) the active one. On a switch, clears integral and previous error and
 * sets the setpoint to the measured value (measured[controller]). This enables the controller if
 * the value is within the limits. Returns true if it switched. */
bool aw_canpid_pid_switch(struct aw_canpid_pid *pid, int controller, const double *measured);

/* Stores a gain, clamped to ±100, and switches to its controller. Returns true if it switched. */
bool aw_canpid_pid_set_gain(struct aw_canpid_pid *pid, int controller, enum aw_canpid_gain gain,
                            double value, const double *measured);

/* Switches to the controller and stores its setpoint: enabled within
 * ±aw_canpid_setpoint_limit(controller), disabled outside. Returns true if it switched. */
bool aw_canpid_pid_set_setpoint(struct aw_canpid_pid *pid, int controller, double value);

void aw_canpid_pid_disable(struct aw_canpid_pid *pid);

/* Runs one control period. Returns the output, 0 while disabled. */
double aw_canpid_pid_update(struct aw_canpid_pid *pid, double measured);

/* Returns the signed duty of the motor's PWM, −0.90 … 0.90, or 0. */
double aw_canpid_output_to_duty(double output);

/* Converts a fraction to a value of the telemetry: times 32768, rounded and saturated; 0 for
 * NaN. */
int aw_canpid_to_q15(double fraction);

#endif
