/* unitysim ping: time to answer, and how regularly feedback comes. */
#include <stdio.h>

#include "shell/commands/ping.h"
#include "state.h"

struct ping {
    struct aw_session *session;
    struct aw_ping round_trip; /* of a question */
    struct aw_samples interval_ms;
    int64_t last_ns; /* of feedback; 0: none yet */
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
        aw_session_work(session, "ping %llu of %llu", (unsigned long long)i,
                        (unsigned long long)rounds);
        status = aw_unitysim_idle(unity, now + round_ns, note_interval, ping, &session->err);
        if (status != AW_OK)
            break;
        int64_t asked = aw_clock_now(session->clock);
        status = aw_unitysim_camera_get(unity, &camera, AW_SECOND / 5, &session->err);
        double took_ms = (double)(aw_clock_now(session->clock) - asked) / 1e6;
        ping->last_ns = 0;
        ping->round_trip.n++;
        ping->round_trip.lost += status != AW_OK;
        if (status == AW_OK)
            aw_samples_add(&ping->round_trip.ms, took_ms);
        status = status == AW_TIMEOUT ? AW_OK : status;
    }
    return status;
}

/* Another row of the table for people, more entries of the result for programs. */
static void put_more(struct aw_session *session, struct aw_ping *row)
{
    const uint64_t counts[] = {row->n, row->lost};
    static const char *const names[] = {"n", "lost"};
    if (aw_session_text(session)) {
        aw_ping_row(session, row);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        char key[48];
        snprintf(key, sizeof key, "%s_%s", row->name, names[i]);
        aw_object_count(&session->result, key, counts[i]);
    }
    struct aw_stats stats = aw_samples_stats(&row->ms);
    aw_object_stats_ms(&session->result, row->name, &stats);
}

static void report(struct ping *ping, const struct aw_unitysim_counters *before)
{
    struct aw_session *session = ping->session;
    const struct aw_unitysim_counters *now = &unity_of(session)->counters;
    struct aw_ping more[] = {
        {"of", "cadence", now->ticks - before->ticks, 0, unity_of(session)->cadence_ms},
        {"of", "feedback", now->feedback - before->feedback, now->lost - before->lost,
         ping->interval_ms},
    };
    ping->round_trip.key = aw_session_text(session) ? "of" : NULL; /* the first of several rows */
    aw_ping_row(session, &ping->round_trip);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        put_more(session, &more[i]);
    aw_object_number(&session->result, "late", (double)(now->late - before->late), 0, NULL);
}

enum aw_status run_ping(struct aw_session *session, const struct aw_args *args)
{
    struct ping ping = {.session = session, .round_trip = {.name = "round trip"}};
    double rounds = aw_option_number(session, "count"), seconds = aw_option_number(session, "for");
    (void)args;
    enum aw_status status = unity_ready_with_feedback(session);
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
    if (status == AW_OK && ping.round_trip.lost == ping.round_trip.n)
        status = aw_fail(&session->err, AW_TIMEOUT, "no answer to %llu camera requests",
                         (unsigned long long)ping.round_trip.n);
    aw_samples_free(&ping.round_trip.ms);
    aw_samples_free(&ping.interval_ms);
    return status;
}
