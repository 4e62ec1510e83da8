/* Queues messages for a slow client. */
#include "link/core/outbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static size_t read_size(const struct aw_outbox *box, size_t at)
{
    size_t size;
    memcpy(&size, box->bytes + at, sizeof size);
    return size;
}

static void remove_at(struct aw_outbox *box, size_t at)
{
    size_t n = sizeof(size_t) + read_size(box, at);
    box->size -= n;
    memmove(box->bytes + at, box->bytes + at + n, box->size - at);
}

/* Drops the oldest message that may be dropped. Returns false if there is no such message. */
static bool drop_oldest(struct aw_outbox *box)
{
    size_t at = box->first_sent ? sizeof(size_t) + read_size(box, 0) : 0;
    if (at >= box->size)
        return false;
    remove_at(box, at);
    box->n_dropped++;
    return true;
}

void aw_outbox_add(struct aw_outbox *box, const void *message, size_t size, size_t sent)
{
    size_t n = sizeof size + size;
    while (box->size + n > AW_OUTBOX_ROOM && drop_oldest(box))
        ;
    uint8_t *bytes = aw_grow(box->bytes, &box->cap, box->size + n, 1);
    if (!bytes) {
        box->n_dropped++;
        return;
    }
    box->bytes = bytes;
    memcpy(bytes + box->size, &size, sizeof size);
    memcpy(bytes + box->size + sizeof size, message, size);
    box->size += n;
    box->first_sent = sent ? sent : box->first_sent;
}

struct aw_span aw_outbox_next(const struct aw_outbox *box)
{
    if (box->size == 0)
        return (struct aw_span){NULL, 0};
    return (struct aw_span){box->bytes + sizeof(size_t) + box->first_sent,
                            read_size(box, 0) - box->first_sent};
}

void aw_outbox_remove_sent(struct aw_outbox *box, size_t n)
{
    box->first_sent += n;
    if (box->first_sent < read_size(box, 0))
        return;
    remove_at(box, 0);
    box->first_sent = 0;
}

void aw_outbox_clear(struct aw_outbox *box)
{
    box->size = box->first_sent = 0;
}

void aw_outbox_free(struct aw_outbox *box)
{
    free(box->bytes);
    *box = (struct aw_outbox){0};
}
