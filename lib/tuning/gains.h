/* The gains of a PID controller as a driver computes it, and the forms of the controller.
 *
 *     struct aw_gains gains = {.kp = 3, .ki = 0.0005, .kd = 120};
 *     bool limited = aw_gains_clamp(&gains, 100);             true: kd was above 100
 */
#ifndef AW_TUNING_GAINS_H
#define AW_TUNING_GAINS_H

#include <stdbool.h>

/* A driver computes once per tick, the control period, without knowing its length:
 *     sum += ki·e;  u = kp·e + sum + kd·(e - e_before)
 * A controller u = Kp·e + Ki·integral(e dt) + Kd·de/dt has ki = Ki·tick and kd = Kd/tick. The
 * exoskeleton's drivers have 4 ms. Their default ki of 0.0005 is then 0.125 per second, and a Kd of
 * 0.01 s is a kd of 2.5. Such a kd amplifies noise and every jump of the setpoint: a step of 0.1
 * outputs kd·0.1 for one tick. */
struct aw_gains {
    double kp, ki, kd;
};

enum aw_form { AW_FORM_PID, AW_FORM_PD, AW_FORM_PI, AW_FORM_P, AW_FORMS };

/* Names of the forms: "pid", "pd", "pi", "p", NULL. */
extern const char *const aw_form_names[AW_FORMS + 1];

/* Clamps gains to the driver's ± limit. Returns true if one was outside. kd usually exceeds it
 * first; clamping it reduces damping, so the caller should warn. */
bool aw_gains_clamp(struct aw_gains *gains, double limit);

#endif
