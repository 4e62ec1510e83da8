/* Reads and writes bits of a frame, and computes constants, lengths and checksums. */
#include "wire/run.h"

uint64_t aw_bits_get(const uint8_t *data, unsigned start, unsigned count, bool big_endian)
{
    uint64_t value = 0;
    if (start % 8 == 0 && count % 8 == 0) {
        unsigned n = count / 8;
        for (unsigned i = 0; i < n; i++)
            value |= (uint64_t)data[start / 8 + i] << 8 * (big_endian ? n - 1 - i : i);
        return value;
    }
    const uint8_t *first = data + start / 8;
    unsigned shift = start % 8, bytes = (shift + count + 7) / 8;
    for (unsigned i = 0; i < bytes && i < 8; i++)
        value |= (uint64_t)first[i] << 8 * i;
    value >>= shift;
    if (bytes > 8)
        value |= (uint64_t)first[8] << (64 - shift);
    return count < 64 ? value & ((UINT64_C(1) << count) - 1) : value;
}

void aw_bits_put(uint8_t *data, unsigned start, unsigned count, bool big_endian, uint64_t value)
{
    if (start % 8 == 0 && count % 8 == 0) {
        unsigned n = count / 8;
        for (unsigned i = 0; i < n; i++)
            data[start / 8 + i] = (uint8_t)(value >> 8 * (big_endian ? n - 1 - i : i));
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        uint8_t mask = (uint8_t)(1u << (start + i) % 8);
        if (value >> i & 1)
            data[(start + i) / 8] |= mask;
        else
            data[(start + i) / 8] &= (uint8_t)~mask;
    }
}

uint64_t aw_bits_get_big(const uint8_t *data, unsigned start, unsigned count)
{
    uint64_t value = 0;
    unsigned end = start + count, left = (8 - end % 8) % 8;
    for (unsigned i = start / 8; i < (end + 7) / 8; i++) {
        bool is_last = i + 1 == (end + 7) / 8;
        value = value << (is_last ? 8 - left : 8) | data[i] >> (is_last ? left : 0);
    }
    return count < 64 ? value & ((UINT64_C(1) << count) - 1) : value;
}

void aw_bits_put_big(uint8_t *data, unsigned start, unsigned count, uint64_t value)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned at = start + count - 1 - i;
        uint8_t mask = (uint8_t)(0x80u >> at % 8);
        if (value >> i & 1)
            data[at / 8] |= mask;
        else
            data[at / 8] &= (uint8_t)~mask;
    }
}

static uint64_t get_payload_length(const struct aw_codec *codec, const struct aw_scalar *scalar)
{
    unsigned end = codec->size;
    for (const struct aw_field *row = codec->variant->tail; row && row->type != AW_ROWS_END; row++)
        end -= row->bits / 8u;
    return end - (scalar->bit + scalar->bits) / 8u;
}

uint64_t aw_row_constant(const struct aw_codec *codec, const struct aw_scalar *scalar,
                         const uint8_t *data)
{
    switch (scalar->field->type) {
    case AW_CODE: /* higher bits are not sent: they distinguish messages with equal codes */
        return scalar->bits < 32 ? codec->message->code & ((UINT32_C(1) << scalar->bits) - 1)
                                 : codec->message->code;
    case AW_CONST:
        return scalar->field->constant;
    case AW_INDEX:
        return scalar->repetition;
    case AW_LENGTH:
        return get_payload_length(codec, scalar);
    case AW_CHECKSUM:
        return codec->protocol->frames.checksum(data, scalar->bit / 8u);
    default:
        return 0;
    }
}
