/* Suggests corrections ("Did you mean …?") for commands, fields, units and links. */
#ifndef AW_BASE_SUGGEST_H
#define AW_BASE_SUGGEST_H

#include <stddef.h>

#include "base/status.h"

/* Returns the most similar candidate, or NULL if none is similar enough. Allows one typo per three
 * letters, and one typo in names of two: an extra, missing or wrong letter, or two swapped ones. A
 * prefix of at least two letters also counts as similar. Ignores case, compares the first 31
 * characters, and skips NULL candidates. Of equally similar candidates, the first one wins.
 *
 *     static const char *const names[] = {"elbow", "wrist"};
 *     aw_suggest("ebow", names, 2);    "elbow"
 *     aw_suggest("gripper", names, 2); NULL
 */
const char *aw_suggest(const char *text, const char *const *candidates, size_t n);

/* Fails with AW_USAGE and suggests a similar name (from aw_suggest). If similar is NULL, gives the
 * advice instead:
 *     aw_fail_unknown(err, similar, "use elbow or wrist", "no joint '%s'", word);
 *     no joint 'ebow' — did you mean 'elbow'?
 *     no joint 'x' — use elbow or wrist */
enum aw_status aw_fail_unknown(struct aw_error *err, const char *similar, const char *advice,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Returns the index of the name that equals the first size bytes of text. names ends with NULL.
 * kind ("fault") is the kind of name. Returns -1 with AW_USAGE for an unknown name:
 *     unknown fault 'encodre' — did you mean 'encoder'?
 *     unknown fault 'x' — use one of none, encoder */
int aw_choose(const char *kind, const char *const *names, const char *text, size_t size,
              struct aw_error *err);

#endif
