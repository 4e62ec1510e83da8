/* Transports of HID boards. Protocols open hid: themselves, see hid.h. Internal to lib/link. */
#ifndef AW_LINK_HID_TRANSPORTS_H
#define AW_LINK_HID_TRANSPORTS_H

#include "link/core/transport.h"

aw_transport_open aw_uhid_open;

#endif
