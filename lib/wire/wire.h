/* The protocol of a link: its table, its variant, and the codecs created so far.
 *
 *     struct aw_wire wire;
 *     aw_wire_init(&wire, &aw_armctl_protocol, NULL, false);
 *     struct aw_record rec;
 *     aw_record_init(&rec, aw_wire_codec(&wire, "deg", AW_TX), AW_TX);
 *     aw_record_set(&rec, "joint", 1, &err);
 *     aw_record_set(&rec, "angle", 90, &err);
 *     aw_encode(&rec, false, bytes, sizeof bytes, &size, &err);       -> "0DEG1,090\r\n"
 *     aw_wire_decode(&wire, AW_RX, (struct aw_span){bytes, size}, &rec, &err);
 *
 * A struct aw_wire is about 4 MB of plain data, too large for the stack. It is cheap to initialise,
 * because codecs are created on first use. Threads must not share it.
 */
#ifndef AW_WIRE_WIRE_H
#define AW_WIRE_WIRE_H

#include "wire/codec.h"

/* Maximum number of messages of a protocol, including custom packets. */
#define AW_MAX_MESSAGES 1024
#define AW_SMALL_CODES  32
#define AW_LARGE_CODES  2048 /* slots for codes from AW_SMALL_CODES on, a power of two */

/* Position of a row in the variant's head, bytes. size 0: there is no such row. */
struct aw_head_row {
    uint16_t at;
    uint8_t size;
};

/* Callers may read protocol and variant; the other members are internal. */
struct aw_wire {
    const struct aw_protocol *protocol;
    struct aw_variant variant;
    bool raw;
    bool lenient;
    uint16_t head_size, envelope_size;                   /* of the variant's rows, bytes */
    struct aw_head_row code_row, length_row;             /* rows in the variant's head */
    uint16_t payload_sizes[AW_MAX_MESSAGES];             /* bytes without head and tail */
    uint16_t frame_sizes[AW_MAX_MESSAGES];               /* bytes with head and tail */
    bool codec_ready[AW_MAX_MESSAGES];                   /* codecs[i] is initialised */
    uint16_t by_code[AW_BOTH + 1][AW_SMALL_CODES];       /* index of a message + 1; 0: none */
    uint16_t by_large_code[AW_BOTH + 1][AW_LARGE_CODES]; /* same, by a hash of the code */
    struct aw_codec codecs[AW_MAX_MESSAGES];
};

/* Initialises wire. variant NULL: the protocol's first one. Copies the variant, so the caller may
 * modify it before. raw: values are wire numbers, without scales and names. */
void aw_wire_init(struct aw_wire *wire, const struct aw_protocol *protocol,
                  const struct aw_variant *variant, bool raw);

/* Returns the variant with this name, or NULL. */
const struct aw_variant *aw_protocol_variant(const struct aw_protocol *protocol, const char *name);

/* Returns the codec of a message by its name and direction (AW_BOTH: the first match), or NULL.
 * wire owns the codec. */
const struct aw_codec *aw_wire_codec(struct aw_wire *wire, const char *name, enum aw_dir dir);

/* Returns the codec of a message by its index in protocol->messages. wire owns the codec. */
const struct aw_codec *aw_wire_codec_at(struct aw_wire *wire, size_t index);

/* Returns the message with this index: that of the table, or its replacement in this variant. */
const struct aw_message *aw_wire_message(const struct aw_wire *wire, size_t index);

/* Returns true if a frame is valid but belongs to another node on the bus. Call it after
 * aw_wire_decode has failed. */
bool aw_wire_is_other_node(const struct aw_wire *wire, enum aw_dir dir, struct aw_span frame);

/* Decodes any frame of the protocol and sets record->dir. AW_MALFORMED, with the reason, if the
 * frame does not belong to the protocol or is damaged (see aw_decode). */
enum aw_status aw_wire_decode(struct aw_wire *wire, enum aw_dir dir, struct aw_span frame,
                              struct aw_record *record, struct aw_error *err);

/* Finds the next frame of a stream; see aw_next_frame. */
enum aw_status aw_wire_next(const struct aw_wire *wire, struct aw_framer *framer, struct aw_span in,
                            struct aw_span *frame, size_t *used, struct aw_error *err);

/* Returns true if the last frame was not the first one of its envelope. Always returns true without
 * envelopes. */
bool aw_framer_is_inside(const struct aw_wire *wire, const struct aw_framer *framer);

/* Adds the variant's envelope, if any, around one encoded frame, in place (ezphys: size and count).
 * buf holds size bytes and has room for cap. Returns the new size, or 0 if it exceeds cap. */
size_t aw_wire_wrap(const struct aw_wire *wire, uint8_t *buf, size_t size, size_t cap);

#endif
