/* Reads and writes the bits and numbers of packets, in C99. armwire-code copies this text to the
 * start of every header that it generates, for all protocols. Allocates nothing, and calls only
 * memcpy and memset of <string.h>. NaN means "no data". Works with 16-bit int. If double is as
 * short as a float (AVR), fields with a scale have only the precision of a float.
 */
#ifndef ARMWIRE_PACK_H
#define ARMWIRE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef char pack_assert_float[sizeof(float) == 4 ? 1 : -1];

enum { PACK_LITTLE, PACK_BIG };

/* Reads at most 32 bits. Little-endian order counts from the lowest bit of a byte, big-endian order
 * from the highest bit. */
static inline uint32_t pack_get(const uint8_t *p, unsigned bit, unsigned bits, int order)
{
    uint32_t value = 0;
    unsigned done = 0;
    while (done < bits) {
        unsigned at = (bit + done) % 8, n = 8 - at < bits - done ? 8 - at : bits - done;
        unsigned shift = order == PACK_BIG ? 8 - at - n : at;
        uint32_t part = (uint32_t)p[(bit + done) / 8] >> shift & ((1u << n) - 1);
        value = order == PACK_BIG ? value << n | part : value | part << done;
        done += n;
    }
    return value;
}

static inline void pack_put(uint8_t *p, unsigned bit, unsigned bits, int order, uint32_t value)
{
    unsigned done = 0;
    while (done < bits) {
        unsigned at = (bit + done) % 8, n = 8 - at < bits - done ? 8 - at : bits - done;
        unsigned shift = order == PACK_BIG ? 8 - at - n : at, mask = (1u << n) - 1;
        uint32_t part = value >> (order == PACK_BIG ? bits - done - n : done) & mask;
        p[(bit + done) / 8] = (uint8_t)((p[(bit + done) / 8] & ~(mask << shift)) | part << shift);
        done += n;
    }
}

static inline uint64_t pack_get_long(const uint8_t *p, unsigned bit, unsigned bits, int order)
{
    unsigned upper = bits > 32 ? bits - 32 : 0, lower = bits - upper;
    if (order == PACK_BIG)
        return (uint64_t)pack_get(p, bit, upper, order) << 32 |
               pack_get(p, bit + upper, lower, order);
    return (uint64_t)pack_get(p, bit + lower, upper, order) << 32 | pack_get(p, bit, lower, order);
}

static inline void pack_put_long(uint8_t *p, unsigned bit, unsigned bits, int order, uint64_t value)
{
    unsigned upper = bits > 32 ? bits - 32 : 0, lower = bits - upper;
    pack_put(p, order == PACK_BIG ? bit : bit + lower, upper, order, (uint32_t)(value >> 32));
    pack_put(p, order == PACK_BIG ? bit + upper : bit, lower, order, (uint32_t)value);
}

static inline int64_t pack_get_signed(const uint8_t *p, unsigned bit, unsigned bits, int order)
{
    uint64_t sign = UINT64_C(1) << (bits - 1), value = pack_get_long(p, bit, bits, order);
    return (int64_t)((value ^ sign) - sign);
}

static inline float pack_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* For targets with a 64-bit double. */
static inline double pack_get_double(const uint8_t *p, unsigned bit, int order, double scale,
                                     double offset)
{
    uint64_t bits = pack_get_long(p, bit, 64, order);
    double value = 0;
    memcpy(&value, &bits, sizeof value < sizeof bits ? sizeof value : sizeof bits);
    return scale == 1 && offset == 0 ? value : value * scale + offset;
}

static inline double pack_none(void)
{
    return (double)pack_float(UINT32_C(0x7FC00000));
}

static inline bool pack_is_none(double value)
{
    return value != value;
}

static inline bool pack_is_finite(double value)
{
    return value - value == 0;
}

/* Packs a whole number, which is wire * scale + offset. */
static inline bool pack_put_int(uint8_t *p, unsigned bit, unsigned bits, int order, int64_t value,
                                int64_t scale, int64_t offset, int64_t least, int64_t most)
{
    int64_t wire = (value - offset) / scale;
    pack_put_long(p, bit, bits, order, (uint64_t)wire);
    return value >= least && value <= most && wire * scale + offset == value;
}

/* Packs a number, rounded to the nearest step. */
static inline bool pack_put_steps(uint8_t *p, unsigned bit, unsigned bits, int order, double value,
                                  double scale, double offset, double least, double most)
{
    double slack = scale == 1 ? 0 : (scale < 0 ? -scale : scale) * 0.49;
    double exact = (value - offset) / scale, wire = exact + 0.5;
    if (!pack_is_finite(value) || !(value >= least - slack && value <= most + slack) ||
        !(wire > -9.2233720368547e18 && wire < 9.2233720368547e18))
        return false;
    if (scale == (double)(int64_t)scale && exact != (double)(int64_t)exact)
        return false;
    int64_t whole = (int64_t)wire;
    whole -= (double)whole > wire;
    pack_put_long(p, bit, bits, order, (uint64_t)whole);
    return true;
}

static inline bool pack_put_float(uint8_t *p, unsigned bit, int order, double value, double scale,
                                  double offset, double least, double most)
{
    float wire = (float)((value - offset) / scale);
    uint32_t bits;
    memcpy(&bits, &wire, sizeof bits);
    pack_put(p, bit, 32, order, bits);
    return pack_is_finite((double)wire) && (float)value >= (float)least &&
           (float)value <= (float)most;
}

static inline bool pack_put_double(uint8_t *p, unsigned bit, int order, double value, double scale,
                                   double offset, double least, double most)
{
    double wire = scale == 1 && offset == 0 ? value : (value - offset) / scale;
    uint64_t bits = 0;
    memcpy(&bits, &wire, sizeof wire < sizeof bits ? sizeof wire : sizeof bits);
    pack_put_long(p, bit, 64, order, bits);
    return pack_is_finite(wire) && value >= least && value <= most;
}

/* Returns true if these bits encode a number within the range. */
static inline bool pack_in(const uint8_t *p, unsigned bit, unsigned bits, int order, bool is_signed,
                           int64_t least, int64_t most)
{
    int64_t number = is_signed ? pack_get_signed(p, bit, bits, order)
                               : (int64_t)pack_get_long(p, bit, bits, order);
    return number >= least && number <= most;
}

/* Packs 16 bits, then a byte that is 0 for negative numbers. */
static inline bool pack_put_magnitude(uint8_t *p, unsigned byte, int order, int32_t value,
                                      int32_t least, int32_t most)
{
    pack_put(p, byte * 8, 16, order, (uint32_t)(value < 0 ? -value : value));
    p[byte + 2] = value >= 0;
    return value >= least && value <= most;
}

static inline int32_t pack_get_magnitude(const uint8_t *p, unsigned byte, int order)
{
    int32_t value = (int32_t)pack_get(p, byte * 8, 16, order);
    return p[byte + 2] ? value : -value;
}

/* text must hold size characters and a NUL. */
static inline void pack_get_text(const uint8_t *p, size_t size, char *text)
{
    size_t n = 0;
    for (; n < size && p[n]; n++)
        text[n] = (char)p[n];
    memset(text + n, 0, size + 1 - n);
}

static inline void pack_put_text(uint8_t *p, size_t size, const char *text)
{
    for (size_t n = 0; n < size && text[n]; n++)
        p[n] = (uint8_t)text[n];
}

/* Returns the complement of the sum of the bytes. */
static inline uint8_t pack_checksum(const uint8_t *p, size_t size)
{
    unsigned sum = 0;
    while (size-- > 0)
        sum += *p++;
    return (uint8_t)~sum;
}

/* Lines of text. */
enum { PACK_MISSING = -32767 };

struct pack_line {
    uint8_t *at;
    bool ok;
};

static inline void pack_write(struct pack_line *line, const char *text)
{
    while (*text)
        *line->at++ = (uint8_t)*text++;
}

/* before: the separator, or 0; digits: the minimum number of digits. */
static inline void pack_write_digits(struct pack_line *line, char before, int digits, int value,
                                     int least, int most)
{
    char text[4];
    int n = 0, left = value < 0 ? -value : value;
    line->ok = line->ok && value >= least && value <= most && left <= 9999;
    if (before)
        *line->at++ = (uint8_t)before;
    if (value < 0)
        *line->at++ = '-';
    for (; n < 4 && (left > 0 || n < digits); left /= 10)
        text[n++] = (char)('0' + left % 10);
    while (n > 0)
        *line->at++ = (uint8_t)text[--n];
}

struct pack_words {
    const uint8_t *at, *end;
    bool ok, missing;
};

static inline void pack_read(struct pack_words *line, const char *text)
{
    while (line->ok && *text) {
        line->ok = line->at < line->end && *line->at == (uint8_t)*text++;
        line->at++;
    }
}

/* digits 1: one digit; else a sign and one to four digits. may_miss: returns PACK_MISSING at the
 * end of the line. */
static inline int16_t pack_read_digits(struct pack_words *line, char before, int digits,
                                       bool may_miss)
{
    int value = 0, n = 0, most = digits == 1 ? 1 : 4;
    bool negative = false;
    line->missing = line->missing || (may_miss && line->at < line->end && *line->at == '\r');
    if (line->missing && may_miss)
        return PACK_MISSING;
    if (before)
        pack_read(line, (const char[]){before, '\0'});
    if (line->ok && most > 1 && line->at < line->end && *line->at == '-') {
        negative = true;
        line->at++;
    }
    for (; line->ok && n < most && line->at < line->end && *line->at >= '0' && *line->at <= '9';
         n++)
        value = value * 10 + (*line->at++ - '0');
    line->ok = line->ok && n > 0;
    return (int16_t)(negative ? -value : value);
}

#endif
