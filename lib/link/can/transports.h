/* The transports of CAN buses. Internal to lib/link. */
#ifndef AW_LINK_CAN_TRANSPORTS_H
#define AW_LINK_CAN_TRANSPORTS_H

#include "link/core/transport.h"

aw_transport_open aw_can_open;
aw_transport_open aw_slcan_open;

#endif
