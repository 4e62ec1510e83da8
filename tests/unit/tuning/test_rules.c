#include <math.h>

#include "test.h"
#include "tuning/rules.h"

static void near(double value, double wanted)
{
    if (!(fabs(value - wanted) <= 1e-6 * fabs(wanted) + 1e-12))
        fail_msg("%.9g instead of %.9g", value, wanted);
}

/* Kp, Ti, Td of the published tables for Ku 10, Tu 2 s. */
static const struct expectation {
    enum aw_rule rule;
    enum aw_form form;
    double kp, ti, td;
} expectations[] = {
    {AW_RULE_ZN, AW_FORM_PID, 6, 1, 0.25},
    {AW_RULE_ZN, AW_FORM_RULE, 5, INFINITY, 0},
    {AW_RULE_ZN, AW_FORM_PI, 4.5, 2 / 1.2, 0},
    {AW_RULE_ZN, AW_FORM_P, 5, INFINITY, 0},
    {AW_RULE_TYREUS_LUYBEN, AW_FORM_PID, 10 / 2.2, 4.4, 2 / 6.3},
    {AW_RULE_TYREUS_LUYBEN, AW_FORM_PI, 3.125, 4.4, 0},
    {AW_RULE_TYREUS_LUYBEN, AW_FORM_RULE, 10 / 2.2, 4.4, 2 / 6.3},
    {AW_RULE_NO_OVERSHOOT, AW_FORM_PID, 2, 1, 2 / 3.},
    {AW_RULE_NO_OVERSHOOT, AW_FORM_RULE, 2, INFINITY, 2 / 3.},
};

TEST(gains_match_the_published_tables)
{
    struct aw_plant plant = {.ku = 10, .tu_s = 2, .integrating = true};
    struct aw_gains gains;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expectation *e = &expectations[i];
        assert_int_equal(aw_rule_gains(e->rule, e->form, &plant, &gains, NULL), AW_OK);
        near(gains.kp, e->kp);
        near(gains.ki, e->kp / e->ti);
        near(gains.kd, e->kp * e->td);
    }
}

TEST(missing_rules_and_unsuitable_plants_are_refused)
{
    struct aw_plant plant = {.ku = 10, .tu_s = 2, .integrating = true};
    struct aw_gains gains;
    struct aw_error err;
    assert_int_equal(aw_rule_gains(AW_RULE_SIMC, AW_FORM_PID, &plant, &gains, &err), AW_USAGE);
    assert_string_equal(err.text, "simc: form pid not supported — use pi");
    assert_int_equal(aw_rule_gains(AW_RULE_NO_OVERSHOOT, AW_FORM_P, &plant, &gains, &err),
                     AW_USAGE);
    static const struct aw_plant none[] = {
        {INFINITY, 2, 0}, {0, 2, 0}, {10, 0, 0}, {10, INFINITY, 0}, {NAN, 2, 0}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(aw_rule_gains(AW_RULE_ZN, AW_FORM_RULE, &none[i], &gains, &err), AW_USAGE);
    assert_string_equal(err.text, "zn: Ku nan or Tu 2 s is out of range — repeat the experiment");
}

/* The driver's controller, tick by tick, matches the continuous controller for e = 1 + 2 t. */
TEST(gains_are_converted_to_ticks)
{
    const double tick = 0.004;
    struct aw_gains gains = {3, 0.125, 0.01}, ticks = aw_gains_per_tick(gains, tick);
    near(ticks.ki, 0.0005);
    near(ticks.kd, 2.5);
    struct aw_gains large = {3, -200, 101};
    assert_true(aw_gains_clamp(&large, 100));
    assert_true(large.kp == 3 && large.ki == -100 && large.kd == 100);
    assert_false(aw_gains_clamp(&large, 100));
    static const struct aw_gains beyond[] = {{101, 0, 0},  {-101, 0, 0}, {0, 101, 0},
                                             {0, -101, 0}, {0, 0, 101},  {0, 0, -101}};
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        struct aw_gains g = beyond[i];
        assert_true(aw_gains_clamp(&g, 100));
        assert_true(fabs(g.kp + g.ki + g.kd) == 100);
    }
    struct aw_gains edge = {100, -100, 100};
    assert_false(aw_gains_clamp(&edge, 100));
    double sum = 0, before = 1, u = 0, t = 0;
    for (int i = 1; i <= 500; i++) {
        t = i * tick;
        double e = 1 + 2 * t;
        sum += ticks.ki * e;
        u = ticks.kp * e + sum + ticks.kd * (e - before);
        before = e;
    }
    double exact = 3 * (1 + 2 * t) + 0.125 * (t + t * t) + 0.01 * 2;
    assert_true(fabs(u - exact) < 0.125 * tick * (1 + 2 * t));
}

/* A plant that does not integrate uses the published form. */
TEST(rules_choose_their_form)
{
    struct aw_plant lag = {.ku = 0.4, .tu_s = 0.4}, integrator = {10, 2, true};
    struct aw_gains gains;
    assert_int_equal(aw_rule_form(AW_RULE_ZN, &lag), AW_FORM_PID);
    assert_int_equal(aw_rule_form(AW_RULE_NO_OVERSHOOT, &lag), AW_FORM_PID);
    assert_int_equal(aw_rule_form(AW_RULE_NO_OVERSHOOT, &integrator), AW_FORM_PD);
    assert_int_equal(aw_rule_gains(AW_RULE_ZN, AW_FORM_RULE, &lag, &gains, NULL), AW_OK);
    near(gains.kp, 0.6 * lag.ku);
}
