/* ping: which drivers speak, and how evenly. This bus knows no question that a driver would answer
 * without being enabled, so nothing is sent. */
#include <stdlib.h>

#include "shell/commands/stats.h"
#include "state.h"

#define USUAL_S 1

struct listener {
    struct aw_session *session;
    uint64_t wanted, received; /* boards */
    uint64_t frames, limit;    /* limit 0: none */
    uint64_t count[AW_CANPID_BOARDS];
    int64_t last_ns[AW_CANPID_BOARDS][AW_CANPID_KINDS]; /* 0: none yet */
    struct aw_samples interval_ms[AW_CANPID_BOARDS];    /* between two frames of a kind */
};

static int kind_of(const struct aw_canpid *client, const struct aw_record *record)
{
    for (int kind = 0; kind < AW_CANPID_KINDS; kind++)
        if (record->codec == client->codecs[kind])
            return kind;
    return -1;
}

static bool take(void *context, const struct aw_canpid_frame *frame)
{
    struct listener *l = context;
    const struct aw_record *record = &frame->record;
    int kind = frame->size ? kind_of(canpid_of(l->session), record) : -1;
    if (kind < 0)
        return true;
    unsigned at = (unsigned)aw_record_get(record, "board") / 32 % AW_CANPID_BOARDS;
    int64_t now = record->time_ns != AW_NO_TIME ? record->time_ns : aw_session_time(l->session);
    int64_t *last = &l->last_ns[at][kind];
    if (l->wanted && !(l->wanted >> at & 1))
        return true;
    if (*last)
        aw_samples_add(&l->interval_ms[at], (double)(now - *last) / 1e6);
    *last = now;
    l->count[at]++;
    l->received |= UINT64_C(1) << at;
    return !(++l->frames == l->limit);
}

static enum aw_status receive_all(struct listener *l)
{
    struct aw_session *session = l->session;
    double seconds = aw_option_number(session, "for");
    l->limit = (uint64_t)aw_option_number(session, "count");
    if (seconds == 0 && !l->limit)
        seconds = USUAL_S;
    int64_t now = aw_clock_now(session->clock);
    return aw_canpid_poll(canpid_of(session), seconds > 0 ? aw_clock_after(now, seconds) : AW_NEVER,
                          take, l, &session->err);
}

static void report(struct listener *l, unsigned board)
{
    struct aw_session *session = l->session;
    unsigned at = board / 32;
    struct aw_stats stats = aw_samples_stats(&l->interval_ms[at]);
    char name[AW_CANPID_NAME_MAX];
    aw_canpid_board_name(&session->wire->variant, board, name);
    if (aw_session_text(session)) {
        aw_stats_row(&session->out, name, &stats);
        return;
    }
    aw_object_start(&session->result, "ping");
    aw_object_text(&session->result, "board", name);
    aw_object_number(&session->result, "frames", (double)l->count[at], 0, NULL);
    aw_object_stats_ms(&session->result, "interval", &stats);
    aw_session_print_result(session);
}

static enum aw_status judge(struct listener *l)
{
    char name[AW_CANPID_NAME_MAX];
    uint64_t silent = l->wanted & ~l->received;
    if (!silent && l->received)
        return AW_OK;
    return aw_fail(
        &l->session->err, AW_TIMEOUT, "ping: no telemetry from %s — is it powered, and the bus up?",
        silent ? aw_canpid_board_name(&l->session->wire->variant, canpid_first_board(silent), name)
               : "any driver");
}

static enum aw_status ping(struct listener *l)
{
    struct aw_session *session = l->session;
    enum aw_status status = aw_flag(session, "board") ? canpid_boards(session, &l->wanted) : AW_OK;
    if (status == AW_OK)
        status = canpid_ready(session);
    if (status == AW_OK)
        status = receive_all(l);
    if (l->received && aw_session_text(session))
        aw_stats_head(&session->out, "interval/ms");
    for (uint64_t left = l->received; left; left &= left - 1)
        report(l, canpid_first_board(left));
    return status == AW_OK ? judge(l) : status;
}

enum aw_status run_ping(struct aw_session *session, const struct aw_args *args)
{
    struct listener *l = calloc(1, sizeof *l);
    (void)args;
    if (!l)
        return aw_no_memory(&session->err);
    l->session = session;
    enum aw_status status = ping(l);
    for (size_t i = 0; i < AW_CANPID_BOARDS; i++)
        aw_samples_free(&l->interval_ms[i]);
    free(l);
    return status;
}
