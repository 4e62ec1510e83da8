/* The messages between EZPhysics, a simulator built on ODE, and the program that controls it.
 *
 * The payloads are as documented. The figure with the headers is lost, so the framing around the
 * payloads is our own; each variant describes one:
 *
 *     le32     message = u32 size (with these 8 bytes), u32 count, packets;
 *              packet = u32 type, u32 id, u32 length, payload; all little-endian
 *     be32     the same, big-endian
 *     packed8  packet = u8 type, u16 id, payload
 *     stream   packets of le32 without the message around them; a timestamp starts a step
 *     name32   packet = u32 type, 32 bytes of name, u32 length, payload
 *
 * A variant's long_bits may be set to 64, for the step number of a peer whose long has 8 bytes.
 *
 * The codes of the two directions overlap: a framer reads them according to its dir (0: from the
 * simulator). Limits: a message has at most 1 MiB, and its count must fit its size. The length of a
 * packet must fit its type; if wire->lenient, a longer one is accepted and its rest ignored.
 *
 * Source of the payloads: the simulator's page on its network protocol.
 */
#ifndef AW_PROTOCOL_EZPHYS_WIRE_H
#define AW_PROTOCOL_EZPHYS_WIRE_H

#include "wire/table.h"

#define AW_EZPHYS_MESSAGE_MAX (1u << 20)

extern const struct aw_protocol aw_ezphys_protocol;

/* joint_axis with an additional field axis, to replace the message of a variant. No packet carries
 * the field, because the order of the packets determines it. The decoder's caller sets it. */
extern const struct aw_message aw_ezphys_ordered[];

#endif
