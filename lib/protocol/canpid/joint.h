/* The joint behind a simulated driver: motor and gear, lever arm, MACCEPA spring, leg.
 *
 *     struct aw_joint_model model = aw_joint_defaults();
 *     struct aw_canpid_joint joint = {0};
 *     aw_joint_step(&joint, &model, aw_joint_drive(&model, 0.4), model.precompression_m, 0.001);
 *
 * The motor turns the lever arm; the spring pulls the leg ("fixed link") after it. alpha = lever −
 * link is its deflection. With A = sqrt(0.003725 − 0.0035 cos alpha) its torque is 92.75·(1 + (P −
 * 0.015)/A)·sin alpha Nm for a precompression of P metres, at most 25.
 *
 * The motor's drive controls speed: a duty of 10 % is standstill and 90 % full speed, the usual
 * setup of such drives. (That would explain the firmware's 9 % and 1 %; no source states it.) It
 * turns slower under load, so a proportional controller needs an error to hold a leg. Its torque is
 * limited, so it needs time to brake. Both ends have dry friction: a joint at rest stays at rest.
 * An end stop absorbs all speed.
 *
 * The parameters are ours; with them the published gains control the joint well. pos from 0 to 20
 * deg with 3.0, 0.0005, 0 settles in under a second without overshoot, a few degrees short of the
 * target. Ten times the gain overshoots and rings. See aw_joint_defaults.
 */
#ifndef AW_PROTOCOL_CANPID_JOINT_H
#define AW_PROTOCOL_CANPID_JOINT_H

#include <stdbool.h>

struct aw_joint_model {
    double gear;            /* motor turns per lever turn */
    double motor_speed_rpm; /* motor speed at full duty without load */
    double droop_nm_s;      /* torque per rad/s of the lever's speed deficit */
    double torque_max_nm;   /* torque limit of the motor, at the lever */
    double current_nm_a;    /* torque at the lever per ampere */
    /* the lever arm, with motor and gear */
    struct {
        double inertia; /* at the lever, kg m² */
        double friction_nm;
        double stop_rad; /* limit in either direction */
    } lever;
    /* the leg */
    struct {
        double inertia;    /* kg m² */
        double gravity_nm; /* mass · g · distance: torque when horizontal */
        double damping;    /* Nm s/rad */
        double friction_nm;
        double stop_rad;
        bool locked; /* the leg is clamped in place, as on a test stand */
    } link;
    double precompression_m; /* precompression of the spring */

    /* 0: no fault */
    struct {
        bool has_wall;   /* the lever stops at wall_rad on that side of 0 */
        double wall_rad; /* positive or negative */
        double play_rad; /* play between motor and lever */
        /* wrong sign in the speed loop: the joint adds this fraction of its own speed */
        double runaway;
    } faults;
};

struct aw_joint_model aw_joint_defaults(void);

/* Plain data; {0} is at rest, hanging. */
struct aw_canpid_joint {
    double lever, link;             /* rad */
    double lever_speed, link_speed; /* rad/s */
    double motor_nm;                /* motor torque at the lever in the last step */
    double slack;                   /* lever − motor, rad; at most half the play */
};

/* Command of the drive: off, or a speed for the lever. */
struct aw_joint_drive {
    bool is_on;
    double speed; /* rad/s */
};

/* Returns the command that a PWM with this signed duty gives the drive (see
 * aw_canpid_output_to_duty). */
struct aw_joint_drive aw_joint_drive(const struct aw_joint_model *model, double duty);

/* Returns the torque of the spring in Nm, deflected by alpha (rad). */
double aw_joint_torque(double alpha, double precompression_m);

/* Advances the joint by dt seconds; semi-implicit, accurate up to 1 ms. */
void aw_joint_step(struct aw_canpid_joint *joint, const struct aw_joint_model *model,
                   struct aw_joint_drive drive, double precompression_m, double dt);

#endif
