/* The datagrams between brachI/Oplexus and its Unity simulation of the Bento Arm.
 *
 *     FF FF type length data… checksum        (camera_request has no length: FF FF 03 FC)
 *
 * Numbers are little-endian. The checksum is the complement of the 8-bit sum of all bytes from the
 * type on; receivers drop a datagram with a wrong checksum. A signed number is a 16-bit magnitude
 * and a sign byte. Positions are servo ticks: deg = ticks * 360 / 4096 - 180, 2048 is the centre.
 *
 * Variants: "spec" (length byte of a scene 40, as documented), "compat38" (38, as the published
 * client sends). Receivers accept any length byte; the size of a datagram must match its type.
 *
 * Source: the packet tables of both programs' manuals; checksum, units and states from their code.
 */
#ifndef AW_PROTOCOL_UNITYSIM_WIRE_H
#define AW_PROTOCOL_UNITYSIM_WIRE_H

#include "wire/table.h"

extern const struct aw_protocol aw_unitysim_protocol;

#endif
