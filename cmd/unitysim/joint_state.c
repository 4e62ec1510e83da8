/* The joints of unitysim for the common commands: what feedback says of them, and how they may be
 * moved. */
#include <math.h>
#include <stdio.h>

#include "protocol/unitysim/shape.h"
#include "state.h"

static const struct aw_joint_column columns[] = {
    {AW_JOINT_EXTRA, "ticks", 0}, {AW_JOINT_MORE, "velocity", 0}, {0}};

static enum aw_status list_joints(struct aw_session *session, struct aw_joint_list *list)
{
    struct aw_unitysim_limits *limits = &unity_state(session)->shown;
    enum aw_status status = unity_limits(session, limits);
    for (int i = 0; i < AW_UNITYSIM_JOINTS && status == AW_OK; i++) {
        struct aw_joint *joint = aw_joints_add(session, list, aw_unitysim_joint_name(i));
        if (!joint)
            return session->err.status;
        joint->id = (uint32_t)i;
        joint->unit[AW_JOINT_ACTUAL] = joint->unit[AW_JOINT_TARGET] = "deg";
        joint->unit[AW_JOINT_VELOCITY] = "deg/s";
        joint->min = aw_unitysim_degrees(limits->joint[i].min);
        joint->max = aw_unitysim_degrees(limits->joint[i].max);
        joint->speed = aw_unitysim_velocity_cap(i) * AW_UNITYSIM_DEG_S;
    }
    return status;
}

/* The simulator is told velocities, and tells none but how fast a joint was told to turn, and not
 * which way. */
static enum aw_status read_joints(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_unitysim_feedback *feedback = &unity_of(session)->feedback;
    enum aw_status status = unity_feedback(session);
    for (size_t i = 0; i < list->n && status == AW_OK; i++) {
        struct aw_joint *joint = &list->joints[i];
        int ticks = feedback->position[joint->id];
        int64_t came = feedback->received_ns;
        aw_joint_set(joint, AW_JOINT_ACTUAL, aw_unitysim_degrees(ticks), came);
        aw_joint_set(joint, AW_JOINT_EXTRA, ticks, came);
        aw_joint_set(joint, AW_JOINT_MORE, feedback->velocity[joint->id], came);
    }
    return status;
}

/* Where things are held, in mm. */
static enum aw_status beside(struct aw_session *session, struct aw_joint_list *list, size_t joint)
{
    double degrees[AW_UNITYSIM_JOINTS];
    struct aw_unitysim_shape shape;
    if (joint != list->n)
        return AW_OK;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        degrees[i] = aw_unitysim_degrees(unity_of(session)->feedback.position[i]);
    aw_unitysim_shape(degrees, &shape);
    const struct aw_unitysim_point grasp = shape.at[AW_UNITYSIM_AT_GRASP];
    if (aw_session_text(session)) {
        aw_output_print(&session->out, "grasp x=%.1fmm y=%.1fmm z=%.1fmm\n", grasp.x, grasp.y,
                        grasp.z);
        return AW_OK;
    }
    aw_object_number(&session->result, "grasp.x", grasp.x, 1, "mm");
    aw_object_number(&session->result, "grasp.y", grasp.y, 1, "mm");
    aw_object_number(&session->result, "grasp.z", grasp.z, 1, "mm");
    return AW_OK;
}

const struct aw_joints unity_joints = {
    .columns = columns,
    .hz = 1e9 / AW_UNITYSIM_CADENCE_NS,
    .most = 1e9 / AW_UNITYSIM_CADENCE_NS,
    .open = unity_ready_to_make,
    .list = list_joints,
    .limits = unity_joint_limits,
    .read = read_joints,
    .beside = beside,
};
