/* Monitors joints that canpid moves in closed loop: their limits and their drivers' state. */
#include "joint.h"

#include <math.h>
#include <string.h>

#include "shell/safety/safety.h"

/* Defaults of each controller, as fractions of full scale: max deviation (15 deg or 2 Nm) and min
 * motion (about three encoder steps, or a similar torque). */
static const struct {
    double max_deviation, min_motion;
} defaults[AW_CANPID_CONTROLLERS] = {
    [AW_CANPID_POS] = {CANPID_MAX_LAG_DEG / 360.0, 0.15 / 360},
    [AW_CANPID_LVL] = {CANPID_MAX_LAG_DEG / 360.0, 0.15 / 360},
    [AW_CANPID_TOR] = {CANPID_MAX_LAG_NM / 25.0, 0.03 / 25},
    [AW_CANPID_TL] = {CANPID_MAX_LAG_NM / 25.0, 0.03 / 25},
};

bool canpid_is_enabled(const struct aw_canpid_board *board)
{
    static const double saturated = 99.9; /* % */
    double limit =
        board->controller == AW_CANPID_LAST ? 1 : aw_canpid_setpoint_limit(board->controller);
    return fabs(board->setpoint) < saturated && fabs(board->setpoint) <= 100 * limit;
}

double canpid_get_deviation(int controller)
{
    return defaults[controller].max_deviation;
}

double canpid_get_min_motion(int controller)
{
    return defaults[controller].min_motion;
}

const char *canpid_get_fault(const struct aw_canpid *client, unsigned board)
{
    const struct aw_codec *codec = client->codecs[AW_CANPID_SENSORS];
    const struct aw_name *name = codec->scalars[client->scalars[AW_CANPID_SENSORS][0]].field->names;
    const struct aw_canpid_board *state = &client->boards[board / 32 % AW_CANPID_BOARDS];
    if (state->streams[AW_CANPID_SENSORS].count == 0 || state->error == 0)
        return NULL;
    while (name->name && name->value != state->error)
        name++;
    return name->name ? name->name : "unknown";
}

enum aw_status canpid_check_driver(struct aw_session *session, unsigned board)
{
    static const int64_t timeout_ns = 100 * AW_MILLISECOND;
    struct aw_canpid *client = canpid_client(session);
    const struct aw_canpid_stream *stream =
        &aw_canpid_board(client, board)->streams[AW_CANPID_SENSORS];
    int64_t deadline = aw_clock_now(session->clock) + timeout_ns;
    char name[AW_CANPID_NAME_MAX];
    enum aw_status status = AW_OK;
    while (status == AW_OK && stream->count == 0 && aw_clock_now(session->clock) < deadline)
        status = canpid_wait(session, 0.01);
    const char *fault = canpid_get_fault(client, board);
    if (status == AW_OK && fault)
        return aw_fail(
            &session->err, AW_REFUSED,
            "%s: board reports fault %s; nothing moved — check encoders and PID configuration, "
            "then restart the board",
            aw_canpid_board_name(&session->wire->variant, board, name), fault);
    return status;
}

enum aw_status canpid_drive(struct aw_session *session, unsigned board, int controller,
                            double normalised)
{
    struct canpid_state *state = session->state;
    struct canpid_monitor *monitor = &state->monitors[board / 32];
    if (!(state->driven & AW_CANPID_BIT(board)) || isnan(monitor->commanded))
        *monitor = (struct canpid_monitor){.board = board};
    monitor->controller = controller;
    monitor->commanded = normalised;
    state->driven |= AW_CANPID_BIT(board);
    aw_session_start_motion(session);
    return aw_canpid_send_setpoint(&state->client, board, controller, normalised, NULL,
                                   &session->err);
}

#define DISABLED_REASON "it was disabled by another program or by a restart"

static bool is_enabling(int controller, double normalised)
{
    return fabs(normalised) <= aw_canpid_setpoint_limit(controller);
}

static const char *check_dropout(struct canpid_monitor *monitor,
                                 const struct aw_canpid_board *board)
{
    bool enabled = canpid_is_enabled(board),
         wanted = is_enabling(monitor->controller, monitor->commanded);
    bool dropped = monitor->enabled && wanted && !enabled;
    monitor->enabled = wanted && (monitor->enabled || enabled);
    return dropped ? DISABLED_REASON : NULL;
}

/* Detects another program's disable on buses that show others' frames. Our own frames are not
 * shown, or appear unchanged. */
static const char *check_disable(const struct canpid_monitor *monitor,
                                 const struct aw_record *record)
{
    if (strcmp(record->codec->message->name, "setpoint") != 0 ||
        !is_enabling(monitor->controller, monitor->commanded))
        return NULL;
    int controller = (int)aw_record_get(record, "controller");
    double value = aw_record_get(record, "value") / aw_canpid_setpoint_scale(controller);
    return is_enabling(monitor->controller, value) ? NULL : DISABLED_REASON;
}

const char *canpid_monitor_fault(struct canpid_monitor *monitor, struct aw_canpid *client,
                                 const struct aw_record *record)
{
    if (record->dir & AW_TX)
        return check_disable(monitor, record);
    return record->codec == client->codecs[AW_CANPID_PID]
               ? check_dropout(monitor, aw_canpid_board(client, monitor->board))
               : canpid_get_fault(client, monitor->board);
}
