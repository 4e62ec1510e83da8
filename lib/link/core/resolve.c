/* Resolves host names in a separate thread, so that a signal can end the wait. */
#include "link/core/resolve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/task.h"

struct lookup {
    char host[256], service[8];
    struct addrinfo hints, *list;
    int error, system_error; /* system_error: errno of the thread, for EAI_SYSTEM */
};

static void look_up(void *context)
{
    struct lookup *lookup = context;
    lookup->error = getaddrinfo(lookup->host, lookup->service, &lookup->hints, &lookup->list);
    lookup->system_error = errno;
    lookup->list = lookup->error ? NULL : lookup->list;
}

static void drop_lookup(void *context)
{
    struct lookup *lookup = context;
    if (lookup->list)
        freeaddrinfo(lookup->list);
    free(lookup);
}

/* Tries a numeric address first, because it needs no name server. */
enum aw_status aw_resolve(struct addrinfo **list, const char *host, unsigned port,
                          const struct addrinfo *hints, struct aw_clock *clock, int *error)
{
    char service[8];
    struct addrinfo numeric = *hints;
    numeric.ai_flags |= AI_NUMERICHOST;
    snprintf(service, sizeof service, "%u", port);
    *error = getaddrinfo(host, service, &numeric, list);
    if (*error != EAI_NONAME)
        return AW_OK;
    struct lookup *lookup = calloc(1, sizeof *lookup);
    *error = EAI_MEMORY;
    if (!lookup)
        return AW_OK;
    snprintf(lookup->host, sizeof lookup->host, "%s", host);
    snprintf(lookup->service, sizeof lookup->service, "%s", service);
    lookup->hints = *hints;
    if (aw_task_run(clock, look_up, drop_lookup, lookup) == AW_STOPPED)
        return AW_STOPPED;
    *list = lookup->list;
    *error = lookup->error;
    int system_error = lookup->system_error;
    free(lookup);
    errno = system_error;
    return AW_OK;
}

enum aw_status aw_resolve_fail(const char *scheme, const char *host, int error,
                               struct aw_error *err)
{
    const char *reason = error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error);
    if (error == EAI_MEMORY)
        return aw_no_memory(err);
    if (error == EAI_NONAME)
        return aw_fail(err, AW_NO_LINK, "%s:%.100s: host not found — check the name", scheme, host);
    return aw_fail(err, AW_NO_LINK,
                   "%s:%.100s: cannot resolve the host name: %s — check the network", scheme, host,
                   reason);
}
