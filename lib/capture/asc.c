/* Reads Vector's ASC logs line by line. */
#include "capture/asc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "capture/candump.h"

#define LINE_MAX 512
#define WORDS    20 /* maximum number of words read from a line */

struct words {
    char text[LINE_MAX];
    char *word[WORDS];
    size_t n;
};

static void split(struct words *w, const char *line, size_t length)
{
    char *rest;
    w->n = 0;
    snprintf(w->text, sizeof w->text, "%.*s", (int)(length < LINE_MAX ? length : LINE_MAX - 1),
             line);
    for (char *word = strtok_r(w->text, " \t\r\n", &rest); word && w->n < WORDS;
         word = strtok_r(NULL, " \t\r\n", &rest))
        w->word[w->n++] = word;
}

static bool is(const struct words *w, size_t i, const char *word)
{
    return i < w->n && strcasecmp(w->word[i], word) == 0;
}

bool aw_asc_begins(const char *line, size_t length)
{
    return (length > 5 && memcmp(line, "date ", 5) == 0) ||
           (length > 9 && (memcmp(line, "base hex ", 9) == 0 || memcmp(line, "base dec ", 9) == 0));
}

/* Reads a date such as "Sun Nov 29 10:00:00.250 am 2026", in local time, starting at word at.
 * Returns false if it is in another language. */
static bool read_date(const struct words *w, size_t at, int64_t *ns)
{
    struct tm date = {.tm_isdst = -1};
    char text[80];
    bool half = is(w, at + 4, "am") || is(w, at + 4, "pm");
    if (w->n < at + (half ? 6 : 5))
        return false;
    snprintf(text, sizeof text, "%.8s %.2s %.8s %.4s %.2s", w->word[at + 1], w->word[at + 2],
             w->word[at + 3], w->word[at + (half ? 5 : 4)], half ? w->word[at + 4] : "");
    if (!strptime(text, half ? "%b %d %I:%M:%S %Y %p" : "%b %d %H:%M:%S %Y", &date))
        return false;
    const char *point = strchr(w->word[at + 3], '.');
    *ns = (int64_t)mktime(&date) * 1000000000 + (int64_t)(point ? strtod(point, NULL) * 1e9 : 0);
    return true;
}

/* Reads a line of the header. Some programs write the file's time as the date; the first block then
 * has the time of its first frame. */
static bool read_header(struct aw_asc *asc, const struct words *w)
{
    if (is(w, 0, "date"))
        read_date(w, 1, &asc->date_ns);
    else if (is(w, 0, "begin") && !asc->last_ns)
        read_date(w, 2, &asc->date_ns);
    if (is(w, 0, "base")) {
        asc->decimal = is(w, 1, "dec");
        asc->relative = is(w, 3, "relative");
    }
    return is(w, 0, "date") || is(w, 0, "base");
}

static bool number(const char *text, int base, unsigned long most, unsigned long *value)
{
    char *end;
    *value = strtoul(text, &end, base);
    return end != text && (!*end || (*end == 'x' && !end[1])) && *value <= most;
}

/* Reads a frame: TIME CHANNEL ID[x] Rx d LENGTH BYTES … */
static bool read_frame(const struct words *w, int base, struct aw_candump *out)
{
    unsigned long id, size, byte;
    bool extended = strchr(w->word[2], 'x');
    if (!number(w->word[2], base, 0x1FFFFFFF, &id) || w->n < 6 || !number(w->word[5], 10, 8, &size))
        return false;
    int at = snprintf(out->frame, sizeof out->frame, extended ? "%08lX#" : "%03lX#", id);
    for (size_t i = 0; i < size; i++) {
        if (6 + i >= w->n || !number(w->word[6 + i], base, 0xFF, &byte))
            return false;
        at += snprintf(out->frame + at, sizeof out->frame - (size_t)at, "%02lX", byte);
    }
    out->length = (size_t)at;
    return true;
}

/* Returns AW_CANDUMP_N_KINDS for a line without a frame. */
static enum aw_candump_kind kind_of(const struct words *w)
{
    if (is(w, 1, "CANFD"))
        return AW_CANDUMP_FD;
    if (is(w, 2, "ErrorFrame"))
        return AW_CANDUMP_ERROR;
    if (!is(w, 3, "Rx") && !is(w, 3, "Tx"))
        return AW_CANDUMP_KINDS;
    return is(w, 4, "r") ? AW_CANDUMP_REMOTE : AW_CANDUMP_DATA;
}

static bool read_time(struct aw_asc *asc, const char *word)
{
    char *end;
    double seconds = strtod(word, &end);
    if (*end || !(seconds >= 0 && seconds < 1e9))
        return false;
    asc->last_ns = (int64_t)(seconds * 1e9 + 0.5) + (asc->relative ? asc->last_ns : 0);
    return true;
}

enum aw_status aw_asc_read(struct aw_asc *asc, const char *line, size_t length,
                           struct aw_candump *out, struct aw_error *err)
{
    struct words w;
    split(&w, line, length);
    asc->on = true;
    if (w.n < 3 || read_header(asc, &w) || !read_time(asc, w.word[0]) ||
        kind_of(&w) == AW_CANDUMP_KINDS)
        return AW_MORE;
    *out = (struct aw_candump){.kind = kind_of(&w),
                               .has_time = true,
                               .time_ns = asc->date_ns + asc->last_ns,
                               .dir = is(&w, 3, "Tx") ? AW_TX : AW_RX,
                               .interface = line + (w.word[1] - w.text),
                               .interface_length = strlen(w.word[1])};
    if (out->kind == AW_CANDUMP_DATA && !read_frame(&w, asc->decimal ? 10 : 16, out))
        return aw_fail(err, AW_MALFORMED, "invalid CAN frame");
    return AW_OK;
}
