/* Statistics as a table for people: a head, then a row for each thing that was measured.
 *
 *     aw_spread_head(&session->out, "ms");
 *     aw_spread_row(&session->out, "latency", &spread);
 *
 *     ms                   n       min      mean       p50       p95       p99       max
 *     latency             10     0.030     0.032     0.030     0.034     0.034     0.034
 *
 * Programs get the same by aw_object_spread_ms.
 */
#ifndef AW_SHELL_COMMANDS_SPREAD_H
#define AW_SHELL_COMMANDS_SPREAD_H

#include "control/samples.h"
#include "shell/core/output.h"

void aw_spread_head(struct aw_output *out, const char *first);

/* n is the number of samples; only the name and a 0 if there are none. */
void aw_spread_row(struct aw_output *out, const char *name, const struct aw_spread *spread);

#endif
