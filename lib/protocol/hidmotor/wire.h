/* The packets of the three-joint teaching arm (RBE 3001, Hephaestus): SimplePacketComs over HID.
 *
 * A report has 64 bytes and no report id: u32 packet id, then 15 float32 or 60 bytes, all
 * little-endian. The board answers with the same id in its receive buffer, so the reply to a setter
 * repeats the request. The board answers an unknown id with packet 99, which has that id.
 *
 * Source: the course's protocol page (set_setpoints, positions, velocities, gripper) and the
 * published firmware of the arm (all others, ranges of the joints).
 */
#ifndef AW_PROTOCOL_HIDMOTOR_WIRE_H
#define AW_PROTOCOL_HIDMOTOR_WIRE_H

#include "wire/table.h"

#define AW_HIDMOTOR_REPORT  64 /* size of a report, bytes */
#define AW_HIDMOTOR_PAYLOAD 60 /* bytes after the packet id: 15 floats */
#define AW_HIDMOTOR_ERROR   99 /* id of the answer to an unknown id */

extern const struct aw_protocol aw_hidmotor_protocol;

#endif
