/* Transport that replays recordings. Internal to lib/link. */
#ifndef AW_LINK_WRAP_TRANSPORTS_H
#define AW_LINK_WRAP_TRANSPORTS_H

#include "link/core/transport.h"

aw_transport_open aw_log_link_open;

#endif
