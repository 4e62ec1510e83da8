/* A simulated DC motor with its encoder, and the controller of the published firmware for it.
 *
 *     struct aw_hidmotor_dc motor = {.angle = 0};
 *     each millisecond:
 *         double out = aw_hidmotor_dc_control(&motor, gains, setpoint);
 *         aw_hidmotor_dc_step(&motor, 1, out, low, high);
 *         … motor.encoder deg …
 *
 * The controller (PIDMotor and RBEPID of the firmware; student firmwares sum in the same way), e in
 * deg:
 *
 * out = kp·e + ki·sum(e) + kd·(e - previous e), clamped to ±1
 *
 * once per control period of 1 ms; the sum is cleared when e changes its sign. The firmware
 * converts it to an effort that begins at the motor's dead band (see gains.h), so friction does not
 * reduce it.
 *
 * Our choice: typical values of such motors. m1 to m3 turn at most 150, 180 and 220 deg/s, with
 * time constants of 120, 80 and 50 ms. They stop 5 deg beyond their limits. An encoder has 4096
 * steps per turn.
 */
#ifndef AW_PROTOCOL_HIDMOTOR_DC_MOTOR_H
#define AW_PROTOCOL_HIDMOTOR_DC_MOTOR_H

struct aw_hidmotor_dc {
    double angle;                 /* deg */
    double speed;                 /* deg/s */
    double encoder;               /* deg, in whole encoder steps */
    double error_sum, last_error; /* state of the controller */
    double effort;                /* effort in the last control period, integer, -255 to 255 */
};

/* Puts the motor at rest at this angle and resets its controller. */
void aw_hidmotor_dc_reset(struct aw_hidmotor_dc *motor, double angle);

/* Runs one control period. gains: kp, ki, kd. An output that is not finite becomes 0. */
double aw_hidmotor_dc_control(struct aw_hidmotor_dc *motor, const double gains[3], double setpoint);

/* Advances one millisecond with this output. low and high: limits of the joint. */
void aw_hidmotor_dc_step(struct aw_hidmotor_dc *motor, int motor_index, double output, double low,
                         double high);

#endif
