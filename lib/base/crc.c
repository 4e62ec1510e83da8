/* CRC-32 by eight tables: a byte of a word that stands n bytes before its end goes through the nth.
 */
#include "base/crc.h"

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
    for (int n = 1; n < 8; n++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t sum = crc->table[n - 1][byte];
            crc->table[n][byte] = sum >> 8 ^ crc->table[0][sum & 255];
        }
}

uint32_t aw_crc32(const struct aw_crc *crc, uint32_t before, const void *bytes, size_t size)
{
    const uint32_t(*t)[256] = crc->table;
    const uint8_t *p = bytes;
    uint32_t sum = ~before;
    for (; size >= 8; size -= 8, p += 8) {
        uint32_t low = aw_get_u32(p) ^ sum, high = aw_get_u32(p + 4);
        sum = t[7][low & 255] ^ t[6][low >> 8 & 255] ^ t[5][low >> 16 & 255] ^ t[4][low >> 24] ^
              t[3][high & 255] ^ t[2][high >> 8 & 255] ^ t[1][high >> 16 & 255] ^ t[0][high >> 24];
    }
    for (; size > 0; size--, p++)
        sum = sum >> 8 ^ t[0][(sum ^ *p) & 255];
    return ~sum;
}
