#include "state.h"

/* Which controller each board was last seen with, before a recording is checked. */
enum aw_status pid_prepare(struct aw_session *session)
{
    struct pid_state *state = session->state;
    enum aw_status status = pid_ready_to_make(session);
    state->driven = 0;
    for (unsigned i = 0; i < AW_PID_BOARDS; i++)
        state->seen[i] = pid_of(session)->boards[i].controller;
    return status;
}

static void forget(struct aw_session *session)
{
    const struct pid_state *state = session->state;
    for (unsigned i = 0; i < AW_PID_BOARDS; i++)
        pid_of(session)->boards[i].controller = state->seen[i];
}

/* The guards of single commands hold for each of them; a controller that the recording has chosen
 * is known from there on, and a board that it addresses is disabled when it is interrupted. */
enum aw_status pid_allow(struct aw_session *session, const struct aw_record *command)
{
    struct pid_state *state = session->state;
    struct aw_pid_sent sent;
    if (!command) {
        forget(session);
        return AW_OK;
    }
    state->driven |= AW_PID_BIT(aw_record_get(command, "board"));
    if (!(command->codec->message->dir & AW_TX))
        return AW_OK;
    enum aw_status status = aw_pid_check(pid_of(session), command, &sent, &session->err);
    if (status == AW_OK && sent.controller != AW_PID_LAST)
        aw_pid_board(pid_of(session), sent.board)->controller = sent.controller;
    return status;
}

enum aw_status pid_send_at(struct aw_session *session, struct aw_span message, int64_t due,
                           bool *held)
{
    static const int64_t noticed = AW_MILLISECOND;
    struct aw_pid *pid = pid_of(session);
    enum aw_status status = AW_OK;
    if (aw_clock_now(session->clock) < due)
        status = aw_pid_poll(pid, due, NULL, NULL, &session->err);
    if (status != AW_OK)
        return status;
    *held = aw_pid_paced_ns(pid, message.data[0] | (unsigned)message.data[1] << 8) >
            aw_clock_now(session->clock) + noticed;
    return aw_pid_write(pid, message, &session->err);
}
