/* Internal to lib/packets: splits a DBC file into words, numbers, strings and signs.
 *
 *     struct aw_dbc_scan scan;
 *     aw_dbc_scan_init(&scan, text);
 *     while (scan.token.kind != AW_DBC_END)
 *         aw_dbc_next_token(&scan);
 *
 * Strings are allocated in a store. The input must outlive the scanner.
 */
#ifndef AW_PACKETS_DBC_SCAN_H
#define AW_PACKETS_DBC_SCAN_H

#include <stdbool.h>

#include "packets/store.h"

enum aw_dbc_kind {
    AW_DBC_END,
    AW_DBC_WORD,     /* letters, digits and underscores */
    AW_DBC_NUMBER,   /* with sign, fraction and exponent */
    AW_DBC_TEXT,     /* a string: the characters between quotes */
    AW_DBC_SIGN,     /* any other character */
    AW_DBC_UNCLOSED, /* a string without a closing quote */
};

struct aw_dbc_token {
    enum aw_dbc_kind kind;
    const char *at; /* start of the token; of a string, after the quote */
    size_t length;
    unsigned line;
    size_t column; /* from 1, bytes */
};

struct aw_dbc_scan {
    const char *next, *line_start;
    unsigned line;
    struct aw_dbc_token token;
};

/* Starts scanning a text from aw_dbc_clean_text, and reads the first token. */
void aw_dbc_scan_init(struct aw_dbc_scan *scan, const char *text);
void aw_dbc_next_token(struct aw_dbc_scan *scan);

bool aw_dbc_is_sign(const struct aw_dbc_token *token, char sign);
bool aw_dbc_is_word(const struct aw_dbc_token *token, const char *word);

/* Parses the token as a number. Returns false if it is not a number, or not finite (inf). */
bool aw_dbc_token_number(const struct aw_dbc_token *token, double *value);

/* Stores the token as a string of at most size - 1 bytes, size at most 240. Replaces newlines,
 * quotes and backslashes, and removes surrounding and repeated blanks; if csv is set, also replaces
 * commas. NULL: out of memory. */
const char *aw_dbc_store_token(const struct aw_dbc_token *token, struct aw_store *store,
                               size_t size, bool csv);

/* Converts a whole file to UTF-8. Drops CR and a byte order mark, and replaces other control
 * characters except newlines by blanks or '?'. A file that is not UTF-8 is read as Windows-1252.
 * The caller frees the string. NULL: out of memory. */
char *aw_dbc_clean_text(const char *text);

#endif
