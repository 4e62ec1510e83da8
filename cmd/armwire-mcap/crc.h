/* CRC-32 as zlib, PNG and MCAP have it (polynomial EDB88320, reflected), sixteen bytes at a time.
 *
 *     struct aw_crc crc;
 *     aw_crc_init(&crc);
 *     uint32_t sum = aw_crc32(&crc, 0, bytes, size);
 *     sum = aw_crc32(&crc, sum, more, n);             of both together
 */
#ifndef ARMWIRE_MCAP_CRC_H
#define ARMWIRE_MCAP_CRC_H

#include <stddef.h>
#include <stdint.h>

/* 16 kB, made in about 20 us. */
struct aw_crc {
    uint32_t table[16][256];
};

void aw_crc_init(struct aw_crc *crc);

uint32_t aw_crc32(const struct aw_crc *crc, uint32_t before, const void *bytes, size_t size);

#endif
