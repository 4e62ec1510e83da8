/* Builds texts in fixed buffers, and looks words up in lists.
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

/* Joins the names with a separator, cut to size (including the NUL). */
void aw_join(char *out, size_t size, const char *between, const char *const *names, size_t n);

/* Appends a formatted text to out, after the separator unless out is empty. Cuts to size (including
 * the NUL). */
void aw_append(char *out, size_t size, const char *between, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a name to a list like "a, b" unless it is in there already. Returns false if it does not
 * fit. */
bool aw_append_name(char *list, size_t size, const char *name);

/* Quotes a word for a shell if necessary, for a line that the user can copy. Returns out, which is
 * "FILE" if the word does not fit. */
char *aw_shell_word(char *out, size_t size, const char *word);

/* Cuts the next name off a list, in place. A name that contains a separator is quoted (' or ").
 * Skips empty names. Returns NULL at the end. */
char *aw_next_name(char **rest, char separator);

/* Returns the text without surrounding blanks, cut in place. */
char *aw_trim(char *text);

/* Returns true if the name equals the first length bytes of a text. */
static inline bool aw_is_word(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* Returns true if the word is in a list that ends with NULL. */
bool aw_is_one_of(const char *const *words, const char *word);

/* Returns the index of a word among n words, or -1. */
int aw_find_word(const char *const *words, size_t n, const char *word);

#endif
