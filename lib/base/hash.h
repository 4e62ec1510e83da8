/* 64-bit FNV-1a hash. */
#ifndef AW_BASE_HASH_H
#define AW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define AW_HASH_FIRST UINT64_C(14695981039346656037)

/* Continues a hash with more bytes. hash is AW_HASH_FIRST or an earlier result. */
static inline uint64_t aw_hash(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *byte = (const uint8_t *)bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

#endif
