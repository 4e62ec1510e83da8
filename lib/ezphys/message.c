#include "ezphys/message.h"

#include "ezphys/wire.h"

enum { ENVELOPE = 8, WORD = 4 }; /* bytes */

static void put_word(uint8_t *out, uint32_t value, bool big_endian)
{
    for (unsigned i = 0; i < WORD; i++)
        out[i] = (uint8_t)(value >> 8 * (big_endian ? WORD - 1 - i : i));
}

static size_t envelope_size(const struct aw_wire *wire)
{
    return wire->variant.envelope ? ENVELOPE : 0;
}

void aw_ez_message_begin(struct aw_ez_message *message)
{
    message->size = envelope_size(message->wire);
    message->count = 0;
}

enum aw_status aw_ez_message_add(struct aw_ez_message *message, const struct aw_record *record,
                                 struct aw_error *err)
{
    size_t cap = message->cap < AW_EZPHYS_MESSAGE_MAX ? message->cap : AW_EZPHYS_MESSAGE_MAX;
    size_t size;
    if (message->size + record->codec->size > cap)
        return aw_fail(err, AW_LIMIT, "message: %u packets are all that fit",
                       (unsigned)message->count);
    enum aw_status status =
        aw_encode(record, true, message->data + message->size, cap - message->size, &size, err);
    if (status == AW_OK) {
        message->size += size;
        message->count++;
    }
    return status;
}

struct aw_span aw_ez_message_end(struct aw_ez_message *message)
{
    bool big_endian = message->wire->variant.big_endian;
    if (message->wire->variant.envelope) {
        put_word(message->data, (uint32_t)message->size, big_endian);
        put_word(message->data + WORD, message->count, big_endian);
    }
    return (struct aw_span){message->data, message->size};
}

static bool between_messages(const struct aw_framer *framer)
{
    return framer->left == 0 && framer->bytes == 0;
}

/* A framer passes over messages without packets. So that none is missed, it sees each envelope
 * alone first; after lost bytes it wants to see what follows, too. */
enum aw_status aw_ez_next(const struct aw_wire *wire, struct aw_framer *framer, struct aw_span in,
                          struct aw_span *frame, size_t *used, bool *whole, struct aw_error *err)
{
    struct aw_span part = in;
    enum aw_status status = AW_MORE;
    *used = 0;
    if (!wire->variant.envelope) {
        status = aw_wire_next(wire, framer, in, frame, used, err);
        *whole = status == AW_OK && *used == in.size;
        return status;
    }
    size_t before = 0;
    if (between_messages(framer) && in.size >= ENVELOPE) {
        part.size = ENVELOPE;
        status = aw_wire_next(wire, framer, part, frame, &before, err);
        *used = before;
        *whole = before > 0 && between_messages(framer);
        if (status != AW_MORE || *whole)
            return status;
    }
    part = (struct aw_span){in.data + before, in.size - before};
    status = aw_wire_next(wire, framer, part, frame, used, err);
    *used += before;
    *whole = *used > 0 && between_messages(framer);
    return status;
}
