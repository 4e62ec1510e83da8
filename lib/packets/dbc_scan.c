/* Splits a DBC file into words, numbers, strings and signs, and converts its text to UTF-8. */
#include "packets/dbc_scan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define TEXT_MAX 240 /* maximum size of a stored string, bytes */

/* Windows-1252 from 0x80 to 0x9F. A question mark stands for an undefined character. */
static const char *const cp1252[] = {"€", "?", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š",
                                     "‹", "Œ", "?", "Ž", "?", "?", "‘", "’", "“", "”", "•",
                                     "–", "—", "˜", "™", "š", "›", "œ", "?", "ž", "Ÿ"};

/* Returns the size of a character that other programs accept but that is unsafe on a terminal; 0:
 * it is safe. */
static size_t get_unsafe_size(const char *at)
{
    static const char controls[] = "\xC2", last[] = "\xEF\xBF";
    if (strncmp(at, controls, 1) == 0 && (unsigned char)(at[1] ^ 0x80) < 0x20)
        return 2;
    return strncmp(at, last, 2) == 0 && ((unsigned char)at[2] & 0xC0) == 0x80 ? 3 : 0;
}

/* Returns the size of the character; 0: it is invalid. */
static size_t get_char_size(const char *at)
{
    if ((unsigned char)*at < 0x80)
        return 1;
    return get_unsafe_size(at) ? get_unsafe_size(at) : aw_utf8_size(at);
}

static bool is_utf8(const char *text)
{
    for (size_t n; *text; text += n)
        if ((n = get_char_size(text)) == 0)
            return false;
    return true;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Skips blanks, and comments that start with //. */
static void skip_blanks(struct aw_dbc_scan *scan)
{
    for (;; scan->next++) {
        if (scan->next[0] == '/' && scan->next[1] == '/')
            scan->next += strcspn(scan->next, "\n");
        if (!*scan->next || !isspace((unsigned char)*scan->next))
            return;
        if (*scan->next == '\n') {
            scan->line++;
            scan->line_start = scan->next + 1;
        }
    }
}

/* Returns the end of a number that starts here: digits, fraction and exponent. */
static const char *find_number_end(const char *at)
{
    at += *at == '-' || *at == '+';
    while (isdigit((unsigned char)*at))
        at++;
    if (*at == '.')
        for (at++; isdigit((unsigned char)*at); at++)
            ;
    const char *exponent = at + 1;
    exponent += *at && (*exponent == '-' || *exponent == '+');
    if ((*at == 'e' || *at == 'E') && isdigit((unsigned char)*exponent))
        for (at = exponent; isdigit((unsigned char)*at); at++)
            ;
    return at;
}

static bool starts_number(const char *at)
{
    at += *at == '-' || *at == '+';
    at += *at == '.';
    return isdigit((unsigned char)*at);
}

/* Reads a string up to the next quote without a backslash before it. */
static void scan_string(struct aw_dbc_scan *scan)
{
    struct aw_dbc_token *token = &scan->token;
    token->at = ++scan->next;
    while (*scan->next && *scan->next != '"') {
        if (scan->next[0] == '\\' && scan->next[1] == '"')
            scan->next++;
        if (*scan->next == '\n') {
            scan->line++;
            scan->line_start = scan->next + 1;
        }
        scan->next++;
    }
    token->kind = *scan->next ? AW_DBC_TEXT : AW_DBC_UNCLOSED;
    token->length = (size_t)(scan->next - token->at);
    scan->next += *scan->next == '"';
}

void aw_dbc_next_token(struct aw_dbc_scan *scan)
{
    struct aw_dbc_token *token = &scan->token;
    skip_blanks(scan);
    const char *at = scan->next;
    *token = (struct aw_dbc_token){
        .at = at, .line = scan->line, .column = (size_t)(at - scan->line_start) + 1};
    if (!*at)
        return;
    if (*at == '"') {
        scan_string(scan);
        return;
    }
    token->kind = starts_number(at) ? AW_DBC_NUMBER : is_word_char(*at) ? AW_DBC_WORD : AW_DBC_SIGN;
    const char *end = token->kind == AW_DBC_NUMBER ? find_number_end(at) : at + 1;
    if (is_word_char(*at) && is_word_char(*end)) /* a name may also start with a digit */
        token->kind = AW_DBC_WORD;
    while (token->kind == AW_DBC_WORD && is_word_char(*end))
        end++;
    token->length = (size_t)(end - at);
    scan->next = end;
}

void aw_dbc_scan_init(struct aw_dbc_scan *scan, const char *text)
{
    *scan = (struct aw_dbc_scan){.next = text, .line_start = text, .line = 1};
    aw_dbc_next_token(scan);
}

bool aw_dbc_is_sign(const struct aw_dbc_token *token, char sign)
{
    return token->kind == AW_DBC_SIGN && *token->at == sign;
}

bool aw_dbc_is_word(const struct aw_dbc_token *token, const char *word)
{
    return token->kind == AW_DBC_WORD && strlen(word) == token->length &&
           memcmp(word, token->at, token->length) == 0;
}

bool aw_dbc_token_number(const struct aw_dbc_token *token, double *value)
{
    char text[64], *end;
    if (token->kind != AW_DBC_NUMBER || token->length >= sizeof text)
        return false;
    memcpy(text, token->at, token->length);
    text[token->length] = '\0';
    *value = strtod(text, &end);
    return !*end && isfinite(*value);
}

/* Returns the character that replaces c in a stored string. */
static char replace_unsafe(char c, bool csv)
{
    return c == '\n' ? ' ' : c == '"' ? '\'' : c == '\\' ? '/' : c == ',' && csv ? ';' : c;
}

const char *aw_dbc_store_token(const struct aw_dbc_token *token, struct aw_store *store,
                               size_t size, bool csv)
{
    char out[TEXT_MAX];
    const char *at = token->at, *end = at + token->length;
    size_t used = 0, n;
    for (; at < end; at += n) {
        n = *at == '\n' ? 1 : aw_utf8_size(at);
        char c = replace_unsafe(*at, csv);
        if (used + n >= size)
            break;
        if (c == ' ' && (used == 0 || out[used - 1] == ' '))
            continue;
        memcpy(out + used, at, n);
        out[used] = c;
        used += n;
    }
    while (used > 0 && out[used - 1] == ' ')
        used--;
    out[used] = '\0';
    return aw_store_string(store, out);
}

/* Converts one character to UTF-8, at most 4 bytes and a NUL. Returns the number of input bytes. */
static size_t convert_char(bool is_cp1252, const char *at, char *out)
{
    unsigned char c = (unsigned char)*at;
    size_t n = is_cp1252 ? 1 : get_char_size(at);
    if (c < 0x80) {
        out[0] = (char)((c < ' ' && c != '\n') || c == 127 ? ' ' : c);
        out[1] = '\0';
    } else if (is_cp1252 && c < 0xA0) {
        strcpy(out, cp1252[c - 0x80]);
    } else if (is_cp1252) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        out[2] = '\0';
    } else {
        snprintf(out, 5, "%.*s", get_unsafe_size(at) ? 1 : (int)n, get_unsafe_size(at) ? "?" : at);
    }
    return n;
}

char *aw_dbc_clean_text(const char *text)
{
    bool is_cp1252 = !is_utf8(text);
    char *out = malloc(3 * strlen(text) + 1), *end = out, character[8];
    for (text += aw_utf8_bom_size(text); out && *text;) {
        bool skipped = *text == '\r';
        text += convert_char(is_cp1252, text, character);
        for (const char *c = character; *c && !skipped; c++)
            *end++ = *c;
    }
    if (out)
        *end = '\0';
    return out;
}
