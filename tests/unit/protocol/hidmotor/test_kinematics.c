#include <math.h>

#include "picture_helper.h"
#include "protocol/hidmotor/kinematics.h"
#include "test.h"

static struct aw_error err;

static double apart(struct aw_hidmotor_point a, struct aw_hidmotor_point b)
{
    return hypot(hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm), a.z_mm - b.z_mm);
}

/* Tries all poses of a grid that includes the corners of the limits. The inverse gives the same
 * point, and the same pose when started there. */
TEST(inverse_kinematics_round_trip_over_the_workspace)
{
    const struct aw_hidmotor_joint base = aw_hidmotor_joint(0), shoulder = aw_hidmotor_joint(1),
                                   elbow = aw_hidmotor_joint(2);
    double worst_mm = 0, worst_deg = 0;
    for (int i = 0; i <= 60; i++)
        for (int j = 0; j <= 58; j++)
            for (int k = 0; k <= 51; k++) {
                const struct aw_hidmotor_pose pose = {
                    {base.min + (base.max - base.min) * i / 60,
                     shoulder.min + (shoulder.max - shoulder.min) * j / 58,
                     elbow.min + (elbow.max - elbow.min) * k / 51}};
                struct aw_hidmotor_pose back;
                struct aw_hidmotor_point tip = aw_hidmotor_fk(&pose);
                if (aw_hidmotor_ik(&tip, &pose, &back, &err) != AW_OK)
                    fail_msg("%g %g %g: %s", pose.deg[0], pose.deg[1], pose.deg[2], err.text);
                assert_int_equal(aw_hidmotor_check_pose(&back, &err), AW_OK);
                worst_mm = fmax(worst_mm, apart(aw_hidmotor_fk(&back), tip));
                for (int n = 0; n < AW_HIDMOTOR_JOINTS; n++)
                    worst_deg = fmax(worst_deg, fabs(back.deg[n] - pose.deg[n]));
            }
    if (worst_mm > 1e-5 || worst_deg > 1e-5)
        fail_msg("off by up to %g mm, %g deg", worst_mm, worst_deg);
}

TEST(base_angle_stays_for_points_near_its_axis)
{
    const struct aw_hidmotor_pose near = {{10, 0, 0}};
    for (int i = 0; i < 2; i++) {
        double side = AW_HIDMOTOR_TOLERANCE_MM * (i ? 0.55 : 0.45) / sqrt(2);
        const struct aw_hidmotor_point point = {side, side, 250};
        struct aw_hidmotor_pose pose;
        assert_int_equal(aw_hidmotor_ik(&point, &near, &pose, &err), AW_OK);
        assert_true(fabs(pose.deg[0] - (i ? 45 : 10)) < 1e-9);
    }
}

TEST(nan_and_infinity_are_refused)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    struct aw_hidmotor_pose pose;
    for (size_t i = 0; i < 9; i++) {
        struct aw_hidmotor_pose near = {{0}};
        struct aw_hidmotor_point point = {100, 0, 195};
        near.deg[i % 3] = bad[i / 3];
        assert_int_equal(aw_hidmotor_check_pose(&near, &err), AW_USAGE);
        assert_int_equal(aw_hidmotor_ik(&point, &near, &pose, &err), AW_USAGE);
        near.deg[i % 3] = 0;
        *(i % 3 == 0 ? &point.x_mm : i % 3 == 1 ? &point.y_mm : &point.z_mm) = bad[i / 3];
        assert_int_equal(aw_hidmotor_ik(&point, &near, &pose, &err), AW_USAGE);
    }
    const struct aw_hidmotor_point vast = {1e308, 1e308, -1e308};
    assert_int_equal(aw_hidmotor_ik(&vast, &(struct aw_hidmotor_pose){{0}}, &pose, &err), AW_LIMIT);
}

/* Rounds to 1e-6, and -0 to 0. */
static double settled(double value)
{
    return round(value * 1e6) / 1e6 + 0.0;
}

/* Prints the tip of "pose M1 M2 M3" with the check of its limits, or the result of "reach X Y Z"
 * from home. The first poses are easy to compute, such as straight up and straight out. */
static void run_case(const char *input, size_t i, FILE *out)
{
    double v[3];
    struct aw_hidmotor_pose pose = {{0}};
    (void)i;
    err.text[0] = '\0';
    assert_int_equal(sscanf(strchr(input, ' '), "%lf %lf %lf", &v[0], &v[1], &v[2]), 3);
    if (*input == 'r') {
        const struct aw_hidmotor_point point = {v[0], v[1], v[2]};
        enum aw_status status = aw_hidmotor_ik(&point, &pose, &pose, &err);
        fprintf(out, "%d %s\n", (int)status, err.text);
        return;
    }
    memcpy(pose.deg, v, sizeof v);
    struct aw_hidmotor_point tip = aw_hidmotor_fk(&pose);
    enum aw_status status = aw_hidmotor_check_pose(&pose, &err);
    fprintf(out, "%.6f %.6f %.6f %d %s\n", settled(tip.x_mm), settled(tip.y_mm), settled(tip.z_mm),
            (int)status, err.text);
}

TEST(solutions_match_the_golden_file)
{
    static const struct aw_hidmotor_pose from[] = {{{0, 0, 0}}, {{80, 60, 40}}, {{-85, -40, -80}}};
    static const double xs[] = {-160, -20, 0, 35, 120, 199}, ys[] = {-140, 0, 70},
                        zs[] = {-60, 20, 95, 195, 290, 296};
    FILE *out = begin_picture();
    print_cases("kinematics-hidmotor.txt", run_case, out);
    for (size_t i = 0; i < 3 * 6 * 3 * 6; i += 5) {
        const struct aw_hidmotor_point point = {xs[i / 3 % 6], ys[i / 18 % 3], zs[i / 54]};
        struct aw_hidmotor_pose pose;
        enum aw_status status = aw_hidmotor_ik(&point, &from[i % 3], &pose, &err);
        if (status == AW_OK)
            fprintf(out, "%g %g %g: %.4f %.4f %.4f\n", point.x_mm, point.y_mm, point.z_mm,
                    pose.deg[0] + 0.0, pose.deg[1] + 0.0, pose.deg[2] + 0.0);
        else if (i % 3 == 0)
            fprintf(out, "%d %s\n", (int)status, err.text);
    }
    for (int i = -18; i <= 18; i += 4) {
        struct aw_hidmotor_pose pose = {{i * 5.5, i * 6.1, 40 - i * 5.7}};
        struct aw_hidmotor_point tip = aw_hidmotor_fk(&pose);
        enum aw_status status = aw_hidmotor_check_pose(&pose, &err);
        fprintf(out, "tip %.4f %.4f %.4f: %d %s\n", tip.x_mm, tip.y_mm, tip.z_mm, (int)status,
                status == AW_OK ? "" : err.text);
    }
    /* If the base can face either side, the shoulder of the start pose decides. */
    static const struct aw_hidmotor_pose sides[] = {
        {{0, -30, 60}}, {{0, 30, -60}}, {{5, 10, -40}}, {{-5, -10, 40}}};
    for (int i = 0; i < 4 * 4 * 3; i += 3) {
        const struct aw_hidmotor_point point = {0, (i / 4 % 4 - 1.5) * 30, 240 + i / 16 * 25};
        struct aw_hidmotor_pose pose = {{0}};
        fprintf(out, "%g %g: %d", point.y_mm, point.z_mm,
                (int)aw_hidmotor_ik(&point, &sides[i % 4], &pose, &err));
        fprintf(out, " %.4f %.4f %.4f\n", pose.deg[0] + 0.0, pose.deg[1] + 0.0, pose.deg[2] + 0.0);
    }
    end_picture(out, "kinematics-hidmotor.txt");
}
