/* The packets of the three-joint teaching arm (RBE 3001, Hephaestus): SimplePacketComs over HID.
 *
 * A report has 64 bytes and no report id: u32 packet id, then 15 float32 or 60 bytes, all
 * little-endian. The board answers with the same id in the buffer it received, so the reply to a
 * setter repeats the request. An unknown id is answered with packet 99 that carries the id.
 *
 * Source: the course's protocol page (set_setpoints, positions, velocities, gripper) and the
 * published firmware of the arm (all others, ranges of the joints).
 */
#ifndef AW_PROTOCOL_HIDMOTOR_WIRE_H
#define AW_PROTOCOL_HIDMOTOR_WIRE_H

#include "wire/table.h"

#define AW_HIDMOTOR_REPORT  64 /* bytes of a report */
#define AW_HIDMOTOR_PAYLOAD 60 /* behind the packet id: 15 floats */
#define AW_HIDMOTOR_ERROR   99 /* the id of what is sent back to an unknown one */

extern const struct aw_protocol aw_hidmotor_protocol;

#endif
