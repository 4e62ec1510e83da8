/* canpid's checks of a recording before replay, and the pause between frames to a board. */
#include <math.h>
#include <stdio.h>

#include "state.h"

/* Saves the last controller of each board before a recording is checked. */
enum aw_status canpid_prepare(struct aw_session *session)
{
    struct canpid_state *state = session->state;
    enum aw_status status = canpid_open_for_send(session);
    state->driven = state->left_enabled = 0;
    for (unsigned i = 0; i < AW_CANPID_BOARDS; i++)
        state->controllers[i] = canpid_client(session)->boards[i].controller;
    return status;
}

/* Checks each command like a single one. Remembers the controllers that the recording selects, and
 * the boards to disable if it is interrupted. */
enum aw_status canpid_allow(struct aw_session *session, const struct aw_record *command)
{
    struct canpid_state *state = session->state;
    struct aw_canpid_sent sent;
    if (!command) {
        for (unsigned i = 0; i < AW_CANPID_BOARDS; i++)
            canpid_client(session)->boards[i].controller = state->controllers[i];
        return AW_OK;
    }
    state->driven |= AW_CANPID_BIT(aw_record_get(command, "board"));
    if (!(command->codec->message->dir & AW_TX))
        return AW_OK;
    enum aw_status status = aw_canpid_encode(canpid_client(session), command, &sent, &session->err);
    if (status == AW_OK && !isnan(sent.setpoint)) {
        uint64_t bit = AW_CANPID_BIT(sent.board);
        state->left_enabled =
            fabs(sent.setpoint) <= 1 ? state->left_enabled | bit : state->left_enabled & ~bit;
    }
    if (status == AW_OK && sent.controller != AW_CANPID_LAST)
        aw_canpid_board(canpid_client(session), sent.board)->controller = sent.controller;
    return status;
}

/* Compares the measured value of a board with the recorded one, in % of full scale; ignores boards
 * that the recording does not command. */
bool canpid_is_elsewhere(struct aw_session *session, const struct aw_record *recorded, char *out,
                         size_t size)
{
    static const double tolerance = 3;
    const struct canpid_state *state = session->state;
    unsigned board = (unsigned)aw_record_get(recorded, "board");
    double recorded_value = aw_record_get(recorded, "measured");
    char name[AW_CANPID_NAME_MAX];
    const struct aw_canpid_board *telemetry = aw_canpid_board(canpid_client(session), board);
    if (!(state->driven & AW_CANPID_BIT(board)))
        return false;
    if (telemetry->streams[AW_CANPID_PID].count == 0)
        canpid_wait(session, 0.05);
    if (telemetry->streams[AW_CANPID_PID].count == 0)
        return false;
    double now = telemetry->measured;
    snprintf(out, size, "%s at %.1f, not %.1f %% of its range",
             aw_canpid_board_name(&session->wire->variant, board, name), now, recorded_value);
    return fabs(now - recorded_value) > tolerance;
}

enum aw_status canpid_replay_send(struct aw_session *session, struct aw_span message, int64_t due,
                                  bool *delayed)
{
    static const int64_t tolerance_ns = AW_MILLISECOND;
    struct aw_canpid *client = canpid_client(session);
    enum aw_status status = AW_OK;
    if (aw_clock_now(session->clock) < due)
        status = aw_canpid_idle(client, due, NULL, NULL, &session->err);
    if (status != AW_OK)
        return status;
    *delayed = aw_canpid_next_send_ns(client, message.data[0] | (unsigned)message.data[1] << 8) >
               aw_clock_now(session->clock) + tolerance_ns;
    return aw_canpid_send_frame(client, message, &session->err);
}

/* A driver holds the last setpoint of the recording until the next one. */
enum aw_status canpid_replay_end(struct aw_session *session)
{
    struct canpid_state *state = session->state;
    canpid_note_enabled(session, state->left_enabled);
    return AW_OK;
}
