/* Prints and parses the time of a record. */
#ifndef AW_VIEW_TEXT_TIMESTAMP_H
#define AW_VIEW_TEXT_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#define AW_SECOND_ROOM 24

enum aw_time_style {
    AW_TIME_DEFAULT, /* ABS in JSON, CSV and formats; no time in text */
    AW_TIME_NONE,
    AW_TIME_ABS,   /* seconds since 1970 */
    AW_TIME_REL,   /* since the first record */
    AW_TIME_DELTA, /* since the previous record */
    AW_TIME_ISO,   /* 2026-01-31T12:00:00.000000Z */
};

/* Text of a whole second, cached because consecutive records often share it. Initialise with
 * {0}. */
struct aw_cached_second {
    int64_t value;
    uint8_t length; /* 0: empty */
    char text[AW_SECOND_ROOM];
};

/* Prints a time in a style; also used for result records. first_ns and previous_ns are for
 * AW_TIME_REL and AW_TIME_DELTA. Writes at most 32 characters, without a NUL, and returns the end.
 * cache stores the last whole second; use one per style. */
char *aw_print_time(char *out, enum aw_time_style style, int64_t time_ns, int64_t first_ns,
                    int64_t previous_ns, struct aw_cached_second *cache);

/* Parses ISO 8601: a date, T or a blank, a time with an optional fraction, then Z, +02:00 or
 * nothing (UTC). Returns false, and leaves *time_ns unchanged, if it is invalid or more than 292
 * years from 1970. */
bool aw_time_parse_iso(const char *text, int64_t *time_ns);

#endif
