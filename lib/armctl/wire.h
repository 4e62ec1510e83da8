/* The wire of the handler arm: ASCII lines <seq><TYPE><params>\r\n of at most 34 bytes.
 *
 * Source: the "Handler System" and "Transport System" of the communication specification of the UQ
 * METR4810 cargo handler (2020). ACK, DEG, POS and ARM belong to the handler arm, MOV and SPD to
 * the transport vehicle on the same link.
 *
 * A command and its confirmation are the same message in both directions. The sequence digits are
 * an alternating bit: 0,1,0,1… from the host, 2,3,2,3… from the device.
 */
#ifndef AW_ARMCTL_WIRE_H
#define AW_ARMCTL_WIRE_H

#include "wire/wire.h"

#define AW_ARM_LINE_MAX 34 /* bytes of a line with its CR LF */

extern const struct aw_protocol aw_armctl_protocol;

#endif
