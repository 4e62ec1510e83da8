/* Queues messages for a client that reads too slowly. The server does not wait for it: the oldest
 * message is dropped when the queue is full, as in an adapter with a buffer. Internal to lib/link.
 */
#ifndef AW_LINK_CORE_OUTBOX_H
#define AW_LINK_CORE_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

#define AW_OUTBOX_ROOM 4096 /* bytes; a single message may have more */

struct aw_outbox {
    uint8_t *bytes; /* messages, each behind its size */
    size_t held, cap;
    size_t begun; /* bytes of the first message that are gone already: it is not dropped any more */
    uint64_t dropped;
};

/* Keeps a message of which sent bytes are gone (0 unless the box is empty). */
void aw_outbox_add(struct aw_outbox *box, const void *message, size_t size, size_t sent);

/* What is to be sent next; size 0: nothing waits. */
struct aw_span aw_outbox_next(const struct aw_outbox *box);

/* So many bytes of that are gone. */
void aw_outbox_sent(struct aw_outbox *box, size_t n);

/* Forgets all that waits. */
void aw_outbox_clear(struct aw_outbox *box);

void aw_outbox_free(struct aw_outbox *box);

#endif
