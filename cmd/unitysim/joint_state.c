/* The joints of unitysim for the common commands: feedback and motions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "protocol/unitysim/fields.h"
#include "protocol/unitysim/shape.h"
#include "shell/joints/verbs.h"
#include "shell/safety/safety.h"
#include "state.h"

#define TOLERANCE_TICKS 10
#define JOG_TICKS       3 /* tolerance of jog, smaller than the usual one */

static const struct aw_joint_column columns[] = {
    {AW_JOINT_EXTRA_1, "ticks", 0}, {AW_JOINT_EXTRA_2, "velocity", 0}, {0}};

static enum aw_status list_joints(struct aw_session *session, struct aw_joint_list *list)
{
    struct aw_unitysim_limits *limits = &unitysim_state(session)->limits.listed;
    enum aw_status status = unitysim_get_limits(session, limits);
    for (int i = 0; i < AW_UNITYSIM_JOINTS && status == AW_OK; i++) {
        struct aw_joint *joint = aw_joints_add(session, list, aw_unitysim_joint_name(i));
        if (!joint)
            return session->err.status;
        joint->id = (uint32_t)i;
        joint->unit[AW_JOINT_ACTUAL] = joint->unit[AW_JOINT_TARGET] = "deg";
        joint->unit[AW_JOINT_VELOCITY] = "deg/s";
        joint->limits.min = aw_unitysim_ticks_to_deg(limits->joint[i].min);
        joint->limits.max = aw_unitysim_ticks_to_deg(limits->joint[i].max);
        joint->limits.max_speed = aw_unitysim_velocity_cap(i) * AW_UNITYSIM_DEG_S;
        joint->tolerance.tolerance = TOLERANCE_TICKS * 360.0 / AW_UNITYSIM_TURN;
        joint->tolerance.min_motion = joint->tolerance.tolerance / 2;
        joint->flags.accepts = AW_JOINT_TAKES_TARGETS | AW_JOINT_TAKES_VELOCITIES;
    }
    return status;
}

/* The simulator receives velocities. It reports only the commanded speed, without its direction. */
static void update_joints(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_unitysim_feedback *feedback = &unitysim_client(session)->feedback;
    for (size_t i = 0; i < list->n; i++) {
        struct aw_joint *joint = &list->joints[i];
        int ticks = feedback->position[joint->id];
        int64_t time_ns = feedback->received_ns;
        aw_joint_set_value(joint, AW_JOINT_ACTUAL, aw_unitysim_ticks_to_deg(ticks), time_ns);
        aw_joint_set_value(joint, AW_JOINT_EXTRA_1, ticks, time_ns);
        aw_joint_set_value(joint, AW_JOINT_EXTRA_2, feedback->velocity[joint->id], time_ns);
    }
}

static enum aw_status read_joints(struct aw_session *session, struct aw_joint_list *list)
{
    enum aw_status status = unitysim_await_feedback(session);
    if (status == AW_OK)
        update_joints(session, list);
    return status;
}

/* Prints the grasp position, mm. */
static enum aw_status report_grasp(struct aw_session *session, struct aw_joint_list *list,
                                   size_t joint)
{
    double degrees[AW_UNITYSIM_JOINTS];
    struct aw_unitysim_shape shape;
    if (joint != list->n)
        return AW_OK;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        degrees[i] = aw_unitysim_ticks_to_deg(unitysim_client(session)->feedback.position[i]);
    aw_unitysim_shape(degrees, &shape);
    const struct aw_unitysim_point grasp = shape.points[AW_UNITYSIM_AT_GRASP];
    if (aw_session_is_text(session)) {
        aw_output_print(&session->out, "grasp x=%.1fmm y=%.1fmm z=%.1fmm\n", grasp.x, grasp.y,
                        grasp.z);
        return AW_OK;
    }
    aw_object_add_number(&session->result, "grasp.x", grasp.x, 1, "mm");
    aw_object_add_number(&session->result, "grasp.y", grasp.y, 1, "mm");
    aw_object_add_number(&session->result, "grasp.z", grasp.z, 1, "mm");
    return AW_OK;
}

/* Recorded commands are velocities, so the start positions must match. */
size_t unitysim_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                               const struct aw_record *record, struct aw_joint_goal *goals,
                               double *seconds)
{
    (void)session;
    *seconds = 0;
    if (record->dir != AW_RX || strcmp(record->codec->message->name, "feedback") != 0)
        return 0;
    for (size_t i = 0; i < list->n; i++) {
        int ticks = (int)aw_unitysim_get(record, (int)i, "position");
        goals[i] = (struct aw_joint_goal){i, aw_unitysim_ticks_to_deg(ticks)};
    }
    return list->n;
}

/* ---- Arguments ---- */

/* Argument names other than joints. */
static const char *const argument_names[] = {"velocity", "tolerance", "timeout", NULL};

/* Parses ticks or an angle from the centre; for jog, a distance as ticks or any angle. */
static enum aw_status parse_target(struct aw_session *session, const struct aw_joint *joint,
                                   bool jogs, const char *text, double *deg)
{
    const struct aw_unitysim_limits *limits = &unitysim_client(session)->options.limits;
    struct aw_error *err = &session->err;
    double ticks;
    bool is_angle = jogs && !strstr(text, "tick") && aw_number_parse(text, &ticks, NULL) != AW_OK;
    enum aw_status status =
        is_angle ? aw_number_parse_unit(text, "deg", deg, err)
        : jogs   ? aw_number_parse_unit(text, "tick", &ticks, err)
                 : aw_unitysim_position_parse((int)joint->id, text, limits, &ticks, err);
    if (status == AW_OK && !is_angle)
        *deg = jogs ? ticks * 360 / AW_UNITYSIM_TURN : aw_unitysim_ticks_to_deg(ticks);
    if (status == AW_OK && fabs(aw_unitysim_deg_to_ticks(*deg)) > UINT16_MAX)
        return aw_fail(err, AW_LIMIT, "%s: %.9g ticks is out of range (%d to %d)", joint->name,
                       aw_unitysim_deg_to_ticks(*deg), -UINT16_MAX, UINT16_MAX);
    return aw_fail_about(err, status, joint->name);
}

static const char *find_argument(const struct aw_args *args, const char *name)
{
    for (size_t i = 0; i < args->n; i++)
        if (args->bound[i].name && strncmp(args->bound[i].name, name, strlen(name)) == 0 &&
            args->bound[i].name[strlen(name)] == '=')
            return args->bound[i].text;
    return NULL;
}

static enum aw_status parse_number(struct aw_session *session, const char *name, const char *text,
                                   const char *unit, double min, double max, double *value)
{
    struct aw_number_rule rule = {.unit = unit, .min = min, .max = max};
    return text ? aw_check_number(name, "", text, &rule, value, &session->err) : AW_OK;
}

/* Parses "45" or "30deg/s", which applies to all named joints. */
static enum aw_status parse_velocity(struct aw_session *session, const char *text)
{
    struct aw_unitysim_drive drive;
    enum aw_status status = aw_unitysim_drive_parse(AW_UNITYSIM_HAND, text, true, &drive, NULL);
    if (status == AW_LIMIT)
        return aw_fail(&session->err, status,
                       "velocity: %.20s is out of range (max %d, or %ddeg/s) — give a lower speed",
                       text, AW_UNITYSIM_VELOCITY_MAX,
                       (int)(AW_UNITYSIM_VELOCITY_MAX * AW_UNITYSIM_DEG_S));
    if (status != AW_OK || drive.state != AW_UNITYSIM_INCREASE || drive.velocity == 0)
        return aw_fail(&session->err, AW_USAGE,
                       "velocity: '%.20s' is not a speed of 1 or more — write 45 (units of 0.684 "
                       "deg/s) or 30deg/s",
                       text);
    unitysim_state(session)->motion.velocity = drive.velocity;
    return AW_OK;
}

static enum aw_status parse_arguments(struct aw_session *session, const struct aw_args *args,
                                      struct aw_joint_command *command)
{
    struct unitysim_state *state = unitysim_state(session);
    const char *velocity = find_argument(args, "velocity");
    double seconds = (double)unitysim_timeout_ns(session, 10) / 1e9;
    bool jogs = strcmp(args->command->name, "jog") == 0;
    (void)command;
    state->motion.velocity = 0;
    state->motion.tolerance = jogs ? JOG_TICKS : 0;
    enum aw_status status = parse_number(session, "tolerance", find_argument(args, "tolerance"),
                                         "tick", 1, 1000, &state->motion.tolerance);
    if (status == AW_OK)
        status = parse_number(session, "timeout", find_argument(args, "timeout"), "s", 0.001, 1e6,
                              &seconds);
    state->motion.timeout_ns = (int64_t)(seconds * 1e9);
    if (status == AW_OK && velocity)
        status = parse_velocity(session, velocity);
    return status == AW_OK ? unitysim_open_for_send(session) : status;
}

/* ---- Single targets, in ticks ---- */

static struct aw_unitysim_move build_move(struct aw_session *session,
                                          const struct aw_joint_list *list,
                                          const struct aw_joint_command *command)
{
    const struct unitysim_state *state = unitysim_state(session);
    struct aw_unitysim_move move = {.timeout_ns = state->motion.timeout_ns};
    for (size_t i = 0; i < command->n; i++) {
        const struct aw_joint_goal *goal = &command->goals[i];
        struct aw_unitysim_goal *target = &move.goals[list->joints[goal->joint].id];
        *target = (struct aw_unitysim_goal){.wanted = true,
                                            .position =
                                                (int)lround(aw_unitysim_deg_to_ticks(goal->value)),
                                            .velocity = state->motion.velocity,
                                            .tolerance = (int)lround(state->motion.tolerance)};
    }
    return move;
}

static enum aw_status check_targets(struct aw_session *session, struct aw_joint_list *list,
                                    const struct aw_joint_command *command)
{
    if (command->kind == AW_JOINT_VELOCITIES || command->n == 0)
        return AW_OK;
    struct aw_unitysim_move move = build_move(session, list, command);
    return aw_unitysim_move_check(unitysim_client(session), &move, &session->err);
}

/* The direction of a joint is known only from feedback, so --dry-run shows no bytes. */
static enum aw_status begin_move(struct aw_session *session, const struct aw_joint_list *list,
                                 const struct aw_joint_command *command)
{
    unitysim_state(session)->counters_before = unitysim_client(session)->counters;
    if (!session->options.run.dry_run)
        return AW_OK;
    aw_object_start(&session->result, session->run.command->name);
    aw_object_add_truth(&session->result, "dry_run", true);
    struct aw_unitysim_move move = build_move(session, list, command);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        if (move.goals[i].wanted)
            unitysim_report_ticks(session, i, move.goals[i].position);
    return AW_OK;
}

static bool on_feedback(void *context, const struct aw_received *received)
{
    struct aw_joints_watch *watch = context;
    unitysim_notice(watch->session, received);
    update_joints(watch->session, watch->list);
    watch->ended = watch->on_report && !watch->on_report(watch->context, watch->list);
    return !watch->ended;
}

static enum aw_status await_targets(struct aw_session *session, struct aw_joint_list *list,
                                    const struct aw_joint_command *command, double tolerance,
                                    int64_t deadline, aw_joints_report_fn *on_report, void *context)
{
    struct aw_joints_watch watch = {session, list, on_report, context, false};
    struct aw_unitysim_move move = build_move(session, list, command);
    (void)tolerance, (void)deadline;
    return aw_unitysim_move(unitysim_client(session), &move, on_feedback, &watch, &session->err);
}

static void report(struct aw_session *session, struct aw_joint_list *list,
                   const struct aw_joint_command *command, enum aw_status status, bool awaited)
{
    if (!command)
        return;
    aw_object_start(&session->result, session->run.command->name);
    aw_object_add_text(&session->result, "result", aw_move_result(session, status, awaited));
    unitysim_notice_losses(session, &unitysim_state(session)->counters_before);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        for (size_t k = 0; k < command->n; k++)
            if (list->joints[command->goals[k].joint].id == (uint32_t)i)
                unitysim_report_joint(session, i);
    aw_move_add_ms(session);
}

/* ---- Velocities ---- */

/* Stops unnamed joints, which may have a latched command of an earlier client. */
static enum aw_status send_command(struct aw_session *session, struct aw_joint_list *list,
                                   const struct aw_joint_command *command)
{
    struct aw_unitysim_drive drives[AW_UNITYSIM_JOINTS] = {{0}};
    struct aw_unitysim *unity = unitysim_client(session);
    if (command->kind == AW_JOINT_TARGETS)
        return begin_move(session, list, command);
    for (size_t i = 0; i < command->n; i++) {
        double value = command->goals[i].value;
        drives[list->joints[command->goals[i].joint].id] =
            (struct aw_unitysim_drive){.velocity = (int)lround(fabs(value) / AW_UNITYSIM_DEG_S),
                                       .state = value > 0   ? AW_UNITYSIM_INCREASE
                                                : value < 0 ? AW_UNITYSIM_DECREASE
                                                            : AW_UNITYSIM_STOP};
    }
    bool is_dry_run = session->options.run.dry_run;
    if (!is_dry_run)
        aw_session_start_motion(session);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        aw_unitysim_drive(unity, i, drives[i]);
    return is_dry_run ? unitysim_show_drives(session) : AW_OK;
}

/* Watches the joints until the deadline. Meanwhile, the client repeats the latched command. */
static enum aw_status watch_joints(struct aw_session *session, struct aw_joint_list *list,
                                   int64_t deadline, double rate_hz, aw_joints_report_fn *on_report,
                                   void *context)
{
    struct aw_joints_watch watch = {session, list, on_report, context, false};
    (void)rate_hz;
    enum aw_status status =
        aw_unitysim_idle(unitysim_client(session), deadline, on_feedback, &watch, &session->err);
    if (status == AW_OK && !watch.ended && session->motion.moving && unitysim_notice_stale(session))
        return aw_fail(&session->err, AW_TIMEOUT,
                       "no feedback: joint positions unknown — check the simulator");
    return status;
}

static enum aw_status end_motion(struct aw_session *session, struct aw_joint_list *list,
                                 enum aw_status status)
{
    (void)list;
    return session->motion.moving ? unitysim_end_motion(session, status) : status;
}

const struct aw_joints unitysim_joints = {
    .columns = columns,
    .extra_names = argument_names,
    .traits.rate_hz = 1e9 / AW_UNITYSIM_CADENCE_NS,
    .traits.max_hz = 1e9 / AW_UNITYSIM_CADENCE_NS,
    .traits.records_table = true,
    .info.position_field = {"deg", 360.0 / AW_UNITYSIM_TURN, -180},
    .info.list = list_joints,
    .info.list_limits = unitysim_joint_limits,
    .info.read = read_joints,
    .info.print_extra = report_grasp,
    .parse = parse_target,
    .run.parse_args = parse_arguments,
    .run.check = check_targets,
    .run.await = await_targets,
    .run.report = report,
    .run.open = unitysim_open_for_send,
    .run.command = send_command,
    .run.attend = watch_joints,
    .run.end = end_motion,
};
