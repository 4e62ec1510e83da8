/* Writes the end that an MCAP file lacks when whoever wrote it was killed. */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/mcap_parts.h"

struct repair {
    FILE *file;
    const char *path;
    uint64_t at, whole; /* offsets: of the next record, and behind the last one that stays */
    struct aw_mcap *mcap;
    struct aw_mcap_bytes record, last; /* and the records of the last chunk */
    struct aw_crc crc;
    bool waiting; /* a chunk, whose index is being read: */
    struct aw_mcap_chunk chunk;
    struct aw_mcap_place place;
};

static bool write_end(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, ((struct repair *)context)->file) == size;
}

/* AW_END: no whole record follows. */
static enum aw_status read_record(struct repair *r, struct aw_error *err)
{
    uint8_t head[AW_MCAP_HEAD];
    if (fread(head, 1, sizeof head, r->file) < sizeof head)
        return AW_END;
    uint64_t size = aw_get_u64(head + 1);
    if (size > AW_MCAP_RECORD_MAX)
        return AW_END;
    r->record.size = 0;
    aw_mcap_add(&r->record, head, sizeof head);
    /* in steps: a length may be wrong, and what is not there needs no room */
    while (r->record.size < AW_MCAP_HEAD + size) {
        size_t left = AW_MCAP_HEAD + (size_t)size - r->record.size;
        size_t step = left < 65536 ? left : 65536;
        uint8_t *p = aw_mcap_more(&r->record, step);
        if (!p)
            return aw_no_memory(err);
        if (fread(p, 1, step, r->file) < step)
            return AW_END;
    }
    return AW_OK;
}

/* All of its index is there, as another record follows; or whole: it is made anew. */
static void list_chunk(struct repair *r, bool whole)
{
    if (!r->waiting)
        return;
    if (whole) {
        r->whole = r->at;
    } else {
        r->place.index.size = 0;
        r->whole = r->place.offset + r->place.length;
    }
    r->chunk.bytes.data = NULL; /* of the record, which is another one by now */
    aw_mcap_resume_chunk(r->mcap, &r->chunk, (struct aw_span){r->last.data, r->last.size},
                         &r->place);
    r->waiting = false;
}

static enum aw_status take_chunk(struct repair *r, struct aw_span content, struct aw_error *err)
{
    enum aw_status status = aw_mcap_chunk_parse(content, &r->chunk, err);
    if (status == AW_OK)
        status = aw_mcap_chunk_open(&r->chunk, &r->crc, &r->last, err);
    if (status == AW_MALFORMED) {
        struct aw_error why = *err;
        aw_fail(err, AW_MALFORMED, "%.200s: byte %llu: %.200s — nothing was changed", r->path,
                (unsigned long long)r->at, why.text);
    }
    r->waiting = status == AW_OK;
    r->place.offset = r->at;
    r->place.length = r->record.size;
    r->place.index_length = r->place.index.size = 0;
    return status;
}

static void take_index(struct repair *r, struct aw_span content)
{
    struct aw_mcap_in in = {content.data, content.size, false};
    aw_mcap_u16(&r->place.index, aw_mcap_take_u16(&in));
    aw_mcap_u64(&r->place.index, r->at);
    r->place.index_length += r->record.size;
}

/* AW_END: here ends what is to stay. */
static enum aw_status take_record(struct repair *r, struct aw_error *err)
{
    enum aw_mcap_op op = (enum aw_mcap_op) * r->record.data;
    struct aw_span content = {r->record.data + AW_MCAP_HEAD, r->record.size - AW_MCAP_HEAD};
    enum aw_status status = AW_OK;
    if (op == AW_MCAP_DATA_END || op == AW_MCAP_FOOTER) { /* what stands behind is made anew */
        list_chunk(r, true);
        return AW_END;
    }
    if (op == AW_MCAP_MESSAGE_INDEX && r->waiting) {
        take_index(r, content);
        r->at += r->record.size;
        return AW_OK;
    }
    list_chunk(r, true);
    if (op == AW_MCAP_CHUNK_OP)
        status = take_chunk(r, content, err);
    else
        aw_mcap_resume_record(r->mcap, op, content, r->at);
    r->at += r->record.size;
    if (status == AW_OK && op != AW_MCAP_CHUNK_OP)
        r->whole = r->at;
    return status;
}

/* Is the last record a footer, and magic behind it? */
static bool has_end(FILE *file)
{
    uint8_t tail[AW_MCAP_HEAD + 20 + AW_MCAP_MAGIC_SIZE];
    bool read = fseek(file, -(long)sizeof tail, SEEK_END) == 0 &&
                fread(tail, 1, sizeof tail, file) == sizeof tail;
    return read && *tail == AW_MCAP_FOOTER &&
           memcmp(tail + sizeof tail - AW_MCAP_MAGIC_SIZE, AW_MCAP_MAGIC, AW_MCAP_MAGIC_SIZE) == 0;
}

static enum aw_status scan(struct repair *r, struct aw_error *err)
{
    char magic[AW_MCAP_MAGIC_SIZE];
    if (fseek(r->file, 0, SEEK_SET) != 0 || fread(magic, 1, sizeof magic, r->file) < sizeof magic ||
        memcmp(magic, AW_MCAP_MAGIC, sizeof magic) != 0)
        return aw_fail(err, AW_USAGE, "%.200s: no MCAP file — --repair is for those", r->path);
    if (has_end(r->file))
        return AW_END;
    r->at = r->whole = sizeof magic;
    if (fseek(r->file, (long)sizeof magic, SEEK_SET) != 0)
        return aw_file_fail(err, NULL, r->path);
    enum aw_status status = AW_OK;
    while (status == AW_OK) {
        status = read_record(r, err);
        if (status == AW_OK)
            status = take_record(r, err);
    }
    list_chunk(r, false);
    return status == AW_END ? AW_OK : status;
}

static enum aw_status finish(struct repair *r, uint64_t *cut, struct aw_error *err)
{
    if (fseek(r->file, 0, SEEK_END) != 0)
        return aw_file_fail(err, NULL, r->path);
    uint64_t size = (uint64_t)ftell(r->file);
    *cut = size > r->whole ? size - r->whole : 0;
    if (fflush(r->file) != 0 || ftruncate(fileno(r->file), (off_t)r->whole) != 0 ||
        fseek(r->file, 0, SEEK_END) != 0)
        return aw_file_fail(err, NULL, r->path);
    aw_mcap_resume_at(r->mcap, r->whole);
    return aw_mcap_end(r->mcap) && fflush(r->file) == 0 ? AW_OK : aw_file_fail(err, NULL, r->path);
}

enum aw_status aw_mcap_repair(const char *path, uint64_t *messages, uint64_t *cut,
                              struct aw_error *err)
{
    struct repair r = {.path = path, .file = fopen(path, "r+b")};
    if (!r.file)
        return aw_file_fail(err, NULL, path);
    aw_crc_init(&r.crc);
    r.mcap = aw_mcap_resume(write_end, &r);
    enum aw_status status = r.mcap ? scan(&r, err) : aw_no_memory(err);
    if (status == AW_OK)
        status = finish(&r, cut, err);
    *messages = r.mcap ? aw_mcap_messages(r.mcap) : 0;
    aw_mcap_free(r.mcap);
    free(r.record.data);
    free(r.last.data);
    free(r.place.index.data);
    if (fclose(r.file) != 0 && status == AW_OK)
        status = aw_file_fail(err, NULL, path);
    return status;
}
