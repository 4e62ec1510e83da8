/* Lines as can-utils write them: written exactly, read liberally.
 *
 *     (1436509052.249713) vcan0 044#2A366C2BBA R     log format, with or without direction
 *      (0.000125)  vcan0  044   [2]  2A 36           candump on a terminal
 *     044#2A.36                                      cansend
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

#include "wire/can_id.h"
#include "wire/table.h"

#define AW_CANDUMP_MAX 64 /* bytes of the longest line that is written, with its newline */

struct aw_candump {
    bool has_time;
    int64_t time_ns; /* as it stands there: since 1970 or relative */
    enum aw_dir dir; /* T: AW_TX, R: AW_RX, else 0 */
    uint8_t bytes[AW_CAN_HEAD_MAX + AW_CAN_DATA_MAX]; /* the frame as the engine has it */
    size_t size;     /* of bytes; 0 if the frame is not a plain one: */
    char frame[160]; /* ID#DATA, as aw_hex_parse reads it, or says what is wrong with it */
    size_t length;   /* of frame; 0 if there are bytes */
};

/* False if the line is none of these. line need not be terminated. */
bool aw_candump_read(const char *line, size_t length, struct aw_candump *out);

/* Is there no frame in the line, being blank or a '#' remark? */
bool aw_candump_is_remark(const char *line, size_t length);

/* Where in the line that it was read from its frame begins, from 1; 0: that is not known. */
size_t aw_candump_column(const struct aw_candump *entry, const char *line, size_t length);

/* Writes "(%010u.%06u) INTERFACE IDHEX#DATAHEX\n" of a frame of the engine (2 to 12 bytes), not
 * terminated; returns its length. At most 15 characters of the interface's name (the system's
 * limit) are used; time_ns is since 1970, or at least not negative. out holds AW_CANDUMP_MAX. */
size_t aw_candump_write(char *out, const char *interface, int64_t time_ns, struct aw_span frame);

#endif
