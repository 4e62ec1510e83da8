/* Builds messages of any number of packets, with the envelope of the wire.
 *
 *     uint8_t room[4096];
 *     struct aw_ezphys_message message = {.wire = &wire, .data = room, .cap = sizeof room};
 *     aw_ezphys_message_begin(&message);
 *     aw_ezphys_message_add(&message, &record, &err);        // any number of times
 *     struct aw_span bytes = aw_ezphys_message_end(&message); // to be sent in one piece
 *
 * Allocates nothing and does no I/O. On the wire "stream" a message is just its packets; an empty
 * one has no bytes.
 */
#ifndef AW_PROTOCOL_EZPHYS_MESSAGE_H
#define AW_PROTOCOL_EZPHYS_MESSAGE_H

#include "wire/wire.h"

struct aw_ezphys_message {
    const struct aw_wire *wire;
    uint8_t *data; /* owned by the caller */
    size_t cap;    /* at least 64 */
    size_t size;
    uint32_t count; /* number of packets so far */
};

/* Starts a new message in the same buffer. */
void aw_ezphys_message_begin(struct aw_ezphys_message *message);

/* Adds a packet without checking the table's limits. AW_LIMIT if it exceeds the buffer or the
 * limit of 1 MiB, or a status of aw_encode. The message is unchanged on failure. */
enum aw_status aw_ezphys_message_add(struct aw_ezphys_message *message,
                                     const struct aw_record *record, struct aw_error *err);

/* Adds an encoded packet of the same wire. AW_LIMIT as above. */
enum aw_status aw_ezphys_message_add_frame(struct aw_ezphys_message *message, struct aw_span frame,
                                           struct aw_error *err);

/* Returns the finished message; valid until the next begin. */
struct aw_span aw_ezphys_message_end(struct aw_ezphys_message *message);

#endif
