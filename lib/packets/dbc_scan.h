/* Internal to lib/packets: the words, numbers, texts and signs of a DBC file.
 *
 *     struct aw_dbc_scan scan;
 *     aw_dbc_scan_init(&scan, text);
 *     while (scan.token.kind != AW_DBC_END)
 *         aw_dbc_next(&scan);
 *
 * Texts go into a store; otherwise the scanner has no side effects. The input must outlive it.
 */
#ifndef AW_PACKETS_DBC_SCAN_H
#define AW_PACKETS_DBC_SCAN_H

#include <stdbool.h>

#include "packets/store.h"

enum aw_dbc_kind {
    AW_DBC_END,
    AW_DBC_WORD,   /* letters, digits and _ */
    AW_DBC_NUMBER, /* with a sign, a fraction, an exponent; also a word of digits only */
    AW_DBC_TEXT,   /* the characters between quotes */
    AW_DBC_SIGN,   /* any other character */
    AW_DBC_OPEN,   /* a text without a closing quote */
};

struct aw_dbc_token {
    enum aw_dbc_kind kind;
    const char *at; /* of a text: after the quote */
    size_t length;
    unsigned line;
    size_t column; /* from 1 */
};

struct aw_dbc_scan {
    const char *next, *line_at;
    unsigned line;
    bool windows; /* the texts are Windows-1252 */
    struct aw_dbc_token token;
};

/* Starts at the first token. */
void aw_dbc_scan_init(struct aw_dbc_scan *scan, const char *text);
void aw_dbc_next(struct aw_dbc_scan *scan);

bool aw_dbc_is_sign(const struct aw_dbc_token *token, char sign);
bool aw_dbc_is_word(const struct aw_dbc_token *token, const char *word);

/* Parses a number. Returns false if the token is not a number or is not finite (inf). */
bool aw_dbc_number(const struct aw_dbc_token *token, double *value);

/* Converts the token to a text of at most size - 1 bytes. Removes control characters, quotes,
 * backslashes, and blanks around it; also commas if csv is set. NULL: out of memory. */
const char *aw_dbc_text(const struct aw_dbc_scan *scan, struct aw_store *store, size_t size,
                        bool csv);

/* Returns a whole file as UTF-8 lines without other control characters; a reader parses them in
 * the same way. NULL: out of memory. The caller frees it. */
char *aw_dbc_lines(const char *text);

#endif
