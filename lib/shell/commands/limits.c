/* Prints the limits in force, with who set them: a table for people, rows for programs. */
#include "shell/commands/limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

#define NAMES_MAX 64

static bool is_about(const struct aw_limit *limit, const char *joint)
{
    return !joint || strcmp(limit->joint, joint) == 0 ||
           (limit->alias && strcmp(limit->alias, joint) == 0);
}

static const char *text_of(double value, char out[40])
{
    if (!isfinite(value))
        return "-";
    snprintf(out, 40, "%.6g", value);
    return out;
}

static void show(struct aw_session *session, struct aw_limit limit)
{
    struct aw_object row;
    char min[40], max[40], name[80];
    if (aw_flag(session, "force") && !limit.firm) {
        limit.min = limit.max = NAN;
        limit.from = "--force";
    }
    snprintf(name, sizeof name, limit.alias ? "%.40s (%.30s)" : "%.40s", limit.joint, limit.alias);
    aw_object_start(&row, NULL);
    aw_object_text(&row, "joint", limit.joint);
    aw_object_text(&row, "of", limit.of);
    aw_object_number(&row, "min", limit.min, -1, NULL);
    aw_object_number(&row, "max", limit.max, -1, NULL);
    aw_object_text(&row, "unit", limit.unit);
    aw_object_text(&row, "from", limit.from);
    aw_session_row(session, &row, "%-16s %-12s %10s %10s %-6s %s\n", name, limit.of,
                   text_of(limit.min, min), text_of(limit.max, max), limit.unit, limit.from);
}

static enum aw_status no_joint(struct aw_session *session, const char *joint,
                               const struct aw_limit *limits, size_t n)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < n && count + 2 < NAMES_MAX; i++) {
        names[count++] = limits[i].joint;
        if (limits[i].alias)
            names[count++] = limits[i].alias;
    }
    return aw_fail_unknown(&session->err, aw_suggest(joint, names, count),
                           "'limits' without a joint shows all", "limits: no joint '%.40s'", joint);
}

enum aw_status aw_limits_show(struct aw_session *session, const char *joint,
                              const struct aw_limit *limits, size_t n)
{
    struct aw_output *out = &session->out;
    const char *bold = out->color ? "\033[1m" : "", *plain = out->color ? "\033[0m" : "";
    size_t first = 0;
    while (first < n && !is_about(&limits[first], joint))
        first++;
    if (first == n)
        return no_joint(session, joint ? joint : "", limits, n);
    if (aw_session_text(session))
        aw_output_draw(out, "%s%-16s %-12s %10s %10s %-6s %s%s\n", bold, "joint", "of", "min",
                       "max", "unit", "from", plain);
    for (size_t i = first; i < n; i++)
        if (is_about(&limits[i], joint))
            show(session, limits[i]);
    return AW_OK;
}
