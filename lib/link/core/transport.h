/* The transports of the library: what transports.c lists. Internal to lib/link. */
#ifndef AW_LINK_CORE_TRANSPORT_H
#define AW_LINK_CORE_TRANSPORT_H

#include "link/core/link.h"
#include "link/core/url.h"

typedef enum aw_status aw_transport_open(struct aw_link **out, const struct aw_url *url,
                                         const struct aw_link_options *options,
                                         struct aw_error *err);

aw_transport_open aw_serial_open;
aw_transport_open aw_tty_open;
aw_transport_open aw_pty_open;
aw_transport_open aw_tcp_open;
aw_transport_open aw_tcp_listen_open;
aw_transport_open aw_udp_open;
aw_transport_open aw_udp_listen_open;
aw_transport_open aw_unix_open;
aw_transport_open aw_unix_listen_open;
aw_transport_open aw_can_open;
aw_transport_open aw_slcan_open;
aw_transport_open aw_socketcand_open;
aw_transport_open aw_socketcand_listen_open;
aw_transport_open aw_log_link_open;
aw_transport_open aw_uhid_open;

/* Is this a URL that aw_link_open would try: a known scheme, or a path, and known keys? Nothing is
 * opened. */
enum aw_status aw_link_check(const char *text, const struct aw_transport *extra,
                             struct aw_error *err);

#endif
