/* Parts of a made-up tool whose joints have their own clock and may accept velocities. Include it
 * after shell_helper.h. */
#ifndef JOINTS_HELPER_H
#define JOINTS_HELPER_H

#include "shell/joints/joints.h"

static int64_t device_ns;
static double velocity, fastest;
static size_t sent; /* number of targets sent by the tool */

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

#endif
