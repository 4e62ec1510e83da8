/* Parses and prints frames as hexadecimal text, with CAN identifiers. */
#include "wire/hex.h"

#include <string.h>

#include "base/hex.h"
#include "wire/can_id.h"

enum { SHORT_DIGITS = 3, LONG_DIGITS = 8 };

size_t aw_hex_print(const struct aw_protocol *protocol, struct aw_span frame, char *out)
{
    char *end = out;
    size_t head = aw_can_head_size(frame);
    bool is_can = protocol->frames.is_can && head;
    if (is_can) {
        struct aw_can_id id = aw_can_id_of(frame.data);
        for (int shift = id.is_long ? 24 : 8; shift >= 0; shift -= 8)
            end = aw_print_hex_byte(end, (uint8_t)(id.id >> shift));
        if (!id.is_long) /* exactly three digits */
            memmove(end - 4, end - 3, 3);
        end -= !id.is_long;
        *end++ = '#';
        frame = (struct aw_span){frame.data + head, frame.size - head};
    }
    for (size_t i = 0; i < frame.size; i++) {
        if (!is_can && i)
            *end++ = ' ';
        end = aw_print_hex_byte(end, frame.data[i]);
    }
    *end = '\0';
    return (size_t)(end - out);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '.';
}

static enum aw_status fail_hex(const char *text, size_t at, struct aw_error *err)
{
    return aw_fail(err, AW_MALFORMED, "column %zu: '%c' is not a hex digit", at + 1, text[at]);
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
            return fail_hex(text, i, err);
        if (i + 1 == length || aw_hex_digit(text[i + 1]) < 0)
            return aw_fail(err, AW_MALFORMED,
                           "column %zu: single hex digit — write two digits per "
                           "byte",
                           i + 1);
        if (*size == cap)
            return aw_fail(err, AW_MALFORMED, "more than %zu bytes — give fewer bytes", cap);
        out[(*size)++] = (uint8_t)(aw_hex_digit(text[i]) << 4 | aw_hex_digit(text[i + 1]));
        i += 2;
    }
    return AW_OK;
}

static enum aw_status parse_can_id(const char *text, size_t hash, uint8_t *out, size_t *size,
                                   struct aw_error *err)
{
    struct aw_can_id can = {0, hash == LONG_DIGITS};
    if (hash != SHORT_DIGITS && !can.is_long)
        return aw_fail(
            err, AW_MALFORMED,
            "'%.*s' is not a CAN id — write three hex digits before #, or eight for 29 bits",
            (int)(hash > 16 ? 16 : hash), text);
    for (size_t i = 0; i < hash; i++) {
        if (aw_hex_digit(text[i]) < 0)
            return fail_hex(text, i, err);
        can.id = can.id << 4 | (unsigned)aw_hex_digit(text[i]);
    }
    if (can.id > (can.is_long ? AW_CAN_LONG_MAX : AW_CAN_SHORT_MAX))
        return aw_fail(err, AW_MALFORMED, "id %0*X has more than %d bits — %s", (int)hash,
                       (unsigned)can.id, can.is_long ? 29 : 11,
                       can.is_long ? "use at most 1FFFFFFF" : "write 8 digits for a 29-bit id");
    *size = aw_can_put_id(out, can);
    return AW_OK;
}

static enum aw_status parse_can(const char *text, size_t length, const char *hash, uint8_t *out,
                                size_t cap, size_t *size, struct aw_error *err)
{
    size_t start = 0;
    while (is_blank(text[start]))
        start++;
    size_t at = (size_t)(hash - text);
    enum aw_status status = parse_can_id(text + start, at - start, out, size, err);
    if (status != AW_OK)
        return status;
    if (at + 1 < length && text[at + 1] == 'R')
        return aw_fail(err, AW_MALFORMED,
                       "remote frames (#R) are not supported — give a data frame");
    return parse_bytes(text, at + 1, length, out, cap, size, err);
}

enum aw_status aw_hex_parse(const struct aw_protocol *protocol, const char *text, size_t length,
                            uint8_t *out, size_t cap, size_t *size, struct aw_error *err)
{
    const char *hash = memchr(text, '#', length);
    *size = 0;
    enum aw_status status = protocol->frames.is_can && hash
                                ? parse_can(text, length, hash, out, cap, size, err)
                                : parse_bytes(text, 0, length, out, cap, size, err);
    size_t head = aw_can_head_size((struct aw_span){out, *size});
    if (status == AW_OK && protocol->frames.is_can && *size - head > AW_CAN_DATA_MAX)
        return aw_fail(err, AW_MALFORMED,
                       "%zu bytes of data do not fit a CAN frame (max 8) — give fewer bytes",
                       *size - head);
    return status;
}
