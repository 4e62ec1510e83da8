/* A simulated DC motor with its encoder, and the law by which the published firmware drives one.
 *
 *     struct aw_hidmotor_dc motor = {.angle = 0};
 *     each millisecond:
 *         double out = aw_hidmotor_dc_law(&motor, gains, setpoint);
 *         aw_hidmotor_dc_turn(&motor, 1, out, low, high);
 *         … motor.encoder deg …
 *
 * The law (PIDMotor and RBEPID of the firmware; student firmwares sum alike), e in deg:
 *
 *     out = kp·e + ki·sum(e) + kd·(e - e before), kept within ±1
 *
 * once a tick of 1 ms; the sum begins anew when e changes its sign. The firmware makes an effort of
 * it that begins at the motor's dead band (see gains.h), so that friction takes nothing of it.
 *
 * Our choice: what such motors are. m1 to m3 turn at most 150, 180 and 220 deg/s, take 120, 80 and
 * 50 ms to do what they are told, and stop 5 deg behind their limits; an encoder has 4096 steps a
 * turn.
 */
#ifndef AW_PROTOCOL_HIDMOTOR_DC_MOTOR_H
#define AW_PROTOCOL_HIDMOTOR_DC_MOTOR_H

struct aw_hidmotor_dc {
    double angle, speed; /* deg, deg/s */
    double encoder;      /* deg, as its last step says */
    double sum, before;  /* of the law */
    double effort;       /* whole, -255 to 255, of the last tick */
};

/* It stands there, and its law begins anew. */
void aw_hidmotor_dc_put(struct aw_hidmotor_dc *motor, double angle);

/* Runs one control period. gains: kp, ki, kd. An output that is not finite becomes 0. */
double aw_hidmotor_dc_law(struct aw_hidmotor_dc *motor, const double gains[3], double setpoint);

/* One millisecond with this output; low and high: the limits of the joint. */
void aw_hidmotor_dc_turn(struct aw_hidmotor_dc *motor, int number, double output, double low,
                         double high);

#endif
