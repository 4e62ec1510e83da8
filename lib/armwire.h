/* Includes the whole public library: everything that a program needs to communicate with a device.
 *
 *     #include <armwire.h>  // or only the headers you need: <protocol/canpid/client.h>
 *
 * Open a link (link/core/link.h), pass it to the client of the device's protocol, create records
 * with the client's wire and send them. Functions report errors as an enum aw_status, with a
 * message for the user in struct aw_error (base/status.h). The library never prints or exits.
 *
 * Only these headers are installed, and libarmwire.so exports only the functions that they declare.
 * The rest of lib/ serves the tools: simulated devices, recordings, plots, the shell.
 */
#ifndef ARMWIRE_H
#define ARMWIRE_H

/* Errors, clocks, numbers and units, byte order. */
#include "base/bytes.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/status.h"

/* Messages: tables, records, frames and streams of frames. */
#include "wire/codec.h"
#include "wire/hex.h"
#include "wire/split.h"
#include "wire/table.h"
#include "wire/wire.h"

/* Links by URL, lists of ports, and traces. */
#include "link/can/can.h"
#include "link/core/link.h"
#include "link/core/received.h"
#include "link/core/url.h"
#include "link/hid/hid.h"
#include "link/open.h"
#include "link/stream/ports.h"
#include "link/udp/udp.h"
#include "link/wrap/fault.h"

/* Statistics, gains and gain files. */
#include "control/gain_file.h"
#include "control/samples.h"

/* Clients, each with the message table of its protocol. */
#include "protocol/armctl/client.h"
#include "protocol/armctl/line.h"
#include "protocol/armctl/profile.h"
#include "protocol/armctl/state.h"
#include "protocol/armctl/wire.h"
#include "protocol/canpid/client.h"
#include "protocol/canpid/gains.h"
#include "protocol/canpid/names.h"
#include "protocol/canpid/wire.h"
#include "protocol/ezphys/client.h"
#include "protocol/ezphys/framing.h"
#include "protocol/ezphys/names.h"
#include "protocol/ezphys/state.h"
#include "protocol/ezphys/wire.h"
#include "protocol/hidmotor/client.h"
#include "protocol/hidmotor/motion.h"
#include "protocol/hidmotor/wire.h"
#include "protocol/unitysim/arm.h"
#include "protocol/unitysim/client.h"
#include "protocol/unitysim/wire.h"

#endif
