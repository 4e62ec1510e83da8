/* unitysim ping: response time and regularity of the feedback. */
#include <stdio.h>

#include "shell/source/ping.h"
#include "state.h"

static bool note_interval(void *context, const struct aw_received *received)
{
    struct aw_session *session = context;
    struct unitysim_ping *ping = &unitysim_state(session)->ping;
    int64_t received_ns = unitysim_client(session)->feedback.received_ns;
    unitysim_notice(session, received);
    if (ping->last_ns && received_ns > ping->last_ns)
        aw_samples_add(&ping->interval_ms, (double)(received_ns - ping->last_ns) / 1e6);
    ping->last_ns = received_ns;
    return true;
}

enum aw_status unitysim_ping_begin(struct aw_session *session)
{
    struct unitysim_ping *ping = &unitysim_state(session)->ping;
    enum aw_status status = unitysim_open_with_feedback(session);
    if (status != AW_OK)
        return status;
    struct aw_unitysim *unity = unitysim_client(session);
    *ping = (struct unitysim_ping){.counters_before = unity->counters};
    aw_samples_clear(&unity->stream.cadence_ms);
    /* Every joint keeps its command: ping must not change anything. */
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        aw_unitysim_drive(unity, i, (struct aw_unitysim_drive){.state = AW_UNITYSIM_KEEP});
    return AW_OK;
}

enum aw_status unitysim_ping_once(struct aw_session *session, double *ms)
{
    static const int64_t round_ns = 10 * AW_UNITYSIM_CADENCE_NS;
    struct aw_unitysim *unity = unitysim_client(session);
    struct aw_unitysim_camera camera;
    enum aw_status status = aw_unitysim_idle(unity, aw_clock_now(session->clock) + round_ns,
                                             note_interval, session, &session->err);
    if (status != AW_OK)
        return status;
    int64_t start_ns = aw_clock_now(session->clock);
    status = aw_unitysim_camera_get(unity, &camera, AW_SECOND / 5, &session->err);
    *ms = (double)(aw_clock_now(session->clock) - start_ns) / 1e6;
    unitysim_state(session)->ping.last_ns = 0;
    return status;
}

/* Prints another table row for people, or adds entries to the result. */
static void report_extra(struct aw_session *session, struct aw_ping *row)
{
    const uint64_t counts[] = {row->n, row->lost};
    static const char *const names[] = {"n", "lost"};
    if (aw_session_is_text(session)) {
        aw_ping_print(session, row);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        char key[48];
        snprintf(key, sizeof key, "%s_%s", row->name, names[i]);
        aw_object_add_count(&session->result, key, counts[i]);
    }
    struct aw_stats stats = aw_samples_stats(&row->ms);
    aw_object_add_stats_ms(&session->result, row->name, &stats);
}

enum aw_status unitysim_ping_end(struct aw_session *session, enum aw_status status)
{
    struct aw_unitysim *unity = unitysim_client(session);
    struct unitysim_ping *ping = &unitysim_state(session)->ping;
    const struct aw_unitysim_counters *now = &unity->counters, *before = &ping->counters_before;
    struct aw_ping rows[] = {
        {"of", "cadence", now->ticks - before->ticks, 0, unity->stream.cadence_ms},
        {"of", "feedback", now->feedback - before->feedback, now->lost - before->lost,
         ping->interval_ms},
    };
    aw_unitysim_end_stream(unity); /* without a stop, because another client may drive */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        report_extra(session, &rows[i]);
    aw_object_add_number(&session->result, "late", (double)(now->late - before->late), 0, NULL);
    aw_samples_free(&ping->interval_ms);
    return status;
}
