/* UDP ports of this machine. The transport itself has the scheme udp: of link/core/link.h.
 *
 *     if (aw_udp_bound(30004))
 *         puts("a program listens there");
 */
#ifndef AW_LINK_UDP_UDP_H
#define AW_LINK_UDP_UDP_H

#include <stdbool.h>

/* Returns true if any program has bound the port. Sends nothing: reads /proc/net/udp and udp6. */
bool aw_udp_bound(unsigned port);

#endif
