/* Compares a simulated DC motor's controller with the firmware's formulas, and checks the
 * motion. */
#include <math.h>

#include "protocol/hidmotor/dc_motor.h"
#include "protocol/hidmotor/gains.h"
#include "test.h"

#define NEAR 1e-9

/* Returns the output of the firmware's formulas for a list of errors. */
static double output_after(const double gains[3], const double *errors, size_t n)
{
    size_t from = n - 1;
    double sum = 0, before = n > 1 ? errors[n - 2] : 0;
    while (from > 0 && (errors[from - 1] > 0) == (errors[n - 1] > 0))
        from--;
    for (size_t i = from; i < n; i++)
        sum += errors[i];
    double out = gains[0] * errors[n - 1] + gains[1] * sum + gains[2] * (errors[n - 1] - before);
    return fmax(-1, fmin(1, out));
}

TEST(controller_matches_the_firmware)
{
    static const double gains[][3] = {
        {0.015, 0, 0}, {0.02, 0.001, 0.1}, {0, 0.004, 0}, {0, 0, 0.02}, {0.1, 0.4, 30}};
    static const double errors[] = {10, 12, 3, -1, -4, 0.5, 0.25, -0.25, 90, 89, 88, -20};
    for (size_t g = 0; g < sizeof gains / sizeof *gains; g++) {
        struct aw_hidmotor_dc motor = {.angle = 0};
        for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
            assert_near(aw_hidmotor_dc_control(&motor, gains[g], errors[i]),
                        output_after(gains[g], errors, i + 1), NEAR);
    }
}

TEST(nan_does_not_move_the_motor)
{
    static const double gains[] = {0.01, 0, 0}, wild[] = {(double)NAN, 0, 0};
    struct aw_hidmotor_dc motor = {.angle = 0};
    assert_near(aw_hidmotor_dc_control(&motor, gains, (double)NAN), 0, 0);
    assert_near(aw_hidmotor_dc_control(&motor, wild, 10), 0, 0);
    assert_near(aw_hidmotor_dc_control(&motor, gains, 10), 0.1, NEAR);
}

TEST(output_starts_at_the_dead_band)
{
    assert_near(aw_hidmotor_dead_band(0), 126, 0);
    assert_near(aw_hidmotor_dead_band(2), 44, 0);
    assert_near(aw_hidmotor_effort_to_output(1, 0), 0, 0);
    assert_near(aw_hidmotor_effort_to_output(1, 44), 0, 0);
    assert_near(aw_hidmotor_effort_to_output(1, -255), -1, NEAR);
    assert_near(aw_hidmotor_effort_to_output(0, 190.5), 0.5, NEAR);
    struct aw_hidmotor_dc motor = {.angle = 0};
    aw_hidmotor_dc_step(&motor, 1, 0.5, -45, 100);
    assert_near(motor.effort, 149, 0);
    aw_hidmotor_dc_step(&motor, 1, -1, -45, 100);
    assert_near(motor.effort, -255, 0);
}

/* m2 turns at 180 deg/s, at two thirds of it after one time constant of 80 ms, and stops at its
 * limit. */
TEST(motor_accelerates_to_its_speed_and_halts_at_its_limit)
{
    struct aw_hidmotor_dc motor = {.angle = 0};
    for (int ms = 0; ms < 80; ms++)
        aw_hidmotor_dc_step(&motor, 1, 1, -45, 100);
    assert_near(motor.speed, 180 * (1 - exp(-1)), 1);
    for (int ms = 0; ms < 2000; ms++)
        aw_hidmotor_dc_step(&motor, 1, 1, -45, 100);
    assert_near(motor.angle, 105, 1e-6);
    assert_near(motor.encoder, 105, 360.0 / 4096);
    for (int ms = 0; ms < 2000; ms++)
        aw_hidmotor_dc_step(&motor, 1, 0, -45, 100);
    assert_near(motor.speed, 0, 0);
}
