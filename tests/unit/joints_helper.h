/* Parts of a made-up tool whose joints have their own clock and may accept velocities. */
#ifndef JOINTS_HELPER_H
#define JOINTS_HELPER_H

#include "session_helper.h"

#include "shell/joints/joints.h"

static struct aw_joint_list list;
static int64_t device_ns;
static double velocity, fastest;
static double stops_at; /* position of the end stop of the first joint */
static size_t sent;     /* number of targets sent by the tool */

static enum aw_status open_it(struct aw_session *s)
{
    (void)s;
    return AW_OK;
}

static int64_t device_time(struct aw_session *s)
{
    (void)s;
    return device_ns;
}

static enum aw_status set_velocity(struct aw_session *s, struct aw_joint_list *them,
                                   const struct aw_joint_command *command)
{
    (void)s, (void)them;
    assert_int_equal(command->kind, AW_JOINT_VELOCITIES);
    velocity = command->goals[0].value;
    fastest = fmax(fastest, fabs(velocity));
    sent += command->n;
    return AW_OK;
}

/* Starts a session with these joints and reads their list. Joints that accept velocities are
 * steered to their targets. */
static inline void start_joints(const struct aw_joints *joints)
{
    start_session();
    tool.motion.joints = joints;
    tool.motion.steer_gain = joints->run.command == set_velocity ? 5 : 0;
    velocity = fastest = 0;
    stops_at = INFINITY;
    sent = 0;
    assert_int_equal(aw_joints_begin(session, &list), AW_OK);
}

static inline void stop_joints(void)
{
    aw_joints_free(&list);
    end_session();
}

#endif
