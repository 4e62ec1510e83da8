/* Resolves host names. A request to stop ends the wait, which takes half a minute if the name
 * server is unreachable. Internal to lib/link. */
#ifndef AW_LINK_CORE_RESOLVE_H
#define AW_LINK_CORE_RESOLVE_H

#include <netdb.h>

#include "base/clock.h"
#include "base/status.h"

/* Calls getaddrinfo(3) for a port. host may be NULL, or have at most 255 characters. AW_OK: sets
 * *error to the result; if that is 0, the caller frees *list. AW_STOPPED: the clock requested a
 * stop. A background thread, which blocks all signals, then waits for the answer. */
enum aw_status aw_resolve(struct addrinfo **list, const char *host, unsigned port,
                          const struct addrinfo *hints, struct aw_clock *clock, int *error);

/* Explains an *error other than 0 of the last call; errno is that of EAI_SYSTEM. Example:
 *     tcp:nosuch:1: host not found — check the name */
enum aw_status aw_resolve_fail(const char *scheme, const char *host, int error,
                               struct aw_error *err);

#endif
