#include <math.h>

#include "protocol/canpid/controller.h"
#include "test.h"

static const double nothing[AW_CANPID_CONTROLLERS];
static const double here[AW_CANPID_CONTROLLERS] = {0.1, 0.1, -0.2, -0.2};

TEST(defaults_match_the_published_ones)
{
    struct aw_canpid_pid pid = aw_canpid_pid_defaults();
    assert_int_equal(pid.controller, AW_CANPID_TOR);
    assert_false(pid.enabled);
    assert_true(pid.gains[AW_CANPID_POS][AW_CANPID_KP] == 3);
    assert_true(pid.gains[AW_CANPID_POS][AW_CANPID_KI] == (double)(float)0.0005);
    assert_true(pid.gains[AW_CANPID_POS][AW_CANPID_KD] == 0);
    assert_true(pid.gains[AW_CANPID_TOR][AW_CANPID_KP] == (double)(float)0.6);
    assert_true(pid.gains[AW_CANPID_LVL][AW_CANPID_KP] == 0);
    assert_true(aw_canpid_pid_update(&pid, 0.3) == 0);
}

/* Binary fractions make the sums exact. */
TEST(integral_and_derivative_are_per_tick)
{
    struct aw_canpid_pid pid = aw_canpid_pid_defaults();
    aw_canpid_pid_set_gain(&pid, AW_CANPID_POS, AW_CANPID_KP, 2, nothing);
    aw_canpid_pid_set_gain(&pid, AW_CANPID_POS, AW_CANPID_KI, 0.5, nothing);
    aw_canpid_pid_set_gain(&pid, AW_CANPID_POS, AW_CANPID_KD, 4, nothing);
    aw_canpid_pid_set_setpoint(&pid, AW_CANPID_POS, 0.25);
    assert_near(aw_canpid_pid_update(&pid, 0), 2 * 0.25 + 0.125 + 4 * 0.25, 1e-12);
    assert_near(aw_canpid_pid_update(&pid, 0), 2 * 0.25 + 0.25 + 0, 1e-12);
    assert_near(aw_canpid_pid_update(&pid, 0.5), 2 * -0.25 + 0.125 + 4 * -0.5, 1e-12);
    for (int i = 0; i < 1000; i++)
        aw_canpid_pid_update(&pid, 0);
    assert_near(pid.integral, 0.125 + 1000 * 0.125, 1e-12); /* the integral is unlimited */
    aw_canpid_pid_set_gain(&pid, AW_CANPID_POS, AW_CANPID_KI, 0, nothing);
    assert_near(aw_canpid_pid_update(&pid, 0), 2 * 0.25, 1e-12);
    assert_true(pid.integral == 0);
}

TEST(setpoint_range_enables_and_disables)
{
    static const struct {
        int controller;
        double value;
        bool enabled;
    } cases[] = {
        {AW_CANPID_POS, 0.5, true},    {AW_CANPID_POS, 0.500001, false},
        {AW_CANPID_POS, -0.5, true},   {AW_CANPID_POS, -0.6, false},
        {AW_CANPID_LVL, 0.51, false},  {AW_CANPID_TOR, 1, true},
        {AW_CANPID_TOR, -1.01, false}, {AW_CANPID_TL, 1.0, true},
        {AW_CANPID_TL, 1.5, false},    {AW_CANPID_TOR, INFINITY, false},
    };
    EACH (c, cases) {
        struct aw_canpid_pid pid = aw_canpid_pid_defaults();
        aw_canpid_pid_set_setpoint(&pid, c->controller, c->value);
        assert_int_equal(pid.enabled, c->enabled);
    }
}

TEST(disabled_controller_has_no_output_or_integral)
{
    struct aw_canpid_pid pid = aw_canpid_pid_defaults();
    aw_canpid_pid_set_setpoint(&pid, AW_CANPID_POS, 0.25);
    assert_true(aw_canpid_pid_update(&pid, 0) > 0.7);
    assert_true(pid.integral > 0);
    aw_canpid_pid_set_setpoint(&pid, AW_CANPID_POS, AW_CANPID_DISABLE);
    assert_true(pid.output == 0 && pid.integral == 0);
    assert_true(aw_canpid_pid_update(&pid, 0) == 0);
    assert_true(pid.setpoint == 1.5);
}

TEST(gains_are_clamped)
{
    struct aw_canpid_pid pid = aw_canpid_pid_defaults();
    aw_canpid_pid_set_gain(&pid, AW_CANPID_POS, AW_CANPID_KP, 100.5, nothing);
    assert_true(pid.gains[AW_CANPID_POS][AW_CANPID_KP] == 100);
    aw_canpid_pid_set_gain(&pid, AW_CANPID_POS, AW_CANPID_KP, -1e30, nothing);
    assert_true(pid.gains[AW_CANPID_POS][AW_CANPID_KP] == -100);
    aw_canpid_pid_set_gain(&pid, AW_CANPID_POS, AW_CANPID_KP, INFINITY, nothing);
    assert_true(pid.gains[AW_CANPID_POS][AW_CANPID_KP] == 100);
}

/* The hazard: a gain for another controller enables the joint. */
TEST(gain_for_another_controller_switches_and_enables)
{
    struct aw_canpid_pid pid = aw_canpid_pid_defaults();
    aw_canpid_pid_set_setpoint(&pid, AW_CANPID_POS, AW_CANPID_DISABLE);
    assert_false(pid.enabled);
    assert_true(aw_canpid_pid_set_gain(&pid, AW_CANPID_TOR, AW_CANPID_KP, 0.5, here));
    assert_int_equal(pid.controller, AW_CANPID_TOR);
    assert_true(pid.enabled);
    assert_true(pid.setpoint == -0.2);
    assert_true(pid.gains[AW_CANPID_TOR][AW_CANPID_KP] == 0.5);
    assert_true(pid.gains[AW_CANPID_POS][AW_CANPID_KP] == 3);
    assert_false(aw_canpid_pid_set_gain(&pid, AW_CANPID_TOR, AW_CANPID_KD, 1, here));
    assert_false(aw_canpid_pid_switch(&pid, AW_CANPID_TOR, nothing));
    assert_true(pid.setpoint == -0.2);
}

TEST(controller_switch_resets_the_integral)
{
    struct aw_canpid_pid pid = aw_canpid_pid_defaults();
    aw_canpid_pid_set_setpoint(&pid, AW_CANPID_POS, 0.25);
    aw_canpid_pid_update(&pid, 0);
    assert_true(pid.integral > 0 && pid.last_error == 0.25);
    assert_true(aw_canpid_pid_set_setpoint(&pid, AW_CANPID_LVL, 0.1));
    assert_true(pid.integral == 0 && pid.last_error == 0);
    assert_true(pid.setpoint == 0.1);
}

/* As published: both comparisons with NaN are false. The output is never NaN. */
TEST(nan_setpoint_enables_without_nan_output)
{
    struct aw_canpid_pid pid = aw_canpid_pid_defaults();
    aw_canpid_pid_set_setpoint(&pid, AW_CANPID_POS, (double)NAN);
    assert_true(pid.enabled);
    double output = aw_canpid_pid_update(&pid, 0);
    assert_true(isnan(output));
    assert_true(aw_canpid_output_to_duty(output) == 0);
    assert_int_equal(aw_canpid_to_q15(output), 0);
    aw_canpid_pid_set_setpoint(&pid, AW_CANPID_POS, 1.5);
    aw_canpid_pid_set_setpoint(&pid, AW_CANPID_POS, 0.25);
    assert_true(isfinite(aw_canpid_pid_update(&pid, 0)));
}

TEST(duty_has_a_dead_zone_and_a_limit)
{
    assert_true(aw_canpid_output_to_duty(0) == 0);
    assert_true(aw_canpid_output_to_duty(0.0099) == 0);
    assert_true(aw_canpid_output_to_duty(-0.0099) == 0);
    assert_near(aw_canpid_output_to_duty(0.01), 0.10, 1e-12);
    assert_near(aw_canpid_output_to_duty(-0.5), -0.59, 1e-12);
    assert_near(aw_canpid_output_to_duty(0.81), 0.90, 1e-12);
    assert_near(aw_canpid_output_to_duty(50), 0.90, 1e-12);
    assert_near(aw_canpid_output_to_duty(-INFINITY), -0.90, 1e-12);
}

TEST(q15_values_round_and_saturate)
{
    assert_int_equal(aw_canpid_to_q15(0.0625), 2048);
    assert_int_equal(aw_canpid_to_q15(-1), -32768);
    assert_int_equal(aw_canpid_to_q15(1), 32767);
    assert_int_equal(aw_canpid_to_q15(1.5), 32767);
    assert_int_equal(aw_canpid_to_q15(-1e300), -32768);
    assert_int_equal(aw_canpid_to_q15(INFINITY), 32767);
    assert_int_equal(aw_canpid_to_q15(0.6 / 32768), 1);
    assert_int_equal(aw_canpid_to_q15(-0.4 / 32768), 0);
}
