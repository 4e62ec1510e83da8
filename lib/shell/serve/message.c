/* Writes and reads the parts of messages. */
#include "shell/serve/message.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "shell/safety/controller.h"

#define SPARE 1024 /* min free bytes in a buffer that grows */

bool aw_buffer_reserve(struct aw_buffer *buffer, size_t more, size_t spare)
{
    size_t size = buffer->end - buffer->start, room = size + more + spare;
    if (buffer->room - buffer->end >= more)
        return true;
    uint8_t *bytes = malloc(room);
    if (!bytes)
        return false;
    if (size)
        memcpy(bytes, buffer->bytes + buffer->start, size);
    free(buffer->bytes);
    *buffer = (struct aw_buffer){.bytes = bytes, .end = size, .room = room};
    return true;
}

bool aw_buffer_add(struct aw_buffer *buffer, const struct aw_serve_message *m)
{
    struct aw_serve_message head = *m;
    const struct aw_span parts[] = {{(const uint8_t *)&head, AW_HEAD}, m->memory, m->body};
    head.size = (uint32_t)(AW_HEAD + m->memory.size + m->body.size);
    head.memory_size = (uint32_t)m->memory.size;
    if (!aw_buffer_reserve(buffer, head.size, SPARE + (buffer->end - buffer->start) / 4))
        return false;
    for (size_t i = 0; i < 3; i++)
        if (parts[i].size) {
            memcpy(buffer->bytes + buffer->end, parts[i].data, parts[i].size);
            buffer->end += parts[i].size;
        }
    return true;
}

void aw_buffer_read_head(const struct aw_buffer *buffer, size_t at, struct aw_serve_message *head)
{
    size_t available = buffer->end - at;
    *head = (struct aw_serve_message){.size = 0};
    if (available >= sizeof head->size)
        memcpy(head, buffer->bytes + at, available < AW_HEAD ? sizeof head->size : AW_HEAD);
}

size_t aw_buffer_read_first(const struct aw_buffer *buffer, struct aw_serve_message *m)
{
    size_t available = buffer->end - buffer->start;
    aw_buffer_read_head(buffer, buffer->start, m);
    if (m->size < AW_HEAD || available < m->size || m->memory_size > m->size - AW_HEAD)
        return 0;
    const uint8_t *rest = buffer->bytes + buffer->start + AW_HEAD;
    m->memory = (struct aw_span){rest, m->memory_size};
    m->body = (struct aw_span){rest + m->memory_size, m->size - AW_HEAD - m->memory_size};
    return m->size;
}

void aw_buffer_pop(struct aw_buffer *buffer)
{
    struct aw_serve_message m;
    buffer->start += aw_buffer_read_first(buffer, &m);
    if (buffer->start == buffer->end)
        aw_buffer_clear(buffer);
}

void aw_buffer_clear(struct aw_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct aw_buffer){.bytes = NULL};
}

void aw_serve_copy_text(const struct aw_serve_message *m, char *out, size_t room)
{
    snprintf(out, room, "%.*s", (int)m->body.size, (const char *)m->body.data);
    aw_utf8_clean(out);
}

struct aw_span aw_memory_save(struct aw_session *session, uint8_t out[AW_MEMORY_MAX])
{
    const struct aw_share_hooks *hooks = &session->tool->share;
    size_t size, more = 0;
    const void *kept = aw_gains_backup_state(session, &size);
    const void *memory = hooks->get_state ? hooks->get_state(session, &more) : NULL;
    if ((!session->tool->motion.controller && !memory) || size + more > AW_MEMORY_MAX)
        return (struct aw_span){NULL, 0};
    memcpy(out, kept, size);
    if (memory)
        memcpy(out + size, memory, more);
    return (struct aw_span){out, size + more};
}

void aw_memory_restore(struct aw_session *session, struct aw_span memory)
{
    if (!session->device.link || !memory.size || memory.size > AW_MEMORY_MAX)
        return;
    size_t kept = aw_gains_load_backup(session, memory.data, memory.size);
    if (session->tool->share.set_state && kept && kept < memory.size)
        session->tool->share.set_state(session, memory.data + kept, memory.size - kept);
}
