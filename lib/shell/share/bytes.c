/* Bytes as hex digits in lines of JSON. */
#include "shell/share/bytes.h"

#include <stdlib.h>

#include "base/hex.h"

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

json_t *aw_memory_json(struct aw_session *session)
{
    const struct aw_share_hooks *hooks = &session->tool->share;
    size_t size = 0;
    const void *memory = hooks->memory ? hooks->memory(session, &size) : NULL;
    return memory && size <= MEMORY_MAX ? aw_bytes_json((struct aw_span){memory, size}) : NULL;
}

void aw_memory_take(struct aw_session *session, const json_t *object)
{
    uint8_t bytes[MEMORY_MAX];
    size_t size;
    if (session->tool->share.remember && session->device.link &&
        aw_bytes_read(json_object_get(object, "memory"), bytes, sizeof bytes, &size))
        session->tool->share.remember(session, bytes, size);
}
