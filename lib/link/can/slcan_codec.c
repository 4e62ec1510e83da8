/* Parses and prints the lines of the Lawicel protocol. */
#include "link/can/slcan_codec.h"

#include <stdio.h>
#include <string.h>

#include "base/hex.h"
#include "wire/can_id.h"

#define CR  '\r'
#define BEL '\a'

enum { ID = 1, SHORT_ID = 3, LONG_ID = 8, TIME_DIGITS = 4, LONG_TIME_DIGITS = 8 };

bool aw_slcan_is_hex(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (aw_hex_digit(text[i]) < 0)
            return false;
    return true;
}

static unsigned parse_hex(const char *text, size_t size)
{
    unsigned value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 4 | (unsigned)aw_hex_digit(text[i]);
    return value;
}

bool aw_slcan_add_byte(struct aw_slcan_reader *reader, uint8_t byte)
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

static bool parse_time(const char *line, size_t size, size_t data_end, int *time_ms)
{
    *time_ms = AW_SLCAN_NO_TIME;
    if (size == data_end)
        return true;
    if (size == data_end + LONG_TIME_DIGITS) {
        *time_ms = (int)(parse_hex(line + data_end, LONG_TIME_DIGITS) / 1000 % AW_SLCAN_MINUTE);
        return true;
    }
    if (size != data_end + TIME_DIGITS)
        return false;
    *time_ms = (int)parse_hex(line + data_end, TIME_DIGITS);
    return *time_ms < AW_SLCAN_MINUTE;
}

static enum aw_slcan_kind decode_frame(const char *line, size_t size, uint8_t *datagram,
                                       size_t *bytes, int *time_ms)
{
    bool is_long = line[0] == 'T';
    size_t length = ID + (is_long ? LONG_ID : SHORT_ID), data = length + 1;
    if (size < data || !aw_slcan_is_hex(line + ID, size - ID))
        return AW_SLCAN_BROKEN;
    struct aw_can_id id = {parse_hex(line + ID, length - ID), is_long};
    size_t n = parse_hex(line + length, 1);
    if (id.id > (is_long ? AW_CAN_LONG_MAX : AW_CAN_SHORT_MAX) || n > AW_CAN_DATA_MAX ||
        !parse_time(line, size, data + 2 * n, time_ms))
        return AW_SLCAN_BROKEN;
    size_t head = aw_can_put_id(datagram, id);
    for (size_t i = 0; i < n; i++)
        datagram[head + i] = (uint8_t)parse_hex(line + data + 2 * i, 2);
    *bytes = head + n;
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
    if (line[0] == 't' || line[0] == 'T')
        return decode_frame(line, reader->size, datagram, size, time_ms);
    return strchr("rR", line[0]) ? AW_SLCAN_REMOTE : AW_SLCAN_REPLY;
}

void aw_slcan_encode(const uint8_t *datagram, size_t size, int time_ms, char *out)
{
    size_t head = aw_can_head_size((struct aw_span){datagram, size});
    struct aw_can_id id = aw_can_id_of(datagram);
    out +=
        sprintf(out, id.is_long ? "T%08X%zu" : "t%03X%zu",
                (unsigned)id.id & (id.is_long ? AW_CAN_LONG_MAX : AW_CAN_SHORT_MAX), size - head);
    out = aw_print_hex_bytes(out, (struct aw_span){datagram + head, size - head});
    if (time_ms >= 0)
        out += sprintf(out, "%04X", (unsigned)time_ms);
    memcpy(out, "\r", 2);
}

int aw_slcan_speed_digit(long bitrate)
{
    static const long rates[] = {10000,  20000,  50000,  100000, 125000,
                                 250000, 500000, 800000, 1000000};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i] == bitrate)
            return (int)i;
    return -1;
}
