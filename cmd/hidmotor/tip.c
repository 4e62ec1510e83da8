/* hidmotor tip and moveto: the position of the tip, and joint angles for a position. */
#include <math.h>
#include <string.h>

#include "protocol/hidmotor/kinematics.h"
#include "shell/joints/verbs.h"
#include "state.h"

static const char *const axes[] = {"x", "y", "z"}, *const angles[] = {"m1", "m2", "m3"};

static enum aw_status read_three(struct aw_session *session, const struct aw_args *args,
                                 const char *const *names, double out[3])
{
    enum aw_status status = AW_OK;
    for (int i = 0; i < 3 && status == AW_OK; i++) {
        out[i] = NAN;
        status = aw_arg_number(session, args, names[i], &out[i]);
    }
    return status;
}

enum aw_status run_tip(struct aw_session *session, const struct aw_args *args)
{
    static const struct aw_hidmotor_pose home;
    bool has_angles = aw_arg(args, "m1", 0) != NULL;
    double in[3];
    enum aw_status status = read_three(session, args, has_angles ? angles : axes, in);
    if (status == AW_OK && (args->n != 3 || isnan(in[0] + in[1] + in[2])))
        return aw_fail(
            &session->err, AW_USAGE,
            "tip: requires three values — write 'tip 0 45 -30' or 'tip x=120mm y=50mm z=150mm'");
    struct aw_hidmotor_pose pose = {.deg = {in[0], in[1], in[2]}};
    struct aw_hidmotor_point point = {in[0], in[1], in[2]};
    if (status == AW_OK && !has_angles)
        status = aw_hidmotor_ik(&point, &home, &pose, &session->err);
    else if (status == AW_OK && !session->options.run.force)
        status = aw_hidmotor_check_pose(&pose, &session->err);
    if (status != AW_OK)
        return status;
    point = aw_hidmotor_fk(&pose);
    const double tip[] = {point.x_mm, point.y_mm, point.z_mm};
    aw_object_start(&session->result, "tip");
    for (int i = 0; i < 3; i++)
        aw_object_add_number(&session->result, (has_angles ? axes : angles)[i],
                             has_angles ? tip[i] : pose.deg[i], 4, has_angles ? "mm" : "deg");
    return AW_OK;
}

/* Finds the pose nearest to the arm's setpoints. */
static enum aw_status find_pose(struct aw_session *session, const struct aw_hidmotor_point *point,
                                struct aw_hidmotor_pose *pose)
{
    struct aw_hidmotor_status now = {0};
    struct aw_hidmotor_pose start = {0};
    /* Refuses the point without a query. */
    enum aw_status status = aw_hidmotor_ik(point, &start, pose, &session->err);
    if (status != AW_OK || session->options.run.dry_run)
        return status;
    status = hidmotor_open(session);
    if (status == AW_OK)
        status = aw_hidmotor_read_positions(hidmotor_arm(session), &now, &session->err);
    memcpy(start.deg, now.setpoint, sizeof start.deg);
    return status == AW_OK ? aw_hidmotor_ik(point, &start, pose, &session->err) : status;
}

enum aw_status run_moveto(struct aw_session *session, const struct aw_args *args)
{
    struct aw_joint_list list = {0};
    struct aw_joint_goal goals[AW_HIDMOTOR_JOINTS];
    struct aw_joint_command command = {.kind = AW_JOINT_TARGETS,
                                       .goals = goals,
                                       .n = AW_HIDMOTOR_JOINTS,
                                       .seconds = NAN,
                                       .show_ns = AW_NO_TIME};
    double target[3];
    struct aw_hidmotor_pose pose;
    enum aw_status status = read_three(session, args, axes, target);
    const struct aw_hidmotor_point point = {target[0], target[1], target[2]};
    if (status == AW_OK)
        status = aw_joints_list(session, &list);
    if (status == AW_OK)
        status = hidmotor_joints.run.parse_args(session, args, &command);
    if (status == AW_OK)
        status = find_pose(session, &point, &pose);
    for (size_t i = 0; status == AW_OK && i < AW_HIDMOTOR_JOINTS; i++)
        goals[i] = (struct aw_joint_goal){i, pose.deg[i]};
    if (status == AW_OK)
        status = hidmotor_open_for_send(session);
    if (status == AW_OK)
        status = aw_move_joints(session, &list, &command);
    aw_joints_free(&list);
    return status;
}
