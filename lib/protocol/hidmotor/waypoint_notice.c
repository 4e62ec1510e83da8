/* What is told to who plays a file of waypoints: notices, and the command to copy. */
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "protocol/hidmotor/waypoint_parts.h"

void aw_waypoint_notice(struct aw_hidmotor_waypoints *way, const char *format, ...)
{
    va_list args;
    if (way->n_notices == AW_HIDMOTOR_NOTICES)
        return;
    char *notice = way->notices[way->n_notices++];
    int n = snprintf(notice, sizeof *way->notices, "%.80s: ", way->name);
    va_start(args, format);
    vsnprintf(notice + n, sizeof *way->notices - (size_t)n, format, args);
    va_end(args);
}

char *aw_waypoint_command(const struct aw_hidmotor_waypoints *way,
                          const struct aw_hidmotor_file *how, char out[AW_WAYPOINT_COMMAND])
{
    char word[AW_WAYPOINT_COMMAND - 200];
    static const char *const units[] = {"", "deg", "rad"};
    const char *before = way->path[0] == '-' && way->path[1] ? "./" : "";
    snprintf(out, AW_WAYPOINT_COMMAND, "hidmotor play %s%s", before,
             aw_shell_word(word, sizeof word, way->path));
    if (how->columns)
        aw_append(out, AW_WAYPOINT_COMMAND, " --columns ", "%s",
                  aw_shell_word(word, sizeof word, how->columns));
    if (how->every_s > 0)
        aw_append(out, AW_WAYPOINT_COMMAND, " ", "--every %.9gms", 1000 * how->every_s);
    if (how->from_line)
        aw_append(out, AW_WAYPOINT_COMMAND, " ", "--from-line %zu", how->from_line);
    if (how->angles)
        aw_append(out, AW_WAYPOINT_COMMAND, " ", "--unit %s", units[how->angles]);
    if (how->speed > 0)
        aw_append(out, AW_WAYPOINT_COMMAND, " ", "--speed %.9g%%", 100 * how->speed);
    return out;
}
