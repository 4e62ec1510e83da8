/* The joints of ezphys, one for each axis, in the order of the simulation. */
#include "shell/joints/joints.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/number.h"
#include "ezphys.h"
#include "shell/joints/play.h"
#include "shell/joints/verbs.h"
#include "shell/safety/safety.h"
#include "state.h"

#define WINDOW_S  0.5 /* observation time for the rates */
#define TOLERANCE 0.01

static const struct aw_joint_column columns[] = {
    {AW_JOINT_VELOCITY, "velocity", -1}, {AW_JOINT_EXTRA_1, "rate", 1}, {0}};
static const struct aw_joint_column without_rate[] = {{AW_JOINT_VELOCITY, "velocity", -1}, {0}};

/* ---- The list ---- */

/* Returns the simulation's joint to which an axis belongs. */
static const struct aw_ezphys_joint *get_joint(struct aw_session *session,
                                               const struct aw_joint *axis)
{
    return &ezphys_client(session)->state.joints[axis->id / AW_EZPHYS_AXES];
}

static enum aw_status add_axes(struct aw_session *session, struct aw_joint_list *list,
                               uint32_t index)
{
    const struct aw_ezphys_joint *joint = &ezphys_client(session)->state.joints[index];
    struct ezphys_units units = ezphys_units(session, joint->object.name);
    char name[AW_EZPHYS_NAME_SIZE + 16];
    for (int i = 0; i < joint->n_axes; i++) {
        struct aw_ezphys_packet_subject subject = {&joint->object, i + 1, joint->n_axes};
        struct aw_joint *axis =
            aw_joints_add(session, list, ezphys_write_axis_name(&subject, name, sizeof name));
        if (!axis)
            return session->err.status;
        if (i == 0 && joint->n_axes > 1)
            snprintf(axis->alias, sizeof axis->alias, "%s", joint->object.name);
        axis->id = index * AW_EZPHYS_AXES + (uint32_t)i;
        axis->unit[AW_JOINT_ACTUAL] = axis->unit[AW_JOINT_TARGET] = units.displacement;
        axis->unit[AW_JOINT_VELOCITY] = units.velocity;
        axis->unit[AW_JOINT_EXTRA_1] = "Hz";
        axis->flags.accepts = AW_JOINT_TAKES_TARGETS | AW_JOINT_TAKES_VELOCITIES;
        axis->tolerance.tolerance = TOLERANCE;
        axis->tolerance.min_motion = TOLERANCE / 2;
        axis->flags.can_wrap = strcmp(units.displacement, "rad") == 0;
        axis->tolerance.max_deviation = EZPHYS_MAX_LAG;
        axis->decimals = aw_session_is_text(session) ? 4 : -1; /* programs need full precision */
    }
    return AW_OK;
}

static enum aw_status list_joints(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    enum aw_status status = AW_OK;
    ezphys_state(session)->motion.epoch = state->epoch;
    for (uint32_t i = 0; i < state->n_joints && status == AW_OK; i++)
        status = add_axes(session, list, i);
    return status;
}

/* The protocol limits only max_torque, which is not negative, and the simulation reports no limits.
 * Position limits come from the scene. */
static size_t list_limits(struct aw_session *session, const struct aw_joint *joint,
                          struct aw_joint_limit rows[AW_JOINT_LIMITS])
{
    const char *joint_name = get_joint(session, joint)->object.name;
    struct ezphys_units units = ezphys_units(session, joint_name);
    static const struct aw_joint_limit kinds[] = {
        {.quantity = "velocity", .min = NAN, .max = NAN, .source = "none", .is_firm = true},
        {.quantity = "max_torque", .min = 0, .max = NAN, .source = "table", .is_firm = true},
        {.quantity = "torque", .min = NAN, .max = NAN, .source = "none", .is_firm = true},
    };
    const size_t n = sizeof kinds / sizeof *kinds;
    memcpy(rows, kinds, sizeof kinds);
    rows[0].unit = units.velocity;
    rows[1].unit = rows[2].unit = units.torque;
    const struct aw_ezphys_name *name =
        aw_ezphys_names_find(&ezphys_state(session)->name_sets.names, AW_EZPHYS_JOINT, joint_name);
    double low = name ? name->low[joint->id % AW_EZPHYS_AXES] : 0,
           high = name ? name->high[joint->id % AW_EZPHYS_AXES] : 0;
    if (!(low < high) || (isinf(low) && isinf(high)))
        return n;
    rows[n] = (struct aw_joint_limit){.quantity = "displacement",
                                      .min = low,
                                      .max = high,
                                      .unit = units.displacement,
                                      .source = "scene",
                                      .is_firm = true};
    return n + 1;
}

/* ---- State ---- */

static enum aw_status observe(struct aw_session *session, int64_t deadline)
{
    int64_t start = aw_clock_now(session->clock);
    enum aw_status status = AW_OK;
    while (status == AW_OK && aw_clock_now(session->clock) < deadline) {
        status = aw_ezphys_answer(ezphys_client(session), &session->err);
        if (status == AW_OK)
            status = ezphys_receive(session, deadline, EZ_ONCE);
    }
    if (status == AW_TIMEOUT)
        status = AW_OK;
    if (status == AW_OK)
        status = aw_ezphys_answer(ezphys_client(session), &session->err);
    ezphys_state(session)->motion.window_s = (double)(aw_clock_now(session->clock) - start) / 1e9;
    return status;
}

/* Returns messages per second; NaN for a simulation in lock-step. */
static double get_rate(struct aw_session *session, const struct aw_ezphys_joint *joint)
{
    double window_s = ezphys_state(session)->motion.window_s;
    double per_message = joint->n_axes ? joint->n_axes : 1;
    double packets = (double)(joint->object.count - joint->n_feedback);
    return window_s > 0 ? packets / per_message / window_s : (double)NAN;
}

/* A value missing in the last message is from an earlier one; its time is unknown. */
static void update_joints(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_ezphys *ez = ezphys_client(session);
    for (size_t i = 0; i < list->n; i++) {
        struct aw_joint *joint = &list->joints[i];
        const struct aw_ezphys_joint *source = get_joint(session, joint);
        const struct aw_ezphys_axis *axis = &source->axes[joint->id % AW_EZPHYS_AXES];
        int64_t time_ns = source->object.message == ez->state.counts.messages
                              ? ez->lockstep.received_ns
                              : AW_NO_TIME;
        aw_joint_set_value(joint, AW_JOINT_ACTUAL, axis->displacement, time_ns);
        aw_joint_set_value(joint, AW_JOINT_VELOCITY, axis->velocity, time_ns);
        aw_joint_set_value(joint, AW_JOINT_EXTRA_1, get_rate(session, source), time_ns);
    }
}

static enum aw_status read_joints(struct aw_session *session, struct aw_joint_list *list)
{
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    size_t n_joints = state->n_joints;
    /* for a motion, --for is its duration */
    const struct aw_command *command = session->run.command;
    double seconds = command && command->run == aw_run_status ? session->options.run.for_s : 0;
    int64_t deadline =
        aw_time_after(aw_clock_now(session->clock), seconds > 0 ? seconds : WINDOW_S);
    enum aw_status status = AW_OK;
    ezphys_state(session)->motion.window_s = 0;
    if (ezphys_is_free_running(session, deadline))
        status = observe(session, deadline);
    if (status == AW_OK && list->is_frozen)
        status = ezphys_check_epoch(session, ezphys_state(session)->motion.epoch);
    else if (status == AW_OK && state->n_joints != n_joints) {
        list->n = 0; /* new joints appeared meanwhile */
        status = list_joints(session, list);
    }
    if (status != AW_OK)
        return status;
    bool waiting = aw_session_is_text(session) && ezphys_state(session)->motion.window_s <= 0;
    list->columns = waiting ? without_rate : columns;
    update_joints(session, list);
    return AW_OK;
}

static int64_t get_now_ns(struct aw_session *session)
{
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    return state->is_timed ? (int64_t)(aw_ezphys_state_time(state) * 1e9)
                           : aw_clock_now(session->clock);
}

/* ---- status: output besides the joints ---- */

static void show_scene(struct aw_session *session)
{
    const struct aw_ezphys_state *s = &ezphys_client(session)->state;
    struct aw_output *out = &session->out;
    const char *waiting =
        ezphys_state(session)->motion.window_s > 0 ? "" : ", waiting for an answer";
    if (!aw_session_is_text(session)) {
        aw_object_add_number(&session->result, "step", s->is_timed ? (double)s->step : NAN, 0,
                             NULL);
        aw_object_add_number(&session->result, "time", s->is_timed ? aw_ezphys_state_time(s) : NAN,
                             6, "s");
        aw_object_add_count(&session->result, "contacts", s->n_contacts);
    } else if (s->is_timed) {
        aw_output_print(out, "scene step=%lld of %.7gs, time=%.6fs, contacts=%zu%s\n",
                        (long long)s->step, s->step_size, aw_ezphys_state_time(s), s->n_contacts,
                        waiting);
    } else {
        aw_output_print(out, "scene without timestamps, contacts=%zu%s\n", s->n_contacts, waiting);
    }
}

/* Adds the number of a joint on the wire before its axes. */
static void add_number(struct aw_session *session, const struct aw_joint *axis)
{
    struct aw_joint joint = aw_joint_make(get_joint(session, axis)->object.name);
    uint32_t id = get_joint(session, axis)->object.id;
    char key[sizeof session->result.entries->key];
    snprintf(key, sizeof key, "%s.id", joint.name);
    if (id && axis->id % AW_EZPHYS_AXES == 0)
        aw_object_add_count(&session->result, key, id);
}

static enum aw_status show_extra(struct aw_session *session, struct aw_joint_list *list,
                                 size_t index)
{
    if (index == AW_JOINT_ABOVE)
        show_scene(session);
    else if (index < list->n && !aw_session_is_text(session))
        add_number(session, &list->joints[index]);
    return AW_OK;
}

/* ---- Commands ---- */

/* Finds the first axis of a joint by its number on the wire. */
static bool find_by_id(struct aw_session *session, const char *text, struct aw_joint *axis)
{
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    char number[24];
    for (size_t i = 0; text && i < state->n_joints; i++) {
        const struct aw_ezphys_joint *joint = &state->joints[i];
        snprintf(number, sizeof number, "%lld", (long long)joint->object.id);
        axis->id = (uint32_t)i * AW_EZPHYS_AXES;
        if (joint->n_axes && joint->object.id && strcmp(number, text) == 0)
            return true;
    }
    return false;
}

/* Sets goals[0] to the recorded position of an axis, because recorded commands are velocities and
 * forces. Returns 1, or 0 for other records. The order of the packets numbers the axes. */
size_t ezphys_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                             const struct aw_record *record, struct aw_joint_goal *goals,
                             double *seconds)
{
    struct aw_record counted = *record;
    *seconds = 0;
    if (record->dir != AW_RX)
        return 0;
    ezphys_order(session, &counted, true);
    int axis = ezphys_state(session)->order.axis;
    double id = aw_record_get(record, "id");
    for (size_t i = 0; i < list->n && axis; i++) {
        const struct aw_ezphys_object *object = &get_joint(session, &list->joints[i])->object;
        bool matches = isnan(id) ? strcmp(object->name, record->text) == 0 : object->id == id;
        if (!matches || (int)(list->joints[i].id % AW_EZPHYS_AXES) != axis - 1)
            continue;
        goals[0] = (struct aw_joint_goal){i, aw_record_get(record, "displacement")};
        return 1;
    }
    return 0;
}

/* Parses rad, or m for a slider, and rejects the other unit. */
static enum aw_status parse_value(struct aw_session *session, const struct aw_joint *joint,
                                  bool jogs, const char *text, double *value)
{
    bool has_unit = isalpha((unsigned char)text[strlen(text) - 1]);
    enum aw_ezphys_motion given_motion = has_unit ? AW_EZPHYS_TURNS : AW_EZPHYS_MOTION_UNKNOWN;
    enum aw_status status = aw_number_parse_unit(text, "rad", value, &session->err);
    (void)jogs;
    if (status == AW_USAGE && aw_number_parse_unit(text, "m", value, NULL) == AW_OK) {
        given_motion = AW_EZPHYS_SLIDES;
        status = AW_OK;
    }
    return status == AW_OK
               ? ezphys_check_unit(session, get_joint(session, joint)->object.name, given_motion)
               : aw_fail_about(&session->err, status, joint->name);
}

static enum aw_status check_send(struct aw_session *session, struct aw_joint_list *list,
                                 const struct aw_joint_command *command)
{
    (void)list, (void)command;
    return ezphys_check_send(session);
}

/* Returns the speed limit of a motor in this command, also for catching up. --speed limits only
 * single motions. */
static double get_max_speed(const struct aw_session *session)
{
    const struct aw_command *command = session->run.command;
    bool is_single = command->run == aw_run_move || command->run == aw_run_jog;
    double max_speed = is_single                     ? session->options.move.speed
                       : command->run == aw_run_play ? session->options.move.max_speed_value
                                                     : 0;
    return max_speed > 0 ? max_speed : (double)INFINITY;
}

/* A motor command has all axes of its joint; unnamed ones get velocity 0. */
static enum aw_status send_motor(struct aw_session *session, const struct aw_joint_list *list,
                                 const struct aw_joint_command *command, uint32_t index)
{
    const struct aw_ezphys_object *object = &ezphys_client(session)->state.joints[index].object;
    struct aw_ezphys_target target = {.id = object->id};
    struct aw_ezphys_motor motor = {.max_torque = {0}};
    double max_speed = get_max_speed(session);
    snprintf(target.name, sizeof target.name, "%s", object->name);
    for (int i = 0; i < AW_EZPHYS_AXES; i++)
        motor.max_torque[i] =
            aw_number_or(ezphys_given(session)->max_torque, AW_EZPHYS_STOP_TORQUE);
    for (size_t i = 0; i < command->n; i++) {
        uint32_t id = list->joints[command->goals[i].joint].id;
        if (id / AW_EZPHYS_AXES == index)
            motor.velocity[id % AW_EZPHYS_AXES] =
                aw_clamp(command->goals[i].value, -max_speed, max_speed);
    }
    return aw_ezphys_motor(ezphys_client(session), &target, &motor, &session->err);
}

static enum aw_status send_command(struct aw_session *session, struct aw_joint_list *list,
                                   const struct aw_joint_command *command)
{
    enum aw_status status = ezphys_check_send(session);
    if (session->options.run.dry_run)
        return aw_dry_run_depends(session, "the joints of the device");
    if (status == AW_OK)
        aw_session_start_motion(session);
    uint32_t last_index = UINT32_MAX;
    for (size_t i = 0; i < command->n && status == AW_OK; i++) {
        uint32_t index = list->joints[command->goals[i].joint].id / AW_EZPHYS_AXES;
        if (index != last_index)
            status = send_motor(session, list, command, index);
        last_index = index;
    }
    return status;
}

/* Paces a lock-step simulation by the clock, unless it should run at full speed (hz). A restart
 * ends the path. */
static enum aw_status watch_joints(struct aw_session *session, struct aw_joint_list *list,
                                   int64_t deadline, double rate_hz, aw_joints_report_fn *on_report,
                                   void *context)
{
    struct ezphys_motion *motion = &ezphys_state(session)->motion;
    const struct aw_ezphys_state *state = &ezphys_client(session)->state;
    int64_t now_ns = aw_clock_now(session->clock);
    enum aw_status status = AW_OK;
    if (llabs(motion->paced_ns - now_ns) >
        AW_SECOND / 10) /* it was delayed, or ran at full speed */
        motion->paced_ns = now_ns;
    for (; status == AW_OK && now_ns < deadline; now_ns = aw_clock_now(session->clock)) {
        if (motion->paced_ns > now_ns && !isinf(rate_hz)) {
            status = aw_clock_sleep(session->clock, aw_min_time(motion->paced_ns, deadline));
            continue;
        }
        double before = aw_ezphys_state_time(state);
        status = ezphys_exchange(session);
        if (status == AW_OK && session->motion.moving)
            status = ezphys_check_epoch(session, motion->epoch);
        if (status != AW_OK)
            return status;
        if (state->is_timed)
            motion->paced_ns += (int64_t)(1e9 * (aw_ezphys_state_time(state) - before));
        update_joints(session, list);
        if (on_report && !on_report(context, list))
            return AW_OK;
    }
    return status;
}

/* Holds the commanded joints at their position, or switches their motors off (--coast). The others
 * stay free. */
static enum aw_status hold_joints(struct aw_session *session)
{
    struct aw_ezphys *ez = ezphys_client(session);
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < ez->n_commands && status == AW_OK; i++) {
        struct aw_ezphys_motor motor = ez->commands[i].values;
        memset(motor.velocity, 0, sizeof motor.velocity);
        if (ezphys_given(session)->coast)
            memset(motor.max_torque, 0, sizeof motor.max_torque);
        status = aw_ezphys_motor(ez, &ez->commands[i].target, &motor, &session->err);
    }
    if (status == AW_OK)
        status = ezphys_exchange(session);
    session->motion.moving = status != AW_OK;
    return status;
}

/* Holds the commanded joints after a success, and stops all joints after a failure. */
static enum aw_status end_motion(struct aw_session *session, struct aw_joint_list *list,
                                 enum aw_status status)
{
    (void)list;
    if (!session->motion.moving || status == AW_STOPPED || status == AW_LOST)
        return status;
    if (status == AW_OK)
        return hold_joints(session);
    struct aw_error cause = session->err;
    enum aw_status ended = ezphys_safe_stop(session);
    session->motion.moving = ended != AW_OK;
    session->err = cause;
    return status;
}

static void report(struct aw_session *session, struct aw_joint_list *list,
                   const struct aw_joint_command *command, enum aw_status status, bool awaited)
{
    struct aw_object *result = &session->result;
    if (!command) {
        ezphys_report_time(session);
        return;
    }
    aw_object_start(result, session->run.command->name);
    update_joints(session, list);
    for (size_t i = 0; i < command->n; i++) {
        const struct aw_joint *joint = &list->joints[command->goals[i].joint];
        char key[sizeof result->entries->key];
        snprintf(key, sizeof key, command->n == 1 ? "displacement" : "%.100s.displacement",
                 joint->name);
        if (command->n == 1)
            aw_object_add_copy(result, "joint", joint->name);
        aw_object_add_number(result, key, joint->state.value[AW_JOINT_ACTUAL], -1,
                             joint->unit[AW_JOINT_ACTUAL]);
    }
    aw_object_add_text(result, "result", aw_move_result(session, status, awaited));
    ezphys_report_time(session);
}

const struct aw_joints ezphys_joints = {
    .columns = columns,
    .traits.rate_hz = 50,
    .traits.max_hz = 1000,
    .traits.reports_joints = true,
    .info.find_other = find_by_id,
    .info.list = list_joints,
    .info.list_limits = list_limits,
    .info.read = read_joints,
    .info.print_extra = show_extra,
    .parse = parse_value,
    .run.check = check_send,
    .run.report = report,
    .run.open = ezphys_begin,
    .run.command = send_command,
    .run.attend = watch_joints,
    .run.end = end_motion,
    .run.now = get_now_ns,
};
