/* Where hidmotor's watch, plot and record get their records: status asked for at a steady rate. */
#include "state.h"

#define USUAL_HZ 62.5 /* the board measures so often */

static const char *const questions[] = {"positions", "velocities"};
#define QUESTIONS (sizeof questions / sizeof *questions)

/* Rests until it is time to ask again; AW_TIMEOUT if the deadline comes before. */
static enum aw_status rest(struct aw_session *session, int64_t deadline)
{
    struct hidmotor_receiving *receiving = &motor_state(session)->receiving;
    double hz = aw_flag(session, "rate") ? aw_option_number(session, "rate") : USUAL_HZ;
    int64_t now = aw_clock_now(session->clock), period = (int64_t)(1e9 / hz);
    if (receiving->turn != 0)
        return AW_OK;
    bool late = receiving->next_ns > deadline;
    enum aw_status status = aw_clock_sleep(session->clock, late ? deadline : receiving->next_ns);
    if (status != AW_OK || late)
        return status == AW_OK ? AW_TIMEOUT : status;
    receiving->next_ns = (receiving->next_ns + period > now ? receiving->next_ns : now) + period;
    return AW_OK;
}

static void notice_no_answer(struct aw_session *session, enum aw_status status)
{
    struct hidmotor_receiving *receiving = &motor_state(session)->receiving;
    bool silent = status == AW_TIMEOUT;
    if (silent && !receiving->silent)
        aw_session_notice(session, "%s", session->err.text);
    if (!silent && receiving->silent)
        aw_session_notice(session, "the board answers again");
    receiving->silent = silent;
}

enum aw_status motor_next_received(struct aw_session *session, int64_t deadline,
                                   struct aw_received *received)
{
    struct hidmotor_receiving *receiving = &motor_state(session)->receiving;
    struct aw_hidmotor *arm = motor_arm(session);
    enum aw_status status = motor_ready(session);
    while (status == AW_OK) {
        status = rest(session, deadline);
        if (status != AW_OK)
            return status;
        status = aw_hidmotor_read(arm, questions[receiving->turn], NULL, &session->err);
        receiving->turn = (receiving->turn + 1) % QUESTIONS;
        notice_no_answer(session, status);
        if (status == AW_TIMEOUT)
            status = AW_OK;
        else
            break;
    }
    if (status != AW_OK && status != AW_MALFORMED)
        return status;
    *received = arm->received;
    return AW_OK;
}
