/* hidmotor ping: round-trip times of one request, as statistics and a histogram. */
#include <string.h>

#include "control/samples.h"
#include "state.h"

#define USUAL_COUNT 100
#define BINS        12
#define BAR_WIDTH   40

struct pinger {
    struct aw_session *session;
    struct aw_samples ms;
    uint64_t sent, lost;
};

/* One round trip, sent once: a question that is asked again would hide what was lost. */
static enum aw_status ping_once(struct pinger *p)
{
    struct aw_hidmotor *arm = motor_arm(p->session);
    struct aw_hidmotor_reply reply;
    enum aw_status status = aw_hidmotor_read(arm, "positions", &reply, &p->session->err);
    p->sent++;
    if (status == AW_TIMEOUT) {
        p->lost++;
        return AW_OK;
    }
    if (status == AW_OK && !reply.maybe_stale)
        aw_samples_add(&p->ms, (double)(reply.got_ns - reply.sent_ns) / 1e6);
    return status;
}

static bool enough(const struct pinger *p, int64_t deadline)
{
    struct aw_session *session = p->session;
    uint64_t limit = (uint64_t)aw_option_number(session, "count");
    if (!limit && deadline == AW_NEVER)
        limit = USUAL_COUNT;
    return (limit && p->sent >= limit) || aw_clock_now(session->clock) >= deadline;
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
        next += period;
        if (status == AW_OK && period)
            status = aw_clock_sleep(session->clock, next < deadline ? next : deadline);
    }
    return status;
}

static void print_histogram(struct pinger *p, const struct aw_stats *s)
{
    struct aw_output *out = &p->session->out;
    double high = s->p99 > s->min ? s->min + 1.2 * (s->p99 - s->min) : s->min + 1;
    size_t bins[BINS], most = 1;
    aw_samples_histogram(&p->ms, s->min, high, bins, BINS);
    for (size_t i = 0; i < BINS; i++)
        most = bins[i] > most ? bins[i] : most;
    for (size_t i = 0; i < BINS; i++) {
        double low = s->min + (high - s->min) * (double)i / BINS;
        aw_output_print(out, "%9.3f ms %7zu ", low, bins[i]);
        for (size_t bar = (bins[i] * BAR_WIDTH + most - 1) / most; bar; bar--)
            aw_output_write(out, "#", 1);
        aw_output_print(out, "%s\n", i + 1 == BINS && s->max > high ? " and above" : "");
    }
}

static void report(struct pinger *p)
{
    struct aw_object *result = &p->session->result;
    struct aw_stats s = aw_samples_stats(&p->ms);
    const struct aw_hidmotor_counters *counters = &motor_arm(p->session)->counters;
    bool text = aw_session_text(p->session) && !aw_flag(p->session, "quiet");
    if (text && s.n > 1)
        print_histogram(p, &s);
    aw_object_start(result, "ping");
    aw_object_number(result, "sent", (double)p->sent, 0, NULL);
    aw_object_number(result, "lost", (double)p->lost, 0, NULL);
    aw_object_number(result, "foreign", (double)counters->foreign, 0, NULL);
    aw_object_stats_ms(result, NULL, &s);
}

enum aw_status run_ping(struct aw_session *session, const struct aw_args *args)
{
    struct pinger p = {.session = session};
    (void)args;
    enum aw_status status = motor_ready(session);
    if (status != AW_OK)
        return status;
    motor_arm(session)->options.retries = 0;
    status = ping_all(&p);
    report(&p);
    if (status == AW_STOPPED && !aw_session_json(session))
        aw_session_print_result(session);
    if (status == AW_OK && p.sent == p.lost)
        status = AW_TIMEOUT; /* what the last one said stands */
    aw_samples_free(&p.ms);
    return status;
}
