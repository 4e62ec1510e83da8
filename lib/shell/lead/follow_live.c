/* A live leader: reads records as they arrive, and waits for a server that is gone. */
#include "shell/lead/follower.h"

#define LEADER_WAIT_S     2.0 /* time for a leader to send all fields of the map */
#define RETRY_NS          AW_SECOND
#define RECORDS_PER_CYCLE 256 /* max records per cycle, so that the joints are served too */

/* Sets *has_all to false, so that nothing moves, until all fields of the map have arrived or are
 * known to exist. AW_USAGE: a field is missing LEADER_WAIT_S after the first record. */
static enum aw_status check_received(struct aw_follower *f, bool *has_all)
{
    size_t missing = aw_leader_find_missing(&f->leader);
    int64_t now = aw_clock_now(f->session->clock);
    *has_all = missing == f->map.n || f->leader.is_server || f->leader.same_kind;
    if (*has_all || f->time.first_ns == AW_NO_TIME ||
        now - f->time.first_ns < (int64_t)(LEADER_WAIT_S * 1e9))
        return AW_OK;
    return aw_leader_fail_missing(&f->leader, missing);
}

static enum aw_status use_record(struct aw_follower *f, const struct aw_leader_record *record)
{
    int64_t now = aw_clock_now(f->session->clock);
    bool has_all;
    f->time.first_ns = f->time.first_ns == AW_NO_TIME ? now : f->time.first_ns;
    enum aw_status status = check_received(f, &has_all);
    if (status != AW_OK || !has_all || !record->n)
        return status;
    if (record->time_ns != AW_NO_TIME && !record->timed_locally &&
        !aw_follow_add_record(&f->engine, record->time_ns))
        return AW_OK;
    for (size_t i = 0; i < record->n; i++)
        aw_follow_set_value(&f->engine, record->values[i].row, record->values[i].value, now);
    f->time.record_ns = record->timed_locally ? AW_NO_TIME : record->time_ns;
    f->time.received_ns = now;
    return AW_OK;
}

/* Closes the stream of a lost server, which find_leader reopens, and makes the engine stop the
 * joints. Returns AW_OK. */
static enum aw_status handle_lost_leader(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    aw_session_print_notice(session, "waiting for the leader: %s", session->err.text);
    f->leader.counts.lost_before = aw_leader_count_lost(&f->leader);
    aw_stream_close(f->leader.stream);
    f->leader.stream = NULL;
    f->engine.has_time = false;
    f->time.retry_ns = aw_clock_now(session->clock) + RETRY_NS;
    aw_follow_set_loss(&f->engine, AW_LOSS_GONE);
    return AW_OK;
}

static enum aw_status find_leader(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    int64_t now = aw_clock_now(session->clock);
    if (now < f->time.retry_ns)
        return AW_OK;
    f->time.retry_ns = now + RETRY_NS;
    enum aw_status status = aw_leader_reopen(&f->leader);
    if (status == AW_OK)
        aw_session_print_notice(session, "%s is connected again", f->leader.source);
    return status == AW_STOPPED || status == AW_USAGE ? status : AW_OK;
}

enum aw_status aw_follower_listen(struct aw_follower *f)
{
    struct aw_leader_record record;
    enum aw_status status = AW_OK;
    if (!f->leader.stream)
        return find_leader(f);
    for (int i = 0; i < RECORDS_PER_CYCLE && status == AW_OK; i++) {
        status = aw_leader_next(&f->leader, 0, &record);
        if (status == AW_OK)
            status = use_record(f, &record);
    }
    if (status == AW_LOST && f->leader.is_server)
        return handle_lost_leader(f);
    f->ended = aw_stream_is_over(status);
    return f->ended || status == AW_TIMEOUT ? AW_OK : status;
}
