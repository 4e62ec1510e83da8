/* Reads lines of Vector's ASC logs (CANalyzer, CANoe, python-can) and converts them to entries of
 * candump.
 *
 *     date Sun Nov 29 10:00:00.250 2026
 *     base hex  timestamps absolute
 *        0.015991 1  05E             Rx   d 6 9C FF 00 02 00 F0
 *        2.501000 1  18EBFF00x       Tx   d 1 01
 *
 * Numbers are hexadecimal or decimal. Times count from the date, or with "relative" from the
 * previous line. Lines about other buses, statistics and triggers contain no frame.
 *
 * Source: files written by these programs.
 */
#ifndef AW_CAPTURE_ASC_H
#define AW_CAPTURE_ASC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct aw_candump;

/* Settings from earlier lines of the log. Initialise with {0}. */
struct aw_asc {
    bool started; /* the log has started */
    bool is_decimal, relative;
    int64_t date_ns; /* start of the log, ns since 1970; 0: unknown */
    int64_t last_ns; /* time of the last line, ns since the start */
};

/* Returns true if the line is the first line of an ASC log. */
bool aw_asc_is_header(const char *line, size_t length);

/* Reads a line. AW_MORE: the line contains no frame. AW_MALFORMED: its frame is damaged. */
enum aw_status aw_asc_read(struct aw_asc *asc, const char *line, size_t length,
                           struct aw_candump *out, struct aw_error *err);

#endif
