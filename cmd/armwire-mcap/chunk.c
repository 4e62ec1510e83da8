/* Parses chunks of MCAP and decompresses them: plain, zstd and lz4. */
#include <lz4frame.h>
#include <stdio.h>
#include <zlib.h>
#include <zstd.h>

#include "parts.h"

#define RATIO_MAX 2000 /* beyond the compression ratio of either format */

static enum aw_status fail_damaged(struct aw_error *err, const char *problem)
{
    return aw_fail(err, AW_MALFORMED, "chunk: %s — repair the file with 'mcap recover'", problem);
}

enum aw_status aw_mcap_chunk_parse(struct aw_span content, struct aw_mcap_chunk *chunk,
                                   struct aw_error *err)
{
    struct aw_mcap_in in = {content.data, content.size, false};
    *chunk = (struct aw_mcap_chunk){.start_ns = aw_mcap_get_u64(&in)};
    chunk->end_ns = aw_mcap_get_u64(&in);
    chunk->size = aw_mcap_get_u64(&in);
    chunk->crc = aw_mcap_get_u32(&in);
    struct aw_span name = aw_mcap_get_part(&in);
    snprintf(chunk->compression, sizeof chunk->compression, "%.*s", (int)name.size,
             (const char *)name.data);
    chunk->bytes = aw_mcap_get(&in, aw_mcap_get_u64(&in));
    if (in.is_short)
        return fail_damaged(err, "shorter than its header states");
    if (chunk->size > AW_MCAP_RECORD_MAX || chunk->size / RATIO_MAX > chunk->bytes.size)
        return fail_damaged(err, "larger than the format allows");
    return AW_OK;
}

static bool unpack_lz4(const struct aw_mcap_chunk *chunk, uint8_t *out)
{
    LZ4F_dctx *context;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)))
        return false;
    size_t done = 0, used = 0, result = 1;
    while (result && !LZ4F_isError(result) && used < chunk->bytes.size) {
        size_t space = (size_t)chunk->size - done, remaining = chunk->bytes.size - used;
        result = LZ4F_decompress(context, out + done, &space, chunk->bytes.data + used, &remaining,
                                 NULL);
        done += space;
        used += remaining;
        if (!space && !remaining)
            break;
    }
    LZ4F_freeDecompressionContext(context);
    return !LZ4F_isError(result) && done == chunk->size;
}

static bool unpack(const struct aw_mcap_chunk *chunk, uint8_t *out)
{
    size_t size = (size_t)chunk->size;
    if (!*chunk->compression && size == chunk->bytes.size) {
        memcpy(out, chunk->bytes.data, size);
        return true;
    }
    if (strcmp(chunk->compression, "zstd") == 0)
        return ZSTD_decompress(out, size, chunk->bytes.data, chunk->bytes.size) == size;
    return strcmp(chunk->compression, "lz4") == 0 && unpack_lz4(chunk, out);
}

enum aw_status aw_mcap_chunk_open(const struct aw_mcap_chunk *chunk, struct aw_mcap_bytes *out,
                                  struct aw_error *err)
{
    const char *name = chunk->compression;
    out->size = 0;
    if (*name && strcmp(name, "zstd") != 0 && strcmp(name, "lz4") != 0)
        return aw_fail(err, AW_MALFORMED,
                       "chunk: compression '%s' not supported — use zstd, lz4 or none", name);
    if (!chunk->size)
        return AW_OK;
    uint8_t *target = aw_mcap_grow(out, (size_t)chunk->size);
    if (!target) {
        out->failed = false;
        return aw_no_memory(err);
    }
    bool valid = unpack(chunk, target);
    if (valid && (!chunk->crc || crc32_z(0, target, out->size) == chunk->crc))
        return AW_OK;
    out->size = 0;
    return fail_damaged(err, valid ? "checksum mismatch" : "cannot be decompressed");
}
