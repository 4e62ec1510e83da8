/* Identifiers of CAN frames.
 *
 * A frame in memory begins with its identifier, low byte first. An 11-bit identifier has two bytes.
 * A 29-bit one has four bytes, with bit 15 set, so that the bytes alone show the kind. The data
 * follow. The code of a message is derived from its identifier. It is an 11-bit identifier itself,
 * or the lower 15 bits of a 29-bit one, a 1, and the upper 14 bits. Codes below AW_CAN_LOW belong
 * to the tool's own table. The code of another message with such a small identifier also has
 * AW_CAN_MARK set.
 *
 *     0x123       23 01 …            0x18FEF100  00 F1 FD 31 …
 */
#ifndef AW_WIRE_CAN_ID_H
#define AW_WIRE_CAN_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define AW_CAN_SHORT_MAX 0x7FFu
#define AW_CAN_LONG_MAX  0x1FFFFFFFu
#define AW_CAN_LOW       32u
#define AW_CAN_MARK      0x40000000u
#define AW_CAN_LONG      0x8000u
#define AW_CAN_HEAD_MAX  4
#define AW_CAN_DATA_MAX  8

struct aw_can_id {
    uint32_t id;
    bool is_long; /* 29 bits, not 11 */
};

/* Returns the size of the head, 2 or 4 bytes. Returns 0 if the frame is shorter. */
static inline size_t aw_can_head_size(struct aw_span frame)
{
    size_t head = frame.size >= 2 && frame.data[1] & 0x80 ? 4 : 2;
    return frame.size >= head ? head : 0;
}

/* Convert an identifier to the code of its message, and back. */
static inline uint32_t aw_can_code_of_id(struct aw_can_id can)
{
    if (can.is_long)
        return (can.id & 0x7FFF) | AW_CAN_LONG | can.id >> 15 << 16;
    return can.id < AW_CAN_LOW ? can.id | AW_CAN_MARK : can.id;
}

static inline struct aw_can_id aw_can_id_of_code(uint32_t code)
{
    code &= ~AW_CAN_MARK;
    if (code & AW_CAN_LONG)
        return (struct aw_can_id){(code & 0x7FFF) | (code >> 16 & 0x3FFF) << 15, true};
    return (struct aw_can_id){code, false};
}

/* Returns the identifier of a frame, which must have a complete head. */
static inline struct aw_can_id aw_can_id_of(const uint8_t *frame)
{
    uint32_t code = frame[0] | (uint32_t)frame[1] << 8;
    if (code & AW_CAN_LONG)
        code |= (uint32_t)frame[2] << 16 | (uint32_t)frame[3] << 24;
    return aw_can_id_of_code(code & ~AW_CAN_MARK);
}

/* Writes the head of a frame. Returns its size, 2 or 4 bytes. */
static inline size_t aw_can_put_id(uint8_t *out, struct aw_can_id can)
{
    uint32_t code = can.is_long ? aw_can_code_of_id(can) : can.id;
    out[0] = (uint8_t)code;
    out[1] = (uint8_t)(code >> 8);
    if (!can.is_long)
        return 2;
    out[2] = (uint8_t)(code >> 16);
    out[3] = (uint8_t)(code >> 24);
    return 4;
}

#endif
