/* Parses and prints the lines of the Lawicel protocol. */
#include "link/can/slcan_codec.h"

#include <stdio.h>
#include <string.h>

#include "base/hex.h"

#define CR  '\r'
#define BEL '\a'

enum { ID = 1, LENGTH = 4, DATA = 5, TIME_DIGITS = 4, DATA_MAX = 8 };

bool aw_slcan_is_hex(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (aw_hex_digit(text[i]) < 0)
            return false;
    return true;
}

static unsigned number(const char *text, size_t size)
{
    unsigned value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 4 | (unsigned)aw_hex_digit(text[i]);
    return value;
}

bool aw_slcan_read(struct aw_slcan_reader *reader, uint8_t byte)
{
    if (reader->complete)
        *reader = (struct aw_slcan_reader){0};
    if (byte == CR || byte == BEL) {
        reader->line[reader->size] = '\0';
        reader->complete = true;
        reader->refused = byte == BEL;
    } else if (reader->size == sizeof reader->line - 1) {
        reader->overlong = true;
    } else if (byte != '\n') {
        reader->line[reader->size++] = (char)byte;
    }
    return reader->complete;
}

static bool has_time(const char *line, size_t size, size_t end, int *time_ms)
{
    *time_ms = AW_SLCAN_NO_TIME;
    if (size == end)
        return true;
    if (size != end + TIME_DIGITS)
        return false;
    *time_ms = (int)number(line + end, TIME_DIGITS);
    return *time_ms < AW_SLCAN_MINUTE;
}

static enum aw_slcan_kind decode_frame(const char *line, size_t size, uint8_t *datagram,
                                       size_t *bytes, int *time_ms)
{
    if (size < DATA || !aw_slcan_is_hex(line + ID, size - ID))
        return AW_SLCAN_BROKEN;
    unsigned id = number(line + ID, LENGTH - ID);
    size_t n = number(line + LENGTH, 1);
    if (id > 0x7FF || n > DATA_MAX || !has_time(line, size, DATA + 2 * n, time_ms))
        return AW_SLCAN_BROKEN;
    datagram[0] = (uint8_t)id;
    datagram[1] = (uint8_t)(id >> 8);
    for (size_t i = 0; i < n; i++)
        datagram[2 + i] = (uint8_t)number(line + DATA + 2 * i, 2);
    *bytes = 2 + n;
    return AW_SLCAN_FRAME;
}

enum aw_slcan_kind aw_slcan_decode(const struct aw_slcan_reader *reader, uint8_t *datagram,
                                   size_t *size, int *time_ms)
{
    const char *line = reader->line;
    if (reader->refused)
        return AW_SLCAN_REFUSED;
    if (reader->overlong)
        return AW_SLCAN_BROKEN;
    if (reader->size == 0 || strcmp(line, "z") == 0 || strcmp(line, "Z") == 0)
        return AW_SLCAN_DONE;
    if (line[0] == 't')
        return decode_frame(line, reader->size, datagram, size, time_ms);
    return strchr("TrR", line[0]) ? AW_SLCAN_FOREIGN : AW_SLCAN_REPLY;
}

void aw_slcan_encode(const uint8_t *datagram, size_t size, int time_ms, char *out)
{
    unsigned id = datagram[0] | (unsigned)datagram[1] << 8;
    out += sprintf(out, "t%03X%zu", id & 0x7FF, size - 2);
    out = aw_hex_bytes(out, (struct aw_span){datagram + 2, size - 2});
    if (time_ms >= 0)
        out += sprintf(out, "%04X", (unsigned)time_ms);
    memcpy(out, "\r", 2);
}

int aw_slcan_speed(long bitrate)
{
    static const long rates[] = {10000,  20000,  50000,  100000, 125000,
                                 250000, 500000, 800000, 1000000};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i] == bitrate)
            return (int)i;
    return -1;
}
