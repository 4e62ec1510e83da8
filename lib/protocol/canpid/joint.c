/* Computes one step of the simulated joint's mechanics: torque in, angle and speed out. */
#include "protocol/canpid/joint.h"

#include <math.h>

#define RAD        (M_PI / 180)
#define TORQUE_MAX 25.0 /* Nm: limit of the spring and the telemetry */

/* PWM duty at standstill, and the range from there to full speed. */
#define DUTY_ZERO  0.10
#define DUTY_RANGE 0.80

/* A flat 100 W motor at 60:1: 600 deg/s and 40 Nm at the lever, 8 A. With kp 3 the lever follows
 * with a time constant of 0.15 s. Droop and inertia cause a lag of 0.03 s, which is well damped at
 * kp 3 but not at kp 30. The leg is a shank: 2.6 kg at 0.2 m. More torque than its weight turns it
 * to its stop. From there the lever has 30 deg left to bend the spring to 25 Nm. */
struct aw_joint_model aw_joint_defaults(void)
{
    return (struct aw_joint_model){
        .gear = 60,
        .motor_speed_rpm = 6000,
        .droop_nm_s = 20,
        .torque_max_nm = 40,
        .current_nm_a = 5,
        .lever.inertia = 0.6,
        .lever.friction_nm = 1.5,
        .lever.stop_rad = 120 * RAD,
        .link.inertia = 0.15,
        .link.gravity_nm = 5,
        .link.damping = 1.5,
        .link.friction_nm = 0.1,
        .link.stop_rad = 90 * RAD,
        .precompression_m = 0.002,
    };
}

struct aw_joint_drive aw_joint_drive(const struct aw_joint_model *model, double duty)
{
    double full_speed = model->motor_speed_rpm / 60 * 2 * M_PI / model->gear;
    double share = fmax(0, fabs(duty) - DUTY_ZERO) / DUTY_RANGE;
    return (struct aw_joint_drive){.is_on = true, .speed = copysign(share, duty) * full_speed};
}

static double clamp(double value, double limit)
{
    if (value > limit)
        return limit;
    return value < -limit ? -limit : value;
}

double aw_joint_torque(double alpha, double precompression_m)
{
    double arm = sqrt(0.003725 - 0.0035 * cos(alpha));
    return clamp(92.75 * (1 + (precompression_m - 0.015) / arm) * sin(alpha), TORQUE_MAX);
}

/* Dry friction reduces speed but never reverses it. */
static double apply_friction(double speed, double loss)
{
    if (fabs(speed) <= loss)
        return 0;
    return speed - copysign(loss, speed);
}

/* Returns the torque that the drive requests, before the motor's limit. */
static double get_requested_nm(const struct aw_canpid_joint *joint,
                               const struct aw_joint_model *model, double wanted_speed)
{
    double full_speed = fabs(model->motor_speed_rpm) / 60 * 2 * M_PI / model->gear;
    double speed = joint->lever_speed;
    if (model->faults.runaway > 0)
        return model->droop_nm_s *
               (clamp(wanted_speed + (1 + model->faults.runaway) * speed, full_speed) - speed);
    return model->droop_nm_s * (wanted_speed - speed);
}

/* Moves the lever with the motor; the lever stays while the motor crosses the play. */
static void move_lever(struct aw_canpid_joint *joint, double play, double last_lever)
{
    double motor = joint->lever - joint->slack, half = play / 2;
    joint->lever = fmin(motor + half, fmax(motor - half, last_lever));
    joint->slack = joint->lever - motor;
}

static void stop_at_wall(struct aw_canpid_joint *joint, double wall)
{
    if ((joint->lever - wall) * (wall < 0 ? -1 : 1) <= 0)
        return;
    joint->lever = wall;
    joint->lever_speed = 0;
}

static void integrate(double *angle, double *speed, double stop, double dt)
{
    double next = *angle + *speed * dt;
    *angle = clamp(next, stop);
    if (next > stop || next < -stop)
        *speed = 0;
}

void aw_joint_step(struct aw_canpid_joint *joint, const struct aw_joint_model *model,
                   struct aw_joint_drive drive, double precompression_m, double dt)
{
    double spring_nm = aw_joint_torque(joint->lever - joint->link, precompression_m);
    double dv_per_nm = dt / model->lever.inertia;
    double before = joint->lever;
    joint->motor_nm =
        drive.is_on ? clamp(get_requested_nm(joint, model, drive.speed), model->torque_max_nm) : 0;
    joint->lever_speed =
        apply_friction(joint->lever_speed + (joint->motor_nm - spring_nm) * dv_per_nm,
                       model->lever.friction_nm * dv_per_nm);
    integrate(&joint->lever, &joint->lever_speed, model->lever.stop_rad, dt);
    if (model->faults.play_rad > 0)
        move_lever(joint, model->faults.play_rad, before);
    if (model->faults.has_wall)
        stop_at_wall(joint, model->faults.wall_rad);
    if (model->link.locked)
        return;
    dv_per_nm = dt / model->link.inertia;
    double torque = spring_nm - model->link.gravity_nm * sin(joint->link) -
                    model->link.damping * joint->link_speed;
    joint->link_speed =
        apply_friction(joint->link_speed + torque * dv_per_nm, model->link.friction_nm * dv_per_nm);
    integrate(&joint->link, &joint->link_speed, model->link.stop_rad, dt);
}
