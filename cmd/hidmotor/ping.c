/* hidmotor ping: round-trip times of one request. */
#include "shell/commands/ping.h"
#include "state.h"

#define USUAL_COUNT 100

static enum aw_status ping_all(struct aw_session *session, struct aw_ping *ping)
{
    double hz = aw_option_number(session, "rate");
    uint64_t limit = (uint64_t)aw_option_number(session, "count");
    int64_t start = aw_clock_now(session->clock), next = start, deadline = aw_session_end(session);
    int64_t period = hz > 0 ? (int64_t)(1e9 / hz) : 0;
    enum aw_status status = AW_OK;
    if (!limit && deadline == AW_NEVER)
        limit = USUAL_COUNT;
    while (status == AW_OK && !(limit && ping->n >= limit) &&
           aw_clock_now(session->clock) < deadline) {
        struct aw_hidmotor_reply reply;
        /* Sent once: a question that is asked again would hide what was lost. */
        status = aw_hidmotor_read(motor_arm(session), "positions", &reply, &session->err);
        ping->n++;
        ping->lost += status == AW_TIMEOUT;
        if (status == AW_OK && !reply.maybe_stale)
            aw_samples_add(&ping->ms, (double)(reply.got_ns - reply.sent_ns) / 1e6);
        status = status == AW_TIMEOUT ? AW_OK : status;
        aw_session_work(session, "ping %.0f s, %llu requests",
                        (double)(aw_clock_now(session->clock) - start) / 1e9,
                        (unsigned long long)ping->n);
        next += period;
        if (status == AW_OK && period)
            status = aw_clock_sleep(session->clock, aw_sooner(next, deadline));
    }
    return status;
}

enum aw_status run_ping(struct aw_session *session, const struct aw_args *args)
{
    struct aw_ping ping = {.name = "round trip"};
    (void)args;
    enum aw_status status = motor_ready(session);
    if (status != AW_OK)
        return status;
    motor_arm(session)->options.retries = 0;
    status = ping_all(session, &ping);
    aw_ping_row(session, &ping);
    aw_object_number(&session->result, "foreign", (double)motor_arm(session)->counters.foreign, 0,
                     NULL);
    if (status == AW_STOPPED && !aw_session_json(session))
        aw_session_print_result(session);
    if (status == AW_OK && ping.n == ping.lost)
        status = AW_TIMEOUT; /* what the last one said stands */
    aw_samples_free(&ping.ms);
    return status;
}
