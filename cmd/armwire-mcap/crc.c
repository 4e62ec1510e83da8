/* CRC-32 by sixteen tables: a byte that stands n bytes before the end of its block goes through the
 * nth. */
#include "crc.h"

#include "base/bytes.h"

#define POLYNOMIAL 0xEDB88320U

void aw_crc_init(struct aw_crc *crc)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t sum = byte;
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? POLYNOMIAL : 0);
        crc->table[0][byte] = sum;
    }
    for (int n = 1; n < 16; n++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t sum = crc->table[n - 1][byte];
            crc->table[n][byte] = sum >> 8 ^ crc->table[0][sum & 255];
        }
}

static uint32_t word(const uint32_t (*t)[256], uint32_t bytes)
{
    return t[3][bytes & 255] ^ t[2][bytes >> 8 & 255] ^ t[1][bytes >> 16 & 255] ^ t[0][bytes >> 24];
}

uint32_t aw_crc32(const struct aw_crc *crc, uint32_t before, const void *bytes, size_t size)
{
    const uint32_t(*t)[256] = crc->table;
    const uint8_t *p = bytes;
    uint32_t sum = ~before;
    for (; size >= 16; size -= 16, p += 16)
        sum = word(t + 12, aw_get_u32(p) ^ sum) ^ word(t + 8, aw_get_u32(p + 4)) ^
              word(t + 4, aw_get_u32(p + 8)) ^ word(t, aw_get_u32(p + 12));
    for (; size > 0; size--, p++)
        sum = sum >> 8 ^ t[0][(sum ^ *p) & 255];
    return ~sum;
}
