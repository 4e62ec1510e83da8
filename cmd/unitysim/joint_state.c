/* The joints of unitysim for the common commands: what feedback says of them, and how they may be
 * moved. */
#include <math.h>
#include <stdio.h>
#include <string.h>

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
        joint->takes = AW_JOINT_TAKES_VELOCITIES;
    }
    return status;
}

/* The simulator is told velocities, and tells none but how fast a joint was told to turn, and not
 * which way. */
static void take(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_unitysim_feedback *feedback = &unity_of(session)->feedback;
    for (size_t i = 0; i < list->n; i++) {
        struct aw_joint *joint = &list->joints[i];
        int ticks = feedback->position[joint->id];
        int64_t came = feedback->received_ns;
        aw_joint_set(joint, AW_JOINT_ACTUAL, aw_unitysim_degrees(ticks), came);
        aw_joint_set(joint, AW_JOINT_EXTRA, ticks, came);
        aw_joint_set(joint, AW_JOINT_MORE, feedback->velocity[joint->id], came);
    }
}

static enum aw_status read_joints(struct aw_session *session, struct aw_joint_list *list)
{
    enum aw_status status = unity_feedback(session);
    if (status == AW_OK)
        take(session, list);
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

/* Commands say how fast: where the joints stood is where they have to stand. */
size_t unity_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                            const struct aw_record *record, struct aw_joint_goal *goals,
                            double *seconds)
{
    (void)session;
    *seconds = 0;
    if (record->dir != AW_RX || strcmp(record->codec->message->name, "feedback") != 0)
        return 0;
    for (size_t i = 0; i < list->n; i++) {
        char field[48];
        snprintf(field, sizeof field, "%s.position", aw_unitysim_joint_name((int)i));
        goals[i] =
            (struct aw_joint_goal){i, aw_unitysim_degrees((int)aw_record_get(record, field))};
    }
    return list->n;
}

/* ---- Commands ----------------------------------------------------------------------------------
 */

/* Joints that are not named stand: a latched command of an earlier client ends here. */
static enum aw_status send(struct aw_session *session, struct aw_joint_list *list,
                           const struct aw_joint_command *command)
{
    struct aw_unitysim_drive drives[AW_UNITYSIM_JOINTS] = {{0}};
    struct aw_unitysim *unity = unity_of(session);
    for (size_t i = 0; i < command->n; i++) {
        double value = command->goals[i].value;
        drives[list->joints[command->goals[i].joint].id] =
            (struct aw_unitysim_drive){.velocity = (int)lround(fabs(value) / AW_UNITYSIM_DEG_S),
                                       .state = value > 0   ? AW_UNITYSIM_INCREASE
                                                : value < 0 ? AW_UNITYSIM_DECREASE
                                                            : AW_UNITYSIM_STOP};
    }
    bool dry = aw_flag(session, "dry-run");
    if (!dry)
        aw_session_moves(session);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        aw_unitysim_drive(unity, i, drives[i]);
    if (!dry)
        return AW_OK;
    struct aw_record record;
    aw_unitysim_control_record(unity, &record);
    return unity_dry_run(session, &record);
}

struct looking {
    struct aw_session *session;
    struct aw_joint_list *list;
    aw_joints_look_fn *look;
    void *context;
    bool enough;
};

static bool look_at(void *context, const struct aw_received *received)
{
    struct looking *looking = context;
    unity_notice(looking->session, received);
    take(looking->session, looking->list);
    looking->enough = looking->look && !looking->look(looking->context, looking->list);
    return !looking->enough;
}

/* What was latched goes out meanwhile. */
static enum aw_status attend(struct aw_session *session, struct aw_joint_list *list,
                             int64_t deadline, double hz, aw_joints_look_fn *look, void *context)
{
    struct looking looking = {session, list, look, context, false};
    (void)hz;
    enum aw_status status =
        aw_unitysim_idle(unity_of(session), deadline, look_at, &looking, &session->err);
    if (status == AW_OK && !looking.enough && session->motion.moving && unity_notice_stale(session))
        return aw_fail(&session->err, AW_TIMEOUT,
                       "feedback is silent: where the joints are is not known");
    return status;
}

static enum aw_status end(struct aw_session *session, struct aw_joint_list *list,
                          enum aw_status status)
{
    (void)list;
    return session->motion.moving ? unity_end_motion(session, status) : status;
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
    .command = send,
    .attend = attend,
    .end = end,
};
