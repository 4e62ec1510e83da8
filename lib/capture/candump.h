/* Writes and parses lines of can-utils. Writes the exact log format, and parses all common
 * variants.
 *
 *     (1436509052.249713) vcan0 044#2A366C2BBA R     log format, with or without direction
 *     (0.000125)  vcan0  044   [2]  2A 36            candump on a terminal
 *     044#2A.36                                      cansend
 *
 * Times are absolute (-t a, or -t A in local time) or count from the first line (-t z).
 *
 * canplayer, Wireshark and cantools accept the log format: six decimals, no direction, nothing else
 * on the line. The parser reads about 40 million such lines a second, and other forms more slowly.
 * It does not allocate.
 *
 * Source: the documentation of candump, canplayer and cansend.
 */
#ifndef AW_CAPTURE_CANDUMP_H
#define AW_CAPTURE_CANDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/asc.h"
#include "wire/can_id.h"
#include "wire/table.h"

#define AW_CANDUMP_MAX 64 /* maximum size of a written line with its newline, bytes */

/* CAN FD, remote and error frames are valid lines, but no protocol here uses them. */
enum aw_candump_kind {
    AW_CANDUMP_DATA,
    AW_CANDUMP_ERROR,
    AW_CANDUMP_REMOTE,
    AW_CANDUMP_FD,
    AW_CANDUMP_N_KINDS
};

struct aw_candump {
    enum aw_candump_kind kind;
    bool has_time;
    bool relative;   /* the time counts from the first (-t z) or previous line (-t d) */
    int64_t time_ns; /* ns since 1970, or relative */
    enum aw_dir dir; /* R is AW_RX, T is AW_TX; 0: unknown */
    uint8_t bytes[AW_CAN_HEAD_MAX + AW_CAN_DATA_MAX]; /* a frame as in wire/can_id.h */
    size_t size;             /* of bytes; 0: not a data frame, or only frame is set */
    char frame[160];         /* ID#DATA, as for aw_hex_parse */
    size_t length;           /* length of frame; 0 if bytes is set */
    const char *interface;   /* interface name within the line; not NUL-terminated */
    size_t interface_length; /* 0: no name */
};

/* State of reading one log. Initialise with {0}. */
struct aw_candump_log {
    struct aw_asc asc;                      /* state of reading a Vector log */
    int64_t last_ns;                        /* last relative time */
    char interfaces[2][17];                 /* first two interface names; "": none */
    uint64_t n_entries[AW_CANDUMP_N_KINDS]; /* number of entries of each kind */
};

/* Parses a line, which need not be NUL-terminated. Returns false if it has none of the forms
 * above. */
bool aw_candump_parse(const char *line, size_t length, struct aw_candump *out);

/* Updates the state of the log with a parsed line. AW_MORE: not a data frame; counted in n_entries.
 * AW_USAGE: a log of candump -t d, whose times are differences. */
enum aw_status aw_candump_add_entry(struct aw_candump_log *log, const struct aw_candump *entry,
                                    struct aw_error *err);

/* Reads a line of a log of candump, or of Vector's ASC if the log starts like one. Returns the
 * errors of aw_candump_add_entry; also AW_MORE for lines without a frame, and AW_MALFORMED for an
 * invalid frame. */
enum aw_status aw_candump_read_line(struct aw_candump_log *log, const char *line, size_t length,
                                    struct aw_candump *out, struct aw_error *err);

/* Returns true for lines without a frame: blank lines, '#' comments, and the lines in which candump
 * -e explains an error frame. */
bool aw_candump_is_remark(const char *line, size_t length);

/* Returns the column of the frame in its line, from 1. Returns 0 if it is unknown. */
size_t aw_candump_find_column(const struct aw_candump *entry, const char *line, size_t length);

/* Writes "(%010u.%06u) INTERFACE IDHEX#DATAHEX\n" for a frame as in wire/can_id.h (2 to 12 bytes),
 * without a NUL, and returns the length. Uses at most 15 characters of the interface's name (the
 * kernel's limit). time_ns is since 1970 and not negative. out holds AW_CANDUMP_MAX bytes. */
size_t aw_candump_write(char *out, const char *interface, int64_t time_ns, struct aw_span frame);

#endif
