/* Addresses of a name, without missing a request to stop while no name server answers, which takes
 * half a minute. Internal to lib/link. */
#ifndef AW_LINK_CORE_RESOLVE_H
#define AW_LINK_CORE_RESOLVE_H

#include <netdb.h>

#include "base/clock.h"

/* getaddrinfo(3), for a port; host may be NULL there, or of 255 characters. AW_OK: *error is what
 * it returned, and *list is to be freed if that is 0. AW_STOPPED: the clock asked to stop; a
 * thread, which wakes for no signal, waits for the answer alone. */
enum aw_status aw_resolve(struct addrinfo **list, const char *host, unsigned port,
                          const struct addrinfo *hints, struct aw_clock *clock, int *error);

#endif
