/* Simulates a DC motor and the published firmware's controller, one control period at a time. */
#include "protocol/hidmotor/dc_motor.h"

#include <math.h>

#include "base/clamp.h"
#include "protocol/hidmotor/gains.h"

#define TICK_S   0.001
#define STEP_DEG (360.0 / 4096)
#define STOP_DEG 5.0  /* distance of the stops beyond the limits */
#define REST     1e-3 /* below this speed, a motor without drive is at rest, deg/s */

static const struct {
    double max_speed, lag_s;
} motors[] = {{150, 0.12}, {180, 0.08}, {220, 0.05}};

static void read_encoder(struct aw_hidmotor_dc *motor)
{
    motor->encoder = round(motor->angle / STEP_DEG) * STEP_DEG;
}

void aw_hidmotor_dc_reset(struct aw_hidmotor_dc *motor, double angle)
{
    *motor = (struct aw_hidmotor_dc){.angle = angle};
    read_encoder(motor);
}

double aw_hidmotor_dc_control(struct aw_hidmotor_dc *motor, const double gains[3], double setpoint)
{
    double error = setpoint - motor->encoder;
    if (!isfinite(error))
        return 0;
    if ((error > 0) != (motor->last_error > 0))
        motor->error_sum = 0;
    motor->error_sum += error;
    double out =
        gains[0] * error + gains[1] * motor->error_sum + gains[2] * (error - motor->last_error);
    motor->last_error = error;
    return isfinite(out) ? aw_clamp(out, -1, 1) : 0;
}

void aw_hidmotor_dc_step(struct aw_hidmotor_dc *motor, int motor_index, double output, double low,
                         double high)
{
    double dead = aw_hidmotor_dead_band(motor_index);
    double effort = floor(dead + (AW_HIDMOTOR_FULL_EFFORT - dead) * fabs(output));
    motor->effort = fabs(output) > 0 ? copysign(effort, output) : 0;
    double wanted =
        motors[motor_index].max_speed * aw_hidmotor_effort_to_output(motor_index, motor->effort);
    motor->speed += (wanted - motor->speed) * TICK_S / motors[motor_index].lag_s;
    if (fabs(motor->speed) < REST && !(fabs(wanted) > 0))
        motor->speed = 0;
    double angle = motor->angle + motor->speed * TICK_S;
    motor->angle = aw_clamp(angle, low - STOP_DEG, high + STOP_DEG);
    if (angle < low - STOP_DEG || angle > high + STOP_DEG)
        motor->speed = 0;
    read_encoder(motor);
}
