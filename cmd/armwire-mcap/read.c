/* Reads MCAP in pieces: collects records until they are complete, decompresses chunks, and returns
 * their messages in order. */
#include <stdio.h>

#include "parts.h"
#include "wire/codec.h"

#define NUMBERS    65536
#define CONFIG_MAX (1 << 20)

enum { INFO_TOOL, INFO_VERSION, INFO_LINK, INFO_WIRE, INFO_CONFIG_NAME, INFO_CONFIG, N_INFO };

struct schema {
    char *name, *language, *text;
};

struct aw_mcap_reader {
    bool started, ended;
    uint64_t skip;                /* bytes left of a skipped record */
    struct aw_mcap_bytes pending; /* bytes of an incomplete record */
    size_t n_consumed;            /* bytes of pending that the next call may drop */
    struct aw_mcap_bytes chunk;
    size_t chunk_at;                 /* offset of the next record in chunk */
    char *info[N_INFO];              /* see struct aw_mcap_info; NULL: unknown */
    struct schema *schemas[NUMBERS]; /* schemas by number */
    struct aw_mcap_topic *topics[NUMBERS];
};

bool aw_is_mcap(struct aw_span in)
{
    return in.size >= AW_MCAP_MAGIC_SIZE && memcmp(in.data, AW_MCAP_MAGIC, AW_MCAP_MAGIC_SIZE) == 0;
}

bool aw_mcap_is_ours(struct aw_span in)
{
    struct aw_mcap_in head = {in.data, in.size, false};
    aw_mcap_get(&head, AW_MCAP_MAGIC_SIZE + AW_MCAP_HEAD);
    aw_mcap_get_part(&head);
    struct aw_span library = aw_mcap_get_part(&head);
    return aw_is_mcap(in) && library.size > 8 && memcmp(library.data, "armwire ", 8) == 0;
}

struct aw_mcap_reader *aw_mcap_reader_new(void)
{
    return calloc(1, sizeof(struct aw_mcap_reader));
}

static void free_topic(struct aw_mcap_topic *topic)
{
    if (!topic)
        return;
    const char *const texts[] = {topic->topic, topic->encoding, topic->medium, topic->tool};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free((char *)texts[i]);
    free(topic);
}

void aw_mcap_reader_free(struct aw_mcap_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; i < NUMBERS; i++) {
        free_topic(reader->topics[i]);
        if (reader->schemas[i]) {
            free(reader->schemas[i]->name);
            free(reader->schemas[i]->language);
            free(reader->schemas[i]->text);
            free(reader->schemas[i]);
        }
    }
    for (size_t i = 0; i < N_INFO; i++)
        free(reader->info[i]);
    free(reader->pending.data);
    free(reader->chunk.data);
    free(reader);
}

bool aw_mcap_is_complete(const struct aw_mcap_reader *reader)
{
    return reader->ended;
}

/* ---- Records ---- */

static char *copy(struct aw_span text)
{
    return strndup(text.size ? (const char *)text.data : "", text.size);
}

static enum aw_status fail_damaged(struct aw_error *err, const char *problem)
{
    return aw_fail(err, AW_MALFORMED, "mcap: %s — repair the file with 'mcap recover'", problem);
}

/* Keeps the first schema of each number. MCAP requires later ones to be equal; this is not
 * checked. */
static enum aw_status read_schema(struct aw_mcap_reader *reader, struct aw_span content,
                                  struct aw_error *err)
{
    struct aw_mcap_in in = {content.data, content.size, false};
    unsigned number = aw_mcap_get_u16(&in);
    if (reader->schemas[number])
        return AW_EVENT;
    struct aw_span name = aw_mcap_get_part(&in), language = aw_mcap_get_part(&in);
    struct aw_span text = aw_mcap_get_part(&in);
    if (in.is_short || !number)
        return fail_damaged(err, "schema is truncated, or its id is 0");
    struct schema *schema = reader->schemas[number] = calloc(1, sizeof *schema);
    if (!schema)
        return aw_no_memory(err);
    *schema = (struct schema){copy(name), copy(language), copy(text)};
    return schema->name && schema->language && schema->text ? AW_EVENT : aw_no_memory(err);
}

/* Returns a copy of the value of a key in metadata, or of "". NULL: out of memory. */
static char *find_value(struct aw_span pairs, const char *key)
{
    struct aw_mcap_in in = {pairs.data, pairs.size, false};
    while (in.remaining && !in.is_short) {
        struct aw_span name = aw_mcap_get_part(&in), value = aw_mcap_get_part(&in);
        if (!in.is_short && name.size == strlen(key) && memcmp(name.data, key, name.size) == 0)
            return copy(value);
    }
    return strdup("");
}

static enum aw_status read_channel(struct aw_mcap_reader *reader, struct aw_span content,
                                   struct aw_error *err)
{
    struct aw_mcap_in in = {content.data, content.size, false};
    unsigned number = aw_mcap_get_u16(&in), type = aw_mcap_get_u16(&in);
    if (reader->topics[number])
        return AW_EVENT;
    struct aw_span name = aw_mcap_get_part(&in), encoding = aw_mcap_get_part(&in);
    struct aw_span pairs = aw_mcap_get_part(&in);
    const struct schema *schema = reader->schemas[type];
    if (in.is_short || (type && !schema))
        return fail_damaged(err, "channel is truncated, or its schema is missing");
    struct aw_mcap_topic *topic = reader->topics[number] = calloc(1, sizeof *topic);
    if (!topic)
        return aw_no_memory(err);
    *topic = (struct aw_mcap_topic){.topic = copy(name),
                                    .encoding = copy(encoding),
                                    .type = schema ? schema->name : "",
                                    .language = schema ? schema->language : "",
                                    .text = schema ? schema->text : "",
                                    .medium = find_value(pairs, "medium"),
                                    .tool = find_value(pairs, "tool")};
    bool complete = topic->topic && topic->encoding && topic->medium && topic->tool;
    return complete ? AW_EVENT : aw_no_memory(err);
}

static void store_info(struct aw_mcap_reader *reader, int number, char *text)
{
    free(reader->info[number]);
    reader->info[number] = text;
}

static void read_metadata(struct aw_mcap_reader *reader, struct aw_span content)
{
    static const char *const keys[] = {"tool", "version", "link", "wire"};
    struct aw_mcap_in in = {content.data, content.size, false};
    struct aw_span name = aw_mcap_get_part(&in), pairs = aw_mcap_get_part(&in);
    bool ours = name.size == 7 && memcmp(name.data, "armwire", name.size) == 0;
    for (int i = INFO_TOOL; ours && i <= INFO_WIRE; i++)
        store_info(reader, i, find_value(pairs, keys[i]));
}

static void read_attachment(struct aw_mcap_reader *reader, struct aw_span content)
{
    struct aw_mcap_in in = {content.data, content.size, false};
    aw_mcap_get(&in, 16);
    struct aw_span name = aw_mcap_get_part(&in);
    aw_mcap_get_part(&in);
    struct aw_span text = aw_mcap_get(&in, aw_mcap_get_u64(&in));
    if (in.is_short || text.size > CONFIG_MAX)
        return;
    store_info(reader, INFO_CONFIG_NAME, copy(name));
    store_info(reader, INFO_CONFIG, copy(text));
}

static const char *get_info(const struct aw_mcap_reader *reader, int number)
{
    return reader->info[number] ? reader->info[number] : "";
}

struct aw_mcap_info aw_mcap_info(const struct aw_mcap_reader *reader)
{
    return (struct aw_mcap_info){get_info(reader, INFO_TOOL),        get_info(reader, INFO_VERSION),
                                 get_info(reader, INFO_LINK),        get_info(reader, INFO_WIRE),
                                 get_info(reader, INFO_CONFIG_NAME), get_info(reader, INFO_CONFIG)};
}

static int64_t to_time(uint64_t ns)
{
    return ns <= INT64_MAX ? (int64_t)ns : AW_NO_TIME;
}

static enum aw_status read_message(struct aw_mcap_reader *reader, struct aw_span content,
                                   struct aw_mcap_message *message, struct aw_error *err)
{
    struct aw_mcap_in in = {content.data, content.size, false};
    unsigned number = aw_mcap_get_u16(&in);
    aw_mcap_get_u32(&in);
    message->topic = reader->topics[number];
    message->log_ns = to_time(aw_mcap_get_u64(&in));
    message->publish_ns = to_time(aw_mcap_get_u64(&in));
    message->data = (struct aw_span){in.p, in.remaining};
    if (in.is_short || !message->topic)
        return fail_damaged(err, "message is truncated, or its channel is missing");
    return AW_OK;
}

static enum aw_status read_chunk(struct aw_mcap_reader *reader, struct aw_span content,
                                 struct aw_error *err)
{
    struct aw_mcap_chunk chunk;
    enum aw_status status = aw_mcap_chunk_parse(content, &chunk, err);
    reader->chunk_at = 0;
    if (status == AW_OK)
        status = aw_mcap_chunk_open(&chunk, &reader->chunk, err);
    return status == AW_OK ? AW_EVENT : status;
}

/* AW_EVENT: the record is not a message. */
static enum aw_status read_record(struct aw_mcap_reader *reader, unsigned op,
                                  struct aw_span content, struct aw_mcap_message *message,
                                  struct aw_error *err)
{
    if (op == AW_MCAP_MESSAGE)
        return read_message(reader, content, message, err);
    if (op == AW_MCAP_SCHEMA)
        return read_schema(reader, content, err);
    if (op == AW_MCAP_CHANNEL)
        return read_channel(reader, content, err);
    if (op == AW_MCAP_METADATA)
        read_metadata(reader, content);
    if (op == AW_MCAP_ATTACHMENT)
        read_attachment(reader, content);
    reader->ended = reader->ended || op == AW_MCAP_FOOTER;
    return AW_EVENT;
}

/* Reads the next message of the chunk. AW_MORE: the chunk has no more messages. */
static enum aw_status next_in_chunk(struct aw_mcap_reader *reader, struct aw_mcap_message *message,
                                    struct aw_error *err)
{
    while (reader->chunk_at < reader->chunk.size) {
        struct aw_mcap_in in = {reader->chunk.data + reader->chunk_at,
                                reader->chunk.size - reader->chunk_at, false};
        struct aw_span op = aw_mcap_get(&in, 1);
        struct aw_span content = aw_mcap_get(&in, aw_mcap_get_u64(&in));
        if (in.is_short) {
            reader->chunk_at = reader->chunk.size;
            return fail_damaged(err, "record is longer than its chunk");
        }
        reader->chunk_at = (size_t)(in.p - reader->chunk.data);
        enum aw_status status = read_record(reader, *op.data, content, message, err);
        if (status != AW_EVENT)
            return status;
    }
    return AW_MORE;
}

/* ---- The file ---- */

/* Skips the index and oversized records. */
static bool is_wanted(unsigned op, uint64_t length)
{
    bool is_wanted_kind = op == AW_MCAP_SCHEMA || op == AW_MCAP_CHANNEL || op == AW_MCAP_MESSAGE ||
                          op == AW_MCAP_CHUNK_OP || op == AW_MCAP_FOOTER ||
                          op == AW_MCAP_METADATA || op == AW_MCAP_ATTACHMENT;
    return is_wanted_kind && length <= AW_MCAP_RECORD_MAX;
}

static void skip_bytes(struct aw_mcap_reader *reader, struct aw_span *in, size_t *used)
{
    size_t n = reader->skip < in->size ? (size_t)reader->skip : in->size;
    reader->skip -= n;
    *used += n;
    *in = (struct aw_span){in->data + n, in->size - n};
}

/* Adds input to the incomplete record. Returns true if it is complete. */
static bool collect_record(struct aw_mcap_reader *reader, struct aw_span *in, size_t *used)
{
    struct aw_mcap_bytes *pending = &reader->pending;
    for (;;) {
        size_t needed = AW_MCAP_HEAD;
        if (pending->size >= AW_MCAP_HEAD) {
            uint64_t length = aw_get_u64(pending->data + 1);
            if (!is_wanted(*pending->data, length)) {
                reader->skip = length;
                pending->size = 0;
                skip_bytes(reader, in, used);
                if (reader->skip)
                    return false;
                continue;
            }
            needed += (size_t)length;
        }
        if (pending->size == needed && needed > AW_MCAP_HEAD)
            return true;
        size_t step = needed - pending->size < in->size ? needed - pending->size : in->size;
        aw_mcap_add(pending, in->data, step);
        *used += step;
        *in = (struct aw_span){in->data + step, in->size - step};
        if (pending->failed || pending->size < needed)
            return false;
        if (needed > AW_MCAP_HEAD)
            return true;
        if (aw_get_u64(pending->data + 1) == 0)
            pending->size = 0; /* ignore an empty record */
    }
}

static enum aw_status read_magic(struct aw_mcap_reader *reader, struct aw_span *in, size_t *used,
                                 struct aw_error *err)
{
    if (in->size < AW_MCAP_MAGIC_SIZE)
        return AW_MORE;
    if (!aw_is_mcap(*in)) {
        reader->skip = UINT64_MAX;
        skip_bytes(reader, in, used);
        return aw_fail(err, AW_MALFORMED,
                       "mcap: not an MCAP file: magic bytes missing — check the file");
    }
    reader->started = true;
    reader->skip = AW_MCAP_MAGIC_SIZE;
    skip_bytes(reader, in, used);
    return AW_OK;
}

enum aw_status aw_mcap_next(struct aw_mcap_reader *reader, struct aw_span in,
                            struct aw_mcap_message *message, size_t *used, struct aw_error *err)
{
    enum aw_status status = next_in_chunk(reader, message, err);
    *used = 0;
    if (status == AW_MORE && reader->skip)
        skip_bytes(reader, &in, used);
    if (status == AW_MORE && !reader->started && !reader->skip) {
        status = read_magic(reader, &in, used, err);
        if (status != AW_OK)
            return status;
        status = AW_MORE;
    }
    while (status == AW_MORE && !reader->skip) {
        reader->pending.size = reader->n_consumed ? 0 : reader->pending.size;
        reader->n_consumed = 0;
        if (reader->ended) { /* only the closing magic may follow */
            *used += in.size;
            return AW_MORE;
        }
        if (!collect_record(reader, &in, used))
            return reader->pending.failed ? aw_no_memory(err) : AW_MORE;
        struct aw_span content = {reader->pending.data + AW_MCAP_HEAD,
                                  reader->pending.size - AW_MCAP_HEAD};
        reader->n_consumed = reader->pending.size;
        status = *reader->pending.data == AW_MCAP_CHUNK_OP
                     ? read_chunk(reader, content, err)
                     : read_record(reader, *reader->pending.data, content, message, err);
        if (status == AW_EVENT)
            status = next_in_chunk(reader, message, err);
    }
    return status;
}
