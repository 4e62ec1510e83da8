/* hidmotor ping: round-trip times of one request. */
#include "shell/commands/ping.h"
#include "state.h"

#define USUAL_COUNT 100

struct pinger {
    struct aw_session *session;
    struct aw_ping ping;
};

/* One round trip, sent once: a question that is asked again would hide what was lost. */
static enum aw_status ping_once(struct pinger *p)
{
    struct aw_hidmotor *arm = motor_arm(p->session);
    struct aw_hidmotor_reply reply;
    enum aw_status status = aw_hidmotor_read(arm, "positions", &reply, &p->session->err);
    p->ping.n++;
    if (status == AW_TIMEOUT) {
        p->ping.lost++;
        return AW_OK;
    }
    if (status == AW_OK && !reply.maybe_stale)
        aw_samples_add(&p->ping.ms, (double)(reply.got_ns - reply.sent_ns) / 1e6);
    return status;
}

static bool enough(const struct pinger *p, int64_t deadline)
{
    struct aw_session *session = p->session;
    uint64_t limit = (uint64_t)aw_option_number(session, "count");
    if (!limit && deadline == AW_NEVER)
        limit = USUAL_COUNT;
    return (limit && p->ping.n >= limit) || aw_clock_now(session->clock) >= deadline;
}

static enum aw_status ping_all(struct pinger *p)
{
    struct aw_session *session = p->session;
    double hz = aw_option_number(session, "rate");
    int64_t now = aw_clock_now(session->clock), next = now,
            period = hz > 0 ? (int64_t)(1e9 / hz) : 0;
    int64_t deadline = aw_session_end(session);
    enum aw_status status = AW_OK;
    while (status == AW_OK && !enough(p, deadline)) {
        status = ping_once(p);
        aw_session_work(session, "ping %.0f s, %llu requests",
                        (double)(aw_clock_now(session->clock) - now) / 1e9,
                        (unsigned long long)p->ping.n);
        next += period;
        if (status == AW_OK && period)
            status = aw_clock_sleep(session->clock, next < deadline ? next : deadline);
    }
    return status;
}

enum aw_status run_ping(struct aw_session *session, const struct aw_args *args)
{
    struct pinger p = {.session = session, .ping = {.name = "round trip"}};
    (void)args;
    enum aw_status status = motor_ready(session);
    if (status != AW_OK)
        return status;
    motor_arm(session)->options.retries = 0;
    status = ping_all(&p);
    aw_ping_row(session, &p.ping);
    aw_object_number(&session->result, "foreign", (double)motor_arm(session)->counters.foreign, 0,
                     NULL);
    if (status == AW_STOPPED && !aw_session_json(session))
        aw_session_print_result(session);
    if (status == AW_OK && p.ping.n == p.ping.lost)
        status = AW_TIMEOUT; /* what the last one said stands */
    aw_samples_free(&p.ping.ms);
    return status;
}
