/* What 'ping' shows, the same in every tool: how many were asked or awaited, how many of them never
 * came, and how long it took, in milliseconds.
 *
 *     struct aw_ping ping = {.name = "round trip"};
 *     ping.n++;
 *     if (answered) aw_samples_add(&ping.ms, ms); else ping.lost++;
 *     aw_ping_row(session, &ping);
 *     aw_samples_free(&ping.ms);
 *
 *                        n   lost   min/ms  mean/ms   p50/ms   p95/ms   p99/ms   max/ms
 *     round trip       100      2    0.812    0.981    0.976    1.120    1.304    1.871
 *
 *     {"cmd":"ping","n":100,"lost":2,"min_ms":0.812,"mean_ms":0.981,"p50_ms":…,"max_ms":1.871}
 */
#ifndef AW_SHELL_COMMANDS_PING_H
#define AW_SHELL_COMMANDS_PING_H

#include "control/samples.h"
#include "shell/core/session.h"

struct aw_ping {
    const char *key;  /* of the name in the record ("board"); NULL: there is but one row */
    const char *name; /* "lknee", "round trip" */
    uint64_t n, lost;
    struct aw_samples ms;
};

/* For people a row, under its head before the first one; a single row of several numbers that
 * differ is followed by their histogram, unless --quiet. Else the result of ping begins: n, lost,
 * min_ms, mean_ms, p50_ms, p95_ms, p99_ms, max_ms (without samples these are null), and more may be
 * added; with several rows aw_session_print_result is called between them. */
void aw_ping_row(struct aw_session *session, struct aw_ping *ping);

/* The command, over tool->ping. */
aw_run_fn aw_run_ping;

/* How many never came of what comes by itself: one that is missing leaves all that follow a place
 * behind; one that was only late, or came in a block with others, does not. */
uint64_t aw_ping_missing(const struct aw_samples *intervals, double usual);

#endif
