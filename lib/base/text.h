/* Builds strings in fixed buffers, and finds names in lists.
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

/* Joins n names with a separator. Truncates to size bytes, including the NUL. */
void aw_join(char *out, size_t size, const char *separator, const char *const *names, size_t n);

/* Appends formatted text to out, preceded by the separator unless out is empty. Truncates to size
 * bytes, including the NUL. */
void aw_append(char *out, size_t size, const char *separator, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a name to a list such as "a, b" unless the list already contains it. Returns false if it
 * does not fit. */
bool aw_append_name(char *list, size_t size, const char *name);

/* Quotes an argument for a shell if necessary, so that the user can copy the command. Returns out,
 * which is "FILE" if the result does not fit. */
char *aw_shell_quote(char *out, size_t size, const char *text);

/* Removes the first name from a list, in place, and returns it. A name that contains a separator is
 * quoted (' or "). Skips empty names. Returns NULL at the end. */
char *aw_next_name(char **rest, char separator);

/* Removes blanks around the text, in place, and returns its new start. */
char *aw_trim(char *text);

/* Returns true if the name equals the first length bytes of text. */
static inline bool aw_name_equals(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

/* Returns true if the NULL-terminated list contains the name. */
bool aw_is_one_of(const char *const *names, const char *name);

/* Returns the index of a name in a list of n names, or -1. */
int aw_find_name(const char *const *names, size_t n, const char *name);

#endif
