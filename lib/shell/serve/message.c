/* Writes and reads the fields of messages. */
#include "shell/serve/message.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "shell/joints/joints.h"
#include "shell/joints/law.h"

static void put(struct aw_writer *w, const void *bytes, size_t size)
{
    w->full = w->full || size > sizeof w->bytes - w->size;
    if (w->full || !size)
        return;
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
    uint32_t length = (uint32_t)(w->size - 4);
    for (size_t i = 0; i < 4; i++)
        w->bytes[i] = (uint8_t)(length >> 8 * i);
}

void aw_put_start(struct aw_writer *w, enum aw_verb type)
{
    w->size = 4;
    w->full = false;
    aw_put_int(w, type, 1);
}

void aw_put_int(struct aw_writer *w, int64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)((uint64_t)value >> 8 * i);
    put(w, bytes, size);
}

void aw_put_real(struct aw_writer *w, double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    aw_put_int(w, bits, sizeof bits);
}

void aw_put_bytes(struct aw_writer *w, struct aw_span bytes)
{
    aw_put_int(w, (int64_t)bytes.size, 4);
    put(w, bytes.data, bytes.size);
}

void aw_put_text(struct aw_writer *w, const char *text)
{
    aw_put_bytes(w, (struct aw_span){(const uint8_t *)text, strnlen(text, AW_REASON_MAX)});
}

static const uint8_t *get(struct aw_reader *r, size_t size)
{
    const uint8_t *bytes = r->next;
    r->bad = r->bad || size > (size_t)(r->end - r->next);
    if (r->bad)
        return NULL;
    r->next += size;
    return bytes;
}

int64_t aw_get_int(struct aw_reader *r, size_t size)
{
    const uint8_t *bytes = get(r, size);
    uint64_t value = 0;
    for (size_t i = 0; bytes && i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return (int64_t)value;
}

double aw_get_real(struct aw_reader *r)
{
    int64_t bits = aw_get_int(r, sizeof bits);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

struct aw_span aw_get_bytes(struct aw_reader *r)
{
    size_t size = (size_t)aw_get_int(r, 4);
    const uint8_t *bytes = get(r, size);
    return (struct aw_span){bytes, bytes ? size : 0};
}

void aw_get_text(struct aw_reader *r, char *out, size_t room)
{
    struct aw_span text = aw_get_bytes(r);
    snprintf(out, room, "%.*s", (int)text.size, text.data ? (const char *)text.data : "");
    aw_utf8_clean(out);
}

void aw_memory_put(struct aw_writer *w, struct aw_session *session)
{
    const struct aw_share_hooks *hooks = &session->tool->share;
    uint8_t bytes[AW_MEMORY_MAX];
    size_t size, more = 0;
    const void *kept = aw_law_memory(session, &size);
    const void *memory = hooks->memory ? hooks->memory(session, &more) : NULL;
    bool law = session->tool->joints && session->tool->joints->law;
    bool any = (law || memory) && size + more <= sizeof bytes;
    if (any)
        memcpy(bytes, kept, size);
    if (any && memory)
        memcpy(bytes + size, memory, more);
    aw_put_bytes(w, (struct aw_span){bytes, any ? size + more : 0});
}

void aw_memory_take(struct aw_session *session, struct aw_span memory)
{
    if (!session->device.link || !memory.size || memory.size > AW_MEMORY_MAX)
        return;
    size_t kept = aw_law_take_memory(session, memory.data, memory.size);
    if (session->tool->share.remember && kept && kept < memory.size)
        session->tool->share.remember(session, memory.data + kept, memory.size - kept);
}
