/* Internal to lib/wire: kinds of runs (see struct aw_codec_run), and access to bits. */
#ifndef AW_WIRE_RUN_H
#define AW_WIRE_RUN_H

#include <stdint.h>

#include "wire/codec.h"

enum run_kind {
    RUN_BITS, /* unsigned, at any bit position */
    RUN_SIGNED_BITS,
    RUN_TEXT,
    RUN_ODD_BITS, /* at any bit position, highest bit first, or a float */
    RUN_U8,       /* from here on: whole words, which can form a run */
    RUN_S8,
    RUN_U16,
    RUN_S16,
    RUN_U32,
    RUN_S32,
    RUN_S64,
    RUN_U64,
    RUN_F32,
    RUN_F64,
    RUN_SIGNMAG,
    RUN_BIG_ENDIAN, /* added to the kinds of whole words */
    RUN_KINDS = RUN_BIG_ENDIAN * 2,
};

/* Read and write count bits, at most 64, from bit start on, least significant bit first. big_endian
 * is for whole bytes only. */
uint64_t aw_bits_get(const uint8_t *data, unsigned start, unsigned count, bool big_endian);
void aw_bits_put(uint8_t *data, unsigned start, unsigned count, bool big_endian, uint64_t value);

/* Read and write bits with the highest bit first. start counts from the highest bit of byte 0. */
uint64_t aw_bits_get_big(const uint8_t *data, unsigned start, unsigned count);
void aw_bits_put_big(uint8_t *data, unsigned start, unsigned count, uint64_t value);

/* Returns the index in by_large_code at which the search for a code starts. */
static inline unsigned aw_code_slot(uint32_t code)
{
    return (uint32_t)(code * UINT32_C(0x9E3779B1)) >> 21;
}

/* Returns the size in bits of one row that is not a group. */
uint16_t aw_row_bits(const struct aw_field *row, const struct aw_variant *variant);

/* Returns the contents of a constant row in a frame of this message. data is the frame, complete at
 * least up to this row; only checksums read it. */
uint64_t aw_row_constant(const struct aw_codec *codec, const struct aw_scalar *scalar,
                         const uint8_t *data);

/* Fills codec->constants and codec->masks.uncovered from codec->masks.constant. */
void aw_constants_init(struct aw_codec *codec);

/* Returns true if the frame has the right constants and checksum. data holds codec->size bytes. */
bool aw_constants_match(const struct aw_codec *codec, const uint8_t *data);

/* Encode and decode messages of ASCII protocols. */
enum aw_status aw_ascii_encode(const struct aw_record *record, uint8_t *out, size_t cap,
                               size_t *size, struct aw_error *err);
enum aw_status aw_ascii_decode(const struct aw_codec *codec, struct aw_span frame,
                               struct aw_record *record, struct aw_error *err);

#endif
