/* The hooks of custom joints: list, read, command and attend. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shell/custom/custom_parts.h"
#include "shell/joints/start_check.h"
#include "shell/safety/safety.h"

#define HZ         50.0
#define DEFAULT_S  1.0
#define PATIENCE_S 0.5
#define LOST_MAX   5
#define REST_S     1.0 /* time for the arm to catch up with the last setpoint, s */

static void describe_joint(const struct aw_custom_joint *custom, struct aw_joint *joint)
{
    snprintf(joint->alias, sizeof joint->alias, "%s", custom->row->alias ? custom->row->alias : "");
    joint->unit[AW_JOINT_ACTUAL] = joint->unit[AW_JOINT_TARGET] = custom->unit;
    joint->unit[AW_JOINT_VELOCITY] = *custom->speed_unit ? custom->speed_unit : NULL;
    joint->unit[AW_JOINT_EXTRA_1] = custom->velocity_unit;
    joint->limits.min = custom->min;
    joint->limits.max = custom->max;
    joint->home_target = fmin(fmax(0, custom->min), custom->max);
    joint->limits.max_speed =
        custom->row->max_speed > 0 ? custom->row->max_speed : (double)INFINITY;
    joint->tolerance.tolerance = custom->tolerance;
    joint->tolerance.min_motion = custom->min_motion;
    joint->tolerance.max_deviation = custom->max_deviation;
    joint->flags.accepts = AW_JOINT_TAKES_TARGETS;
}

static void update_list(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    for (size_t i = 0; i < arm->n && i < list->n; i++) {
        list->joints[i].state = arm->joints[i].state;
        if (!arm->joints[i].reports[AW_JOINT_TARGET].message)
            list->joints[i].state.value[AW_JOINT_TARGET] = arm->joints[i].sent_setpoint;
    }
}

static enum aw_status list_joints(struct aw_session *session, struct aw_joint_list *list)
{
    struct aw_custom_arm *arm = aw_custom_arm(session);
    list->columns = arm->columns;
    for (size_t i = 0; i < arm->n; i++) {
        struct aw_joint *joint = aw_joints_add(session, list, arm->joints[i].row->name);
        if (!joint)
            return session->err.status;
        joint->id = (uint32_t)i;
        describe_joint(&arm->joints[i], joint);
    }
    update_list(session, list);
    return AW_OK;
}

static size_t list_limits(struct aw_session *session, const struct aw_joint *joint,
                          struct aw_joint_limit rows[AW_JOINT_LIMITS])
{
    const struct aw_custom_joint *custom = &aw_custom_arm(session)->joints[joint->id];
    const char *unit = custom->unit ? custom->unit : "";
    rows[0] = (struct aw_joint_limit){.quantity = "setpoint",
                                      .min = joint->limits.min,
                                      .max = joint->limits.max,
                                      .unit = unit,
                                      .source = "packet file"};
    if (!isfinite(joint->limits.min) && !isfinite(joint->limits.max))
        snprintf(rows[0].source, sizeof rows[0].source, "none");
    if (!isfinite(joint->limits.max_speed))
        return 1;
    rows[1] = (struct aw_joint_limit){.quantity = "speed",
                                      .min = -joint->limits.max_speed,
                                      .max = joint->limits.max_speed,
                                      .unit = custom->speed_unit,
                                      .source = "packet file"};
    return 2;
}

static enum aw_status open_link(struct aw_session *session)
{
    return session->options.run.dry_run ? AW_OK : aw_session_open_device(session);
}

static enum aw_status read_joints(struct aw_session *session, struct aw_joint_list *list)
{
    double seconds = aw_number_or(session->options.link.timeout_s, PATIENCE_S);
    enum aw_status status =
        aw_custom_read(session, aw_time_after(aw_clock_now(session->clock), seconds));
    update_list(session, list);
    return status;
}

/* ---- Sending ---- */

/* Returns true if an earlier joint's packet also carries this one. */
static bool is_done(const struct aw_custom_arm *arm, const double *setpoints, size_t joint)
{
    size_t i = 0;
    while (i < joint && (isnan(setpoints[i]) ||
                         arm->joints[i].setpoint.index != arm->joints[joint].setpoint.index))
        i++;
    return i < joint;
}

/* Calls act once for each packet that these goals need. */
static enum aw_status
each_packet(struct aw_session *session, const double *setpoints,
            enum aw_status (*act)(struct aw_session *, struct aw_record *, void *), void *context)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < arm->n && status == AW_OK; i++) {
        struct aw_record packet;
        size_t message = arm->joints[i].setpoint.index;
        if (isnan(setpoints[i]) || is_done(arm, setpoints, i))
            continue;
        status = aw_custom_fill_packet(session, message, setpoints, &packet);
        if (status == AW_OK)
            status = act(session, &packet, context);
    }
    return status;
}

/* Sends a packet, which starts a motion. context: bool, true for a stream, which tolerates LOST_MAX
 * - 1 consecutive lost answers. Does not check ranges: the caller has done so, unless --force is
 * given. */
static enum aw_status send_packet(struct aw_session *session, struct aw_record *packet,
                                  void *context)
{
    struct aw_custom_arm *arm = aw_custom_arm(session);
    bool is_stream = *(const bool *)context;
    aw_session_start_motion(session);
    enum aw_status status = aw_custom_exchange(session, packet);
    bool is_lost = is_stream && status == AW_TIMEOUT;
    arm->n_lost = is_lost ? arm->n_lost + 1 : 0;
    return is_lost && arm->n_lost < LOST_MAX ? AW_OK : status;
}

static enum aw_status announce(struct aw_session *session, struct aw_record *packet, void *context)
{
    (void)context;
    return aw_session_announce(session, packet);
}

static enum aw_status show_packet(struct aw_session *session, struct aw_record *packet,
                                  void *context)
{
    packet->time_ns = *(const int64_t *)context;
    return aw_transmit_show(session, packet);
}

/* Shows the packets. Without a connected device, a packet is complete only if the command names all
 * its joints, or they were sent before; otherwise AW_STOPPED. */
static enum aw_status dry_run(struct aw_session *session, const double *setpoints, int64_t show_ns)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    for (size_t i = 0; i < arm->n; i++)
        for (size_t k = 0; k < arm->n; k++)
            if (isnan(setpoints[i]) && !isnan(setpoints[k]) &&
                isnan(arm->joints[i].sent_setpoint) &&
                arm->joints[i].setpoint.index == arm->joints[k].setpoint.index)
                return aw_dry_run_depends(session, "the position of the arm");
    return each_packet(session, setpoints, show_packet, &show_ns);
}

/* Start positions and duration of a motion. */
struct motion {
    double from[AW_CUSTOM_JOINTS], seconds;
};

static enum aw_status plan_path(struct aw_session *session, const struct aw_joint_list *list,
                                const struct aw_joint_command *command, struct motion *motion)
{
    bool is_given = !isnan(command->seconds);
    enum aw_status status = AW_OK;
    motion->seconds = is_given ? command->seconds : DEFAULT_S;
    for (size_t i = 0; i < list->n; i++) {
        motion->from[i] = aw_custom_get_target(&aw_custom_arm(session)->joints[i]);
    }
    for (size_t k = 0; k < command->n && status == AW_OK; k++) {
        const struct aw_joint *joint = &list->joints[command->goals[k].joint];
        double distance = command->goals[k].value - motion->from[command->goals[k].joint];
        if (isnan(distance))
            status = aw_fail(&session->err, AW_TIMEOUT,
                             "%s: position unknown — check power and link", joint->name);
        else if (is_given)
            status = aw_check_duration(session, joint, distance, M_PI / 2, motion->seconds);
        else
            motion->seconds = fmax(motion->seconds, aw_min_duration(joint, distance, M_PI / 2));
    }
    return status;
}

/* Streams setpoints along a path, because the firmware jumps to each setpoint. */
static enum aw_status stream_path(struct aw_session *session, struct aw_joint_list *list,
                                  const struct motion *motion, const double *goal)
{
    struct aw_custom_arm *arm = aw_custom_arm(session);
    double now[AW_CUSTOM_JOINTS], seconds = motion->seconds;
    bool is_stream = true, is_last = false;
    int64_t start = aw_clock_now(session->clock);
    enum aw_status status = AW_OK;
    for (int64_t tick = 1; status == AW_OK && !is_last; tick++) {
        double progress = seconds > 0 ? fmin(1, (double)tick / HZ / seconds) : 1;
        double share = (1 - cos(M_PI * progress)) / 2;
        is_last = share >= 1;
        for (size_t i = 0; i < arm->n; i++)
            now[i] = is_last ? goal[i] : motion->from[i] + share * (goal[i] - motion->from[i]);
        is_stream = !is_last;
        status = each_packet(session, now, send_packet, &is_stream);
        if (status == AW_OK && !is_last)
            status = aw_joints_attend(session, list, aw_time_after(start, (double)tick / HZ), 0,
                                      NULL, NULL);
        aw_session_show_progress(session, "%s %.0f of %.0f s", session->run.command->name,
                                 share * seconds, seconds);
    }
    aw_session_set_end(session, REST_S);
    return status;
}

static enum aw_status run_command(struct aw_session *session, struct aw_joint_list *list,
                                  const struct aw_joint_command *command)
{
    double goal[AW_CUSTOM_JOINTS];
    bool is_stream = command->is_stream;
    for (size_t i = 0; i < AW_CUSTOM_JOINTS; i++)
        goal[i] = NAN;
    for (size_t k = 0; k < command->n; k++)
        goal[command->goals[k].joint] = command->goals[k].value;
    if (session->options.run.dry_run)
        return dry_run(session, goal, command->show_ns);
    /* A single motion starts at the current position, so it needs a new report. */
    enum aw_status status = AW_OK;
    if (!is_stream || isnan(list->joints[command->goals[0].joint].state.value[AW_JOINT_ACTUAL]))
        status = read_joints(session, list);
    if (is_stream)
        return status == AW_OK ? each_packet(session, goal, send_packet, &is_stream) : status;
    struct motion motion;
    if (status == AW_OK)
        status = plan_path(session, list, command, &motion);
    if (status == AW_OK)
        status = each_packet(session, goal, announce, NULL);
    return status == AW_OK ? stream_path(session, list, &motion, goal) : status;
}

/* Sets *seconds to 0, because a firmware jumps to its setpoint. */
size_t aw_custom_get_targets(struct aw_session *session, struct aw_joint_list *list,
                             const struct aw_record *packet, struct aw_joint_goal *goals,
                             double *seconds)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    size_t n = 0;
    *seconds = 0;
    for (size_t i = 0; i < arm->n && i < list->n && n < AW_REPLAY_GOALS; i++) {
        const struct aw_field_ref *ref = &arm->joints[i].setpoint;
        if (packet->dir == AW_TX && packet->codec->message == ref->message &&
            packet->present >> ref->scalar & 1)
            goals[n++] = (struct aw_joint_goal){i, packet->v[ref->scalar]};
    }
    return n;
}

/* ---- Attending ---- */

static enum aw_status attend_by_polling(struct aw_session *session, struct aw_joint_list *list,
                                        int64_t deadline, int64_t period,
                                        aw_joints_report_fn *on_report, void *context)
{
    struct aw_custom_arm *arm = aw_custom_arm(session);
    enum aw_status status = AW_OK;
    while (status == AW_OK) {
        int64_t now = aw_clock_now(session->clock);
        arm->due_ns = arm->due_ns > now + period ? now : arm->due_ns;
        status = aw_clock_sleep(session->clock, aw_min_time(arm->due_ns, deadline));
        if (status != AW_OK || arm->due_ns >= deadline || now >= deadline)
            break;
        arm->due_ns = aw_clock_now(session->clock) + period;
        status = aw_custom_read(session, deadline);
        arm->n_lost = status == AW_TIMEOUT ? arm->n_lost + 1 : 0;
        update_list(session, list);
        if (status == AW_TIMEOUT && arm->n_lost < LOST_MAX)
            status = AW_OK;
        else if (status == AW_OK && on_report && !on_report(context, list))
            break;
    }
    return status;
}

static enum aw_status attend_joints(struct aw_session *session, struct aw_joint_list *list,
                                    int64_t deadline, double rate_hz,
                                    aw_joints_report_fn *on_report, void *context)
{
    const struct aw_custom_arm *arm = aw_custom_arm(session);
    int64_t period = isinf(rate_hz) ? 0 : (int64_t)(1e9 / (rate_hz > 0 ? rate_hz : HZ));
    if (arm->n_queries)
        return attend_by_polling(session, list, deadline, period, on_report, context);
    enum aw_status status = AW_OK;
    while (status == AW_OK && aw_clock_now(session->clock) < deadline) {
        status = aw_custom_receive(session, deadline);
        update_list(session, list);
        if (status == AW_OK && on_report && !on_report(context, list))
            return AW_OK;
    }
    return status == AW_TIMEOUT ? AW_OK : status;
}

const struct aw_joints aw_custom_joints = {
    .traits.rate_hz = HZ,
    .traits.max_hz = 500,
    .info.list = list_joints,
    .info.list_limits = list_limits,
    .info.read = read_joints,
    .run.open = open_link,
    .run.command = run_command,
    .run.attend = attend_joints,
};
