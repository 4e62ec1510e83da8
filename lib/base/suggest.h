/* "Did you mean …?" for commands, fields, units and links. */
#ifndef AW_BASE_SUGGEST_H
#define AW_BASE_SUGGEST_H

#include <stddef.h>

#include "base/status.h"

/* The candidate nearest to the word, or NULL if none is near enough to be what was meant: at most
 * one slip in three letters, where a slip is a letter too many, missing, wrong, or two swapped; a
 * word that begins a candidate counts as near, too. Case is ignored. NULL candidates are skipped;
 * the first of equals wins.
 *
 *     static const char *const names[] = {"elbow", "wrist"};
 *     aw_suggest("ebow", names, 2);    "elbow"
 *     aw_suggest("gripper", names, 2); NULL
 */
const char *aw_suggest(const char *word, const char *const *candidates, size_t n);

/* AW_USAGE: what is not known, and what was meant: near (of aw_suggest), or else the advice.
 *     aw_fail_unknown(err, near, "use elbow or wrist", "no joint '%s'", word);
 *     no joint 'ebow' — did you mean 'elbow'?
 *     no joint 'x' — use elbow or wrist */
enum aw_status aw_fail_unknown(struct aw_error *err, const char *near, const char *advice,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Which of the names, a list that NULL ends, the first size bytes of text are; -1 with AW_USAGE:
 *     fault 'encodre': unknown — did you mean 'encoder'?
 *     fault 'x': unknown — use one of none, encoder */
int aw_choose(const char *what, const char *const *names, const char *text, size_t size,
              struct aw_error *err);

#endif
