/* Statistics as a table for people: a head, then a row for each thing that was measured.
 *
 *     aw_stats_head(&session->out, "ms");
 *     aw_stats_row(&session->out, "latency", &spread);
 *
 *     ms                   n       min      mean       p50       p95       p99       max
 *     latency             10     0.030     0.032     0.030     0.034     0.034     0.034
 *
 * Programs get the same by aw_object_stats_ms.
 */
#ifndef AW_SHELL_COMMANDS_STATS_H
#define AW_SHELL_COMMANDS_STATS_H

#include "control/samples.h"
#include "shell/core/output.h"

void aw_stats_head(struct aw_output *out, const char *first);

/* n is the number of samples; only the name and a 0 if there are none. */
void aw_stats_row(struct aw_output *out, const char *name, const struct aw_stats *stats);

#endif
