/* Writes and reads the parts of messages. */
#include "shell/serve/message.h"

#include <stdio.h>

#include "base/utf8.h"
#include "shell/joints/joints.h"
#include "shell/joints/law.h"

void aw_text_of(const struct aw_mail *m, char *out, size_t room)
{
    snprintf(out, room, "%.*s", (int)m->body.size, (const char *)m->body.data);
    aw_utf8_clean(out);
}

struct aw_span aw_memory_of(struct aw_session *session, uint8_t out[AW_MEMORY_MAX])
{
    const struct aw_share_hooks *hooks = &session->tool->share;
    size_t size, more = 0;
    const void *kept = aw_law_memory(session, &size);
    const void *memory = hooks->memory ? hooks->memory(session, &more) : NULL;
    bool law = session->tool->joints && session->tool->joints->law;
    if ((!law && !memory) || size + more > AW_MEMORY_MAX)
        return (struct aw_span){NULL, 0};
    memcpy(out, kept, size);
    if (memory)
        memcpy(out + size, memory, more);
    return (struct aw_span){out, size + more};
}

void aw_memory_take(struct aw_session *session, struct aw_span memory)
{
    if (!session->device.link || !memory.size || memory.size > AW_MEMORY_MAX)
        return;
    size_t kept = aw_law_take_memory(session, memory.data, memory.size);
    if (session->tool->share.remember && kept && kept < memory.size)
        session->tool->share.remember(session, memory.data + kept, memory.size - kept);
}
