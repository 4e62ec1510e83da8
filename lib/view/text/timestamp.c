/* The time of a record as text: seconds with six decimals, or ISO 8601. */
#include "view/text/timestamp.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/number.h"

#define SECOND INT64_C(1000000000) /* in ns */

static char *print_seconds(char *out, int64_t ns)
{
    if (ns < 0) {
        *out++ = '-';
        ns = -ns;
    }
    out = aw_print_int(out, ns / 1000000000);
    *out++ = '.';
    return aw_print_padded(out, (uint32_t)(ns % 1000000000 / 1000), 6);
}

char *aw_print_seconds(char *out, int64_t time_ns, struct aw_second *known)
{
    int64_t second = time_ns / 1000000000;
    if (time_ns < 0)
        return print_seconds(out, time_ns);
    if (known->length == 0 || known->value != second) {
        char text[AW_NUMBER_MAX];
        char *end = aw_print_int(text, second);
        *end++ = '.';
        known->value = second;
        known->length = (uint8_t)(end - text);
        memcpy(known->text, text, sizeof known->text);
    }
    memcpy(out, known->text, sizeof known->text);
    return aw_print_padded(out + known->length, (uint32_t)(time_ns % 1000000000 / 1000), 6);
}

static char *print_iso(char *out, int64_t ns)
{
    struct tm tm;
    time_t seconds = (time_t)(ns / 1000000000);
    gmtime_r(&seconds, &tm);
    out += strftime(out, 24, "%Y-%m-%dT%H:%M:%S", &tm);
    char *end = print_seconds(out, ns % 1000000000);
    memmove(out, out + 1, (size_t)(end - out));
    end[-1] = 'Z';
    return end;
}

char *aw_print_time(char *out, enum aw_time_style style, int64_t time_ns, int64_t first_ns,
                    int64_t previous_ns)
{
    switch (style) {
    case AW_TIME_REL:
        return print_seconds(out, time_ns - first_ns);
    case AW_TIME_DELTA:
        return print_seconds(out, time_ns - previous_ns);
    case AW_TIME_ISO:
        return print_iso(out, time_ns);
    default:
        return print_seconds(out, time_ns);
    }
}

/* The digits behind ".", of which nine count, in ns; *text behind them. */
static int64_t parse_fraction(const char **text)
{
    int64_t ns = 0;
    if (**text != '.')
        return 0;
    for (int64_t unit = 100000000; isdigit((unsigned char)*++*text); unit /= 10)
        ns += (**text - '0') * unit;
    return ns;
}

bool aw_time_parse_iso(const char *text, int64_t *time_ns)
{
    struct tm tm = {0};
    const char *rest = strptime(text, "%Y-%m-%d", &tm);
    if (!rest || (*rest != 'T' && *rest != ' '))
        return false;
    rest = strptime(rest + 1, "%H:%M:%S", &tm);
    if (!rest)
        return false;
    int64_t fraction = parse_fraction(&rest);
    if (*rest)
        rest = strptime(rest, "%z", &tm);
    if (!rest || *rest)
        return false;
    int64_t zone = tm.tm_gmtoff; /* which timegm takes away */
    int64_t seconds = timegm(&tm) - zone;
    if (seconds >= INT64_MAX / SECOND || seconds <= INT64_MIN / SECOND)
        return false;
    *time_ns = seconds * SECOND + fraction;
    return true;
}
