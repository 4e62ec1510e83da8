/* Text that came from elsewhere, one character at a time.
 *
 *     for (size_t n; *text; text += n ? n : 1)
 *         n = aw_utf8_size(text);          0: show '?' instead of this byte
 */
#ifndef AW_BASE_UTF8_H
#define AW_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character that a NUL-terminated text begins with: 1 to 4; 0 if it is no well-formed
 * UTF-8 (Unicode 15, table 3-7), a control character, or the end. */
size_t aw_utf8_size(const char *text);

/* Counts characters; an invalid byte counts as one. Equals the columns on a terminal, unless the
 * text has wide or combining characters. */
size_t aw_utf8_length(const char *text);

/* Bytes of the mark (U+FEFF) that some editors put in front of a text: 3, or 0. */
size_t aw_utf8_mark(const char *text);

/* Whether a text begins with the mark of UTF-16, and what the user does about it. */
bool aw_utf16_mark(const char *text);
#define AW_UTF16_ADVICE "text in UTF-16 — convert it: iconv -f UTF-16 -t UTF-8 FILE >NEW"

/* Puts a '?' in place of every byte that is no part of a character: what is left does no harm on a
 * terminal or in JSON. */
void aw_utf8_clean(char *text);

/* The same for text of several lines: ends of lines and tabs stay. */
void aw_utf8_clean_lines(char *text);

/* For a terminal or locale without UTF-8: the characters of our own texts are spelled out ("-" for
 * a dash, "theta"), others become '?'. size: of the room of text, at least 8 bytes more than its
 * characters need at present, or its end may be cut off. */
void aw_utf8_to_ascii(char *text, size_t size);

#endif
