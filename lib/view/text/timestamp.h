/* Prints and parses the time of a record. */
#ifndef AW_VIEW_TEXT_TIMESTAMP_H
#define AW_VIEW_TEXT_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#define AW_SECOND_ROOM 24

enum aw_time_style {
    AW_TIME_DEFAULT, /* abs in JSON, CSV and formats, none in text */
    AW_TIME_NONE,
    AW_TIME_ABS,   /* seconds since 1970 */
    AW_TIME_REL,   /* since the first record */
    AW_TIME_DELTA, /* since the previous record */
    AW_TIME_ISO,   /* 2026-01-31T12:00:00.000000Z */
};

/* A whole second as text, cached because records come in order. Begins as {0}. */
struct aw_second {
    int64_t value;
    uint8_t length; /* 0: none yet */
    char text[AW_SECOND_ROOM];
};

/* Prints a time in a style, relative to earlier times; also for result records. Writes at most 32
 * characters. known: use one per style. */
char *aw_print_time(char *out, enum aw_time_style style, int64_t time_ns, int64_t first_ns,
                    int64_t previous_ns, struct aw_second *known);

/* Parses ISO 8601: a date, T or a blank, a time with or without a fraction, then Z, +02:00 or
 * nothing (UTC). Returns false and leaves the time unchanged if it is invalid or more than 292
 * years from 1970. */
bool aw_time_parse_iso(const char *text, int64_t *time_ns);

#endif
