/* Keeps the newest frames of a device that only answers, for 'expect'. */
#include "shell/core/recent.h"

#include <stdlib.h>
#include <string.h>

#include "wire/split.h"

struct aw_recent {
    struct aw_splitter splitter;
    int64_t time_ns; /* of what is being split */
    size_t n;        /* frames so far */
    struct aw_recent_frame frames[AW_RECENT_MAX];
};

static void keep(void *context, struct aw_span frame)
{
    struct aw_recent *recent = context;
    if (frame.size > AW_RECENT_FRAME)
        return;
    struct aw_recent_frame *place = &recent->frames[recent->n++ % AW_RECENT_MAX];
    place->time_ns = recent->time_ns;
    place->size = frame.size;
    memcpy(place->bytes, frame.data, frame.size);
}

void aw_recent_add(struct aw_session *session, int64_t time_ns, struct aw_span bytes)
{
    if (!session->tool->only_answers || session->one_shot || session->serving)
        return;
    if (!session->recent) {
        session->recent = calloc(1, sizeof *session->recent);
        if (!session->recent)
            return;
        session->recent->splitter.framer.dir = AW_RX;
    }
    session->recent->time_ns = time_ns;
    aw_split(&session->recent->splitter, session->wire, bytes, session->tool->protocol->datagrams,
             keep, session->recent);
}

void aw_recent_begin(struct aw_session *session, const struct aw_command *command)
{
    if (session->recent && command->safety != AW_READ)
        session->recent->n = 0;
}

const struct aw_recent_frame *aw_recent_frame(const struct aw_session *session, size_t ago)
{
    const struct aw_recent *recent = session->recent;
    if (!recent || ago >= recent->n || ago >= AW_RECENT_MAX)
        return NULL;
    return &recent->frames[(recent->n - 1 - ago) % AW_RECENT_MAX];
}

void aw_recent_free(struct aw_recent *recent)
{
    free(recent);
}
