/* A protocol in use: its table, the variant of this link, and the codecs made so far.
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
 * About 4 MB of plain data, of which what is not used yet is not touched (codecs are made on first
 * use): cheap to initialise, but not for the stack. Not for sharing between threads.
 */
#ifndef AW_WIRE_WIRE_H
#define AW_WIRE_WIRE_H

#include "wire/codec.h"

#define AW_MAX_MESSAGES 1024
#define AW_SMALL_CODES  32
#define AW_LARGE_CODES  2048 /* places for those above, a power of two */

/* Bytes of a row in a head; size 0: there is no such row. */
struct aw_place {
    uint16_t at;
    uint8_t size;
};

struct aw_wire {
    const struct aw_protocol *protocol;
    struct aw_variant variant;
    bool raw;
    bool lenient;
    uint16_t head_size, envelope_size;                     /* bytes of the variant's rows */
    struct aw_place code, length;                          /* in the variant's head */
    uint16_t payload_sizes[AW_MAX_MESSAGES];               /* bytes between head and tail, */
    uint16_t frame_sizes[AW_MAX_MESSAGES];                 /* and with them */
    bool ready[AW_MAX_MESSAGES];                           /* codecs[i] is made */
    uint16_t with_code[AW_BOTH + 1][AW_SMALL_CODES];       /* message + 1 of a direction; 0: none */
    uint16_t with_large_code[AW_BOTH + 1][AW_LARGE_CODES]; /* the same, by a hash of the code */
    struct aw_codec codecs[AW_MAX_MESSAGES];
};

/* variant NULL: the protocol's first. The variant is copied, so that a caller may change the copy
 * beforehand. */
void aw_wire_init(struct aw_wire *wire, const struct aw_protocol *protocol,
                  const struct aw_variant *variant, bool raw);

/* The variant of this name, or NULL. */
const struct aw_variant *aw_protocol_variant(const struct aw_protocol *protocol, const char *name);

/* Codec of the message with this name that can go in this direction (AW_BOTH: whichever comes
 * first), or NULL. */
const struct aw_codec *aw_wire_codec(struct aw_wire *wire, const char *name, enum aw_dir dir);

/* Codec of a message of the table, by its place in protocol->messages. */
const struct aw_codec *aw_wire_codec_at(struct aw_wire *wire, size_t index);

/* The message as this variant has it (the table's, or the one the variant puts instead). */
const struct aw_message *aw_wire_message(const struct aw_wire *wire, size_t index);

/* Returns true if the frame is not damaged but belongs to another node on the bus. Ask when
 * aw_wire_decode fails. */
bool aw_wire_is_other(const struct aw_wire *wire, enum aw_dir dir, struct aw_span frame);

/* Decodes any frame of the protocol and sets record->dir. AW_MALFORMED with an explanation if it is
 * not a frame of it. */
enum aw_status aw_wire_decode(struct aw_wire *wire, enum aw_dir dir, struct aw_span frame,
                              struct aw_record *record, struct aw_error *err);

/* Next frame of a stream, see aw_next_frame. */
enum aw_status aw_wire_next(const struct aw_wire *wire, struct aw_framer *framer, struct aw_span in,
                            struct aw_span *frame, size_t *used, struct aw_error *err);

/* Is the last frame not the first one in its envelope? Always true for protocols without envelopes.
 */
bool aw_framer_inside(const struct aw_wire *wire, const struct aw_framer *framer);

/* Puts the envelope of the variant, if it has one, around one encoded frame in place (ezphys: size
 * and count). buf holds size bytes and has room for cap; returns the new size, or 0 if it does not
 * fit. */
size_t aw_wire_wrap(const struct aw_wire *wire, uint8_t *buf, size_t size, size_t cap);

#endif
