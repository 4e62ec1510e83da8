/* Writes MCAP: collects records in a chunk, writes it with its index, and the summary at the end.
 */
#include <zlib.h>
#include <zstd.h>

#include "parts.h"

#define LEVEL        -4 /* one of zstd's fast levels */
#define CHANNELS_MAX 65535

struct channel {
    uint64_t messages;
    uint32_t sequence;
    struct aw_mcap_bytes index; /* index of the pending chunk: time and offset of each message */
};

struct aw_mcap {
    aw_mcap_sink *sink;
    void *context;
    bool failed;
    uint64_t offset; /* current offset in the file */
    /* the open chunk */
    struct {
        struct aw_mcap_bytes chunk, output;
        uint64_t chunk_first, chunk_last; /* times of the messages in the chunk */
        uint64_t chunk_messages;
    } block;
    unsigned n_schemas, n_channels;
    uint32_t n_listed; /* number of channel records */
    struct channel *channels;
    size_t room;
    /* records of the summary, ready to write */
    struct {
        struct aw_mcap_bytes schemas, channel_records, chunks, attachments, metadata;
        uint32_t n_chunks, n_attachments, n_metadata;
    } summary;
    uint64_t messages, first, last;
    ZSTD_CCtx *zstd;
};

static bool write_out(struct aw_mcap *m, const void *bytes, size_t size)
{
    m->failed = m->failed || !m->sink(m->context, bytes, size);
    m->offset += size;
    return !m->failed;
}

/* Writes all bytes and empties the buffer. */
static bool write_buffer(struct aw_mcap *m, struct aw_mcap_bytes *bytes)
{
    m->failed = m->failed || bytes->failed;
    if (bytes->size)
        write_out(m, bytes->data, bytes->size);
    bytes->size = 0;
    return !m->failed;
}

static struct aw_mcap *new_writer(aw_mcap_sink *sink, void *context)
{
    struct aw_mcap *m = calloc(1, sizeof *m);
    ZSTD_CCtx *zstd = m ? ZSTD_createCCtx() : NULL;
    if (!zstd) {
        free(m);
        return NULL;
    }
    m->sink = sink;
    m->context = context;
    m->zstd = zstd;
    m->first = UINT64_MAX;
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
    return m;
}

struct aw_mcap *aw_mcap_new(aw_mcap_sink *sink, void *context)
{
    struct aw_mcap *m = new_writer(sink, context);
    if (!m)
        return NULL;
    struct aw_mcap_bytes *out = &m->block.output;
    aw_mcap_add(out, AW_MCAP_MAGIC, AW_MCAP_MAGIC_SIZE);
    size_t start = aw_mcap_begin_record(out, AW_MCAP_HEADER);
    aw_mcap_add_text(out, "ros2");
    aw_mcap_add_text(out, "armwire " AW_VERSION);
    aw_mcap_end_record(out, start);
    write_buffer(m, out);
    return m;
}

void aw_mcap_free(struct aw_mcap *m)
{
    if (!m)
        return;
    for (unsigned i = 0; i < m->n_channels; i++)
        free(m->channels[i].index.data);
    struct aw_mcap_bytes *buffers[] = {&m->block.chunk,     &m->block.output,
                                       &m->summary.schemas, &m->summary.channel_records,
                                       &m->summary.chunks,  &m->summary.attachments,
                                       &m->summary.metadata};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        free(buffers[i]->data);
    free(m->channels);
    ZSTD_freeCCtx(m->zstd);
    free(m);
}

/* ---- Chunks ---- */

static bool check_chunk(struct aw_mcap *m)
{
    return !(m->failed |= m->block.chunk.failed);
}

/* Adds the index of each channel after the chunk in the output. Appends the entries for the summary
 * to offsets. */
static void index_channels(struct aw_mcap *m, uint64_t base, struct aw_mcap_bytes *offsets)
{
    struct aw_mcap_bytes *out = &m->block.output;
    for (unsigned i = 0; i < m->n_channels; i++) {
        struct aw_mcap_bytes *index = &m->channels[i].index;
        if (!index->size)
            continue;
        m->failed = m->failed || index->failed;
        aw_mcap_add_u16(offsets, i + 1);
        aw_mcap_add_u64(offsets, base + out->size);
        size_t start = aw_mcap_begin_record(out, AW_MCAP_MESSAGE_INDEX);
        aw_mcap_add_u16(out, i + 1);
        aw_mcap_add_u32(out, (uint32_t)index->size);
        aw_mcap_add(out, index->data, index->size);
        aw_mcap_end_record(out, start);
        index->size = 0;
    }
}

/* Lists a chunk in the summary: length bytes at offset in the file, followed by index_length bytes
 * of message indexes. */
static void list_chunk(struct aw_mcap *m, const struct aw_mcap_chunk *chunk, uint64_t offset,
                       uint64_t length, const struct aw_mcap_bytes *offsets, uint64_t index_length)
{
    struct aw_mcap_bytes *out = &m->summary.chunks;
    size_t start = aw_mcap_begin_record(out, AW_MCAP_CHUNK_INDEX);
    aw_mcap_add_u64(out, chunk->start_ns);
    aw_mcap_add_u64(out, chunk->end_ns);
    aw_mcap_add_u64(out, offset);
    aw_mcap_add_u64(out, length);
    aw_mcap_add_u32(out, (uint32_t)offsets->size);
    aw_mcap_add(out, offsets->data, offsets->size);
    aw_mcap_add_u64(out, index_length);
    aw_mcap_add_text(out, chunk->compression);
    aw_mcap_add_u64(out, chunk->bytes.size);
    aw_mcap_add_u64(out, chunk->size);
    aw_mcap_end_record(out, start);
    m->failed = m->failed || out->failed || offsets->failed;
    m->summary.n_chunks++;
}

/* Appends the compressed chunk to the output. Returns its size; 0: failed. */
static size_t compress_chunk(struct aw_mcap *m)
{
    size_t max_size = ZSTD_compressBound(m->block.chunk.size), start = m->block.output.size;
    uint8_t *to = aw_mcap_grow(&m->block.output, max_size);
    size_t size =
        to ? ZSTD_compress2(m->zstd, to, max_size, m->block.chunk.data, m->block.chunk.size) : 0;
    if (!to || ZSTD_isError(size)) {
        m->failed = true;
        return 0;
    }
    m->block.output.size = start + size;
    return size;
}

/* Uses one write call, so that a killed recorder leaves a whole chunk or none of it. */
bool aw_mcap_flush(struct aw_mcap *m)
{
    struct aw_mcap_bytes *out = &m->block.output, offsets = {0};
    if (!m->block.chunk.size || m->failed)
        return !m->failed;
    struct aw_mcap_chunk chunk = {
        .start_ns = m->block.chunk_messages ? m->block.chunk_first : 0,
        .end_ns = m->block.chunk_messages ? m->block.chunk_last : 0,
        .size = m->block.chunk.size,
        .crc = (uint32_t)crc32_z(0, m->block.chunk.data, m->block.chunk.size),
        .compression = "zstd"};
    uint64_t offset = m->offset;
    size_t start = aw_mcap_begin_record(out, AW_MCAP_CHUNK_OP);
    aw_mcap_add_u64(out, chunk.start_ns);
    aw_mcap_add_u64(out, chunk.end_ns);
    aw_mcap_add_u64(out, chunk.size);
    aw_mcap_add_u32(out, chunk.crc);
    aw_mcap_add_text(out, chunk.compression);
    size_t length = out->size;
    aw_mcap_add_u64(out, 0);
    chunk.bytes.size = compress_chunk(m);
    if (!m->failed)
        aw_mcap_set_u64(out->data + length, chunk.bytes.size);
    aw_mcap_end_record(out, start);
    uint64_t end = out->size;
    index_channels(m, offset, &offsets);
    list_chunk(m, &chunk, offset, end, &offsets, out->size - end);
    free(offsets.data);
    m->block.chunk.size = 0;
    m->block.chunk_messages = 0;
    return write_buffer(m, out);
}

bool aw_mcap_has_pending(const struct aw_mcap *m)
{
    return m->block.chunk.size > 0 && !m->failed;
}

/* ---- Schemas, channels, messages ---- */

unsigned aw_mcap_add_schema(struct aw_mcap *m, const char *name, const char *text)
{
    struct aw_mcap_bytes *out = &m->summary.schemas;
    if (m->n_schemas == CHANNELS_MAX)
        return 0;
    size_t begin = out->size, start = aw_mcap_begin_record(out, AW_MCAP_SCHEMA);
    aw_mcap_add_u16(out, m->n_schemas + 1);
    aw_mcap_add_text(out, name);
    aw_mcap_add_text(out, "ros2msg");
    aw_mcap_add_text(out, text);
    aw_mcap_end_record(out, start);
    if (out->failed)
        return 0;
    aw_mcap_add(&m->block.chunk, out->data + begin, out->size - begin);
    return check_chunk(m) ? ++m->n_schemas : 0;
}

static bool add_channel(struct aw_mcap *m, unsigned number)
{
    struct channel *channels = aw_grow(m->channels, &m->room, number, sizeof *channels);
    if (!channels)
        return false;
    m->channels = channels;
    for (; m->n_channels < number; m->n_channels++)
        m->channels[m->n_channels] = (struct channel){0};
    return true;
}

static void put_pairs(struct aw_mcap_bytes *out, const struct aw_mcap_pair *pairs)
{
    size_t start = out->size;
    aw_mcap_add_u32(out, 0);
    for (; pairs && pairs->key; pairs++) {
        aw_mcap_add_text(out, pairs->key);
        aw_mcap_add_text(out, pairs->value);
    }
    if (!out->failed)
        aw_put_u32(out->data + start, (uint32_t)(out->size - start - 4));
}

unsigned aw_mcap_add_channel(struct aw_mcap *m, unsigned schema, const char *topic,
                             const struct aw_mcap_pair *metadata)
{
    struct aw_mcap_bytes *out = &m->summary.channel_records;
    unsigned number = m->n_channels + 1;
    if (!schema || number > CHANNELS_MAX || !add_channel(m, number))
        return 0;
    size_t begin = out->size, start = aw_mcap_begin_record(out, AW_MCAP_CHANNEL);
    aw_mcap_add_u16(out, number);
    aw_mcap_add_u16(out, schema);
    aw_mcap_add_text(out, topic);
    aw_mcap_add_text(out, "cdr");
    put_pairs(out, metadata);
    aw_mcap_end_record(out, start);
    if (out->failed)
        return 0;
    m->n_listed++;
    aw_mcap_add(&m->block.chunk, out->data + begin, out->size - begin);
    return check_chunk(m) ? number : 0;
}

/* Adds a message to the index of its chunk. */
static void note_message(struct aw_mcap *m, unsigned channel, uint64_t log_ns, uint64_t offset)
{
    struct channel *c = &m->channels[channel - 1];
    uint8_t *index = aw_mcap_grow(&c->index, 16);
    if (index) {
        aw_mcap_set_u64(index, log_ns);
        aw_mcap_set_u64(index + 8, offset);
    }
    c->messages++;
    m->messages++;
    m->first = log_ns < m->first ? log_ns : m->first;
    m->last = log_ns > m->last ? log_ns : m->last;
    if (!m->block.chunk_messages++ || log_ns < m->block.chunk_first)
        m->block.chunk_first = log_ns;
    if (m->block.chunk_messages == 1 || log_ns > m->block.chunk_last)
        m->block.chunk_last = log_ns;
}

bool aw_mcap_message(struct aw_mcap *m, unsigned channel, int64_t log_ns, int64_t publish_ns,
                     struct aw_span bytes)
{
    enum { FIELDS = 2 + 4 + 8 + 8 };
    if (!channel || m->failed)
        return false;
    size_t offset = m->block.chunk.size;
    uint8_t *p = aw_mcap_grow(&m->block.chunk, AW_MCAP_HEAD + FIELDS + bytes.size);
    if (!p)
        return !(m->failed = true);
    *p = AW_MCAP_MESSAGE;
    aw_mcap_set_u64(p + 1, FIELDS + bytes.size);
    p[9] = (uint8_t)channel;
    p[10] = (uint8_t)(channel >> 8);
    aw_put_u32(p + 11, ++m->channels[channel - 1].sequence);
    aw_mcap_set_u64(p + 15, (uint64_t)log_ns);
    aw_mcap_set_u64(p + 23, (uint64_t)publish_ns);
    if (bytes.size)
        memcpy(p + AW_MCAP_HEAD + FIELDS, bytes.data, bytes.size);
    note_message(m, channel, (uint64_t)log_ns, offset);
    return m->block.chunk.size < AW_MCAP_CHUNK || aw_mcap_flush(m);
}

/* ---- Metadata and attachments, which are in no chunk ---- */

static void list_metadata(struct aw_mcap *m, const char *name)
{
    struct aw_mcap_bytes *out = &m->summary.metadata;
    size_t start = aw_mcap_begin_record(out, AW_MCAP_METADATA_INDEX);
    aw_mcap_add_u64(out, m->offset);
    aw_mcap_add_u64(out, m->block.output.size);
    aw_mcap_add_text(out, name);
    aw_mcap_end_record(out, start);
    m->summary.n_metadata++;
}

bool aw_mcap_add_metadata(struct aw_mcap *m, const char *name, const struct aw_mcap_pair *pairs)
{
    struct aw_mcap_bytes *out = &m->block.output;
    size_t start = aw_mcap_begin_record(out, AW_MCAP_METADATA);
    aw_mcap_add_text(out, name);
    put_pairs(out, pairs);
    aw_mcap_end_record(out, start);
    list_metadata(m, name);
    return write_buffer(m, out);
}

static void list_attachment(struct aw_mcap *m, const char *name, const char *media_type,
                            int64_t time_ns, size_t size)
{
    struct aw_mcap_bytes *out = &m->summary.attachments;
    size_t start = aw_mcap_begin_record(out, AW_MCAP_ATTACHMENT_INDEX);
    aw_mcap_add_u64(out, m->offset);
    aw_mcap_add_u64(out, m->block.output.size);
    aw_mcap_add_u64(out, (uint64_t)time_ns);
    aw_mcap_add_u64(out, (uint64_t)time_ns);
    aw_mcap_add_u64(out, size);
    aw_mcap_add_text(out, name);
    aw_mcap_add_text(out, media_type);
    aw_mcap_end_record(out, start);
    m->summary.n_attachments++;
}

bool aw_mcap_add_attachment(struct aw_mcap *m, const char *name, const char *media_type,
                            int64_t time_ns, struct aw_span bytes)
{
    struct aw_mcap_bytes *out = &m->block.output;
    size_t start = aw_mcap_begin_record(out, AW_MCAP_ATTACHMENT);
    aw_mcap_add_u64(out, (uint64_t)time_ns);
    aw_mcap_add_u64(out, (uint64_t)time_ns);
    aw_mcap_add_text(out, name);
    aw_mcap_add_text(out, media_type);
    aw_mcap_add_u64(out, bytes.size);
    aw_mcap_add(out, bytes.data, bytes.size);
    if (!out->failed)
        aw_mcap_add_u32(out, (uint32_t)crc32_z(0, out->data + start + AW_MCAP_HEAD,
                                               out->size - start - AW_MCAP_HEAD));
    aw_mcap_end_record(out, start);
    list_attachment(m, name, media_type, time_ns, bytes.size);
    return write_buffer(m, out);
}

/* ---- End ---- */

static void put_statistics(struct aw_mcap *m, struct aw_mcap_bytes *out)
{
    size_t start = aw_mcap_begin_record(out, AW_MCAP_STATISTICS), counts;
    aw_mcap_add_u64(out, m->messages);
    aw_mcap_add_u16(out, m->n_schemas);
    aw_mcap_add_u32(out, m->n_listed);
    aw_mcap_add_u32(out, m->summary.n_attachments);
    aw_mcap_add_u32(out, m->summary.n_metadata);
    aw_mcap_add_u32(out, m->summary.n_chunks);
    aw_mcap_add_u64(out, m->messages ? m->first : 0);
    aw_mcap_add_u64(out, m->last);
    counts = out->size;
    aw_mcap_add_u32(out, 0);
    for (unsigned i = 0; i < m->n_channels; i++)
        if (m->channels[i].messages) {
            aw_mcap_add_u16(out, i + 1);
            aw_mcap_add_u64(out, m->channels[i].messages);
        }
    if (!out->failed)
        aw_put_u32(out->data + counts, (uint32_t)(out->size - counts - 4));
    aw_mcap_end_record(out, start);
}

/* Writes each kind of record of the summary as one group, followed by their offsets. */
static void put_summary(struct aw_mcap *m, struct aw_mcap_bytes *out, uint64_t base)
{
    struct aw_mcap_bytes statistics = {0}, offsets = {0};
    put_statistics(m, &statistics);
    const struct {
        enum aw_mcap_op op;
        const struct aw_mcap_bytes *bytes;
    } groups[] = {
        {AW_MCAP_SCHEMA, &m->summary.schemas},
        {AW_MCAP_CHANNEL, &m->summary.channel_records},
        {AW_MCAP_STATISTICS, &statistics},
        {AW_MCAP_CHUNK_INDEX, &m->summary.chunks},
        {AW_MCAP_ATTACHMENT_INDEX, &m->summary.attachments},
        {AW_MCAP_METADATA_INDEX, &m->summary.metadata},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (!groups[i].bytes->size)
            continue;
        m->failed = m->failed || groups[i].bytes->failed;
        size_t start = aw_mcap_begin_record(&offsets, AW_MCAP_SUMMARY_OFFSET);
        aw_mcap_add(&offsets, (const uint8_t[]){(uint8_t)groups[i].op}, 1);
        aw_mcap_add_u64(&offsets, base + out->size);
        aw_mcap_add_u64(&offsets, groups[i].bytes->size);
        aw_mcap_end_record(&offsets, start);
        aw_mcap_add(out, groups[i].bytes->data, groups[i].bytes->size);
    }
    uint64_t summary_offsets = base + out->size;
    aw_mcap_add(out, offsets.data, offsets.size);
    aw_mcap_begin_record(out, AW_MCAP_FOOTER);
    aw_mcap_add_u64(out, base);
    aw_mcap_add_u64(out, summary_offsets);
    m->failed = m->failed || statistics.failed || offsets.failed;
    free(statistics.data);
    free(offsets.data);
}

bool aw_mcap_end(struct aw_mcap *m)
{
    struct aw_mcap_bytes *out = &m->block.output;
    if (!aw_mcap_flush(m))
        return false;
    size_t start = aw_mcap_begin_record(out, AW_MCAP_DATA_END);
    aw_mcap_add_u32(out, 0); /* 0: no checksum of the data */
    aw_mcap_end_record(out, start);
    if (!write_buffer(m, out))
        return false;
    put_summary(m, out, m->offset);
    if (out->failed || m->failed)
        return false;
    size_t footer = out->size - 16 - AW_MCAP_HEAD;
    aw_mcap_set_u64(out->data + footer + 1, 20);
    aw_mcap_add_u32(out, (uint32_t)crc32_z(0, out->data, out->size));
    aw_mcap_add(out, AW_MCAP_MAGIC, AW_MCAP_MAGIC_SIZE);
    return write_buffer(m, out);
}
