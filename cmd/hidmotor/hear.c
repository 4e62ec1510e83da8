#include "state.h"

#define USUAL_HZ 62.5 /* the board measures so often */

static const char *const questions[] = {"positions", "velocities"};
#define QUESTIONS (sizeof questions / sizeof *questions)

/* Rests until it is time to ask again; AW_TIMEOUT if the deadline comes before. */
static enum aw_status rest(struct aw_session *session, int64_t deadline)
{
    struct motor_hearing *hearing = &motor_state(session)->hearing;
    double hz = aw_flag(session, "rate") ? aw_option_number(session, "rate") : USUAL_HZ;
    int64_t now = aw_clock_now(session->clock), period = (int64_t)(1e9 / hz);
    if (hearing->turn != 0)
        return AW_OK;
    bool late = hearing->next_ns > deadline;
    enum aw_status status = aw_clock_sleep(session->clock, late ? deadline : hearing->next_ns);
    if (status != AW_OK || late)
        return status == AW_OK ? AW_TIMEOUT : status;
    hearing->next_ns = (hearing->next_ns + period > now ? hearing->next_ns : now) + period;
    return AW_OK;
}

static void say_silence(struct aw_session *session, enum aw_status status)
{
    struct motor_hearing *hearing = &motor_state(session)->hearing;
    bool silent = status == AW_TIMEOUT;
    if (silent && !hearing->silent)
        aw_session_say(session, "%s", session->err.text);
    if (!silent && hearing->silent)
        aw_session_say(session, "the board answers again");
    hearing->silent = silent;
}

enum aw_status motor_hear(struct aw_session *session, int64_t deadline, struct aw_heard *heard)
{
    struct motor_hearing *hearing = &motor_state(session)->hearing;
    struct aw_hidmotor *arm = motor_arm(session);
    enum aw_status status = motor_ready(session);
    while (status == AW_OK) {
        status = rest(session, deadline);
        if (status != AW_OK)
            return status;
        status = aw_hidmotor_read(arm, questions[hearing->turn], NULL, &session->err);
        hearing->turn = (hearing->turn + 1) % QUESTIONS;
        say_silence(session, status);
        if (status == AW_TIMEOUT)
            status = AW_OK;
        else
            break;
    }
    if (status != AW_OK && status != AW_MALFORMED)
        return status;
    *heard = (struct aw_heard){
        .frame = arm->heard.frame, .dir = arm->heard.dir, .time_ns = arm->heard.time_ns};
    return AW_OK;
}
