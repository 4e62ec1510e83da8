/* The joints of canpid, one for each board, in the unit of its controller: telemetry and commands.
 */
#include "shell/joints/joints.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "joint.h"
#include "protocol/canpid/names.h"
#include "shell/safety/safety.h"
#include "state.h"

#define PATIENCE_S        0.5 /* max wait for a new frame of each kind from each board */
#define DEFAULT_HZ        100
#define TOLERANCE_MOTIONS 20 /* default tolerance, in smallest detectable motions: 3 deg, 0.6 Nm */

static const struct aw_joint_column columns[] = {
    {AW_JOINT_EFFORT, "output", 1}, {AW_JOINT_EXTRA_1, "torque", 2}, {0}};

/* ---- The list ---- */

static void describe(struct aw_joint *joint, unsigned board, int controller)
{
    bool has_mode = controller >= 0 && controller < AW_CANPID_CONTROLLERS;
    joint->id = board;
    joint->mode = has_mode ? aw_canpid_controller_name(controller) : NULL;
    joint->unit[AW_JOINT_ACTUAL] = has_mode ? aw_canpid_unit(controller) : "%";
    joint->unit[AW_JOINT_TARGET] = joint->unit[AW_JOINT_ACTUAL];
    joint->unit[AW_JOINT_EFFORT] = "%";
    joint->unit[AW_JOINT_EXTRA_1] = "Nm";
    joint->full_effort = 100;
    joint->limits.max =
        has_mode ? aw_canpid_setpoint_limit(controller) * aw_canpid_full_scale(controller)
                 : (double)INFINITY;
    joint->limits.min = -joint->limits.max;
    if (!has_mode)
        return;
    double scale = aw_canpid_full_scale(controller);
    joint->flags.accepts = AW_JOINT_TAKES_TARGETS;
    joint->tolerance.max_deviation = canpid_get_deviation(controller) * scale;
    joint->tolerance.min_motion = canpid_get_min_motion(controller) * scale;
    joint->tolerance.tolerance = TOLERANCE_MOTIONS * joint->tolerance.min_motion;
    joint->unit[AW_JOINT_VELOCITY] = controller == AW_CANPID_POS   ? "deg/s"
                                     : controller == AW_CANPID_TOR ? "Nm/s"
                                                                   : "%/s";
}

/* Lists the boards with names, and the unnamed ones of -b. */
static enum aw_status list_joints(struct aw_session *session, struct aw_joint_list *list)
{
    uint64_t boards = canpid_all_boards(session), wanted = boards;
    int controller;
    enum aw_status status = canpid_get_controller(session, false, &controller);
    if (status == AW_OK && canpid_given(session)->board)
        status = canpid_parse_boards(session, &wanted);
    boards |= status == AW_OK ? wanted : 0;
    for (; boards && status == AW_OK; boards &= boards - 1) {
        char name[AW_CANPID_NAME_MAX];
        unsigned board = canpid_find_first_board(boards);
        struct aw_joint *joint = aw_joints_add(
            session, list, aw_canpid_board_name(&session->wire->variant, board, name));
        if (!joint)
            return session->err.status;
        describe(joint, board, controller);
        joint->flags.excluded = !(wanted & AW_CANPID_BIT(board));
    }
    return status;
}

/* Accepts an identifier, with or without a board name. */
static bool find_other(struct aw_session *session, const char *text, struct aw_joint *joint)
{
    int controller, board = text ? canpid_find_board(session, text) : -1;
    if (board < 0 || canpid_get_controller(session, false, &controller) != AW_OK)
        return false;
    describe(joint, (unsigned)board, controller);
    return true;
}

/* A driver enables a controller only within its range, and clamps gains. */
static size_t list_limits(struct aw_session *session, const struct aw_joint *joint,
                          struct aw_joint_limit rows[AW_JOINT_LIMITS])
{
    static const char *const names[AW_CANPID_CONTROLLERS + 1] = {
        "setpoint pos", "setpoint lvl", "setpoint tor", "setpoint tl", "gain"};
    size_t n = 0;
    int selected = AW_CANPID_LAST;
    (void)joint;
    canpid_get_controller(session, false, &selected);
    for (int i = 0; i <= AW_CANPID_CONTROLLERS; i++) {
        bool is_gain = i == AW_CANPID_CONTROLLERS;
        if (selected != AW_CANPID_LAST && selected != i && !is_gain)
            continue;
        double limit =
            is_gain ? AW_CANPID_GAIN_MAX : aw_canpid_setpoint_limit(i) * aw_canpid_full_scale(i);
        rows[n++] = (struct aw_joint_limit){.quantity = names[i],
                                            .min = -limit,
                                            .max = limit,
                                            .unit = is_gain ? "" : aw_canpid_unit(i),
                                            .source = "device"};
    }
    return n;
}

/* ---- State ---- */

struct query {
    const struct aw_canpid *client;
    const struct aw_joint_list *list;
    int64_t start_ns;
};

static bool is_new(const struct aw_canpid_stream *stream, int64_t start_ns)
{
    return stream->count > 0 && aw_canpid_last_ns(stream) >= start_ns;
}

static bool is_all_new(const struct aw_canpid_board *board, int64_t start_ns)
{
    for (int kind = 0; kind < AW_CANPID_KINDS; kind++)
        if (!is_new(&board->streams[kind], start_ns))
            return false;
    return true;
}

static bool is_incomplete(void *context, const struct aw_received *received)
{
    const struct query *query = context;
    (void)received;
    for (size_t i = 0; i < query->list->n; i++) {
        const struct aw_joint *joint = &query->list->joints[i];
        if (!joint->flags.excluded &&
            !is_all_new(&query->client->boards[joint->id / 32], query->start_ns))
            return true;
    }
    return false;
}

/* Returns true if no new telemetry arrived, so that the values are old. */
static bool is_silent(const struct canpid_state *state, const struct aw_joint *joint)
{
    return !is_new(&state->client.boards[joint->id / 32].streams[AW_CANPID_PID], state->status_ns);
}

static const char *get_fault(const struct canpid_state *state, const struct aw_joint *joint)
{
    if (state->client.boards[joint->id / 32].streams[AW_CANPID_PID].count == 0)
        return "silent";
    return is_silent(state, joint) ? "old" : canpid_get_fault(&state->client, joint->id);
}

/* A setpoint beyond the controller's range disables a driver, so it is not a target. Values are in
 * % if the controller is unknown. They are unknown if the active controller is not the one of
 * -c. */
static void update_joint(struct aw_session *session, struct aw_joint *joint)
{
    const struct canpid_state *state = session->state;
    const struct aw_canpid_board *board = &state->client.boards[joint->id / 32];
    const struct aw_canpid_stream *pid = &board->streams[AW_CANPID_PID];
    const struct aw_canpid_stream *measured = &board->streams[AW_CANPID_JOINT];
    if (board->controller != AW_CANPID_LAST && canpid_given(session)->controller == AW_CANPID_LAST)
        describe(joint, joint->id, board->controller);
    joint->state.fault = get_fault(state, joint);
    joint->state.has_fault = canpid_get_fault(&state->client, joint->id) != NULL;
    if (measured->count > 0)
        aw_joint_set_value(joint, AW_JOINT_EXTRA_1, board->torque, aw_canpid_last_ns(measured));
    if (pid->count == 0)
        return;
    int64_t last = aw_canpid_last_ns(pid);
    int controller = joint->mode ? aw_canpid_controller_find(joint->mode) : -1;
    bool other_active =
        controller >= 0 && board->controller != AW_CANPID_LAST && board->controller != controller;
    double scale = other_active     ? (double)NAN
                   : controller < 0 ? 1
                                    : aw_canpid_from_percent(controller, 1);
    aw_joint_set_value(joint, AW_JOINT_ACTUAL, scale * board->measured, last);
    aw_joint_set_value(joint, AW_JOINT_TARGET,
                       canpid_is_enabled(board) ? scale * board->setpoint : (double)NAN, last);
    aw_joint_set_value(joint, AW_JOINT_EFFORT, board->output, last);
}

static enum aw_status read_joints(struct aw_session *session, struct aw_joint_list *list)
{
    struct canpid_state *state = session->state;
    struct query query = {canpid_client(session), list, aw_clock_now(session->clock)};
    double timeout_s = aw_number_or(session->options.link.timeout_s, PATIENCE_S);
    int64_t deadline = aw_time_after(query.start_ns, timeout_s);
    state->status_ns = query.start_ns;
    enum aw_status status =
        aw_canpid_idle(canpid_client(session), deadline, is_incomplete, &query, &session->err);
    for (size_t i = 0; i < list->n && status == AW_OK; i++)
        update_joint(session, &list->joints[i]);
    return status;
}

/* Fails after the last row if a board of -b is silent, or all boards are. */
static enum aw_status check_silent(struct aw_session *session, struct aw_joint_list *list,
                                   size_t index)
{
    const struct canpid_state *state = session->state;
    const struct aw_joint *first = NULL;
    bool had_telemetry = false, named = canpid_given(session)->board;
    size_t silent = 0, shown = 0;
    for (size_t i = 0; i < list->n && index == list->n; i++) {
        const struct aw_joint *joint = &list->joints[i];
        shown += !joint->flags.excluded;
        if (joint->flags.excluded || !is_silent(state, joint))
            continue;
        first = first ? first : joint;
        had_telemetry =
            had_telemetry || state->client.boards[joint->id / 32].streams[AW_CANPID_PID].count > 0;
        silent++;
    }
    if (!silent || (silent != shown && !named))
        return AW_OK;
    return aw_fail(&session->err, AW_TIMEOUT, "status: no %stelemetry from %s — " AW_CANPID_ADVICE,
                   had_telemetry ? "new " : "",
                   silent == shown && !named ? "any driver" : first->name);
}

/* Sets goals[0] to the target of a recorded setpoint and returns 1, or returns 0: no target. Skips
 * setpoints beyond full scale, which disable the driver. */
size_t canpid_replay_targets(struct aw_session *session, struct aw_joint_list *list,
                             const struct aw_record *record, struct aw_joint_goal *goals,
                             double *seconds)
{
    struct aw_canpid_sent sent;
    struct aw_error ignored;
    *seconds = 0;
    if (record->dir != AW_TX || !(record->codec->message->dir & AW_TX) ||
        aw_canpid_encode(canpid_client(session), record, &sent, &ignored) != AW_OK ||
        !(fabs(sent.setpoint) <= 1))
        return 0;
    size_t i = 0;
    while (i < list->n && list->joints[i].id != sent.board)
        i++;
    if (i == list->n || sent.controller < 0 || sent.controller >= AW_CANPID_CONTROLLERS)
        return 0;
    const char *mode = aw_canpid_controller_name(sent.controller);
    if (list->joints[i].mode && strcmp(list->joints[i].mode, mode) != 0)
        return 0; /* another controller's setpoint cannot be compared */
    describe(&list->joints[i], sent.board, sent.controller);
    goals[0] =
        (struct aw_joint_goal){i, aw_canpid_from_percent(sent.controller, 100 * sent.setpoint)};
    return 1;
}

/* ---- Commands ---- */

/* A setpoint belongs to a controller, which the user must name. */
static enum aw_status check_controller(struct aw_session *session, struct aw_joint_list *list,
                                       const struct aw_joint_command *command)
{
    int controller;
    (void)list;
    (void)command;
    return canpid_get_controller(session, true, &controller);
}

/* Shows a setpoint with --dry-run. */
static enum aw_status show_setpoint(struct aw_session *session, const struct aw_joint *joint,
                                    int controller, double normalised, int64_t time_ns)
{
    struct aw_record command;
    struct aw_canpid_sent sent;
    aw_canpid_build_setpoint(session->wire, joint->id, controller, normalised, &command);
    command.time_ns = time_ns;
    return canpid_send(session, &command, &sent);
}

static enum aw_status send_once(struct aw_session *session, const struct aw_joint_list *list,
                                const struct aw_joint_command *command)
{
    struct canpid_setpoint setpoints[AW_CANPID_BOARDS];
    size_t n = command->n < AW_CANPID_BOARDS ? command->n : AW_CANPID_BOARDS;
    int controller = aw_canpid_controller_find(list->joints[command->goals->joint].mode);
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < n && status == AW_OK && !session->options.run.dry_run; i++)
        status = canpid_check_driver(session, list->joints[command->goals[i].joint].id);
    for (size_t i = 0; i < n; i++)
        setpoints[i] = (struct canpid_setpoint){.board = list->joints[command->goals[i].joint].id,
                                                .normalised = command->goals[i].value /
                                                              aw_canpid_full_scale(controller)};
    return status == AW_OK ? canpid_send_setpoints(session, controller, setpoints, n) : status;
}

/* Sends setpoints. In a stream, skips a setpoint if its board cannot take the next frame yet; a
 * newer one follows. */
static enum aw_status send_command(struct aw_session *session, struct aw_joint_list *list,
                                   const struct aw_joint_command *command)
{
    struct aw_canpid *client = canpid_client(session);
    bool is_dry_run = session->options.run.dry_run;
    enum aw_status status = AW_OK;
    if (!command->is_stream)
        return send_once(session, list, command);
    for (size_t i = 0; i < command->n && status == AW_OK; i++) {
        const struct aw_joint *joint = &list->joints[command->goals[i].joint];
        int controller = aw_canpid_controller_find(joint->mode);
        double normalised = command->goals[i].value / aw_canpid_full_scale(controller);
        bool too_early = aw_canpid_next_send_ns(client, joint->id) > aw_clock_now(session->clock);
        if (!is_dry_run && too_early)
            continue;
        if (is_dry_run) {
            status = show_setpoint(session, joint, controller, normalised, command->show_ns);
            continue;
        }
        status = canpid_drive(session, joint->id, controller, normalised);
    }
    return status;
}

/* Records a fault of a driven joint that this frame reports: disabled by another program, or an
 * error. */
static void record_fault(struct aw_session *session, struct aw_joint *joint,
                         const struct aw_record *record)
{
    struct canpid_state *state = session->state;
    if (!(state->driven & AW_CANPID_BIT(joint->id)) || aw_record_get(record, "board") != joint->id)
        return;
    const char *fault =
        canpid_monitor_fault(&state->monitors[joint->id / 32], &state->client, record);
    joint->state.has_fault = joint->state.has_fault || fault;
    joint->state.fault = fault ? fault : joint->state.fault;
}

static bool on_frame(void *context, const struct aw_received *received)
{
    const struct aw_joints_watch *w = context;
    for (size_t i = 0; i < w->list->n; i++) {
        update_joint(w->session, &w->list->joints[i]);
        if (received->record)
            record_fault(w->session, &w->list->joints[i], received->record);
    }
    return !w->on_report || w->on_report(w->context, w->list);
}

static enum aw_status watch_joints(struct aw_session *session, struct aw_joint_list *list,
                                   int64_t deadline, double rate_hz, aw_joints_report_fn *on_report,
                                   void *context)
{
    struct aw_joints_watch watch = {session, list, on_report, context, false};
    (void)rate_hz;
    return aw_canpid_idle(canpid_client(session), deadline, on_frame, &watch, &session->err);
}

/* Disables the driven joints and waits for their telemetry to confirm it. */
static enum aw_status end_motion(struct aw_session *session, struct aw_joint_list *list,
                                 enum aw_status status)
{
    (void)list;
    return session->motion.moving ? canpid_end_motion(session, status) : status;
}

const struct aw_joints canpid_joints = {
    .columns = columns,
    .traits.rate_hz = DEFAULT_HZ,
    .traits.max_hz = 1000,
    .traits.holds_target = true,
    .traits.allows_silent = true,
    .info.list = list_joints,
    .info.list_limits = list_limits,
    .info.find_other = find_other,
    .info.read = read_joints,
    .info.print_extra = check_silent,
    .run.open = canpid_open_for_send,
    .run.check = check_controller,
    .run.command = send_command,
    .run.attend = watch_joints,
    .run.end = end_motion,
};
