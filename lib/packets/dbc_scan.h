/* Internal to lib/packets: the words, numbers, texts and signs of a DBC file.
 *
 *     struct aw_dbc_scan scan;
 *     aw_dbc_scan_init(&scan, text);
 *     while (scan.token.kind != AW_DBC_END)
 *         aw_dbc_next(&scan);
 *
 * Pure but for texts, which go into a store. The text must stay.
 */
#ifndef AW_PACKETS_DBC_SCAN_H
#define AW_PACKETS_DBC_SCAN_H

#include <stdbool.h>

#include "packets/store.h"

enum aw_dbc_kind {
    AW_DBC_END,
    AW_DBC_WORD,   /* letters, digits and _ */
    AW_DBC_NUMBER, /* with a sign, a fraction, an exponent; a word that is digits is one, too */
    AW_DBC_TEXT,   /* what stands between quotes */
    AW_DBC_SIGN,   /* any other character */
    AW_DBC_OPEN,   /* a text that does not end */
};

struct aw_dbc_token {
    enum aw_dbc_kind kind;
    const char *at; /* of a text: behind the quote */
    size_t length;
    unsigned line;
    size_t column; /* from 1 */
};

struct aw_dbc_scan {
    const char *next, *line_at;
    unsigned line;
    bool windows; /* its texts are Windows-1252 */
    struct aw_dbc_token token;
};

/* At the first token. */
void aw_dbc_scan_init(struct aw_dbc_scan *scan, const char *text);
void aw_dbc_next(struct aw_dbc_scan *scan);

bool aw_dbc_is_sign(const struct aw_dbc_token *token, char sign);
bool aw_dbc_is_word(const struct aw_dbc_token *token, const char *word);

/* Parses a number. Returns false if the token is not a number or is not finite (inf). */
bool aw_dbc_number(const struct aw_dbc_token *token, double *value);

/* The token as a text of at most size - 1 bytes without control characters, quotes, backslashes,
 * blanks around it, and without commas if it is to stand in CSV. NULL: out of memory. */
const char *aw_dbc_text(const struct aw_dbc_scan *scan, struct aw_store *store, size_t size,
                        bool csv);

/* All of a file as lines of UTF-8 without other control characters: it says the same to who reads
 * it. NULL: out of memory; the caller frees it. */
char *aw_dbc_lines(const char *text);

#endif
