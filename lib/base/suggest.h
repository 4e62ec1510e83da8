/* "Did you mean …?" */
#ifndef AW_BASE_SUGGEST_H
#define AW_BASE_SUGGEST_H

#include <stddef.h>

/* The candidate that the word is most likely a slip of: the nearest one by insertions, deletions,
 * replacements and swaps, or one that starts with it. NULL if nothing is near. */
const char *aw_suggest(const char *word, const char *const *candidates, size_t n);

#endif
