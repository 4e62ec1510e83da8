/* The wire format of the handler arm: ASCII lines <seq><TYPE><params>\r\n of at most 34 bytes.
 *
 * Source: the "Handler System" and "Transport System" of the communication specification of the UQ
 * METR4810 cargo handler (2020). ACK, DEG, POS and ARM belong to the handler arm, MOV and SPD to
 * the transport vehicle on the same link.
 *
 * The published firmware uses DEG and SPD differently: DEG<joint>,<pulse> with a servo pulse in µs
 * for its joints 2, 4 and 5, SPD<joint>,<duty> for its motors 1 and 3. Here these are the messages
 * pulse and duty. The value after the comma tells them apart: DEG with 500 to 2500 is a pulse (no
 * angle is that large), SPD with a comma is a duty. Without parameters it is deg or spd.
 *
 * A command and its confirmation are the same message in both directions. The sequence digits are
 * an alternating bit: 0,1,0,1… from the host, 2,3,2,3… from the device.
 */
#ifndef AW_PROTOCOL_ARMCTL_WIRE_H
#define AW_PROTOCOL_ARMCTL_WIRE_H

#include "wire/wire.h"

#define AW_ARMCTL_LINE_MAX 34 /* bytes of a line with its CR LF */

/* Range of a servo pulse on the wire, µs, whatever the limits of the joint. The firmware moves
 * servos with 1000 to 2000. */
#define AW_ARMCTL_PULSE_MIN 500
#define AW_ARMCTL_PULSE_MAX 2500

extern const struct aw_protocol aw_armctl_protocol;

#endif
