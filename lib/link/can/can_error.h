/* Describes SocketCAN error frames as text, for example:
 *
 *     bus-off: the controller has left the bus
 *     no ACK (no other node on the bus, or wrong bit rate); errors: 128 sending, 0 receiving
 *
 * Internal to lib/link and its tests. Source: linux/can/error.h.
 */
#ifndef AW_LINK_CAN_CAN_ERROR_H
#define AW_LINK_CAN_CAN_ERROR_H

#include <stddef.h>
#include <stdint.h>

/* Writes a description to out; it is never empty. Truncates it to size - 1 bytes. id is the frame's
 * identifier with its flags, data its 8 bytes. */
void aw_can_describe_error(uint32_t id, const uint8_t *data, char *out, size_t size);

#endif
