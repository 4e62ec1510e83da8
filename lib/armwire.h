/* The library in one include: everything that a program needs to communicate with a device.
 *
 *     #include <armwire.h>  // or only what is needed of it: <protocol/canpid/client.h>
 *
 * Open a link (link/core/link.h), hand it to the client of the device's protocol, make records with
 * the client's wire and send them. Errors are an enum aw_status with words for a person in struct
 * aw_error (base/status.h); nothing here prints or exits.
 *
 * Only these headers are installed, and libarmwire.so exports their declarations. The rest of lib/
 * is for the tools only: simulated devices, recordings, plots, the shell.
 */
#ifndef ARMWIRE_H
#define ARMWIRE_H

/* Errors, clocks, numbers and units, byte order. */
#include "base/bytes.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/status.h"

/* Messages: tables, records, frames and streams of them. */
#include "wire/codec.h"
#include "wire/hex.h"
#include "wire/split.h"
#include "wire/table.h"
#include "wire/wire.h"

/* Links by URL; port lists; traces. */
#include "link/can/can.h"
#include "link/core/link.h"
#include "link/core/received.h"
#include "link/core/url.h"
#include "link/hid/hid.h"
#include "link/open.h"
#include "link/stream/ports.h"
#include "link/udp/udp.h"
#include "link/wrap/fault.h"

/* Statistics, gains and their files. */
#include "control/gain_file.h"
#include "control/samples.h"

/* The clients, each with its table of messages. */
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
