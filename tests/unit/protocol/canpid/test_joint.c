#include <math.h>

#include "protocol/canpid/joint.h"
#include "test.h"

#define DEG (3.14159265358979323846 / 180)
#define P   0.002
#define DT  0.001

static void run(struct aw_canpid_joint *joint, const struct aw_joint_model *model, double duty,
                double seconds)
{
    for (int i = 0; i < (int)(seconds / DT + 0.5); i++)
        aw_joint_step(joint, model, aw_joint_drive(model, duty), P, DT);
}

/* Computed by hand from the published formula. */
TEST(spring_torque_matches_the_published_formula)
{
    assert_true(fabs(aw_joint_torque(5 * DEG, P) - 1.28) < 0.01);
    assert_true(fabs(aw_joint_torque(10 * DEG, P) - 3.55) < 0.01);
    assert_true(fabs(aw_joint_torque(20 * DEG, P) - 11.97) < 0.01);
    assert_true(aw_joint_torque(0, P) == 0);
    assert_true(aw_joint_torque(-10 * DEG, P) == -aw_joint_torque(10 * DEG, P));
    assert_true(aw_joint_torque(60 * DEG, P) == 25);
    assert_true(aw_joint_torque(-90 * DEG, P) == -25);
    assert_true(aw_joint_torque(10 * DEG, 0.012) > 1.5 * aw_joint_torque(10 * DEG, P));
}

TEST(duty_cycle_of_ten_percent_stops_the_motor)
{
    struct aw_joint_model model = aw_joint_defaults();
    assert_true(aw_joint_drive(&model, 0).speed == 0);
    assert_true(aw_joint_drive(&model, 0.10).speed == 0);
    assert_true(fabs(aw_joint_drive(&model, 0.90).speed - 600 * DEG) < 1e-9);
    assert_true(fabs(aw_joint_drive(&model, -0.50).speed + 300 * DEG) < 1e-9);
}

TEST(joint_at_rest_stays_at_rest)
{
    struct aw_joint_model model = aw_joint_defaults();
    struct aw_canpid_joint joint = {0}, start = {0};
    run(&joint, &model, 0, 1);
    assert_memory_equal(&joint, &start, sizeof joint);
}

TEST(leg_swings_down_and_comes_to_rest)
{
    struct aw_joint_model model = aw_joint_defaults();
    struct aw_canpid_joint joint = {.link = 30 * DEG, .lever = 30 * DEG};
    run(&joint, &model, 0, 60);
    assert_true(fabs(joint.link_speed) < 1e-3 && fabs(joint.lever_speed) < 1e-3);
    /* The lever creeps until friction holds it; the leg hangs from the spring. */
    double alpha = joint.lever - joint.link;
    double left = aw_joint_torque(alpha, P) - model.link.gravity_nm * sin(joint.link);
    assert_true(fabs(left) <= model.link.friction_nm * 1.01);
    assert_true(joint.link < joint.lever);
}

TEST(mechanical_stops_are_hard)
{
    struct aw_joint_model model = aw_joint_defaults();
    struct aw_canpid_joint joint = {0};
    run(&joint, &model, 0.9, 3);
    assert_true(joint.lever == model.lever.stop_rad);
    assert_true(joint.lever_speed == 0);
    assert_true(fabs(joint.link) <= model.link.stop_rad);
    run(&joint, &model, -0.9, 3);
    assert_true(joint.lever == -model.lever.stop_rad);
}

TEST(locked_leg_does_not_move)
{
    struct aw_joint_model model = aw_joint_defaults();
    struct aw_canpid_joint joint = {0};
    model.link.locked = true;
    run(&joint, &model, 0.15, 1);
    assert_true(joint.lever > 5 * DEG);
    assert_true(joint.link == 0 && joint.link_speed == 0);
}

TEST(load_reduces_speed_and_torque_is_limited)
{
    struct aw_joint_model model = aw_joint_defaults();
    struct aw_canpid_joint joint = {0};
    aw_joint_step(&joint, &model, aw_joint_drive(&model, 0.9), P, DT);
    assert_true(joint.motor_nm == model.torque_max_nm);
    model.link.locked = true;
    run(&joint, &model, 0.12, 5); /* 15 deg/s against the spring */
    assert_true(fabs(joint.lever_speed) < 1e-3);
    double spring = aw_joint_torque(joint.lever, P);
    assert_true(spring > 1 && fabs(joint.motor_nm - spring) <= model.lever.friction_nm * 1.01);
}

/* With the drive disabled, only friction holds the lever. */
TEST(disabled_drive_releases_the_lever)
{
    struct aw_joint_model model = aw_joint_defaults();
    struct aw_canpid_joint joint = {.lever = 60 * DEG};
    model.link.locked = true;
    for (int i = 0; i < 10000; i++)
        aw_joint_step(&joint, &model, (struct aw_joint_drive){.is_on = false}, P, DT);
    assert_true(joint.motor_nm == 0 && joint.lever_speed == 0);
    assert_true(fabs(aw_joint_torque(joint.lever, P)) <= model.lever.friction_nm * 1.01);
}

/* The device's time step is small enough: a tenth of it gives the same motion. */
TEST(smaller_steps_give_the_same_motion)
{
    struct aw_joint_model model = aw_joint_defaults();
    struct aw_canpid_joint a = {0}, b = {0};
    run(&a, &model, 0.3, 0.5);
    for (int i = 0; i < 5000; i++)
        aw_joint_step(&b, &model, aw_joint_drive(&model, 0.3), P, DT / 10);
    assert_true(fabs(a.lever - b.lever) < 0.5 * DEG);
    assert_true(fabs(a.link - b.link) < 0.5 * DEG);
}
