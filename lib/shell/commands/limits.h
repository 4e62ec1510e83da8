/* What 'limits' shows, the same in every tool: what is refused outside of which range, and who says
 * so.
 *
 *     const struct aw_limit limits[] = {
 *         {"m1", "base", "angle", -90, 90, "deg", "table", false},
 *         {"m3", "elbow", "angle", -90, 63, "deg", "table", false}};
 *     return aw_limits_show(session, aw_arg(args, "joint", 0), limits, 2);
 *
 *     joint            of                  min        max unit   from
 *     m1 (base)        angle               -90         90 deg    table
 *     m3 (elbow)       angle               -90         63 deg    table
 *
 *     {"joint":"m1","of":"angle","min":-90,"max":90,"unit":"deg","from":"table"}
 *
 * from is "table" (of the protocol), "config", "device" (told by it, or what it does by itself),
 * the name of a file, or, where --force takes a limit away, "--force" with no numbers.
 */
#ifndef AW_SHELL_COMMANDS_LIMITS_H
#define AW_SHELL_COMMANDS_LIMITS_H

#include "shell/core/session.h"

struct aw_limit {
    const char *joint; /* as commands take it */
    const char *alias; /* another name of it, or NULL */
    const char *of;    /* what is limited: "angle", "velocity" */
    double min, max;   /* infinite or NaN: no limit there */
    const char *unit;  /* "" for none */
    const char *from;
    bool firm; /* --force does not take it away */
};

/* Those of a joint by name or alias, or, if that is NULL, all. AW_USAGE with a suggestion where no
 * row is about it. */
enum aw_status aw_limits_show(struct aw_session *session, const char *joint,
                              const struct aw_limit *limits, size_t n);

#endif
