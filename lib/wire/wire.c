/* Selects the variant, creates codecs on first use, and identifies frames. */
#include "wire/wire.h"

#include <string.h>

#include "wire/rows.h"
#include "wire/run.h"

static uint16_t count_bytes(const struct aw_field *rows, const struct aw_variant *variant)
{
    return (uint16_t)(aw_rows_bits(rows, variant) / 8);
}

static void find_head_rows(struct aw_wire *wire)
{
    size_t bit = 0;
    wire->code_row = wire->length_row = (struct aw_head_row){0};
    for (const struct aw_field *row = wire->variant.head; row && row->type != AW_ROWS_END; row++) {
        uint16_t bits = aw_row_bits(row, &wire->variant);
        struct aw_head_row position = {(uint16_t)(bit / 8), (uint8_t)(bits / 8)};
        if (row->type == AW_CODE)
            wire->code_row = position;
        if (row->type == AW_LENGTH)
            wire->length_row = position;
        bit += bits;
    }
}

/* Computes all sizes in advance, because every received frame needs one. */
static void compute_sizes(struct aw_wire *wire)
{
    const struct aw_variant *variant = &wire->variant;
    wire->head_size = count_bytes(variant->head, variant);
    wire->envelope_size = count_bytes(variant->envelope, variant);
    for (size_t i = 0; i < wire->protocol->n_messages; i++) {
        const struct aw_message *message = aw_wire_message(wire, i);
        const struct aw_field *head = message->head ? message->head : variant->head;
        size_t bits = aw_rows_bits(head, variant) + aw_rows_bits(message->fields, variant) +
                      aw_rows_bits(variant->tail, variant);
        wire->payload_sizes[i] = count_bytes(message->fields, variant);
        wire->frame_sizes[i] = (uint16_t)(message->size ? message->size : bits / 8);
    }
}

/* Adds a code to the look-up tables. If several messages have it, the first one wins. */
static void index_code(struct aw_wire *wire, enum aw_dir dir, size_t index)
{
    const struct aw_message *messages = wire->protocol->messages;
    uint32_t code = messages[index].code;
    uint16_t *entry = &wire->by_code[dir][code % AW_SMALL_CODES];
    if (code >= AW_SMALL_CODES) {
        unsigned slot = aw_code_slot(code);
        while (*(entry = &wire->by_large_code[dir][slot]) && messages[*entry - 1].code != code)
            slot = (slot + 1) % AW_LARGE_CODES;
    }
    if (!*entry)
        *entry = (uint16_t)(index + 1);
}

static void index_codes(struct aw_wire *wire)
{
    memset(wire->by_code, 0, sizeof wire->by_code);
    memset(wire->by_large_code, 0, sizeof wire->by_large_code);
    for (size_t i = 0; i < wire->protocol->n_messages; i++)
        for (enum aw_dir dir = AW_TX; dir <= AW_BOTH; dir++)
            if (wire->protocol->messages[i].dir & dir && !wire->protocol->messages[i].replaced)
                index_code(wire, dir, i);
}

void aw_wire_init(struct aw_wire *wire, const struct aw_protocol *protocol,
                  const struct aw_variant *variant, bool raw)
{
    wire->protocol = protocol;
    wire->variant = variant ? *variant : protocol->variants[0];
    wire->raw = raw;
    wire->lenient = false;
    memset(wire->codec_ready, 0, protocol->n_messages * sizeof *wire->codec_ready);
    compute_sizes(wire);
    find_head_rows(wire);
    index_codes(wire);
}

const struct aw_variant *aw_protocol_variant(const struct aw_protocol *protocol, const char *name)
{
    for (const struct aw_variant *v = protocol->variants; v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

const struct aw_message *aw_wire_message(const struct aw_wire *wire, size_t index)
{
    const struct aw_message *message = &wire->protocol->messages[index];
    for (const struct aw_message *other = wire->variant.replacements; other && other->name; other++)
        if (strcmp(other->name, message->name) == 0 && other->dir == message->dir)
            return other;
    return message;
}

const struct aw_codec *aw_wire_codec_at(struct aw_wire *wire, size_t index)
{
    struct aw_codec *codec = &wire->codecs[index];
    if (!wire->codec_ready[index]) {
        aw_codec_init(codec, wire->protocol, &wire->variant, aw_wire_message(wire, index),
                      wire->raw);
        wire->codec_ready[index] = true;
    }
    return codec;
}

const struct aw_codec *aw_wire_codec(struct aw_wire *wire, const char *name, enum aw_dir dir)
{
    for (size_t i = 0; i < wire->protocol->n_messages; i++)
        if (wire->protocol->messages[i].dir & dir &&
            strcmp(wire->protocol->messages[i].name, name) == 0)
            return aw_wire_codec_at(wire, i);
    return NULL;
}

/* Returns true if the frame has this message's code. */
static bool has_code(const struct aw_wire *wire, const struct aw_message *message,
                     struct aw_span frame)
{
    unsigned bit = 0;
    const struct aw_field *row = message->head ? message->head : wire->variant.head;
    for (; row->type != AW_CODE; row++)
        bit += row->type == AW_DIGITS ? row->digits * 8u : row->bits;
    if (wire->protocol->frames.ascii) {
        size_t length = strlen(message->word);
        return frame.size >= bit / 8 + length &&
               memcmp(frame.data + bit / 8, message->word, length) == 0;
    }
    return frame.size * 8 >= bit + row->bits &&
           aw_bits_get(frame.data, bit, row->bits, wire->variant.big_endian) == message->code;
}

static const struct aw_message *identify_by_code(const struct aw_wire *wire, enum aw_dir dir,
                                                 struct aw_span frame, struct aw_error *err)
{
    for (size_t i = 0; i < wire->protocol->n_messages; i++) {
        const struct aw_message *message = &wire->protocol->messages[i];
        if (message->dir & dir && !message->replaced && has_code(wire, message, frame))
            return message;
    }
    aw_fail(err, AW_MALFORMED, "not a %s message %s (%zu bytes)", wire->protocol->name,
            dir == AW_TX ? "to the device" : "from the device", frame.size);
    return NULL;
}

bool aw_wire_is_other_node(const struct aw_wire *wire, enum aw_dir dir, struct aw_span frame)
{
    const struct aw_protocol *protocol = wire->protocol;
    return protocol->frames.is_other_node && !protocol->frames.identify(wire, dir, frame, NULL) &&
           protocol->frames.is_other_node(wire, frame);
}

enum aw_status aw_wire_decode(struct aw_wire *wire, enum aw_dir dir, struct aw_span frame,
                              struct aw_record *record, struct aw_error *err)
{
    const struct aw_protocol *protocol = wire->protocol;
    const struct aw_message *message = protocol->frames.identify
                                           ? protocol->frames.identify(wire, dir, frame, err)
                                           : identify_by_code(wire, dir, frame, err);
    record->present = 0;
    if (!message)
        return AW_MALFORMED;
    size_t index = (size_t)(message - protocol->messages);
    record->dir = message->dir & dir ? dir : message->dir;
    return aw_decode(aw_wire_codec_at(wire, index), frame, record, err);
}

bool aw_framer_is_inside(const struct aw_wire *wire, const struct aw_framer *framer)
{
    return !wire->variant.envelope || framer->n_packets > 1;
}

enum aw_status aw_wire_next(const struct aw_wire *wire, struct aw_framer *framer, struct aw_span in,
                            struct aw_span *frame, size_t *used, struct aw_error *err)
{
    if (wire->protocol->frames.next_frame)
        return wire->protocol->frames.next_frame(wire, framer, in, frame, used, err);
    *used = 0;
    if (in.size < wire->protocol->frames.frame_max)
        return AW_MORE;
    *used = wire->protocol->frames.frame_max;
    *frame = (struct aw_span){in.data, *used};
    return AW_OK;
}

size_t aw_wire_wrap(const struct aw_wire *wire, uint8_t *buf, size_t size, size_t cap)
{
    const struct aw_field *row = wire->variant.envelope;
    size_t head = wire->envelope_size;
    if (head + size > cap)
        return 0;
    memmove(buf + head, buf, size);
    unsigned bit = 0;
    for (; row && row->type != AW_ROWS_END; row++) {
        uint64_t value = row->type == AW_LENGTH ? head + size - row->constant : row->constant;
        aw_bits_put(buf, bit, row->bits, wire->variant.big_endian, value);
        bit += row->bits;
    }
    return head + size;
}
