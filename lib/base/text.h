/* Texts that are put together, with room for so much, and words that are looked for in lists.
 *
 *     char list[80] = "";
 *     for (size_t i = 0; i < n; i++)
 *         aw_append(list, sizeof list, ", ", "%s to %s", from[i], to[i]);
 */
#ifndef AW_BASE_TEXT_H
#define AW_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The names with a text between them, cut to size (with its NUL). */
void aw_join(char *out, size_t size, const char *between, const char *const *names, size_t n);

/* Puts another text behind what out has, between them the one for that unless out is empty; cut to
 * size (with its NUL). */
void aw_append(char *out, size_t size, const char *between, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* "a, b": adds a name to such a list, unless it is one of them. False: there is no room for it. */
bool aw_append_name(char *list, size_t size, const char *name);

/* A word as a shell reads it back, in quotes where it needs them, for a line to copy. "FILE" where
 * it does not fit into size. Returns out. */
char *aw_shell_word(char *out, size_t size, const char *word);

/* Cuts the next name off a list, in place. A name with a separator in it is quoted (' or "). Skips
 * empty names. NULL at the end. */
char *aw_next_name(char **rest, char separator);

/* The text without the blanks around it, cut in place. */
char *aw_trim(char *text);

/* Is the name what the first length bytes of a text are? */
static inline bool aw_is_word(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* Is it one of the words, a list that NULL ends? */
bool aw_is_one_of(const char *const *words, const char *word);

/* Which of n words it is; -1: none. */
int aw_find_word(const char *const *words, size_t n, const char *word);

#endif
