/* teleop for devices that confirm each command: waits for each step. */
#include <math.h>

#include "base/text.h"
#include "shell/lead/teleop.h"

#define RANGE_SHARE 0.5 /* default speed, as a share of the range per second */

/* Refuses to start a step from an unknown position. */
static enum aw_status check_known(struct aw_operator *h)
{
    size_t known = 0, unknown = h->engine.n;
    char names[200] = "";
    for (size_t i = 0; i < h->engine.n; i++) {
        if (!h->mapped[i])
            continue;
        if (isnan(h->joints[i].actual)) {
            unknown = i;
            aw_append(names, sizeof names, ", ", "%s", aw_joint_display_name(&h->list.joints[i]));
        } else
            known++;
    }
    if (unknown == h->engine.n)
        return AW_OK;
    if (known == 0)
        return aw_fail(&h->session->err, AW_LIMIT,
                       "teleop: no joint has confirmed its position — move %s once, or give "
                       "--force to start in the middle of its range",
                       aw_joint_display_name(&h->list.joints[unknown]));
    aw_session_print_notice(h->session,
                            "teleop: position unknown for %s: not driven — move each once", names);
    return AW_OK;
}

/* Returns the next joint in turn that has to move; n: none. */
static size_t next_joint(const struct aw_operator *h)
{
    size_t n = h->engine.n;
    for (size_t i = 0; i < n; i++) {
        const struct aw_teleop_joint *j = &h->joints[(h->steps.next_joint + i) % n];
        if (fabs(j->target - j->actual) > 0)
            return (h->steps.next_joint + i) % n;
    }
    return n;
}

/* Sends one step, and delays the next one to keep within the max speed. */
static enum aw_status send_step(struct aw_operator *h)
{
    struct aw_session *session = h->session;
    struct aw_joint_goal goal = {.joint = next_joint(h)};
    if (goal.joint == h->engine.n || h->input.channels.is_behind)
        return AW_OK;
    const struct aw_teleop_joint *j = &h->joints[goal.joint];
    const struct aw_joint_command command = {.kind = AW_JOINT_TARGETS,
                                             .goals = &goal,
                                             .n = 1,
                                             .seconds = h->engine.options.step_s,
                                             .is_stream = true,
                                             .show_ns = AW_NO_TIME};
    goal.value = j->target;
    h->steps.next_joint = goal.joint + 1;
    h->time.next_ns =
        aw_time_after(aw_clock_now(session->clock), fabs((j->target - j->actual) / j->velocity));
    h->steps.waited = true;
    return aw_joints_send_unchecked(session, &h->list, &command);
}

const struct aw_teleop_sender aw_teleop_steps = {
    .confirms = true, .range_share = RANGE_SHARE, .check = check_known, .send = send_step};
