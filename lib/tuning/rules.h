/* Controller gains from the ultimate gain and period of a loop, by published rules, and their
 * conversion to driver ticks.
 *
 *     struct aw_plant plant = {.ku = 35, .tu_s = 0.16, .integrating = true};
 *     struct aw_gains gains, ticks;
 *     aw_rule_gains(AW_RULE_TYREUS_LUYBEN, AW_FORM_RULE, &plant, &gains, &err);
 *     ticks = aw_gains_per_tick(gains, 0.004);
 *
 * | rule          | form | Kp      | Ti     | Td     |
 * |---------------|------|---------|--------|--------|
 * | zn            | PID  | 0.6 Ku  | Tu/2   | Tu/8   |
 * |               | PI   | 0.45 Ku | Tu/1.2 |        |
 * |               | P    | 0.5 Ku  |        |        |
 * | tyreus-luyben | PID  | Ku/2.2  | 2.2 Tu | Tu/6.3 |
 * |               | PI   | Ku/3.2  | 2.2 Tu |        |
 * | no-overshoot  | PID  | 0.2 Ku  | Tu/2   | Tu/3   |
 * |               | PD   | 0.2 Ku  |        | Tu/3   |
 *
 * simc, amigo and robust need a model: design.h.
 *
 * AW_FORM_RULE selects the form: PID, and PI for simc. An integrating plant, such as a motor that
 * turns a joint, needs the integral part only against loads. There it makes every step overshoot
 * (zn as PID: by 60 % and more). So zn uses P and no-overshoot PD. tyreus-luyben as PID and simc as
 * PI have a slow integral part, with 10 to 25 % overshoot. PD is our reading of the row: the row
 * without its integral.
 *
 * Sources: J. G. Ziegler, N. B. Nichols, Trans. ASME 64 (1942); B. D. Tyreus, W. L. Luyben, Ind.
 * Eng. Chem. Res. 31 (1992); the "no overshoot" row as commonly quoted with Ziegler-Nichols. */
#ifndef AW_TUNING_RULES_H
#define AW_TUNING_RULES_H

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
    AW_RULE_SIMC, /* needs a model, see design.h, as the next two */
    AW_RULE_AMIGO,
    AW_RULE_ROBUST,
    AW_RULES
};

enum aw_form {
    AW_FORM_RULE, /* depends on rule and plant */
    AW_FORM_P,
    AW_FORM_PI,
    AW_FORM_PD,
    AW_FORM_PID,
    AW_FORMS
};

/* A loop that oscillates with a proportional controller of gain ku, with the period tu_s. */
struct aw_plant {
    double ku, tu_s;
    bool integrating;
};

/* Names of the forms: "rule", "p", "pi", "pd", "pid", NULL. */
extern const char *const aw_form_names[AW_FORMS + 1];

const char *aw_rule_name(enum aw_rule rule);

/* Returns the form that AW_FORM_RULE selects. */
enum aw_form aw_rule_form(enum aw_rule rule, const struct aw_plant *plant);

/* AW_USAGE: no such row, or a plant that is not positive and finite; simc, amigo and robust have no
 * row. */
enum aw_status aw_rule_gains(enum aw_rule rule, enum aw_form form, const struct aw_plant *plant,
                             struct aw_gains *gains, struct aw_error *err);

/* A driver that computes once per tick without knowing the tick:
 *     sum += Ki·e;  u = Kp·e + sum + Kd·(e - e_before)
 * needs Ki = ki·tick and Kd = kd/tick. The exoskeleton's drivers have 4 ms. Their default Ki of
 * 0.0005 is then 0.125 per second, and a kd of 0.01 s is a Kd of 2.5. Such a Kd amplifies noise and
 * every jump of the setpoint: a step of 0.1 outputs Kd·0.1 for one tick. */
struct aw_gains aw_gains_per_tick(struct aw_gains continuous, double tick_s);

/* Clamps gains to the driver's ± limit. Returns true if one was outside. Kd usually exceeds it
 * first; clamping it reduces damping, so the caller should warn. */
bool aw_gains_clamp(struct aw_gains *gains, double limit);

#endif
