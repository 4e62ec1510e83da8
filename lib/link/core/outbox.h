/* Queues messages for a client that reads too slowly, so that the server does not block. Drops the
 * oldest message when the queue is full, like an adapter with a buffer. Internal to lib/link. */
#ifndef AW_LINK_CORE_OUTBOX_H
#define AW_LINK_CORE_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define AW_OUTBOX_ROOM 4096 /* bytes; a single message may be larger */

struct aw_outbox {
    uint8_t *bytes; /* messages, each preceded by its size */
    size_t size, cap;
    /* number of sent bytes of the first message, which can no longer be dropped */
    size_t first_sent;
    uint64_t n_dropped;
};

/* Queues a message whose first sent bytes have already been sent (0 unless the queue is empty).
 * Drops and counts the message if out of memory. */
void aw_outbox_add(struct aw_outbox *box, const void *message, size_t size, size_t sent);

/* Returns the next bytes to send. The size is 0 if the queue is empty. */
struct aw_span aw_outbox_next(const struct aw_outbox *box);

/* Removes n sent bytes from the queue. */
void aw_outbox_remove_sent(struct aw_outbox *box, size_t n);

/* Discards all queued messages. */
void aw_outbox_clear(struct aw_outbox *box);

void aw_outbox_free(struct aw_outbox *box);

#endif
