/* Bytes as hex digits in lines of JSON. */
#include "shell/share/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "shell/core/joints.h"
#include "shell/core/law.h"

#define MEMORY_MAX 2048

json_t *aw_bytes_json(struct aw_span bytes)
{
    char *text = malloc(2 * bytes.size + 1);
    json_t *out = text ? json_stringn(text, (size_t)(aw_hex_bytes(text, bytes) - text)) : NULL;
    free(text);
    return out;
}

bool aw_bytes_read(const json_t *text, uint8_t *out, size_t room, size_t *size)
{
    *size = json_string_length(text) / 2;
    return json_is_string(text) && *size > 0 && *size <= room &&
           aw_hex_read(json_string_value(text), 2 * *size, out);
}

/* First the gains that are kept, then what the tool has. */
json_t *aw_memory_json(struct aw_session *session)
{
    const struct aw_share_hooks *hooks = &session->tool->share;
    uint8_t bytes[MEMORY_MAX];
    size_t size, more = 0;
    const void *kept = aw_law_memory(session, &size);
    const void *memory = hooks->memory ? hooks->memory(session, &more) : NULL;
    bool law = session->tool->joints && session->tool->joints->law;
    if ((!law && !memory) || size + more > sizeof bytes)
        return NULL;
    memcpy(bytes, kept, size);
    if (memory)
        memcpy(bytes + size, memory, more);
    return aw_bytes_json((struct aw_span){bytes, size + more});
}

void aw_memory_take(struct aw_session *session, const json_t *object)
{
    uint8_t bytes[MEMORY_MAX];
    size_t size;
    if (!session->device.link ||
        !aw_bytes_read(json_object_get(object, "memory"), bytes, sizeof bytes, &size))
        return;
    size_t kept = aw_law_take_memory(session, bytes, size);
    if (session->tool->share.remember && kept && kept < size)
        session->tool->share.remember(session, bytes + kept, size - kept);
}
