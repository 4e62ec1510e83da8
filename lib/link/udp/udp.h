/* Checks UDP ports of this machine. To open a link, pass a URL with the scheme udp: to
 * aw_link_open.
 *
 *     if (aw_udp_is_bound(30004))
 *         puts("a program listens there");
 */
#ifndef AW_LINK_UDP_UDP_H
#define AW_LINK_UDP_UDP_H

#include <stdbool.h>

/* Returns true if a program has bound the port. Sends nothing: reads /proc/net/udp and udp6. */
bool aw_udp_is_bound(unsigned port);

#endif
