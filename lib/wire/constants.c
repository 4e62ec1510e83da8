/* Compares the constants of a frame in masked words of eight bytes. */
#include <string.h>

#include "wire/run.h"

enum { WORD = sizeof(uint64_t), COVERED = AW_MAX_WORDS * WORD };

static uint64_t load_word(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

void aw_constants_init(struct aw_codec *codec)
{
    uint8_t value[COVERED] = {0}, mask[COVERED] = {0};
    bool big_endian = codec->variant->big_endian;
    struct aw_constants *constants = &codec->constants;
    constants->n = 0;
    constants->checksum = 0;
    codec->masks.uncovered = codec->masks.constant;
    if (codec->size < WORD)
        return;
    for (uint64_t left = codec->masks.constant; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        const struct aw_scalar *scalar = &codec->scalars[i];
        if (scalar->field->type == AW_CHECKSUM) {
            constants->checksum = scalar->bit / 8;
        } else if (scalar->bit + scalar->bits > COVERED * 8) {
            continue; /* too far from the start: compared separately */
        } else {
            aw_bits_put(value, scalar->bit, scalar->bits, big_endian,
                        aw_row_constant(codec, scalar, value));
            aw_bits_put(mask, scalar->bit, scalar->bits, big_endian, UINT64_MAX);
        }
        codec->masks.uncovered &= ~(UINT64_C(1) << i);
    }
    /* Covers the frame with words that contain constants. No word extends beyond the frame. */
    for (unsigned byte = 0; byte < codec->size && byte < COVERED; byte += WORD) {
        unsigned at = byte + WORD <= codec->size ? byte : codec->size - (unsigned)WORD;
        if (!load_word(mask + at))
            continue;
        constants->at[constants->n] = (uint16_t)at;
        constants->value[constants->n] = load_word(value + at);
        constants->mask[constants->n] = load_word(mask + at);
        constants->n++;
    }
}

bool aw_constants_match(const struct aw_codec *codec, const uint8_t *data)
{
    const struct aw_constants *constants = &codec->constants;
    uint64_t wrong = 0;
    if (constants->checksum)
        wrong =
            codec->protocol->frames.checksum(data, constants->checksum) ^ data[constants->checksum];
    for (unsigned i = 0; i < constants->n; i++)
        wrong |= (load_word(data + constants->at[i]) ^ constants->value[i]) & constants->mask[i];
    return wrong == 0;
}
