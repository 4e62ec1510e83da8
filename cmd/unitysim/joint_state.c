/* The joints of unitysim for the common commands: feedback and motions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "protocol/unitysim/shape.h"
#include "shell/joints/verbs.h"
#include "shell/safety/safety.h"
#include "state.h"

#define NEAR_TICKS 10
#define JOG_TICKS  3 /* tolerance of jog, smaller than the usual one */

static const struct aw_joint_column columns[] = {
    {AW_JOINT_EXTRA, "ticks", 0}, {AW_JOINT_MORE, "velocity", 0}, {0}};

static enum aw_status list_joints(struct aw_session *session, struct aw_joint_list *list)
{
    struct aw_unitysim_limits *limits = &unitysim_state(session)->limits.shown;
    enum aw_status status = unitysim_limits(session, limits);
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
        joint->near = NEAR_TICKS * 360.0 / AW_UNITYSIM_TURN;
        joint->least = joint->near / 2;
        joint->takes = AW_JOINT_TAKES_TARGETS | AW_JOINT_TAKES_VELOCITIES;
    }
    return status;
}

static double of_wire(double ticks, const char **unit)
{
    *unit = "deg";
    return aw_unitysim_degrees(ticks);
}

/* The simulator receives velocities. It reports only the commanded speed, without its direction. */
static void take(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_unitysim_feedback *feedback = &unitysim_of(session)->feedback;
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
    enum aw_status status = unitysim_feedback(session);
    if (status == AW_OK)
        take(session, list);
    return status;
}

/* Prints the grasp position, mm. */
static enum aw_status beside(struct aw_session *session, struct aw_joint_list *list, size_t joint)
{
    double degrees[AW_UNITYSIM_JOINTS];
    struct aw_unitysim_shape shape;
    if (joint != list->n)
        return AW_OK;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        degrees[i] = aw_unitysim_degrees(unitysim_of(session)->feedback.position[i]);
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
        char field[48];
        snprintf(field, sizeof field, "%s.position", aw_unitysim_joint_name((int)i));
        goals[i] =
            (struct aw_joint_goal){i, aw_unitysim_degrees((int)aw_record_get(record, field))};
    }
    return list->n;
}

/* ---- Arguments ---- */

/* Argument names other than joints. */
static const char *const words[] = {"velocity", "tolerance", "timeout", NULL};

/* Parses ticks or an angle from the centre; for jog, a distance as ticks or any angle. */
static enum aw_status parse(struct aw_session *session, const struct aw_joint *joint, bool jogs,
                            const char *text, double *deg)
{
    struct aw_error why;
    double ticks;
    bool angle = jogs && !strstr(text, "tick") && aw_number_parse(text, &ticks, NULL) != AW_OK;
    enum aw_status status =
        angle  ? aw_number_parse_unit(text, "deg", deg, &why)
        : jogs ? aw_number_parse_unit(text, "tick", &ticks, &why)
               : aw_unitysim_position_parse((int)joint->id, text,
                                            &unitysim_of(session)->options.limits, &ticks, &why);
    if (status == AW_OK && !angle)
        *deg = jogs ? ticks * 360 / AW_UNITYSIM_TURN : aw_unitysim_degrees(ticks);
    if (status == AW_OK && fabs(aw_unitysim_ticks(*deg)) > UINT16_MAX)
        return aw_fail(&session->err, AW_LIMIT, "%s: %.9g ticks is out of range of the wire format",
                       joint->name, aw_unitysim_ticks(*deg));
    return status == AW_OK ? AW_OK : aw_fail(&session->err, status, "%s", why.text);
}

static const char *word(const struct aw_args *args, const char *name)
{
    for (size_t i = 0; i < args->n; i++)
        if (args->bound[i].name && strncmp(args->bound[i].name, name, strlen(name)) == 0 &&
            args->bound[i].name[strlen(name)] == '=')
            return args->bound[i].text;
    return NULL;
}

static enum aw_status number(struct aw_session *session, const char *name, const char *text,
                             const char *unit, double min, double max, double *value)
{
    struct aw_number_rule rule = {.unit = unit, .min = min, .max = max};
    return text ? aw_number_check(name, "", text, &rule, value, &session->err) : AW_OK;
}

/* Parses "45" or "30deg/s", which applies to all named joints. */
static enum aw_status parse_velocity(struct aw_session *session, const char *text)
{
    struct aw_unitysim_drive drive;
    enum aw_status status =
        aw_unitysim_drive_parse(AW_UNITYSIM_HAND, text, true, &drive, &session->err);
    if (status == AW_OK && (drive.state != AW_UNITYSIM_INCREASE || drive.velocity == 0))
        return aw_fail(&session->err, AW_USAGE,
                       "velocity: '%.20s' is not an unsigned speed — write 45 or 30deg/s", text);
    unitysim_state(session)->single.velocity = drive.velocity;
    return status;
}

static enum aw_status parse_words(struct aw_session *session, const struct aw_args *args,
                                  struct aw_joint_command *command)
{
    struct unitysim_state *state = unitysim_state(session);
    const char *velocity = word(args, "velocity");
    double seconds = (double)unitysim_patience_ns(session, 10) / 1e9;
    bool jogs = strcmp(args->command->name, "jog") == 0;
    (void)command;
    state->single.velocity = 0;
    state->single.tolerance = jogs ? JOG_TICKS : 0;
    enum aw_status status = number(session, "tolerance", word(args, "tolerance"), "tick", 1, 1000,
                                   &state->single.tolerance);
    if (status == AW_OK)
        status = number(session, "timeout", word(args, "timeout"), "s", 0.001, 1e6, &seconds);
    state->single.timeout_ns = (int64_t)(seconds * 1e9);
    if (status == AW_OK && velocity)
        status = parse_velocity(session, velocity);
    return status == AW_OK ? unitysim_ready_to_make(session) : status;
}

/* ---- Single targets, by ticks ---- */

static struct aw_unitysim_move move_of(struct aw_session *session, const struct aw_joint_list *list,
                                       const struct aw_joint_command *command)
{
    const struct unitysim_state *state = unitysim_state(session);
    struct aw_unitysim_move move = {.timeout_ns = state->single.timeout_ns};
    for (size_t i = 0; i < command->n; i++) {
        const struct aw_joint_goal *goal = &command->goals[i];
        struct aw_unitysim_goal *to = &move.goals[list->joints[goal->joint].id];
        *to = (struct aw_unitysim_goal){.wanted = true,
                                        .position = (int)lround(aw_unitysim_ticks(goal->value)),
                                        .velocity = state->single.velocity,
                                        .tolerance = (int)lround(state->single.tolerance)};
    }
    return move;
}

static enum aw_status check(struct aw_session *session, struct aw_joint_list *list,
                            const struct aw_joint_command *command)
{
    if (command->what == AW_JOINT_VELOCITIES || command->n == 0)
        return AW_OK;
    struct aw_unitysim_move move = move_of(session, list, command);
    return aw_unitysim_move_check(unitysim_of(session), &move, &session->err);
}

/* The direction of a joint is known only from feedback, so --dry-run shows no bytes. */
static enum aw_status begin_move(struct aw_session *session, const struct aw_joint_list *list,
                                 const struct aw_joint_command *command)
{
    unitysim_state(session)->before = unitysim_of(session)->counters;
    if (!session->options.run.dry_run)
        return AW_OK;
    aw_object_start(&session->result, session->run.command->name);
    aw_object_truth(&session->result, "dry_run", true);
    struct aw_unitysim_move move = move_of(session, list, command);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        if (move.goals[i].wanted)
            unitysim_report_ticks(session, i, move.goals[i].position);
    return AW_OK;
}

static bool look_at(void *context, const struct aw_received *received)
{
    struct aw_joints_watch *watch = context;
    unitysim_notice(watch->session, received);
    take(watch->session, watch->list);
    watch->enough = watch->look && !watch->look(watch->context, watch->list);
    return !watch->enough;
}

static enum aw_status await(struct aw_session *session, struct aw_joint_list *list,
                            const struct aw_joint_command *command, double tolerance,
                            int64_t deadline, aw_joints_look_fn *look, void *context)
{
    struct aw_joints_watch watch = {session, list, look, context, false};
    struct aw_unitysim_move move = move_of(session, list, command);
    (void)tolerance, (void)deadline;
    return aw_unitysim_move(unitysim_of(session), &move, look_at, &watch, &session->err);
}

static void report(struct aw_session *session, struct aw_joint_list *list,
                   const struct aw_joint_command *command, enum aw_status status, bool awaited)
{
    aw_object_start(&session->result, session->run.command->name);
    aw_object_text(&session->result, "result", aw_move_word(session, status, awaited));
    unitysim_notice_losses(session, &unitysim_state(session)->before);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        for (size_t k = 0; k < command->n; k++)
            if (list->joints[command->goals[k].joint].id == (uint32_t)i)
                unitysim_report_joint(session, i);
    aw_move_ms(session);
}

/* ---- Velocities ---- */

/* Stops unnamed joints, which may have a latched command of an earlier client. */
static enum aw_status send(struct aw_session *session, struct aw_joint_list *list,
                           const struct aw_joint_command *command)
{
    struct aw_unitysim_drive drives[AW_UNITYSIM_JOINTS] = {{0}};
    struct aw_unitysim *unity = unitysim_of(session);
    if (command->what == AW_JOINT_TARGETS)
        return begin_move(session, list, command);
    for (size_t i = 0; i < command->n; i++) {
        double value = command->goals[i].value;
        drives[list->joints[command->goals[i].joint].id] =
            (struct aw_unitysim_drive){.velocity = (int)lround(fabs(value) / AW_UNITYSIM_DEG_S),
                                       .state = value > 0   ? AW_UNITYSIM_INCREASE
                                                : value < 0 ? AW_UNITYSIM_DECREASE
                                                            : AW_UNITYSIM_STOP};
    }
    bool dry = session->options.run.dry_run;
    if (!dry)
        aw_session_moves(session);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        aw_unitysim_drive(unity, i, drives[i]);
    if (!dry)
        return AW_OK;
    struct aw_record record;
    aw_unitysim_control_record(unity, &record);
    return unitysim_dry_run(session, &record);
}

/* Watches the joints until the deadline. Meanwhile, the client repeats the latched command. */
static enum aw_status attend(struct aw_session *session, struct aw_joint_list *list,
                             int64_t deadline, double hz, aw_joints_look_fn *look, void *context)
{
    struct aw_joints_watch watch = {session, list, look, context, false};
    (void)hz;
    enum aw_status status =
        aw_unitysim_idle(unitysim_of(session), deadline, look_at, &watch, &session->err);
    if (status == AW_OK && !watch.enough && session->motion.moving &&
        unitysim_notice_stale(session))
        return aw_fail(&session->err, AW_TIMEOUT,
                       "no feedback: joint positions unknown — load a scene first");
    return status;
}

static enum aw_status end(struct aw_session *session, struct aw_joint_list *list,
                          enum aw_status status)
{
    (void)list;
    return session->motion.moving ? unitysim_end_motion(session, status) : status;
}

const struct aw_joints unitysim_joints = {
    .columns = columns,
    .hz = 1e9 / AW_UNITYSIM_CADENCE_NS,
    .most = 1e9 / AW_UNITYSIM_CADENCE_NS,
    .of_wire = of_wire,
    .tabled = true,
    .words = words,
    .parse = parse,
    .take = parse_words,
    .check = check,
    .await = await,
    .report = report,
    .open = unitysim_ready_to_make,
    .list = list_joints,
    .limits = unitysim_joint_limits,
    .read = read_joints,
    .beside = beside,
    .command = send,
    .attend = attend,
    .end = end,
};
