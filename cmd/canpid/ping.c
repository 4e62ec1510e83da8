/* ping: which drivers send telemetry, and how evenly. Sends nothing, because any query of a driver
 * would enable it. */
#include <math.h>
#include <stdlib.h>

#include "shell/safety/safety.h"
#include "shell/source/ping.h"
#include "state.h"

#define DEFAULT_S          1
#define INTERVALS_PER_MEAN 8    /* intervals per mean, and number of means */
#define MAX_DEVIATION      0.1  /* largest deviation from the median interval */
#define BATCH_MS           0.25 /* shorter intervals are batches of frames */

struct listener {
    struct aw_session *session;
    uint64_t wanted, received; /* sets of boards */
    uint64_t frames, limit;    /* limit 0: none */
    uint64_t count[AW_CANPID_BOARDS];
    int64_t last_ns[AW_CANPID_BOARDS][AW_CANPID_KINDS]; /* 0: none yet */
    struct aw_samples interval_ms[AW_CANPID_BOARDS][AW_CANPID_KINDS];
};

static bool note_arrival(void *context, const struct aw_received *received)
{
    struct listener *l = context;
    const struct aw_canpid *client = canpid_client(l->session);
    const struct aw_record *record = received->record;
    int kind = 0;
    while (record && kind < AW_CANPID_KINDS && record->codec != client->codecs[kind])
        kind++;
    if (!record || kind == AW_CANPID_KINDS)
        return true;
    unsigned index = (unsigned)aw_record_get(record, "board") / 32 % AW_CANPID_BOARDS;
    int64_t now = record->time_ns != AW_NO_TIME ? record->time_ns : aw_session_time(l->session);
    int64_t *last = &l->last_ns[index][kind];
    if (l->wanted && !(l->wanted >> index & 1))
        return true;
    if (*last)
        aw_samples_add(&l->interval_ms[index][kind], (double)(now - *last) / 1e6);
    *last = now;
    l->count[index]++;
    l->received |= UINT64_C(1) << index;
    aw_session_show_progress(l->session, "ping %.0f s, %llu frames", aw_session_seconds(l->session),
                             (unsigned long long)l->frames);
    return !(++l->frames == l->limit);
}

/* Returns the mean of the intervals near the median, if most are near it, else 0. Missing frames do
 * not change it. */
static double get_even_ms(const struct aw_samples *intervals)
{
    struct aw_samples sorted = {0};
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < intervals->n; i++)
        aw_samples_add(&sorted, intervals->values[i]);
    double median = aw_samples_stats(&sorted).p50;
    for (size_t i = 0; i < sorted.n; i++)
        if (fabs(sorted.values[i] - median) < MAX_DEVIATION * median) {
            sum += sorted.values[i];
            n++;
        }
    aw_samples_free(&sorted);
    return median >= BATCH_MS && n > intervals->n * 2 / 3 ? sum / (double)n : 0;
}

/* Adapters and busy machines deliver frames in batches and late, so single intervals are
 * unreliable. Uses the median of means over many intervals. */
static double get_period_ms(const struct aw_samples *intervals)
{
    struct aw_samples means = {0};
    double sum = 0, even_ms = get_even_ms(intervals);
    if (even_ms > 0)
        return even_ms;
    size_t group_size =
        intervals->n >= INTERVALS_PER_MEAN * INTERVALS_PER_MEAN ? INTERVALS_PER_MEAN : 1;
    for (size_t i = 0; i < intervals->n; i++) {
        sum += intervals->values[i];
        if ((i + 1) % group_size)
            continue;
        if (sum / (double)group_size >= BATCH_MS)
            aw_samples_add(&means, sum / (double)group_size);
        sum = 0;
    }
    double median = aw_samples_stats(&means).p50;
    aw_samples_free(&means);
    return median;
}

static void report_board(struct listener *l, unsigned board)
{
    unsigned index = board / 32;
    char name[AW_CANPID_NAME_MAX];
    struct aw_ping row = {
        .key = "board",
        .name = aw_canpid_board_name(&l->session->wire->variant, board, name),
        .n = l->count[index],
    };
    for (int kind = 0; kind < AW_CANPID_KINDS; kind++) {
        const struct aw_samples *intervals = &l->interval_ms[index][kind];
        row.lost += aw_ping_count_missing(intervals, get_period_ms(intervals));
        for (size_t i = 0; i < intervals->n; i++)
            aw_samples_add(&row.ms, intervals->values[i]);
    }
    aw_ping_print(l->session, &row);
    aw_samples_free(&row.ms);
    aw_session_print_result(l->session);
}

static enum aw_status run_listener(struct listener *l)
{
    struct aw_session *session = l->session;
    double seconds = session->options.run.for_s;
    enum aw_status status =
        canpid_given(session)->board ? canpid_parse_boards(session, &l->wanted) : AW_OK;
    if (status == AW_OK)
        status = canpid_open(session);
    l->limit = (uint64_t)session->options.run.count;
    if (seconds == 0 && !l->limit)
        seconds = DEFAULT_S;
    int64_t now = aw_clock_now(session->clock);
    int64_t deadline = seconds > 0 ? aw_time_after(now, seconds) : AW_NEVER;
    if (status == AW_OK)
        status = aw_canpid_idle(canpid_client(session), deadline, note_arrival, l, &session->err);
    for (uint64_t left = l->received; left; left &= left - 1)
        report_board(l, canpid_find_first_board(left));
    uint64_t silent = l->wanted & ~l->received;
    bool recorded = session->device.link && session->device.link->is_recording;
    bool ended = status == AW_LOST && recorded;
    if ((status != AW_OK && !ended) || (l->received && !silent))
        return status;
    char name[AW_CANPID_NAME_MAX] = "any driver";
    if (silent)
        aw_canpid_board_name(&session->wire->variant, canpid_find_first_board(silent), name);
    return aw_fail(&session->err, AW_TIMEOUT, "ping: no telemetry from %s — " AW_CANPID_ADVICE,
                   name);
}

enum aw_status run_ping(struct aw_session *session, const struct aw_args *args)
{
    struct listener *l = calloc(1, sizeof *l);
    (void)args;
    if (!l)
        return aw_no_memory(&session->err);
    l->session = session;
    enum aw_status status = run_listener(l);
    for (size_t i = 0; i < AW_CANPID_BOARDS; i++)
        for (size_t kind = 0; kind < AW_CANPID_KINDS; kind++)
            aw_samples_free(&l->interval_ms[i][kind]);
    free(l);
    return status;
}
