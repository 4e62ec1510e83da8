/* Passes bytes or datagrams to a protocol's framer, and counts damaged pieces. */
#include "wire/split.h"

#include <string.h>

static void handle_frames(struct aw_splitter *s, const struct aw_wire *wire, aw_split_fn *fn,
                          void *context)
{
    size_t used = 0;
    while (used < s->size) {
        struct aw_span frame, rest = {s->buffer + used, s->size - used};
        size_t step = 0;
        enum aw_status status = aw_wire_next(wire, &s->framer, rest, &frame, &step, NULL);
        if (status == AW_OK)
            fn(context, frame);
        s->n_damaged += status == AW_MALFORMED;
        used += step;
        if (status == AW_MORE || step == 0)
            break;
    }
    s->size -= used;
    memmove(s->buffer, s->buffer + used, s->size);
}

void aw_split(struct aw_splitter *s, const struct aw_wire *wire, struct aw_span bytes,
              bool is_datagram, aw_split_fn *fn, void *context)
{
    if (is_datagram && !wire->variant.envelope) {
        fn(context, bytes);
        return;
    }
    while (bytes.size) {
        size_t room = AW_SPLIT_ROOM - s->size, step = bytes.size < room ? bytes.size : room;
        memcpy(s->buffer + s->size, bytes.data, step);
        s->size += step;
        bytes = (struct aw_span){bytes.data + step, bytes.size - step};
        handle_frames(s, wire, fn, context);
        if (s->size == AW_SPLIT_ROOM) { /* no frame is that long */
            s->n_damaged++;
            s->size = 0;
        }
    }
}

void aw_split_gap(struct aw_splitter *splitter)
{
    splitter->n_damaged += splitter->size > 0;
    splitter->size = 0;
    splitter->framer = (struct aw_framer){.dir = splitter->framer.dir};
}
