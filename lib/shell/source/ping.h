/* The output of 'ping', shared by all tools: the number of requests, the number of lost ones, and
 * their times in milliseconds.
 *
 *     struct aw_ping ping = {.name = "round trip"};
 *     ping.n++;
 *     if (answered) aw_samples_add(&ping.ms, ms); else ping.lost++;
 *     aw_ping_print(session, &ping);
 *     aw_samples_free(&ping.ms);
 *
 *                        n   lost   min/ms  mean/ms   p50/ms   p95/ms   p99/ms   max/ms
 *     round trip       100      2    0.812    0.981    0.976    1.120    1.304    1.871
 *
 *     {"cmd":"ping","n":100,"lost":2,"min_ms":0.812,"mean_ms":0.981,"p50_ms":…,"max_ms":1.871}
 */
#ifndef AW_SHELL_SOURCE_PING_H
#define AW_SHELL_SOURCE_PING_H

#include "control/samples.h"
#include "shell/session/session.h"

struct aw_ping {
    const char *key;  /* key of the name in the record ("board"); NULL: there is only one row */
    const char *name; /* "lknee", "round trip" */
    uint64_t n, lost; /* number of requests, and of those without an answer */
    struct aw_samples ms;
};

/* In text style, prints a row, with a header before the first one. A single row whose times differ
 * is followed by a histogram, unless --quiet. In other styles begins the result of ping: n, lost,
 * min_ms, mean_ms, p50_ms, p95_ms, p99_ms, max_ms (null without samples). More members may be
 * added. Between several rows, the caller calls aw_session_print_result. */
void aw_ping_print(struct aw_session *session, struct aw_ping *ping);

/* The command, implemented by tool->talk.ping. */
aw_run_fn aw_run_ping;

/* Estimates how many periodic messages are missing. interval: the period, in the unit of the
 * samples. A missing message delays all later ones by one period; a late message, or several at
 * once, do not. */
uint64_t aw_ping_count_missing(const struct aw_samples *intervals, double interval);

#endif
