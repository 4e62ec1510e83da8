/* Prints tables of statistics for the commands that measure. */
#include "shell/commands/stats.h"

void aw_stats_head(struct aw_output *out, const char *first)
{
    const char *bold = out->color ? "\033[1m" : "", *plain = out->color ? "\033[0m" : "";
    aw_output_draw(out, "%s%-12s %8s %9s %9s %9s %9s %9s %9s%s\n", bold, first, "n", "min", "mean",
                   "p50", "p95", "p99", "max", plain);
}

void aw_stats_row(struct aw_output *out, const char *name, const struct aw_stats *s)
{
    aw_output_print(out, "%-12s %8zu", name, s->n);
    if (s->n)
        aw_output_print(out, " %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f", s->min, s->mean, s->p50,
                        s->p95, s->p99, s->max);
    aw_output_write(out, "\n", 1);
}
