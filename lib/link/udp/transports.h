/* Transports of UDP. Internal to lib/link. */
#ifndef AW_LINK_UDP_TRANSPORTS_H
#define AW_LINK_UDP_TRANSPORTS_H

#include "link/core/transport.h"

aw_transport_open aw_udp_open;
aw_transport_open aw_udp_listen_open;

#endif
