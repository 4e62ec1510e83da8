/* Makes messages of many packets, or none, with the envelope the wire wants around them.
 *
 *     uint8_t room[4096];
 *     struct aw_ezphys_message message = {.wire = &wire, .data = room, .cap = sizeof room};
 *     aw_ezphys_message_begin(&message);
 *     aw_ezphys_message_add(&message, &record, &err);        // as often as you like
 *     struct aw_span bytes = aw_ezphys_message_end(&message); // to be sent in one piece
 *
 * No allocation, no I/O. On the wire "stream" a message is just its packets; an empty one is no
 * bytes at all.
 */
#ifndef AW_PROTOCOL_EZPHYS_MESSAGE_H
#define AW_PROTOCOL_EZPHYS_MESSAGE_H

#include "wire/wire.h"

struct aw_ezphys_message {
    const struct aw_wire *wire;
    uint8_t *data; /* the caller's */
    size_t cap;    /* at least 64 */
    size_t size;
    uint32_t count; /* packets so far */
};

/* Starts a new message in the same room. */
void aw_ezphys_message_begin(struct aw_ezphys_message *message);

/* Adds a packet; limits of the table are not looked at. AW_LIMIT if the room or the limit of 1 MiB
 * does not allow it, or what aw_encode says; the message is as before then. */
enum aw_status aw_ezphys_message_add(struct aw_ezphys_message *message,
                                     const struct aw_record *record, struct aw_error *err);

/* Adds a packet that is encoded already, for this very wire. AW_LIMIT as above. */
enum aw_status aw_ezphys_message_add_frame(struct aw_ezphys_message *message, struct aw_span frame,
                                           struct aw_error *err);

/* The finished message; valid until the next begin. */
struct aw_span aw_ezphys_message_end(struct aw_ezphys_message *message);

#endif
