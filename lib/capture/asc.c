/* Reads Vector's ASC logs line by line. */
#include "capture/asc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "capture/candump.h"

#define LINE_MAX 512
#define TOKENS   20 /* maximum number of tokens read from a line */

struct line_tokens {
    char text[LINE_MAX];
    char *tokens[TOKENS];
    size_t n;
};

static void split_tokens(struct line_tokens *w, const char *line, size_t length)
{
    char *rest;
    w->n = 0;
    snprintf(w->text, sizeof w->text, "%.*s", (int)(length < LINE_MAX ? length : LINE_MAX - 1),
             line);
    for (char *token = strtok_r(w->text, " \t\r\n", &rest); token && w->n < TOKENS;
         token = strtok_r(NULL, " \t\r\n", &rest))
        w->tokens[w->n++] = token;
}

static bool token_equals(const struct line_tokens *w, size_t i, const char *token)
{
    return i < w->n && strcasecmp(w->tokens[i], token) == 0;
}

bool aw_asc_is_header(const char *line, size_t length)
{
    return (length > 5 && memcmp(line, "date ", 5) == 0) ||
           (length > 9 && (memcmp(line, "base hex ", 9) == 0 || memcmp(line, "base dec ", 9) == 0));
}

/* Reads a date such as "Sun Nov 29 10:00:00.250 am 2026", in local time, starting at token at.
 * Returns false if it is in another language. */
static bool read_date(const struct line_tokens *w, size_t at, int64_t *ns)
{
    struct tm date = {.tm_isdst = -1};
    char text[80];
    bool twelve_hour = token_equals(w, at + 4, "am") || token_equals(w, at + 4, "pm");
    if (w->n < at + (twelve_hour ? 6 : 5))
        return false;
    snprintf(text, sizeof text, "%.8s %.2s %.8s %.4s %.2s", w->tokens[at + 1], w->tokens[at + 2],
             w->tokens[at + 3], w->tokens[at + (twelve_hour ? 5 : 4)],
             twelve_hour ? w->tokens[at + 4] : "");
    if (!strptime(text, twelve_hour ? "%b %d %I:%M:%S %Y %p" : "%b %d %H:%M:%S %Y", &date))
        return false;
    const char *point = strchr(w->tokens[at + 3], '.');
    *ns = (int64_t)mktime(&date) * 1000000000 + (int64_t)(point ? strtod(point, NULL) * 1e9 : 0);
    return true;
}

/* Reads a line of the header. Some programs write the file's time as the date; the first block then
 * has the time of its first frame. */
static bool read_header(struct aw_asc *asc, const struct line_tokens *w)
{
    if (token_equals(w, 0, "date"))
        read_date(w, 1, &asc->date_ns);
    else if (token_equals(w, 0, "begin") && !asc->last_ns)
        read_date(w, 2, &asc->date_ns);
    if (token_equals(w, 0, "base")) {
        asc->is_decimal = token_equals(w, 1, "dec");
        asc->relative = token_equals(w, 3, "relative");
    }
    return token_equals(w, 0, "date") || token_equals(w, 0, "base");
}

static bool parse_number(const char *text, int base, unsigned long max, unsigned long *value)
{
    char *end;
    *value = strtoul(text, &end, base);
    return end != text && (!*end || (*end == 'x' && !end[1])) && *value <= max;
}

/* Reads a frame: TIME CHANNEL ID[x] Rx d LENGTH BYTES … */
static bool read_frame(const struct line_tokens *w, int base, struct aw_candump *out)
{
    unsigned long id, size, byte;
    bool extended = strchr(w->tokens[2], 'x');
    if (!parse_number(w->tokens[2], base, 0x1FFFFFFF, &id) || w->n < 6 ||
        !parse_number(w->tokens[5], 10, 8, &size))
        return false;
    int at = snprintf(out->frame, sizeof out->frame, extended ? "%08lX#" : "%03lX#", id);
    for (size_t i = 0; i < size; i++) {
        if (6 + i >= w->n || !parse_number(w->tokens[6 + i], base, 0xFF, &byte))
            return false;
        at += snprintf(out->frame + at, sizeof out->frame - (size_t)at, "%02lX", byte);
    }
    out->length = (size_t)at;
    return true;
}

/* Returns AW_CANDUMP_N_KINDS for a line without a frame. */
static enum aw_candump_kind find_kind(const struct line_tokens *w)
{
    if (token_equals(w, 1, "CANFD"))
        return AW_CANDUMP_FD;
    if (token_equals(w, 2, "ErrorFrame"))
        return AW_CANDUMP_ERROR;
    if (!token_equals(w, 3, "Rx") && !token_equals(w, 3, "Tx"))
        return AW_CANDUMP_N_KINDS;
    return token_equals(w, 4, "r") ? AW_CANDUMP_REMOTE : AW_CANDUMP_DATA;
}

static bool read_time(struct aw_asc *asc, const char *token)
{
    char *end;
    double seconds = strtod(token, &end);
    if (*end || !(seconds >= 0 && seconds < 1e9))
        return false;
    asc->last_ns = (int64_t)(seconds * 1e9 + 0.5) + (asc->relative ? asc->last_ns : 0);
    return true;
}

enum aw_status aw_asc_read(struct aw_asc *asc, const char *line, size_t length,
                           struct aw_candump *out, struct aw_error *err)
{
    struct line_tokens w;
    split_tokens(&w, line, length);
    asc->started = true;
    if (w.n < 3 || read_header(asc, &w) || !read_time(asc, w.tokens[0]) ||
        find_kind(&w) == AW_CANDUMP_N_KINDS)
        return AW_MORE;
    *out = (struct aw_candump){.kind = find_kind(&w),
                               .has_time = true,
                               .time_ns = asc->date_ns + asc->last_ns,
                               .dir = token_equals(&w, 3, "Tx") ? AW_TX : AW_RX,
                               .interface = line + (w.tokens[1] - w.text),
                               .interface_length = strlen(w.tokens[1])};
    if (out->kind == AW_CANDUMP_DATA && !read_frame(&w, asc->is_decimal ? 10 : 16, out))
        return aw_fail(err, AW_MALFORMED, "invalid CAN frame");
    return AW_OK;
}
