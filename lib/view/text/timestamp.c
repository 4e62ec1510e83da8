/* Prints the time of a record: seconds with six decimals, or ISO 8601. */
#include "view/text/timestamp.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/number.h"

#define SECOND INT64_C(1000000000) /* nanoseconds */

static char *print_seconds(char *out, int64_t ns)
{
    if (ns < 0) {
        *out++ = '-';
        ns = -ns;
    }
    out = aw_print_int(out, ns / SECOND);
    *out++ = '.';
    return aw_print_padded(out, (uint32_t)(ns % SECOND / 1000), 6);
}

static void print_second(struct aw_cached_second *cache, bool is_iso)
{
    struct tm tm;
    time_t seconds = (time_t)cache->value;
    if (is_iso && gmtime_r(&seconds, &tm)) {
        cache->length =
            (uint8_t)strftime(cache->text, sizeof cache->text, "%Y-%m-%dT%H:%M:%S.", &tm);
        return;
    }
    char *end = aw_print_int(cache->text, cache->value);
    *end++ = '.';
    cache->length = (uint8_t)(end - cache->text);
}

/* Prints a time in seconds, if it is not negative, or as ISO 8601, with microseconds. */
static char *print_cached(char *out, int64_t ns, bool is_iso, struct aw_cached_second *cache)
{
    int64_t second = ns / SECOND - (ns % SECOND < 0);
    if (cache->length == 0 || cache->value != second) {
        cache->value = second;
        print_second(cache, is_iso);
    }
    memcpy(out, cache->text, sizeof cache->text);
    out = aw_print_padded(out + cache->length, (uint32_t)((ns - second * SECOND) / 1000), 6);
    if (is_iso)
        *out++ = 'Z';
    return out;
}

char *aw_print_time(char *out, enum aw_time_style style, int64_t time_ns, int64_t first_ns,
                    int64_t previous_ns, struct aw_cached_second *cache)
{
    switch (style) {
    case AW_TIME_REL:
        return print_seconds(out, time_ns - first_ns);
    case AW_TIME_DELTA:
        return print_seconds(out, time_ns - previous_ns);
    default:
        return style == AW_TIME_ISO || time_ns >= 0
                   ? print_cached(out, time_ns, style == AW_TIME_ISO, cache)
                   : print_seconds(out, time_ns);
    }
}

/* Parses the digits after "." as nanoseconds, at most nine digits. Sets *text to the end. */
static int64_t parse_fraction(const char **text)
{
    int64_t ns = 0;
    if (**text != '.')
        return 0;
    for (int64_t unit = 100000000; isdigit((unsigned char)*++*text); unit /= 10)
        ns += (**text - '0') * unit;
    return ns;
}

/* Converts to seconds since 1970. timegm(3) would end in 2038 if time_t has 32 bits. Counts days
 * from March, so that the leap day is the last one of a year. */
static int64_t count_seconds(const struct tm *tm)
{
    int64_t month = (tm->tm_mon + 10) % 12, year = tm->tm_year + 1900 - (tm->tm_mon < 2);
    int64_t days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 +
                   tm->tm_mday - 719469;
    return ((days * 24 + tm->tm_hour) * 60 + tm->tm_min) * 60 + tm->tm_sec;
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
    int64_t seconds = count_seconds(&tm) - tm.tm_gmtoff;
    if (seconds >= INT64_MAX / SECOND || seconds <= INT64_MIN / SECOND)
        return false;
    *time_ns = seconds * SECOND + fraction;
    return true;
}
