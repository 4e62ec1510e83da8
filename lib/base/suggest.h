/* "Did you mean …?" for commands, fields, units and links. */
#ifndef AW_BASE_SUGGEST_H
#define AW_BASE_SUGGEST_H

#include <stddef.h>

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

#endif
