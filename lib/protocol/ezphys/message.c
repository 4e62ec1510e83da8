/* Collects packets in a buffer, and completes the message's header at the end. */
#include "protocol/ezphys/message.h"

#include <string.h>

#include "protocol/ezphys/wire.h"
#include "wire/rows.h"

void aw_ezphys_message_begin(struct aw_ezphys_message *message)
{
    const struct aw_variant *variant = &message->wire->variant;
    message->size = aw_rows_bits(variant->envelope, variant) / 8;
    message->count = 0;
}

static size_t get_space(const struct aw_ezphys_message *message)
{
    size_t cap = message->cap < AW_EZPHYS_MESSAGE_MAX ? message->cap : AW_EZPHYS_MESSAGE_MAX;
    return cap - message->size;
}

static enum aw_status fail_full(const struct aw_ezphys_message *message, struct aw_error *err)
{
    return aw_fail(err, AW_LIMIT, "message full: at most %u packets fit — name fewer joints",
                   (unsigned)message->count);
}

enum aw_status aw_ezphys_message_add(struct aw_ezphys_message *message,
                                     const struct aw_record *record, struct aw_error *err)
{
    size_t size;
    if (record->codec->size > get_space(message))
        return fail_full(message, err);
    enum aw_status status =
        aw_encode(record, true, message->data + message->size, get_space(message), &size, err);
    if (status == AW_OK) {
        message->size += size;
        message->count++;
    }
    return status;
}

enum aw_status aw_ezphys_message_add_frame(struct aw_ezphys_message *message, struct aw_span frame,
                                           struct aw_error *err)
{
    if (frame.size > get_space(message))
        return fail_full(message, err);
    memcpy(message->data + message->size, frame.data, frame.size);
    message->size += frame.size;
    message->count++;
    return AW_OK;
}

static uint32_t get_header_value(const struct aw_ezphys_message *message,
                                 const struct aw_field *row)
{
    if (row->type == AW_LENGTH)
        return (uint32_t)message->size - row->constant;
    return row->type == AW_CONST ? message->count : 0;
}

struct aw_span aw_ezphys_message_end(struct aw_ezphys_message *message)
{
    const struct aw_variant *variant = &message->wire->variant;
    uint8_t *out = message->data;
    for (const struct aw_field *row = variant->envelope; row && row->type != AW_ROWS_END; row++) {
        size_t size = row->bits / 8u;
        uint32_t value = get_header_value(message, row);
        for (size_t i = 0; i < size; i++)
            out[i] = (uint8_t)(value >> 8 * (variant->big_endian ? size - 1 - i : i));
        out += row->bits / 8;
    }
    return (struct aw_span){message->data, message->size};
}
