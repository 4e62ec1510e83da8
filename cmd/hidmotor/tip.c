/* hidmotor fk, ik and moveto: the position of the tip, and joint angles for a position. */
#include <math.h>
#include <string.h>

#include "protocol/hidmotor/kinematics.h"
#include "shell/joints/move.h"
#include "state.h"

static enum aw_status place_of(struct aw_session *session, const struct aw_args *args,
                               struct aw_hidmotor_point *point)
{
    enum aw_status status = aw_arg_number(session, args, "x", &point->x_mm);
    if (status == AW_OK)
        status = aw_arg_number(session, args, "y", &point->y_mm);
    if (status == AW_OK)
        status = aw_arg_number(session, args, "z", &point->z_mm);
    return status;
}

enum aw_status run_fk(struct aw_session *session, const struct aw_args *args)
{
    struct aw_hidmotor_pose pose = {0};
    enum aw_status status = AW_OK;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS && status == AW_OK; i++)
        status = aw_arg_number(session, args, aw_hidmotor_joint(i).name, &pose.deg[i]);
    if (status == AW_OK && !session->options.run.force)
        status = aw_hidmotor_check_pose(&pose, &session->err);
    if (status != AW_OK)
        return status;
    struct aw_hidmotor_point tip = aw_hidmotor_fk(&pose);
    aw_object_start(&session->result, "fk");
    aw_object_number(&session->result, "x", tip.x_mm, 4, "mm");
    aw_object_number(&session->result, "y", tip.y_mm, 4, "mm");
    aw_object_number(&session->result, "z", tip.z_mm, 4, "mm");
    return AW_OK;
}

enum aw_status run_ik(struct aw_session *session, const struct aw_args *args)
{
    static const struct aw_hidmotor_pose home;
    struct aw_hidmotor_point point = {0};
    struct aw_hidmotor_pose pose;
    enum aw_status status = place_of(session, args, &point);
    if (status == AW_OK)
        status = aw_hidmotor_ik(&point, &home, &pose, &session->err);
    if (status != AW_OK)
        return status;
    aw_object_start(&session->result, "ik");
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        aw_object_number(&session->result, aw_hidmotor_joint(i).name, pose.deg[i], 4, "deg");
    return AW_OK;
}

/* Finds the pose nearest to the arm's setpoints. */
static enum aw_status find_pose(struct aw_session *session, const struct aw_hidmotor_point *point,
                                struct aw_hidmotor_pose *pose)
{
    struct aw_hidmotor_status now = {0};
    struct aw_hidmotor_pose near = {0};
    enum aw_status status =
        aw_hidmotor_ik(point, &near, pose, &session->err); /* refused without asking the board */
    if (status != AW_OK || session->options.run.dry_run)
        return status;
    status = hidmotor_ready(session);
    if (status == AW_OK)
        status = aw_hidmotor_positions(hidmotor_arm(session), &now, &session->err);
    memcpy(near.deg, now.setpoint, sizeof near.deg);
    return status == AW_OK ? aw_hidmotor_ik(point, &near, pose, &session->err) : status;
}

enum aw_status run_moveto(struct aw_session *session, const struct aw_args *args)
{
    struct aw_joint_list list = {0};
    struct aw_joint_goal goals[AW_HIDMOTOR_JOINTS];
    struct aw_joint_command command = {.what = AW_JOINT_TARGETS,
                                       .goals = goals,
                                       .n = AW_HIDMOTOR_JOINTS,
                                       .seconds = NAN,
                                       .show_ns = AW_NO_TIME};
    struct aw_hidmotor_point point = {0};
    struct aw_hidmotor_pose pose;
    enum aw_status status = place_of(session, args, &point);
    if (status == AW_OK)
        status = aw_joints_list(session, &list);
    if (status == AW_OK)
        status = hidmotor_joints.take(session, args, &command);
    if (status == AW_OK)
        status = find_pose(session, &point, &pose);
    for (size_t i = 0; status == AW_OK && i < AW_HIDMOTOR_JOINTS; i++)
        goals[i] = (struct aw_joint_goal){i, pose.deg[i]};
    if (status == AW_OK)
        status = hidmotor_ready_to_make(session);
    if (status == AW_OK)
        status = aw_move_joints(session, &list, &command);
    aw_joints_free(&list);
    return status;
}
