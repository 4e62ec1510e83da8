#include <math.h>
#include <string.h>

#include "traffic.h"

struct player {
    struct aw_session *session;
    struct traffic traffic;
    double speed;
    bool all;
    uint64_t sent, skipped;
};

static bool is_command(const struct player *p, const struct aw_record *record)
{
    return p->all || record->codec->message->dir & AW_TX;
}

/* The guards of single commands hold for each of them; a controller that the log has chosen is
 * known from there on. */
static enum aw_status guard(struct player *p, const struct aw_record *record, size_t number)
{
    struct aw_pid *pid = pid_of(p->session);
    struct aw_pid_sent sent;
    struct aw_error problem;
    if (record->dir != AW_TX || !(record->codec->message->dir & AW_TX))
        return AW_OK;
    enum aw_status status = aw_pid_check(pid, record, &sent, &problem);
    if (status != AW_OK)
        return aw_fail(&p->session->err, status, "replay: frame %zu: %.200s", number, problem.text);
    if (sent.controller != AW_PID_LAST)
        aw_pid_board(pid, sent.board)->controller = sent.controller;
    return AW_OK;
}

/* Everything is looked at before the first frame goes out. Frames of other protocols are left out.
 */
static enum aw_status check_frames(struct player *p)
{
    struct pid_state *state = p->session->state;
    size_t kept = 0;
    state->driven = 0;
    for (size_t i = 0; i < p->traffic.n; i++) {
        struct traffic_frame *frame = &p->traffic.frames[i];
        struct aw_record record;
        struct aw_span bytes = {frame->bytes, frame->size};
        enum aw_status status =
            aw_wire_decode(p->session->wire, AW_TX, bytes, &record, &p->session->err);
        if (status != AW_OK && record.present)
            return aw_fail(&p->session->err, AW_USAGE,
                           "replay: frame %zu has a value that is no finite number", i + 1);
        if (status != AW_OK || !is_command(p, &record)) {
            p->skipped++;
            continue;
        }
        status = guard(p, &record, i + 1);
        if (status != AW_OK)
            return status;
        double board = aw_record_get(&record, "board");
        state->driven |= AW_PID_BIT(board);
        p->traffic.frames[kept++] = *frame;
    }
    p->traffic.n = kept;
    return AW_OK;
}

/* What was seen on the bus is remembered as it was when nothing is sent. */
static enum aw_status check(struct player *p)
{
    struct aw_pid *pid = pid_of(p->session);
    int seen[AW_PID_BOARDS];
    for (unsigned i = 0; i < AW_PID_BOARDS; i++)
        seen[i] = pid->boards[i].controller;
    enum aw_status status = check_frames(p);
    if (status != AW_OK || aw_flag(p->session, "dry-run"))
        for (unsigned i = 0; i < AW_PID_BOARDS; i++)
            pid->boards[i].controller = seen[i];
    return status;
}

/* At the time it has in the log, counted from the first frame that is sent. */
static enum aw_status play(struct player *p)
{
    struct aw_session *session = p->session;
    int64_t start = aw_clock_now(session->clock),
            first = p->traffic.n ? p->traffic.frames[0].time_ns : 0;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < p->traffic.n && status == AW_OK; i++) {
        const struct traffic_frame *frame = &p->traffic.frames[i];
        int64_t due = start + (int64_t)((double)(frame->time_ns - first) / p->speed);
        if (due > aw_clock_now(session->clock))
            status = aw_pid_poll(pid_of(session), due, NULL, NULL, &session->err);
        if (status == AW_OK)
            status = aw_link_write(session->link, frame->bytes, frame->size, &session->err);
        p->sent += status == AW_OK;
    }
    return status;
}

static enum aw_status play_all(struct player *p)
{
    bool loop = aw_flag(p->session, "loop");
    enum aw_status status = aw_output_check(&p->session->out, &p->session->err);
    p->session->moving = true;
    if (status == AW_OK)
        do
            status = play(p);
        while (status == AW_OK && loop && p->traffic.n);
    if (status == AW_OK)
        p->session->moving = false;
    return status;
}

enum aw_status run_replay(struct aw_session *session, const struct aw_args *args)
{
    struct player p = {.session = session,
                       .speed = aw_option_number(session, "speed"),
                       .all = aw_flag(session, "all")};
    enum aw_status status = traffic_load(session, aw_arg(args, "file", 0), &p.traffic);
    if (status == AW_OK)
        status = pid_ready(session);
    if (status == AW_OK)
        status = check(&p);
    if (status == AW_OK && !aw_flag(session, "dry-run"))
        status = play_all(&p);
    traffic_free(&p.traffic);
    aw_object_start(&session->result, "replay");
    aw_object_number(&session->result, "sent", (double)p.sent, 0, NULL);
    aw_object_number(&session->result, "left_out", (double)p.skipped, 0, NULL);
    return status;
}
