/* Which messages --fields and --format ask for: those that have one of the fields, and all that a
 * format names. What is not shown is not counted either.
 */
#ifndef AW_SHELL_COMMANDS_WANTED_H
#define AW_SHELL_COMMANDS_WANTED_H

#include "shell/core/session.h"
#include "view/text/select.h"

/* Plain data, in place: its patterns point into text. */
struct aw_wanted {
    struct aw_select any, all;
    char text[2048];
};

/* AW_USAGE: too many. */
enum aw_status aw_wanted_init(struct aw_wanted *wanted, struct aw_session *session);

/* Is a message with these points shown? */
bool aw_wanted_fits(const struct aw_wanted *wanted, const struct aw_point *points, size_t n);

/* The same for a record that has these scalars; any, all: those that the patterns name, from
 * aw_finder_look. */
bool aw_wanted_has(const struct aw_wanted *wanted, uint64_t present, const uint64_t *any,
                   const uint64_t *all);

#endif
