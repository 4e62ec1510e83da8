/* What every frame of a message must contain, as masked words that are compared at once. */
#include <string.h>

#include "wire/run.h"

enum { WORD = sizeof(uint64_t), COVERED = AW_MAX_WORDS * WORD };

/* Notes the row's bits; false if its place is too far back. */
static bool cover(struct aw_codec *codec, const struct aw_scalar *scalar, uint8_t *value,
                  uint8_t *mask)
{
    bool big_endian = codec->variant->big_endian;
    if (scalar->field->type == AW_CHECKSUM) {
        codec->constants.checksum = scalar->bit / 8;
        return true;
    }
    if (scalar->bit + scalar->bits > COVERED * 8)
        return false;
    aw_bits_put(value, scalar->bit, scalar->bits, big_endian, aw_fixed_value(codec, scalar, value));
    aw_bits_put(mask, scalar->bit, scalar->bits, big_endian, UINT64_MAX);
    return true;
}

static uint64_t load_word(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* Words that have something to compare; none reaches over the end of the frame. */
static void cut_words(struct aw_constants *constants, unsigned size, const uint8_t *value,
                      const uint8_t *mask)
{
    for (unsigned byte = 0; byte < size && byte < COVERED; byte += WORD) {
        unsigned at = byte + WORD <= size ? byte : size - WORD;
        if (!load_word(mask + at))
            continue;
        constants->at[constants->n] = (uint16_t)at;
        constants->value[constants->n] = load_word(value + at);
        constants->mask[constants->n] = load_word(mask + at);
        constants->n++;
    }
}

void aw_constants_init(struct aw_codec *codec)
{
    uint8_t value[COVERED] = {0}, mask[COVERED] = {0};
    codec->constants.n = 0;
    codec->constants.checksum = 0;
    codec->checked = codec->fixed;
    if (codec->size < WORD)
        return;
    for (uint64_t left = codec->fixed; left; left &= left - 1) {
        int i = __builtin_ctzll(left);
        if (cover(codec, &codec->scalars[i], value, mask))
            codec->checked &= ~(UINT64_C(1) << i);
    }
    cut_words(&codec->constants, codec->size, value, mask);
}

bool aw_constants_match(const struct aw_codec *codec, const uint8_t *data)
{
    const struct aw_constants *constants = &codec->constants;
    uint64_t wrong = 0;
    if (constants->checksum)
        wrong = codec->protocol->checksum(data, constants->checksum) ^ data[constants->checksum];
    for (unsigned i = 0; i < constants->n; i++)
        wrong |= (load_word(data + constants->at[i]) ^ constants->value[i]) & constants->mask[i];
    return wrong == 0;
}
