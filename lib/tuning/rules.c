/* The table of tuning rules, and the conversion to a driver's ticks. */
#include "tuning/rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* kp over Ku, Ti and Td over Tu; kp is 0 if nothing was published. */
struct row {
    double kp, ti, td;
};

static const struct rule {
    const char *name;
    enum aw_form form, integrating; /* default form; for integrating plants */
    struct row rows[AW_FORMS];
} rules[AW_RULES] = {
    [AW_RULE_ZN] = {"zn",
                    AW_FORM_PID,
                    AW_FORM_P,
                    {[AW_FORM_P] = {0.5, INFINITY, 0},
                     [AW_FORM_PI] = {0.45, 1 / 1.2, 0},
                     [AW_FORM_PID] = {0.6, 0.5, 0.125}}},
    [AW_RULE_TYREUS_LUYBEN] =
        {"tyreus-luyben",
         AW_FORM_PID,
         AW_FORM_PID,
         {[AW_FORM_PI] = {1 / 3.2, 2.2, 0}, [AW_FORM_PID] = {1 / 2.2, 2.2, 1 / 6.3}}},
    [AW_RULE_NO_OVERSHOOT] =
        {"no-overshoot",
         AW_FORM_PID,
         AW_FORM_PD,
         {[AW_FORM_PD] = {0.2, INFINITY, 1 / 3.}, [AW_FORM_PID] = {0.2, 0.5, 1 / 3.}}},
    [AW_RULE_SIMC] = {.name = "simc", .form = AW_FORM_PI, .integrating = AW_FORM_PI},
    [AW_RULE_AMIGO] = {.name = "amigo", .form = AW_FORM_PID, .integrating = AW_FORM_PID},
    [AW_RULE_ROBUST] = {.name = "robust", .form = AW_FORM_PID, .integrating = AW_FORM_PID},
};

const char *const aw_form_names[AW_FORMS + 1] = {"rule", "p", "pi", "pd", "pid"};

enum aw_form aw_rule_form(enum aw_rule rule, const struct aw_plant *plant)
{
    return plant->integrating ? rules[rule].integrating : rules[rule].form;
}

const char *aw_rule_name(enum aw_rule rule)
{
    return rules[rule].name;
}

enum aw_status aw_rule_gains(enum aw_rule rule, enum aw_form form, const struct aw_plant *plant,
                             struct aw_gains *gains, struct aw_error *err)
{
    const char *name = rules[rule].name;
    if (!(plant->ku > 0 && plant->tu_s > 0 && isfinite(plant->ku) && isfinite(plant->tu_s)))
        return aw_fail(err, AW_USAGE,
                       "%s: Ku %g or Tu %g s is out of range — repeat the experiment", name,
                       plant->ku, plant->tu_s);
    enum aw_form own = aw_rule_form(rule, plant);
    form = form == AW_FORM_RULE ? own : form;
    const struct row *row = &rules[rule].rows[form];
    if (!(row->kp > 0))
        return aw_fail(err, AW_USAGE, "%s: form %s not supported — use %s", name,
                       aw_form_names[form], aw_form_names[own]);
    double kp = row->kp * plant->ku;
    *gains = (struct aw_gains){kp, kp / (row->ti * plant->tu_s), kp * row->td * plant->tu_s};
    return AW_OK;
}

struct aw_gains aw_gains_per_tick(struct aw_gains continuous, double tick_s)
{
    return (struct aw_gains){continuous.kp, continuous.ki * tick_s, continuous.kd / tick_s};
}

bool aw_gains_clamp(struct aw_gains *gains, double limit)
{
    struct aw_gains wanted = *gains;
    gains->kp = fmax(-limit, fmin(limit, gains->kp));
    gains->ki = fmax(-limit, fmin(limit, gains->ki));
    gains->kd = fmax(-limit, fmin(limit, gains->kd));
    return fabs(wanted.kp) > limit || fabs(wanted.ki) > limit || fabs(wanted.kd) > limit;
}
