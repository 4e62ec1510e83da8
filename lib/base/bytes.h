/* Reads and writes little-endian numbers on machines of any byte order.
 *
 *     uint8_t report[64];
 *     aw_put_f32(report + 4, 90.0F);
 *     aw_get_f32(report + 4);           -> 90
 */
#ifndef AW_BASE_BYTES_H
#define AW_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

/* Reads two bytes. No function in this file requires aligned bytes. */
static inline uint16_t aw_get_u16(const uint8_t *bytes)
{
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap16(value);
}

/* Reads four bytes. */
static inline uint32_t aw_get_u32(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap32(value);
}

/* Reads eight bytes. */
static inline uint64_t aw_get_u64(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap64(value);
}

/* Writes four bytes. */
static inline void aw_put_u32(uint8_t *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

/* Reads an IEEE 754 single-precision float. */
static inline float aw_get_f32(const uint8_t *bytes)
{
    uint32_t bits = aw_get_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Writes an IEEE 754 single-precision float. */
static inline void aw_put_f32(uint8_t *bytes, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    aw_put_u32(bytes, bits);
}

#endif
