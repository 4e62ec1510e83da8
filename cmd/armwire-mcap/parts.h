/* Internal to the MCAP writer and reader: numbers and strings in records, and growing buffers. */
#ifndef ARMWIRE_MCAP_PARTS_H
#define ARMWIRE_MCAP_PARTS_H

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/grow.h"
#include "mcap.h"

/* {0} is empty. failed: an allocation failed; later data is missing. */
struct aw_mcap_bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
};

/* Returns space for size bytes after the existing ones; NULL: out of memory. */
static inline uint8_t *aw_mcap_grow(struct aw_mcap_bytes *bytes, size_t size)
{
    uint8_t *data =
        bytes->failed ? NULL : aw_grow(bytes->data, &bytes->capacity, bytes->size + size, 1);
    if (!data) {
        bytes->failed = true;
        return NULL;
    }
    bytes->data = data;
    bytes->size += size;
    return data + bytes->size - size;
}

static inline void aw_mcap_add(struct aw_mcap_bytes *bytes, const void *data, size_t size)
{
    uint8_t *p = size ? aw_mcap_grow(bytes, size) : NULL;
    if (p)
        memcpy(p, data, size);
}

static inline void aw_mcap_set_u64(uint8_t *p, uint64_t value)
{
    value = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? value : __builtin_bswap64(value);
    memcpy(p, &value, sizeof value);
}

static inline void aw_mcap_add_u16(struct aw_mcap_bytes *bytes, unsigned value)
{
    aw_mcap_add(bytes, (const uint8_t[]){(uint8_t)value, (uint8_t)(value >> 8)}, 2);
}

static inline void aw_mcap_add_u32(struct aw_mcap_bytes *bytes, uint32_t value)
{
    uint8_t *p = aw_mcap_grow(bytes, 4);
    if (p)
        aw_put_u32(p, value);
}

static inline void aw_mcap_add_u64(struct aw_mcap_bytes *bytes, uint64_t value)
{
    uint8_t *p = aw_mcap_grow(bytes, 8);
    if (p)
        aw_mcap_set_u64(p, value);
}

static inline void aw_mcap_add_text(struct aw_mcap_bytes *bytes, const char *text)
{
    aw_mcap_add_u32(bytes, (uint32_t)strlen(text));
    aw_mcap_add(bytes, text, strlen(text));
}

/* Starts a record; its length is filled in at its end. */
static inline size_t aw_mcap_begin_record(struct aw_mcap_bytes *bytes, enum aw_mcap_op op)
{
    size_t start = bytes->size;
    aw_mcap_add(bytes, (const uint8_t[]){(uint8_t)op}, 1);
    aw_mcap_add_u64(bytes, 0);
    return start;
}

static inline void aw_mcap_end_record(struct aw_mcap_bytes *bytes, size_t start)
{
    if (!bytes->failed)
        aw_mcap_set_u64(bytes->data + start + 1, bytes->size - start - AW_MCAP_HEAD);
}

/* ---- Parsing: missing data is 0 and sets is_short ---- */

struct aw_mcap_in {
    const uint8_t *p;
    size_t remaining;
    bool is_short;
};

static inline struct aw_span aw_mcap_get(struct aw_mcap_in *in, uint64_t size)
{
    struct aw_span span = {in->p, 0};
    in->is_short = in->is_short || size > in->remaining;
    if (in->is_short)
        return span;
    span.size = (size_t)size;
    in->p += span.size;
    in->remaining -= span.size;
    return span;
}

static inline unsigned aw_mcap_get_u16(struct aw_mcap_in *in)
{
    struct aw_span span = aw_mcap_get(in, 2);
    return span.size ? aw_get_u16(span.data) : 0;
}

static inline uint32_t aw_mcap_get_u32(struct aw_mcap_in *in)
{
    struct aw_span span = aw_mcap_get(in, 4);
    return span.size ? aw_get_u32(span.data) : 0;
}

static inline uint64_t aw_mcap_get_u64(struct aw_mcap_in *in)
{
    struct aw_span span = aw_mcap_get(in, 8);
    return span.size ? aw_get_u64(span.data) : 0;
}

/* Reads bytes preceded by their 32-bit length: a string or a list. */
static inline struct aw_span aw_mcap_get_part(struct aw_mcap_in *in)
{
    return aw_mcap_get(in, aw_mcap_get_u32(in));
}

/* A parsed chunk. size is that of the decompressed records; compression is "zstd", "lz4" or "". */
struct aw_mcap_chunk {
    uint64_t start_ns, end_ns, size;
    uint32_t crc;
    char compression[8];
    struct aw_span bytes; /* as stored in the file */
};

enum aw_status aw_mcap_chunk_parse(struct aw_span content, struct aw_mcap_chunk *chunk,
                                   struct aw_error *err);

/* Decompresses the records into out and checks the checksum. */
enum aw_status aw_mcap_chunk_open(const struct aw_mcap_chunk *chunk, struct aw_mcap_bytes *out,
                                  struct aw_error *err);

#endif
