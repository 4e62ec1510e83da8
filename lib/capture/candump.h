/* Lines as can-utils write them: written exactly, read liberally.
 *
 *     (1436509052.249713) vcan0 044#2A366C2BBA R     log format, with or without direction
 *      (0.000125)  vcan0  044   [2]  2A 36           candump on a terminal
 *     044#2A.36                                      cansend
 *
 * Times are absolute (-t a, or -t A in local time) or count from the first line (-t z).
 *
 * The log format is what canplayer, Wireshark and cantools take: six decimals, no direction,
 * nothing else on the line. Lines like that are read at some 40 million a second, others slower;
 * none costs an allocation.
 *
 * Source: the formats that candump, canplayer and cansend document.
 */
#ifndef AW_CAPTURE_CANDUMP_H
#define AW_CAPTURE_CANDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/asc.h"
#include "wire/can_id.h"
#include "wire/table.h"

#define AW_CANDUMP_MAX 64 /* bytes of the longest line that is written, with its newline */

/* CAN FD, remote and error frames are valid lines that no protocol here uses. */
enum aw_candump_kind {
    AW_CANDUMP_DATA,
    AW_CANDUMP_ERROR,
    AW_CANDUMP_REMOTE,
    AW_CANDUMP_FD,
    AW_CANDUMP_KINDS
};

struct aw_candump {
    enum aw_candump_kind kind;
    bool has_time;
    bool relative;   /* the time counts from the first line (-t z) or from the line before (-t d) */
    int64_t time_ns; /* since 1970 or relative */
    enum aw_dir dir; /* T: AW_TX, R: AW_RX, else 0 */
    uint8_t bytes[AW_CAN_HEAD_MAX + AW_CAN_DATA_MAX]; /* the frame as the engine has it */
    size_t size;             /* of bytes; 0 if the frame is not a plain one: */
    char frame[160];         /* ID#DATA, as aw_hex_parse reads it, or says what is wrong with it */
    size_t length;           /* of frame; 0 if there are bytes */
    const char *interface;   /* its name, in the line; not terminated */
    size_t interface_length; /* 0: the line has no name */
};

/* The state of reading one log. Begins as zeros. */
struct aw_candump_log {
    struct aw_asc asc;      /* of Vector's logs */
    int64_t last_ns;        /* the last relative time */
    char interfaces[2][17]; /* the first two names; "": none */
    uint64_t skipped[AW_CANDUMP_KINDS];
};

/* False if the line has none of these forms. line need not be terminated. */
bool aw_candump_read(const char *line, size_t length, struct aw_candump *out);

/* Adds a line to its log. AW_MORE: not a data frame, counted in skipped. AW_USAGE: the times are
 * the differences of candump -t d. */
enum aw_status aw_candump_add(struct aw_candump_log *log, const struct aw_candump *entry,
                              struct aw_error *err);

/* Reads a line of a log: of candump, or of Vector's ASC if its first line says so. As
 * aw_candump_add, and AW_MORE for remarks; AW_MALFORMED: no CAN frame. */
enum aw_status aw_candump_next(struct aw_candump_log *log, const char *line, size_t length,
                               struct aw_candump *out, struct aw_error *err);

/* Returns true for lines without a frame: blank lines, '#' remarks, and the lines in which
 * candump -e explains an error frame. */
bool aw_candump_is_remark(const char *line, size_t length);

/* Where in the line that it was read from its frame begins, from 1; 0: that is not known. */
size_t aw_candump_column(const struct aw_candump *entry, const char *line, size_t length);

/* Writes "(%010u.%06u) INTERFACE IDHEX#DATAHEX\n" of a frame of the engine (2 to 12 bytes), not
 * terminated; returns its length. At most 15 characters of the interface's name (the system's
 * limit) are used; time_ns is since 1970, or at least not negative. out holds AW_CANDUMP_MAX. */
size_t aw_candump_write(char *out, const char *interface, int64_t time_ns, struct aw_span frame);

#endif
