/* The frames of the exoskeleton's joint drivers (PID over CAN, BioMot project).
 *
 * Classic CAN, 11-bit identifiers, 6 data bytes: the identifier is board + message, a board is a
 * multiple of 32. The payload is one 48-bit little-endian number; the rows count its bits from the
 * least significant bit of byte 0. A frame in a struct aw_span is the identifier as u16 LE, then
 * the six bytes.
 *
 * Variants: "spec" (the published table), "fw" (sensors as the published firmware packs them: the
 * current starts at bit 16 and overlaps the upper two bits of the velocity).
 *
 * Source: the project's table of frames; units, limits and names from its firmware and host code.
 */
#ifndef AW_PROTOCOL_CANPID_WIRE_H
#define AW_PROTOCOL_CANPID_WIRE_H

#include "wire/table.h"

/* The setpoint in the telemetry of a disabled driver, on the wire: 1.5 of full scale, saturated. */
#define AW_CANPID_SATURATED 32767

extern const struct aw_protocol aw_canpid_protocol;

#endif
