/* Transports of streams: serial lines, pseudo-terminals and sockets. Internal to lib/link. */
#ifndef AW_LINK_STREAM_TRANSPORTS_H
#define AW_LINK_STREAM_TRANSPORTS_H

#include "link/core/transport.h"

aw_transport_open aw_serial_open;
aw_transport_open aw_tty_open;
aw_transport_open aw_pty_open;
aw_transport_open aw_tcp_open;
aw_transport_open aw_tcp_listen_open;
aw_transport_open aw_unix_open;
aw_transport_open aw_unix_listen_open;

#endif
