/* A live leader: reads records as they arrive, and waits for a server that is gone. */
#include "shell/lead/follower.h"

#define SEEN_S   2.0 /* time for a leader to send all fields of the map */
#define RETRY_NS AW_SECOND
#define AT_ONCE  256 /* max records per cycle, so that the joints are served too */

/* Allows no motion before all fields of the map have arrived. */
static enum aw_status check_seen(struct aw_follower *f, bool *all)
{
    size_t missing = aw_leader_missing(&f->leader);
    int64_t now = aw_clock_now(f->session->clock);
    *all = missing == f->map.n || f->leader.peer || f->leader.equal;
    if (*all || f->first_ns == AW_NO_TIME || now - f->first_ns < (int64_t)(SEEN_S * 1e9))
        return AW_OK;
    return aw_leader_fail_missing(&f->leader, missing);
}

static enum aw_status take(struct aw_follower *f, const struct aw_said *said)
{
    int64_t now = aw_clock_now(f->session->clock);
    bool all;
    f->first_ns = f->first_ns == AW_NO_TIME ? now : f->first_ns;
    enum aw_status status = check_seen(f, &all);
    if (status != AW_OK || !all || !said->n)
        return status;
    if (said->time_ns != AW_NO_TIME && !said->arrived &&
        !aw_follow_record(&f->engine, said->time_ns))
        return AW_OK;
    for (size_t i = 0; i < said->n; i++)
        aw_follow_value(&f->engine, said->of[i].row, said->of[i].value, now);
    f->fresh_ns = said->arrived ? AW_NO_TIME : said->time_ns;
    f->news_ns = now;
    return AW_OK;
}

/* Waits for a lost server to return. The joints stop meanwhile. */
static enum aw_status handle_lost_leader(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    aw_session_notice(session, "%s — waiting for it", session->err.text);
    f->leader.lost_before = aw_leader_lost(&f->leader);
    aw_stream_close(f->leader.stream);
    f->leader.stream = NULL;
    f->engine.timed = false;
    f->retry_ns = aw_clock_now(session->clock) + RETRY_NS;
    aw_follow_lose(&f->engine, AW_UNFOLLOW_GONE);
    return AW_OK;
}

static enum aw_status look_for_leader(struct aw_follower *f)
{
    struct aw_session *session = f->session;
    int64_t now = aw_clock_now(session->clock);
    if (now < f->retry_ns)
        return AW_OK;
    f->retry_ns = now + RETRY_NS;
    enum aw_status status = aw_leader_reopen(&f->leader);
    if (status == AW_OK)
        aw_session_notice(session, "%s is connected again", f->leader.source);
    return status == AW_STOPPED || status == AW_USAGE ? status : AW_OK;
}

/* Reads all available records, at most AT_ONCE. */
enum aw_status aw_follower_listen(struct aw_follower *f)
{
    struct aw_said said;
    enum aw_status status = AW_OK;
    if (!f->leader.stream)
        return look_for_leader(f);
    for (int i = 0; i < AT_ONCE && status == AW_OK; i++) {
        status = aw_leader_next(&f->leader, 0, &said);
        if (status == AW_OK)
            status = take(f, &said);
    }
    if (status == AW_LOST && f->leader.peer)
        return handle_lost_leader(f);
    f->done = aw_stream_over(status);
    return f->done || status == AW_TIMEOUT ? AW_OK : status;
}
