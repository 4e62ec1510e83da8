/* canpid's sending commands: setpoints, gains, events and disable, with their checks and --verify.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shell/joints/start_check.h"
#include "state.h"

static enum aw_status set_controller(struct aw_session *session, struct aw_record *command)
{
    int controller;
    enum aw_status status = canpid_get_controller(session, true, &controller);
    return status == AW_OK ? aw_record_set(command, "controller", controller, &session->err)
                           : status;
}

enum aw_status canpid_send_message(struct aw_session *session, struct aw_record *message)
{
    enum aw_status status = AW_OK;
    if (aw_codec_find(message->codec, "controller") >= 0)
        status = set_controller(session, message);
    return status == AW_OK ? canpid_send_all(session, message, 1) : status;
}

static enum aw_status build_command(struct aw_session *session, const char *message,
                                    const char *value, struct aw_record *command)
{
    aw_session_init_command(session, message, command);
    enum aw_status status = set_controller(session, command);
    return status == AW_OK ? aw_record_set_text(command, "value", value, &session->err) : status;
}

enum aw_status run_set(struct aw_session *session, const struct aw_args *args)
{
    const char *gain = aw_arg(args, "gain", 0), *ki = aw_arg(args, "ki", 0);
    const char *values[] = {aw_arg(args, "value", 0), ki, aw_arg(args, "kd", 0)};
    struct aw_record commands[3];
    enum aw_status status = AW_OK;
    bool is_all = strcmp(gain, "pid") == 0;
    if (is_all && !values[2])
        return aw_fail(&session->err, AW_USAGE,
                       "set pid requires three gains — usage: set pid KP KI KD");
    if (!is_all && ki)
        return aw_fail(&session->err, AW_USAGE,
                       "set %s requires one value — use 'set pid' for three", gain);
    for (size_t i = 0; i < (is_all ? 3 : 1) && status == AW_OK; i++)
        status = build_command(session, is_all ? aw_gain_names[i] : gain, values[i], &commands[i]);
    return status == AW_OK ? canpid_send_all(session, commands, is_all ? 3 : 1) : status;
}

static enum aw_status check_setpoint(struct aw_session *session, const struct aw_record *command)
{
    int controller = (int)aw_record_get(command, "controller");
    double value = aw_record_get(command, "value"), scale = aw_canpid_setpoint_scale(controller);
    double range = aw_canpid_setpoint_limit(controller) * scale;
    const char *unit = aw_canpid_unit(controller);
    unit = strcmp(unit, "%") == 0 ? "" : unit;
    /* A driver disables itself beyond its range. Only the number that a disable sends may be out of
     * range. */
    if (!(fabs(value) <= range) && value != AW_CANPID_DISABLE * scale &&
        !session->options.run.force)
        return aw_fail(&session->err, AW_LIMIT,
                       "%s: %g%s%s is out of range (%g to %g) for %s — give --force to override",
                       session->run.command->name, value, *unit ? " " : "", unit, -range, range,
                       aw_canpid_controller_name(controller));
    return AW_OK;
}

enum aw_status canpid_send_setpoints(struct aw_session *session, int controller,
                                     const struct canpid_setpoint *setpoints, size_t n)
{
    struct aw_record commands[AW_CANPID_BOARDS];
    uint64_t boards[AW_CANPID_BOARDS];
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < n && status == AW_OK; i++) {
        boards[i] = AW_CANPID_BIT(setpoints[i].board);
        aw_session_init_command(session, "setpoint", &commands[i]);
        aw_record_set(&commands[i], "controller", controller, NULL);
        status = aw_record_set(&commands[i], "value",
                               setpoints[i].normalised * aw_canpid_setpoint_scale(controller),
                               &session->err);
        if (status == AW_OK)
            status = check_setpoint(session, &commands[i]);
    }
    return status == AW_OK ? canpid_send_each(session, commands, boards, n) : status;
}

/* Checks the first setpoint to each board against its position, by hand or in a script. A disable
 * is exempt. */
static enum aw_status check_start(struct aw_session *session, const struct aw_record *setpoint)
{
    struct aw_joint_list list = {0};
    struct aw_joint_goal goals[AW_CANPID_BOARDS];
    struct aw_joint_command command = {.kind = AW_JOINT_TARGETS, .goals = goals};
    struct aw_record single = *setpoint;
    uint64_t boards;
    double seconds;
    enum aw_status status = canpid_parse_boards(session, &boards);
    if (status == AW_OK)
        status = aw_joints_begin(session, &list);
    single.dir = AW_TX;
    for (; boards && status == AW_OK; boards &= boards - 1) {
        aw_record_set(&single, "board", canpid_find_first_board(boards), NULL);
        command.n += canpid_replay_targets(session, &list, &single, &goals[command.n], &seconds);
    }
    if (status == AW_OK)
        status = aw_start_check_single(session, &list, &command);
    aw_joints_free(&list);
    return status;
}

enum aw_status run_setpoint(struct aw_session *session, const struct aw_args *args)
{
    struct aw_record command;
    enum aw_status status = build_command(session, "setpoint", aw_arg(args, "value", 0), &command);
    if (status == AW_OK)
        status = check_setpoint(session, &command);
    if (status == AW_OK && !session->options.run.dry_run)
        status = check_start(session, &command);
    return status == AW_OK ? canpid_send_all(session, &command, 1) : status;
}

/* Shows a disable with --dry-run, when the bus cannot report the last controller. */
static enum aw_status show_disable(struct aw_session *session, uint64_t boards, int controller)
{
    struct aw_canpid *client = canpid_client(session);
    enum aw_status status = AW_OK;
    for (; status == AW_OK && boards; boards &= boards - 1) {
        struct aw_record command;
        struct aw_canpid_sent sent;
        aw_canpid_build_disable(client, session->wire, canpid_find_first_board(boards), controller,
                                &command);
        status = canpid_send(session, &command, &sent);
    }
    return status;
}

static enum aw_status disable_boards(struct aw_session *session, uint64_t boards, bool includes_all,
                                     int controller)
{
    struct canpid_state *state = session->state;
    struct aw_canpid *client = canpid_client(session);
    struct aw_canpid_stopped stopped;
    enum aw_status status = aw_canpid_stop(client, boards, controller, &stopped, &session->err);
    uint64_t unconfirmed = boards & ~stopped.confirmed & ~stopped.silent, needed = state->ongoing;
    /* With "all", boards may be missing. A board with no received data and no other command may be
     * silent if another one confirms. */
    for (unsigned i = 0; i < AW_CANPID_BOARDS; i++)
        if (client->boards[i].streams[AW_CANPID_PID].count)
            needed |= UINT64_C(1) << i;
    if (includes_all && status == AW_TIMEOUT && stopped.confirmed && !unconfirmed &&
        !(stopped.silent & needed))
        status = AW_OK;
    canpid_note_disabled(session, stopped.confirmed);
    bool waited = client->options.confirm_ms > 0;
    const struct {
        const char *key;
        uint64_t boards;
    } lists[] = {{"confirmed", waited ? stopped.confirmed : 0},
                 {"silent", waited ? stopped.silent : 0},
                 {"unconfirmed", waited ? unconfirmed : boards}};
    aw_object_add_text(&session->result, "result",
                       status != AW_OK ? "not-confirmed"
                       : waited        ? "disabled"
                                       : "sent");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].boards)
            aw_object_add_text(&session->result, lists[i].key,
                               aw_canpid_board_list(&session->wire->variant, lists[i].boards,
                                                    state->lists[i], sizeof state->lists[i]));
    return status;
}

/* Without -b, disables every named board and those left enabled by this session. Without -c, uses
 * the last seen controller, so stop needs no option. */
enum aw_status run_disable(struct aw_session *session, const struct aw_args *args)
{
    struct canpid_state *state = session->state;
    const char *text = canpid_given(session)->board;
    bool includes_all = !text || strcmp(text, "all") == 0;
    uint64_t boards = canpid_all_boards(session) | state->ongoing;
    int controller;
    enum aw_status status = canpid_get_controller(session, false, &controller);
    if (status == AW_OK && !includes_all)
        status = canpid_parse_boards(session, &boards);
    if (status == AW_OK)
        status = canpid_open_for_send(session);
    if (status != AW_OK)
        return status;
    if (session->options.run.dry_run)
        return show_disable(session, boards, controller);
    aw_object_start(&session->result, args->command->name);
    return disable_boards(session, boards, includes_all, controller);
}
