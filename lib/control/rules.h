/* Controller gains from an identified loop, by published rules, and from seconds to driver ticks.
 *
 *     struct aw_plant plant = aw_plant_ultimate(result.classic_ku, result.period_s);
 *     struct aw_gains gains, ticks;
 *     aw_rule_gains(AW_RULE_TYREUS_LUYBEN, AW_FORM_RULE, &plant, &gains, &err);
 *     ticks = aw_gains_per_tick(gains, 0.004);
 *
 * | rule          | from           | form | Kp      | Ti     | Td     |
 * |---------------|----------------|------|---------|--------|--------|
 * | zn            | Ku, Tu         | PID  | 0.6 Ku  | Tu/2   | Tu/8   |
 * |               |                | PI   | 0.45 Ku | Tu/1.2 |        |
 * |               |                | P    | 0.5 Ku  |        |        |
 * | tyreus-luyben | Ku, Tu         | PID  | Ku/2.2  | 2.2 Tu | Tu/6.3 |
 * |               |                | PI   | Ku/3.2  | 2.2 Tu |        |
 * | no-overshoot  | Ku, Tu         | PID  | 0.2 Ku  | Tu/2   | Tu/3   |
 * |               |                | PD   | 0.2 Ku  |        | Tu/3   |
 * | simc          | model (k, tau, L) | PI, P | see below          |
 *
 * simc, with the closed loop as fast as the dead time L: for a first-order lag Kp = tau/(2·k·L),
 * Ti = min(tau, 8 L); for an integrator with slope k: Kp = 1/(2·k·L), Ti = 8 L. As P: the same Kp.
 *
 * The form by itself (AW_FORM_RULE) is PID, and PI for simc. Not so for a plant that integrates, as
 * a motor does that turns a joint: an integral part only serves against loads there, and by itself
 * makes every step overshoot (zn as PID: by 60 % and more). So it is P for zn and PD for
 * no-overshoot; tyreus-luyben as PID and simc as PI have a slow one, with 10 to 25 %. PD is our
 * reading of the row: what is left of it without its integral.
 *
 * A plant known by Ku and Tu only is taken as integrator plus dead time where a rule needs a
 * model: L = Tu/4, k = 2·pi/(Tu·Ku). A plant known by a model gets Ku and Tu from the model.
 *
 * Sources: J. G. Ziegler, N. B. Nichols, Trans. ASME 64 (1942); B. D. Tyreus, W. L. Luyben, Ind.
 * Eng. Chem. Res. 31 (1992); the "no overshoot" row as it is handed down with Ziegler-Nichols;
 * S. Skogestad, J. Process Control 13 (2003).
 */
#ifndef AW_CONTROL_RULES_H
#define AW_CONTROL_RULES_H

#include <stdbool.h>

#include "base/status.h"

/* A PID controller u = kp·e + ki·integral(e dt) + kd·de/dt: ki in 1/s, kd in s, times kp's unit. */
struct aw_gains {
    double kp, ki, kd;
};

enum aw_rule {
    AW_RULE_ZN,
    AW_RULE_TYREUS_LUYBEN,
    AW_RULE_NO_OVERSHOOT,
    AW_RULE_SIMC,
    AW_RULE_AMIGO, /* from a model only, see design.h, as the next */
    AW_RULE_ROBUST,
    AW_RULES
};

enum aw_form {
    AW_FORM_RULE, /* what suits rule and plant */
    AW_FORM_P,
    AW_FORM_PI,
    AW_FORM_PID,
    AW_FORM_PD,
    AW_FORMS
};

/* Both views of a plant, always filled both by the functions below. tau_s is INFINITY for an
 * integrating plant; then gain is its slope (measured per second per output). */
struct aw_plant {
    double ku, tu_s;
    double gain, tau_s, dead_time_s;
};

struct aw_plant aw_plant_ultimate(double ku, double tu_s);
struct aw_plant aw_plant_integrating(double slope, double dead_time_s);
struct aw_plant aw_plant_first_order(double gain, double tau_s, double dead_time_s);

/* "zn", "tyreus-luyben", "no-overshoot", "simc", "amigo", "robust". */
const char *aw_rule_name(enum aw_rule rule);

/* AW_USAGE with a did-you-mean for an unknown name. */
enum aw_status aw_rule_find(const char *name, enum aw_rule *rule, struct aw_error *err);

/* "rule", "p", "pi", "pid", "pd"; AW_USAGE for another name. */
enum aw_status aw_form_find(const char *name, enum aw_form *form, struct aw_error *err);

/* What AW_FORM_RULE stands for. */
enum aw_form aw_rule_form(enum aw_rule rule, const struct aw_plant *plant);

/* AW_USAGE: no such row, or a plant that is not positive and finite; amigo and robust have none
 * here. */
enum aw_status aw_rule_gains(enum aw_rule rule, enum aw_form form, const struct aw_plant *plant,
                             struct aw_gains *gains, struct aw_error *err);

/* A driver that computes once per tick without knowing the tick:
 *     sum += Ki·e;  u = Kp·e + sum + Kd·(e - e_before)
 * needs Ki = ki·tick and Kd = kd/tick. With the 4 ms of the exoskeleton's drivers, the default
 * Ki 0.0005 is 0.125 per second, and a kd of 0.01 s is a Kd of 2.5. Such a Kd multiplies noise and
 * every jump of the setpoint by itself: a step of 0.1 puts out Kd·0.1 for one tick. */
struct aw_gains aw_gains_per_tick(struct aw_gains continuous, double tick_s);

/* Brings gains that a driver does not take into ± limit; true if one was outside. A Kd per tick is
 * the first to get there: cutting it costs damping, which is worth a warning. */
bool aw_gains_clamp(struct aw_gains *gains, double limit);

#endif
