/* Lines as can-utils write them, read liberally.
 *
 *     (1436509052.249713) vcan0 044#2A366C2BBA R     log format, with or without direction
 *      (0.000125)  vcan0  044   [2]  2A 36           candump on a terminal
 *     044#2A.36                                      cansend
 *
 * Source: the formats that candump, canplayer and cansend document.
 */
#ifndef AW_CAPTURE_CANDUMP_H
#define AW_CAPTURE_CANDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aw_candump {
    bool has_time;
    int64_t time_ns; /* as it stands there: since 1970 or relative */
    char frame[160]; /* ID#DATA, as aw_hex_parse reads it */
    size_t length;   /* of frame */
};

/* False if the line is none of these. line need not be terminated. */
bool aw_candump_read(const char *line, size_t length, struct aw_candump *out);

#endif
