/* The joints of hidmotor: their state, limits and motions. */
#include "shell/joints/joints.h"
#include "shell/joints/verbs.h"
#include "shell/safety/safety.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "hidmotor.h"
#include "shell/joints/start_check.h"
#include "state.h"

#define GRIPPER    AW_HIDMOTOR_JOINTS /* number after those of the joints' motors */
#define MIN_STEP   0.5                /* deg: a joint that follows moves at least this far */
#define EFFORT     255.0
#define DEFAULT_S  1.0
#define LOST_MAX   5    /* max consecutive lost replies of a stream */
#define REPLY_MS   20   /* timeout in a stream, ms: a lost reply must not delay it */
#define DEFAULT_HZ 62.5 /* measuring rate of the board */

static const struct aw_joint_column columns[] = {
    {AW_JOINT_VELOCITY, "velocity", 2}, {AW_JOINT_EFFORT, "effort", 0}, {0}};

static void describe(struct aw_joint *joint, unsigned i)
{
    joint->id = i;
    joint->unit[AW_JOINT_ACTUAL] = joint->unit[AW_JOINT_TARGET] = "deg";
    joint->unit[AW_JOINT_VELOCITY] = "deg/s";
    joint->full_effort = EFFORT;
    snprintf(joint->label, sizeof joint->label, "%.20s %.20s", joint->name, joint->alias);
}

static enum aw_status add_motors(struct aw_session *session, struct aw_joint_list *list)
{
    for (unsigned i = 0; i < AW_HIDMOTOR_JOINTS; i++) {
        struct aw_hidmotor_joint motor = aw_hidmotor_joint((int)i);
        struct aw_joint *joint = aw_joints_add(session, list, motor.name);
        if (!joint)
            return session->err.status;
        snprintf(joint->alias, sizeof joint->alias, "%s", motor.alias);
        describe(joint, i);
        joint->limits.min = motor.min;
        joint->limits.max = motor.max;
        joint->limits.max_speed = AW_HIDMOTOR_MAX_SPEED;
        joint->tolerance.tolerance = AW_HIDMOTOR_TOLERANCE;
        joint->tolerance.min_motion = MIN_STEP;
        joint->tolerance.max_deviation = HIDMOTOR_MAX_LAG;
        joint->home_target = 0;
        joint->flags.accepts = AW_JOINT_TAKES_TARGETS | AW_JOINT_TAKES_VELOCITIES;
    }
    return AW_OK;
}

/* Asks a given board for the number of motors, for limits. A missing board is not an error, because
 * the table has limits, too. */
static enum aw_status query_motors(struct aw_session *session)
{
    struct aw_hidmotor_status now;
    if (session->run.command->run != aw_run_limits || hidmotor_arm(session)->latest.n ||
        !session->options.link.url || session->options.run.dry_run)
        return AW_OK;
    struct aw_error saved_err = session->err;
    enum aw_status status = hidmotor_open(session);
    if (status == AW_OK)
        status = aw_hidmotor_read_positions(hidmotor_arm(session), &now, &session->err);
    if (status != AW_OK && status != AW_TIMEOUT && status != AW_NO_LINK)
        return status;
    session->err = saved_err;
    return AW_OK;
}

static enum aw_status list_joints(struct aw_session *session, struct aw_joint_list *list)
{
    enum aw_status status = query_motors(session);
    if (status == AW_OK)
        status = add_motors(session, list);
    hidmotor_state(session)->linear = false;
    struct aw_joint *gripper = status == AW_OK ? aw_joints_add(session, list, "gripper") : NULL;
    if (!gripper)
        return session->err.status;
    gripper->id = GRIPPER;
    gripper->limits.min = 0;
    gripper->limits.max = 180;
    gripper->flags.accepts = AW_JOINT_TAKES_TARGETS;
    gripper->flags.is_blind = true;
    return AW_OK;
}

static size_t list_limits(struct aw_session *session, const struct aw_joint *joint,
                          struct aw_joint_limit rows[AW_JOINT_LIMITS])
{
    bool is_gripper = joint->id == GRIPPER;
    int motors = hidmotor_arm(session)->latest.n; /* 0: unknown */
    if (!is_gripper && motors && joint->id >= (unsigned)motors)
        return 0;
    rows[0] = (struct aw_joint_limit){.quantity = is_gripper ? "opening" : "angle",
                                      .min = joint->limits.min,
                                      .max = joint->limits.max,
                                      .unit = is_gripper ? "" : "deg",
                                      .source = "table"};
    if (is_gripper)
        return 1;
    rows[1] = (struct aw_joint_limit){.quantity = "speed",
                                      .min = -joint->limits.max_speed,
                                      .max = joint->limits.max_speed,
                                      .unit = "deg/s",
                                      .source = "device"};
    return 2;
}

/* ---- State ---- */

/* Returns the entry of a board's motor; adds motors without a joint at the list's end. */
static struct aw_joint *get_motor_joint(struct aw_session *session, struct aw_joint_list *list,
                                        int i)
{
    char name[sizeof "m" + 3 * sizeof i];
    if (i < AW_HIDMOTOR_JOINTS)
        return &list->joints[i];
    if ((size_t)i + 1 < list->n)
        return &list->joints[i + 1];
    snprintf(name, sizeof name, "m%d", i + 1);
    struct aw_joint *joint = aw_joints_add(session, list, name);
    if (joint)
        describe(joint, (unsigned)i + 1);
    return joint;
}

static enum aw_status update_joints(struct aw_session *session, struct aw_joint_list *list,
                                    const struct aw_hidmotor_status *now)
{
    for (int i = 0; i < now->n && i < AW_HIDMOTOR_MOTORS; i++) {
        struct aw_joint *joint = get_motor_joint(session, list, i);
        if (!joint)
            return session->err.status;
        aw_joint_set_value(joint, AW_JOINT_TARGET, now->setpoint[i], now->time_ns);
        aw_joint_set_value(joint, AW_JOINT_ACTUAL, now->position[i], now->time_ns);
        if (i >= now->n_velocity)
            continue;
        aw_joint_set_value(joint, AW_JOINT_VELOCITY, now->velocity[i], now->time_ns);
        aw_joint_set_value(joint, AW_JOINT_EFFORT, now->effort[i], now->time_ns);
    }
    for (int i = now->n; i < AW_HIDMOTOR_JOINTS; i++)
        list->joints[i].flags.is_blind = true; /* the board lacks this motor */
    return AW_OK;
}

static enum aw_status read_joints(struct aw_session *session, struct aw_joint_list *list)
{
    struct aw_hidmotor_status now;
    enum aw_status status = aw_hidmotor_status(hidmotor_arm(session), &now, &session->err);
    return status == AW_OK ? update_joints(session, list, &now) : status;
}

static enum aw_status report_stale(struct aw_session *session, struct aw_joint_list *list,
                                   size_t index)
{
    if (index != list->n || !hidmotor_arm(session)->latest.maybe_stale)
        return AW_OK;
    if (aw_session_is_text(session))
        aw_session_print_notice(
            session, "a reply may belong to an earlier request — repeat the command to be sure");
    else
        aw_object_add_truth(&session->result, "maybe_stale", true);
    return AW_OK;
}

/* Shortens the timeout in a stream, where end_exchange() ignores single lost replies. */
static void begin_exchange(struct aw_session *session)
{
    struct hidmotor_state *state = hidmotor_state(session);
    state->default_ms = state->arm.options.timeout_ms;
    if (state->streaming && isnan(session->options.link.timeout_s))
        state->arm.options.timeout_ms = REPLY_MS;
}

static enum aw_status end_exchange(struct aw_session *session, enum aw_status status)
{
    struct hidmotor_state *state = hidmotor_state(session);
    bool lost = state->streaming && status == AW_TIMEOUT;
    state->arm.options.timeout_ms = state->default_ms;
    state->n_lost = lost ? state->n_lost + 1 : 0;
    state->total_lost += lost;
    return lost && state->n_lost < LOST_MAX ? AW_OK : status;
}

static enum aw_status watch_joints(struct aw_session *session, struct aw_joint_list *list,
                                   int64_t deadline, double rate_hz, aw_joints_report_fn *on_report,
                                   void *context)
{
    struct hidmotor_state *state = hidmotor_state(session);
    int64_t period = isinf(rate_hz) ? 0 : (int64_t)(1e9 / (rate_hz > 0 ? rate_hz : DEFAULT_HZ));
    enum aw_status status = AW_OK;
    while (status == AW_OK) {
        int64_t now_ns = aw_clock_now(session->clock);
        state->next_poll_ns = state->next_poll_ns > now_ns + period ? now_ns : state->next_poll_ns;
        status = aw_clock_sleep(session->clock, aw_min_time(state->next_poll_ns, deadline));
        if (status != AW_OK || state->next_poll_ns >= deadline || now_ns >= deadline)
            break;
        struct aw_hidmotor_status now;
        state->next_poll_ns = aw_clock_now(session->clock) + period;
        begin_exchange(session);
        status =
            end_exchange(session, aw_hidmotor_read_positions(&state->arm, &now, &session->err));
        if (status == AW_OK && !state->n_lost)
            status = update_joints(session, list, &now);
        if (status == AW_OK && !state->n_lost && on_report && !on_report(context, list))
            break;
    }
    return status;
}

size_t hidmotor_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_record *record, struct aw_joint_goal *goals,
                               double *seconds)
{
    size_t n = 0;
    (void)session;
    if (record->dir != AW_TX || strcmp(record->codec->message->name, "set_setpoints") != 0)
        return 0;
    *seconds = aw_record_get(record, "duration") / 1000;
    for (size_t i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        goals[n++] = (struct aw_joint_goal){i, aw_record_get(record, list->joints[i].name)};
    return n;
}

/* ---- Commands ---- */

/* Reads the arguments duration and mode. */
static enum aw_status parse_shape(struct aw_session *session, const struct aw_args *args,
                                  struct aw_joint_command *command)
{
    struct aw_record record;
    aw_session_init_command(session, "set_setpoints", &record);
    enum aw_status status = aw_args_to_record(session, args, 0, &record);
    double mode = aw_record_get(&record, "mode");
    if (status != AW_OK)
        return status;
    hidmotor_state(session)->linear = aw_arg(args, "mode", 0) && mode == AW_HIDMOTOR_LINEAR;
    if (aw_arg(args, "mode", 0) && mode != AW_HIDMOTOR_LINEAR && mode != AW_HIDMOTOR_SINUSOIDAL)
        return aw_fail(&session->err, AW_LIMIT,
                       "%s: mode %.9g not supported — use linear (0) or sinusoidal (1)",
                       args->command->name, mode);
    return aw_read_duration(session, args, &command->seconds);
}

/* Refuses joints for which the board has no motor, once it has reported their number. */
static enum aw_status check_motors(struct aw_session *session, struct aw_joint_list *list,
                                   const struct aw_joint_command *command)
{
    int n = hidmotor_arm(session)->latest.n;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < command->n && n > 0 && status == AW_OK; i++) {
        uint32_t id = list->joints[command->goals[i].joint].id;
        if (id < GRIPPER)
            status = aw_hidmotor_check_count((int)id, n, &session->err);
    }
    return status;
}

static struct aw_hidmotor_target build_target(struct aw_session *session,
                                              const struct aw_joint_list *list,
                                              const struct aw_joint_command *command)
{
    struct aw_hidmotor_target target = {
        .duration_ms = 1000 * (isnan(command->seconds) ? DEFAULT_S : command->seconds),
        .mode = command->is_stream || hidmotor_state(session)->linear ? AW_HIDMOTOR_LINEAR
                                                                      : AW_HIDMOTOR_SINUSOIDAL};
    for (size_t i = 0; i < command->n; i++) {
        uint32_t id = list->joints[command->goals[i].joint].id;
        if (id >= GRIPPER)
            continue;
        target.given[id] = true;
        target.deg[id] = command->goals[i].value;
    }
    return target;
}

static enum aw_status send_gripper(struct aw_session *session, const struct aw_joint_list *list,
                                   const struct aw_joint_command *command)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < command->n && status == AW_OK; i++) {
        struct aw_record request;
        if (list->joints[command->goals[i].joint].id != GRIPPER)
            continue;
        aw_session_init_command(session, "gripper", &request);
        aw_record_set(&request, "value", command->goals[i].value, NULL);
        status = aw_transmit(session, &request);
    }
    return status;
}

/* In a stream, unnamed joints keep their last setpoint. */
static enum aw_status stream_targets(struct aw_session *session,
                                     const struct aw_hidmotor_target *target)
{
    struct hidmotor_state *state = hidmotor_state(session);
    struct aw_hidmotor_plan *plan = &state->plan;
    enum aw_status status = AW_OK;
    if (!state->has_plan)
        status = aw_hidmotor_plan(&state->arm, target, plan, &session->err);
    memcpy(plan->start, plan->target, sizeof plan->start);
    if (status != AW_OK)
        return status;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        plan->target[i] = target->given[i] ? target->deg[i] : plan->target[i];
    plan->duration_ms = target->duration_ms;
    plan->mode = target->mode;
    state->has_plan = true;
    aw_session_start_motion(session);
    if (!state->streaming)
        state->total_lost = 0;
    state->streaming = true;
    begin_exchange(session);
    return end_exchange(session, aw_hidmotor_follow(&state->arm, plan, &session->err));
}

/* Checks the user's duration; without one, uses the time of the slowest joint. */
static enum aw_status fit_duration(struct aw_session *session, const struct aw_joint_list *list,
                                   const struct aw_joint_command *command,
                                   struct aw_hidmotor_plan *plan)
{
    double peak_ratio = plan->mode == AW_HIDMOTOR_LINEAR ? 1 : M_PI / 2;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < command->n && status == AW_OK; i++) {
        const struct aw_joint *joint = &list->joints[command->goals[i].joint];
        if (joint->id >= GRIPPER)
            continue;
        double distance = plan->target[joint->id] - plan->start[joint->id];
        if (isnan(command->seconds))
            plan->duration_ms =
                fmax(plan->duration_ms, ceil(1000 * aw_min_duration(joint, distance, peak_ratio)));
        else
            status = aw_check_duration(session, joint, distance, peak_ratio, command->seconds);
    }
    return status;
}

/* Unnamed joints continue to their targets of this session. A motion of another process ends,
 * because the board does not report its target. */
static enum aw_status plan_others(struct aw_session *session,
                                  const struct aw_hidmotor_target *target,
                                  const struct aw_joint_command *command)
{
    struct hidmotor_state *state = hidmotor_state(session);
    struct aw_hidmotor_plan *plan = &state->plan;
    unsigned continued;
    double remaining_ms = aw_hidmotor_continue_targets(&state->arm, target, plan, &continued);
    if (remaining_ms > plan->duration_ms) {
        if (!isnan(command->seconds))
            aw_session_print_notice(
                session, "duration=%gs: %s is still moving, so the motion takes %.2g s",
                command->seconds, aw_hidmotor_joint(__builtin_ctz(continued)).name,
                remaining_ms / 1000);
        plan->duration_ms = ceil(remaining_ms);
    }
    state->cancelled[0] = '\0';
    if (target->given[0] && target->given[1] && target->given[2])
        return AW_OK;
    unsigned moving = 0;
    enum aw_status status =
        aw_hidmotor_find_moving(&state->arm, target, continued, &moving, &session->err);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS && status == AW_OK; i++) {
        if (!(moving >> i & 1))
            continue;
        const char *name = aw_hidmotor_joint(i).name;
        aw_append(state->cancelled, sizeof state->cancelled, ",", "%s", name);
        aw_session_print_notice(session,
                                "motion of %s cancelled: stays at %.1f deg — name this joint in "
                                "the command, too",
                                name, plan->target[i]);
    }
    return status;
}

static enum aw_status send_targets(struct aw_session *session, const struct aw_joint_list *list,
                                   const struct aw_joint_command *command)
{
    struct hidmotor_state *state = hidmotor_state(session);
    struct aw_hidmotor_target target = build_target(session, list, command);
    if (!target.given[0] && !target.given[1] && !target.given[2])
        return AW_OK;
    if (session->options.run.dry_run)
        return hidmotor_dry_run(session, &target, command->show_ns);
    if (command->is_stream)
        return stream_targets(session, &target);
    enum aw_status status = aw_hidmotor_plan(&state->arm, &target, &state->plan, &session->err);
    if (status == AW_OK)
        status = fit_duration(session, list, command, &state->plan);
    if (status == AW_OK)
        status = plan_others(session, &target, command);
    state->has_plan = status == AW_OK;
    state->streaming = false;
    return status == AW_OK ? hidmotor_send_plan(session, &state->plan) : status;
}

static enum aw_status send_velocities(struct aw_session *session, const struct aw_joint_list *list,
                                      const struct aw_joint_command *command)
{
    struct aw_record request;
    aw_session_init_command(session, "set_velocity", &request);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        aw_record_set(&request, aw_hidmotor_joint(i).name, 0, NULL);
    for (size_t i = 0; i < command->n; i++)
        aw_record_set(&request, list->joints[command->goals[i].joint].name, command->goals[i].value,
                      NULL);
    if (!session->options.run.dry_run)
        aw_session_start_motion(session);
    hidmotor_state(session)->has_plan = false;
    return aw_transmit(session, &request);
}

static enum aw_status send_command(struct aw_session *session, struct aw_joint_list *list,
                                   const struct aw_joint_command *command)
{
    if (command->kind == AW_JOINT_VELOCITIES)
        return send_velocities(session, list, command);
    enum aw_status status = send_gripper(session, list, command);
    return status == AW_OK ? send_targets(session, list, command) : status;
}

/* Updates the joints and reports them to the watch. Keeps the old values if a motor cannot be added
 * to the list. */
static bool on_reading(void *context, const struct aw_hidmotor_status *now)
{
    const struct aw_joints_watch *w = context;
    struct aw_error saved_err = w->session->err;
    if (update_joints(w->session, w->list, now) != AW_OK)
        w->session->err = saved_err;
    return w->on_report(w->context, w->list);
}

static enum aw_status await_targets(struct aw_session *session, struct aw_joint_list *list,
                                    const struct aw_joint_command *command, double tolerance,
                                    int64_t deadline, aw_joints_report_fn *on_report, void *context)
{
    struct hidmotor_state *state = hidmotor_state(session);
    struct aw_joints_watch watch = {session, list, on_report, context, false};
    (void)command;
    if (!state->has_plan)
        return AW_OK;
    state->streaming = false;
    return aw_hidmotor_wait(&state->arm, &state->plan,
                            isnan(tolerance) ? AW_HIDMOTOR_TOLERANCE : tolerance, deadline,
                            on_reading, &watch, &session->err);
}

/* The board holds its last setpoint itself. A stream refused for its following error still needs
 * the stop, which holds the measured position. */
static enum aw_status end_motion(struct aw_session *session, struct aw_joint_list *list,
                                 enum aw_status status)
{
    (void)list;
    struct hidmotor_state *state = hidmotor_state(session);
    bool refused = state->streaming && status == AW_REFUSED;
    state->has_plan = state->streaming = false;
    session->motion.moving = status == AW_STOPPED || status == AW_LOST || refused;
    return status;
}

/* Returns true after a timeout without recent reports: the board may still have received the
 * motion. A board that answers but is late holds its setpoint. */
static bool is_silent(struct aw_session *session, enum aw_status status)
{
    int64_t age_ns = aw_clock_now(session->clock) - hidmotor_arm(session)->latest.time_ns;
    return status == AW_TIMEOUT && age_ns > 2 * AW_HIDMOTOR_POLL_NS;
}

static void report_played(struct aw_session *session)
{
    aw_object_add_count(&session->result, "lost", hidmotor_state(session)->total_lost);
    size_t before = session->result.n;
    hidmotor_report_joints(session);
    aw_object_mark_details(&session->result, before);
}

/* Reports a motion. Motions without --wait end by themselves. */
static void report(struct aw_session *session, struct aw_joint_list *list,
                   const struct aw_joint_command *command, enum aw_status status, bool awaited)
{
    struct hidmotor_state *state = hidmotor_state(session);
    const struct aw_hidmotor_plan *plan = &state->plan;
    (void)list;
    if (!command)
        report_played(session);
    if (!command || !state->has_plan)
        return; /* a gripper's confirmation has been reported already */
    session->motion.ongoing = AW_ONGOING_NOTHING;
    session->motion.moving = session->motion.moving || is_silent(session, status);
    if (status == AW_OK && !awaited)
        hidmotor_note_plan(session, plan);
    aw_object_start(&session->result, session->run.command->name);
    aw_object_add_text(&session->result, "result", aw_move_result(session, status, awaited));
    if (*state->cancelled)
        aw_object_add_text(&session->result, "cancelled", state->cancelled);
    for (int i = 0; i < plan->n && i < AW_HIDMOTOR_JOINTS && !awaited; i++)
        aw_object_add_number(&session->result, aw_hidmotor_joint(i).name, plan->target[i], 2,
                             "deg");
    if (awaited)
        hidmotor_report_joints(session);
    aw_move_add_ms(session);
}

const struct aw_joints hidmotor_joints = {
    .columns = columns,
    .traits.rate_hz = 50,
    .traits.max_hz = 500,
    .traits.interpolates = true,
    .traits.default_s = DEFAULT_S,
    .traits.jog_key_s = 0.2,
    .traits.records_table = true,
    .traits.holds_target = true,
    .info.list = list_joints,
    .info.list_limits = list_limits,
    .info.read = read_joints,
    .info.print_extra = report_stale,
    .run.parse_args = parse_shape,
    .run.report = report,
    .run.open = hidmotor_open_for_send,
    .run.check = check_motors,
    .run.command = send_command,
    .run.attend = watch_joints,
    .run.await = await_targets,
    .run.end = end_motion,
};
