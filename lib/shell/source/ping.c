/* Prints the statistics of 'ping': rows and a histogram in text style, otherwise records. */
#include "shell/source/ping.h"
#include "shell/safety/safety.h"

#include <inttypes.h>
#include <math.h>

#define BINS       12
#define BAR_WIDTH  40
#define GROUP_SIZE 16 /* assumes one punctual arrival per group */
#define LAST       6  /* number of final arrivals checked at the end */

static const char *const heads[] = {"min/ms", "mean/ms", "p50/ms", "p95/ms", "p99/ms", "max/ms"};

static void print_histogram(struct aw_output *out, const struct aw_samples *ms,
                            const struct aw_stats *s)
{
    double high = s->p99 > s->min ? s->min + 1.2 * (s->p99 - s->min) : s->min + 1;
    size_t bins[BINS], max_count = 1;
    aw_samples_histogram(ms, s->min, high, bins, BINS);
    for (size_t i = 0; i < BINS; i++)
        max_count = bins[i] > max_count ? bins[i] : max_count;
    for (size_t i = 0; i < BINS; i++) {
        double low = s->min + (high - s->min) * (double)i / BINS;
        aw_output_print(out, "%9.3f ms %7zu ", low, bins[i]);
        for (size_t bar = (bins[i] * BAR_WIDTH + max_count - 1) / max_count; bar; bar--)
            aw_output_write(out, "#", 1);
        aw_output_print(out, "%s\n", i + 1 == BINS && s->max > high ? " and above" : "");
    }
}

static void print_row(struct aw_session *session, struct aw_ping *ping, const struct aw_stats *s)
{
    struct aw_output *out = &session->out;
    const char *bold = out->color ? "\033[1m" : "", *plain = out->color ? "\033[0m" : "";
    const double values[] = {s->min, s->mean, s->p50, s->p95, s->p99, s->max};
    size_t n = sizeof heads / sizeof *heads;
    if (!session->run.printing.printed_rows) {
        aw_output_draw(out, "%s%-12s %7s %6s", bold, "", "n", "lost");
        for (size_t i = 0; i < n; i++)
            aw_output_draw(out, " %8s", heads[i]);
        aw_output_draw(out, "%s\n", plain);
    }
    session->run.printing.printed_rows = true;
    aw_output_print(out, "%-12s %7" PRIu64 " %6" PRIu64, ping->name, ping->n, ping->lost);
    for (size_t i = 0; i < n && s->n; i++)
        aw_output_print(out, " %8.3f", values[i]);
    aw_output_write(out, "\n", 1);
    if (!ping->key && s->max > s->min && !session->options.print.quiet)
        print_histogram(out, &ping->ms, s);
}

void aw_ping_print(struct aw_session *session, struct aw_ping *ping)
{
    struct aw_object *result = &session->result;
    struct aw_stats stats = aw_samples_stats(&ping->ms);
    aw_session_hide_progress(session);
    aw_object_start(result, "ping");
    if (aw_session_is_text(session)) {
        result->cmd = NULL;
        print_row(session, ping, &stats);
        return;
    }
    if (ping->key)
        aw_object_add_text(result, ping->key, ping->name);
    aw_object_add_count(result, "n", ping->n);
    aw_object_add_count(result, "lost", ping->lost);
    if (!stats.n)
        stats = (struct aw_stats){1, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    aw_object_add_stats_ms(result, NULL, &stats);
}

/* The delay of each message after its due time, in periods. After a late message, the next ones are
 * on time again. After a missing message, all later ones are one period late. */
struct lateness {
    double delay; /* delay of the last message */
    double usual_delay;
    double min_delay; /* min delay in the current group */
    double last_delays[LAST];
    size_t n;
    double missing;
};

/* Counts the increase of the min delay as missing messages. A fraction of a period is an error in
 * the estimated interval. */
static void count_missing(struct lateness *late, double min_delay)
{
    late->missing += fmax(0, round(min_delay - late->usual_delay));
    late->usual_delay = min_delay;
    late->min_delay = INFINITY;
}

uint64_t aw_ping_count_missing(const struct aw_samples *intervals, double interval)
{
    struct lateness late = {.min_delay = INFINITY};
    for (size_t i = 0; i < intervals->n && interval > 0; i++) {
        late.delay += intervals->values[i] / interval - 1;
        late.last_delays[i % LAST] = late.delay;
        late.min_delay = fmin(late.min_delay, late.delay);
        if (++late.n % GROUP_SIZE == 0)
            count_missing(&late, late.min_delay);
    }
    double min_delay = INFINITY;
    for (size_t i = 0; i < LAST && i < late.n; i++)
        min_delay = fmin(min_delay, late.last_delays[i]);
    if (late.n > 0)
        count_missing(&late, min_delay);
    return (uint64_t)late.missing;
}

/* ---- The command ---- */

static enum aw_status send_query(struct aw_session *session, struct aw_ping *ping)
{
    double ms = NAN;
    enum aw_status status = session->tool->talk.ping.query(session, &ms);
    if (status == AW_STOPPED)
        return status;
    ping->n++;
    ping->lost += status != AW_OK;
    if (status == AW_OK && !isnan(ms))
        aw_samples_add(&ping->ms, ms);
    return status == AW_TIMEOUT && !session->tool->talk.ping.ends_on_loss ? AW_OK : status;
}

static enum aw_status send_queries(struct aw_session *session, struct aw_ping *ping)
{
    const struct aw_ping_hooks *hooks = &session->tool->talk.ping;
    double hz = session->options.move.rate;
    uint64_t count = (uint64_t)session->options.run.count;
    int64_t next = aw_clock_now(session->clock), end = aw_session_end_time(session);
    double pace_s = hz > 0 ? 1 / hz : end != AW_NEVER ? hooks->pace_s : 0;
    enum aw_status status = AW_OK;
    if (!count && end == AW_NEVER)
        count = hooks->default_count;
    while (status == AW_OK && !(count && ping->n >= count) && aw_clock_now(session->clock) < end) {
        aw_session_show_progress(session, "ping %.0f s, %" PRIu64 " requests",
                                 aw_session_seconds(session), ping->n);
        status = send_query(session, ping);
        next = aw_time_after(next, pace_s);
        if (status == AW_OK && pace_s > 0)
            status = aw_clock_sleep(session->clock, aw_min_time(next, end));
    }
    return status;
}

static enum aw_status ping_all(struct aw_session *session, struct aw_ping *ping)
{
    const struct aw_ping_hooks *hooks = &session->tool->talk.ping;
    enum aw_status status = hooks->begin(session);
    if (status != AW_OK)
        return status;
    status = send_queries(session, ping);
    if (ping->n)
        aw_ping_print(session, ping);
    if (hooks->end)
        status = hooks->end(session, status);
    if (status == AW_STOPPED && !aw_session_is_json(session))
        aw_session_print_result(session);
    return status;
}

enum aw_status aw_run_ping(struct aw_session *session, const struct aw_args *args)
{
    const struct aw_ping_hooks *hooks = &session->tool->talk.ping;
    struct aw_ping ping = {.name = hooks->name,
                           .key = aw_session_is_text(session) ? hooks->key : NULL};
    (void)args;
    enum aw_status status = ping_all(session, &ping);
    bool none_received = ping.n == ping.lost;
    aw_samples_free(&ping.ms);
    if (none_received && status == AW_LOST && session->device.link &&
        session->device.link->is_recording)
        return aw_fail(&session->err, AW_TIMEOUT, "ping: no replies in the recording");
    return none_received && status == AW_OK ? AW_TIMEOUT
                                            : status; /* keeps the error of the last request */
}
