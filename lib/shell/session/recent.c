/* Stores the latest frames of a device that only answers, for 'expect'. */
#include "shell/session/recent.h"

#include <stdlib.h>
#include <string.h>

#include "wire/split.h"

struct aw_recent {
    struct aw_splitter splitter;
    int64_t time_ns; /* time of the bytes being split */
    size_t n;        /* number of frames stored so far */
    struct aw_recent_frame frames[AW_RECENT_MAX];
};

static void store_frame(void *context, struct aw_span frame)
{
    struct aw_recent *recent = context;
    if (frame.size > AW_RECENT_FRAME)
        return;
    struct aw_recent_frame *slot = &recent->frames[recent->n++ % AW_RECENT_MAX];
    slot->time_ns = recent->time_ns;
    slot->size = frame.size;
    memcpy(slot->bytes, frame.data, frame.size);
}

void aw_recent_add(struct aw_session *session, int64_t time_ns, struct aw_span bytes)
{
    if (!session->tool->watch.only_answers || session->mode.one_shot || session->mode.serving)
        return;
    if (!session->device.recent) {
        session->device.recent = calloc(1, sizeof *session->device.recent);
        if (!session->device.recent)
            return;
        session->device.recent->splitter.framer.dir = AW_RX;
    }
    session->device.recent->time_ns = time_ns;
    aw_split(&session->device.recent->splitter, session->wire, bytes,
             session->tool->protocol->frames.datagrams, store_frame, session->device.recent);
}

void aw_recent_begin(struct aw_session *session, const struct aw_command *command)
{
    if (session->device.recent && command->safety != AW_READ)
        session->device.recent->n = 0;
}

const struct aw_recent_frame *aw_recent_frame(const struct aw_session *session, size_t ago)
{
    const struct aw_recent *recent = session->device.recent;
    if (!recent || ago >= recent->n || ago >= AW_RECENT_MAX)
        return NULL;
    return &recent->frames[(recent->n - 1 - ago) % AW_RECENT_MAX];
}

void aw_recent_free(struct aw_recent *recent)
{
    free(recent);
}
