/* unitysim ping: time to answer, and how regularly feedback comes. */
#include "shell/commands/stats.h"
#include "state.h"

struct ping {
    struct aw_session *session;
    struct aw_samples latency_ms, interval_ms;
    int64_t last_ns; /* of feedback; 0: none yet */
    uint64_t asked, answered;
};

static bool note_interval(void *context, const struct aw_received *received)
{
    struct ping *ping = context;
    const struct aw_unitysim *unity = unity_of(ping->session);
    int64_t at = unity->feedback.received_ns;
    unity_notice(ping->session, received);
    if (ping->last_ns && at > ping->last_ns)
        aw_samples_add(&ping->interval_ms, (double)(at - ping->last_ns) / 1e6);
    ping->last_ns = at;
    return true;
}

static enum aw_status measure(struct ping *ping, uint64_t rounds, int64_t deadline)
{
    static const int64_t round_ns = 10 * AW_UNITYSIM_CADENCE_NS;
    struct aw_session *session = ping->session;
    struct aw_unitysim *unity = unity_of(session);
    enum aw_status status = AW_OK;
    for (uint64_t i = 0; i < rounds && status == AW_OK; i++) {
        struct aw_unitysim_camera camera;
        int64_t now = aw_clock_now(session->clock);
        if (now >= deadline)
            break;
        status = aw_unitysim_idle(unity, now + round_ns, note_interval, ping, &session->err);
        if (status != AW_OK)
            break;
        int64_t asked = aw_clock_now(session->clock);
        status = aw_unitysim_camera_get(unity, &camera, AW_SECOND / 5, &session->err);
        double took_ms = (double)(aw_clock_now(session->clock) - asked) / 1e6;
        ping->asked++;
        ping->last_ns = 0;
        if (status == AW_OK) {
            ping->answered++;
            aw_samples_add(&ping->latency_ms, took_ms);
        }
        status = status == AW_TIMEOUT ? AW_OK : status;
    }
    return status;
}

/* A row of the table for people, entries of the result for programs. */
static void put_stats(struct aw_session *session, const char *name, struct aw_samples *samples)
{
    struct aw_stats stats = aw_samples_stats(samples);
    if (aw_session_text(session))
        aw_stats_row(&session->out, name, &stats);
    else
        aw_object_stats_ms(&session->result, name, &stats);
}

static void report(struct ping *ping, const struct aw_unitysim_counters *before)
{
    struct aw_session *session = ping->session;
    const struct aw_unitysim_counters *now = &unity_of(session)->counters;
    aw_object_start(&session->result, "ping");
    if (aw_session_text(session))
        aw_stats_head(&session->out, "ms");
    put_stats(session, "latency", &ping->latency_ms);
    put_stats(session, "cadence", &unity_of(session)->cadence_ms);
    put_stats(session, "feedback", &ping->interval_ms);
    aw_object_number(&session->result, "sent", (double)(now->ticks - before->ticks), 0, NULL);
    aw_object_number(&session->result, "late", (double)(now->late - before->late), 0, NULL);
    aw_object_number(&session->result, "received", (double)(now->feedback - before->feedback), 0,
                     NULL);
    aw_object_number(&session->result, "lost", (double)(now->lost - before->lost), 0, NULL);
    aw_object_number(&session->result, "asked", (double)ping->asked, 0, NULL);
    aw_object_number(&session->result, "answered", (double)ping->answered, 0, NULL);
}

enum aw_status run_ping(struct aw_session *session, const struct aw_args *args)
{
    struct ping ping = {.session = session};
    double rounds = aw_option_number(session, "count"), seconds = aw_option_number(session, "for");
    (void)args;
    enum aw_status status = unity_ready(session);
    if (status == AW_OK)
        status = unity_feedback(session);
    if (status != AW_OK)
        return status;
    struct aw_unitysim *unity = unity_of(session);
    struct aw_unitysim_counters before = unity->counters;
    aw_samples_clear(&unity->cadence_ms);
    /* Every joint goes on with what it does: looking must not change anything. */
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        aw_unitysim_drive(unity, i, (struct aw_unitysim_drive){.state = AW_UNITYSIM_KEEP});
    if (rounds == 0)
        rounds = seconds > 0 ? 1e15 : 10;
    status = measure(&ping, (uint64_t)rounds, aw_session_end(session));
    aw_unitysim_leave(unity); /* without a stop: what another client drives goes on */
    report(&ping, &before);
    if (status == AW_OK && ping.answered == 0)
        status = aw_fail(&session->err, AW_TIMEOUT, "no answer to %llu camera requests",
                         (unsigned long long)ping.asked);
    aw_samples_free(&ping.latency_ms);
    aw_samples_free(&ping.interval_ms);
    return status;
}
