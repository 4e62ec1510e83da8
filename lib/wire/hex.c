/* Parses and prints frames as hexadecimal text, with CAN identifiers. */
#include "wire/hex.h"

#include <string.h>

#include "base/hex.h"

#define CAN_FRAME_MAX (2 + 8) /* the id and the data */

/* A CAN frame of the engine: a 16-bit id, low byte first, then the data. */
size_t aw_hex_print(const struct aw_protocol *protocol, struct aw_span frame, char *out)
{
    char *end = out;
    bool can = protocol->can && frame.size >= 2;
    if (can) {
        *end++ = (char)('0' + (frame.data[1] & 7));
        end = aw_hex_byte(end, frame.data[0]);
        *end++ = '#';
        frame = (struct aw_span){frame.data + 2, frame.size - 2};
    }
    for (size_t i = 0; i < frame.size; i++) {
        if (!can && i)
            *end++ = ' ';
        end = aw_hex_byte(end, frame.data[i]);
    }
    *end = '\0';
    return (size_t)(end - out);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '.';
}

static enum aw_status bad_hex(const char *text, size_t at, struct aw_error *err)
{
    return aw_fail(err, AW_MALFORMED, "column %zu: '%c' is no hex digit", at + 1, text[at]);
}

static enum aw_status parse_bytes(const char *text, size_t from, size_t length, uint8_t *out,
                                  size_t cap, size_t *size, struct aw_error *err)
{
    for (size_t i = from; i < length;) {
        if (is_blank(text[i])) {
            i++;
            continue;
        }
        if (aw_hex_digit(text[i]) < 0)
            return bad_hex(text, i, err);
        if (i + 1 == length || aw_hex_digit(text[i + 1]) < 0)
            return aw_fail(err, AW_MALFORMED, "column %zu: half a byte — two digits each", i + 1);
        if (*size == cap)
            return aw_fail(err, AW_MALFORMED, "more than %zu bytes", cap);
        out[(*size)++] = (uint8_t)(aw_hex_digit(text[i]) << 4 | aw_hex_digit(text[i + 1]));
        i += 2;
    }
    return AW_OK;
}

static enum aw_status parse_can_id(const char *text, size_t hash, uint8_t *out,
                                   struct aw_error *err)
{
    unsigned id = 0;
    if (hash != 3)
        return aw_fail(err, AW_MALFORMED, "'%.*s' is no 11-bit id — three hex digits before #",
                       (int)(hash > 16 ? 16 : hash), text);
    for (size_t i = 0; i < hash; i++) {
        if (aw_hex_digit(text[i]) < 0)
            return bad_hex(text, i, err);
        id = id << 4 | (unsigned)aw_hex_digit(text[i]);
    }
    if (id > 0x7FF)
        return aw_fail(err, AW_MALFORMED, "id %03X has more than 11 bits", id);
    out[0] = (uint8_t)id;
    out[1] = (uint8_t)(id >> 8);
    return AW_OK;
}

static enum aw_status parse_can(const char *text, size_t length, const char *hash, uint8_t *out,
                                size_t cap, size_t *size, struct aw_error *err)
{
    size_t start = 0;
    while (is_blank(text[start]))
        start++;
    size_t at = (size_t)(hash - text);
    enum aw_status status = parse_can_id(text + start, at - start, out, err);
    if (status != AW_OK)
        return status;
    if (at + 1 < length && text[at + 1] == 'R')
        return aw_fail(err, AW_MALFORMED, "a remote frame has no data");
    *size = 2;
    return parse_bytes(text, at + 1, length, out, cap, size, err);
}

enum aw_status aw_hex_parse(const struct aw_protocol *protocol, const char *text, size_t length,
                            uint8_t *out, size_t cap, size_t *size, struct aw_error *err)
{
    const char *hash = memchr(text, '#', length);
    *size = 0;
    enum aw_status status = protocol->can && hash
                                ? parse_can(text, length, hash, out, cap, size, err)
                                : parse_bytes(text, 0, length, out, cap, size, err);
    if (status == AW_OK && protocol->can && *size > CAN_FRAME_MAX)
        return aw_fail(err, AW_MALFORMED, "%zu bytes of data — a CAN frame has at most 8",
                       *size - 2);
    return status;
}
