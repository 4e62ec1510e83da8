/* Checks and cleans untrusted text, one character at a time.
 *
 *     for (size_t n; *text; text += n ? n : 1)
 *         n = aw_utf8_size(text);          0: show '?' instead of this byte
 */
#ifndef AW_BASE_UTF8_H
#define AW_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the size of the first character of a string: 1 to 4 bytes. Returns 0 at the end, for a
 * control character, U+FFC0 to U+FFFF, or malformed UTF-8 (Unicode 15, table 3-7). */
size_t aw_utf8_size(const char *text);

/* Counts characters; an invalid byte counts as one. The result equals the columns on a terminal,
 * unless the text has wide or combining characters. */
size_t aw_utf8_length(const char *text);

/* Returns the size of a byte order mark (U+FEFF) at the start of the text: 3, or 0. */
size_t aw_utf8_bom_size(const char *text);

/* Returns true if the text starts with the byte order mark of UTF-16. AW_UTF16_ADVICE tells the
 * user how to convert such a file. */
bool aw_has_utf16_bom(const char *text);
#define AW_CR_ADVICE    "lines end with CR only — convert it: tr '\\r' '\\n' <FILE >NEW"
#define AW_UTF16_ADVICE "text in UTF-16 — convert it: iconv -f UTF-16 -t UTF-8 FILE >NEW"

/* Replaces every byte that is not part of a character by '?', so that the text is safe on a
 * terminal and in JSON. */
void aw_utf8_clean(char *text);

/* Same as aw_utf8_clean for text of several lines: keeps newlines and tabs. */
void aw_utf8_clean_lines(char *text);

/* Converts text for a terminal or locale without UTF-8. Spells out the characters that our messages
 * use ("-" for a dash, "theta"); others become '?'. size is the size of the buffer. It must exceed
 * the length of the text by at least 8 bytes, or the end may be cut off. */
void aw_utf8_to_ascii(char *text, size_t size);

#endif
