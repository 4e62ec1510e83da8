/* The gains by which the board's law drives its motors, for tune: read, sent, and put back. */
#include <math.h>
#include <string.h>

#include "state.h"

#define LAST_TIMES 3

static enum aw_status make_request(struct aw_session *session, const struct aw_gain *gains,
                                   struct aw_record *request)
{
    aw_session_command(session, "set_pid_gains", request);
    return aw_hidmotor_gains_to_record(gains, AW_HIDMOTOR_PID, request, &session->err);
}

enum aw_status motor_read_law(struct aw_session *session, struct aw_gain *gains)
{
    struct aw_hidmotor_reply reply;
    enum aw_status status =
        aw_hidmotor_read(motor_arm(session), "pid_gains", &reply, &session->err);
    if (status == AW_OK)
        aw_hidmotor_gains_from_record(gains, AW_HIDMOTOR_PID, &reply.record);
    return status;
}

enum aw_status motor_send_law(struct aw_session *session, const struct aw_gain *gains)
{
    struct aw_gain there[AW_HIDMOTOR_GAIN_PLACES] = {{.known = false}};
    struct aw_record request;
    struct aw_error *err = &session->err;
    enum aw_status status = make_request(session, gains, &request);
    if (status == AW_OK)
        status = aw_hidmotor_command(motor_arm(session), &request, NULL, err);
    if (status == AW_OK)
        status = motor_read_law(session, there);
    for (size_t i = 0; i < AW_HIDMOTOR_GAIN_PLACES && status == AW_OK; i++)
        if (there[i].known && aw_gain_differs(&gains[i], &there[i]))
            status = aw_fail(err, AW_REFUSED,
                             "the gains were sent, and the board has others: %g, and not %g",
                             (double)there[i].value, (double)gains[i].value);
    return status;
}

enum aw_status motor_law_back(struct aw_session *session)
{
    struct motor_state *state = motor_state(session);
    enum aw_status status = state->tries ? motor_send_law(session, state->old) : AW_OK;
    state->tries = state->tries && status != AW_OK;
    return status;
}

/* The board has room for one report: each comes behind a pause, and one of them gets there. */
void motor_last_law(struct aw_session *session, aw_frame_fn *add, void *context)
{
    struct aw_record request;
    uint8_t report[AW_HIDMOTOR_REPORT];
    struct motor_state *state = motor_state(session);
    struct aw_error before = session->err;
    if (state->tries && make_request(session, state->old, &request) == AW_OK &&
        aw_hidmotor_encode(&state->arm, &request, report, &session->err) == AW_OK)
        for (int i = 0; i < LAST_TIMES; i++) {
            add(context, NULL, 0);
            add(context, report, sizeof report);
        }
    session->err = before;
}

struct aw_gain *motor_law_of(struct aw_gain *gains, int motor)
{
    size_t i = 0;
    while (aw_hidmotor_gain_motor(i) != motor || aw_hidmotor_gain_controller(i) != AW_HIDMOTOR_PID)
        i++;
    return gains + i;
}

const void *motor_memory(struct aw_session *session, size_t *size)
{
    struct motor_state *state = motor_state(session);
    *size = sizeof state->memory;
    memset(&state->memory, 0, sizeof state->memory);
    state->memory.tries = state->tries;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS && state->tries; i++)
        for (int k = 0; k < 3; k++)
            state->memory.law[i][k] = motor_law_of(state->old, i)[k].value;
    return &state->memory;
}

void motor_take_memory(struct aw_session *session, const void *bytes, size_t size)
{
    struct motor_state *state = motor_state(session);
    struct motor_memory memory;
    if (session->share.attached || size != sizeof memory)
        return;
    memcpy(&memory, bytes, sizeof memory);
    state->tries = memory.tries == 1;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS && state->tries; i++)
        for (int k = 0; k < 3; k++) {
            state->tries = state->tries && isfinite(memory.law[i][k]);
            motor_law_of(state->old, i)[k] =
                (struct aw_gain){.known = true, .value = memory.law[i][k]};
        }
}
