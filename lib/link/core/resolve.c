/* Resolves host names in a thread of its own, so that a signal can end the wait. */
#include "link/core/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Who asks and who looks up both hold it; the last one frees it. */
struct lookup {
    atomic_int holders;
    char host[256], service[8];
    struct addrinfo hints, *list;
    int error;
    int done[2]; /* a pipe whose end says that the answer is there */
};

static void let_go(struct lookup *lookup)
{
    if (atomic_fetch_sub(&lookup->holders, 1) > 1)
        return;
    if (lookup->list)
        freeaddrinfo(lookup->list);
    close(lookup->done[0]);
    free(lookup);
}

static void *look_up(void *context)
{
    struct lookup *lookup = context;
    lookup->error = getaddrinfo(lookup->host, lookup->service, &lookup->hints, &lookup->list);
    lookup->list = lookup->error ? NULL : lookup->list;
    close(lookup->done[1]);
    let_go(lookup);
    return NULL;
}

/* Signals are for those who asked. */
static int start(struct lookup *lookup)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    atomic_store(&lookup->holders, 2);
    int error = pthread_create(&thread, NULL, look_up, lookup);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        pthread_detach(thread);
    else
        atomic_store(&lookup->holders, 1);
    return error;
}

static struct lookup *new_lookup(const char *host, const char *service,
                                 const struct addrinfo *hints)
{
    struct lookup *lookup = calloc(1, sizeof *lookup);
    if (!lookup || pipe2(lookup->done, O_CLOEXEC) != 0) {
        free(lookup);
        return NULL;
    }
    atomic_store(&lookup->holders, 1);
    snprintf(lookup->host, sizeof lookup->host, "%s", host);
    snprintf(lookup->service, sizeof lookup->service, "%s", service);
    lookup->hints = *hints;
    return lookup;
}

/* A numeric address needs no name server. */
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
    struct lookup *lookup = new_lookup(host, service, hints);
    *error = lookup || errno == ENOMEM ? EAI_MEMORY : EAI_SYSTEM;
    if (!lookup)
        return AW_OK;
    enum aw_status status = AW_OK;
    if (start(lookup) != 0)
        close(lookup->done[1]);
    else if ((status = aw_clock_wait(clock, lookup->done[0], POLLIN, AW_NEVER)) != AW_STOPPED) {
        char end;
        while (read(lookup->done[0], &end, 1) < 0 && errno == EINTR)
            ; /* virtual time has passed without a wait */
        *list = lookup->list;
        *error = lookup->error;
        lookup->list = NULL;
    }
    let_go(lookup);
    return status == AW_STOPPED ? AW_STOPPED : AW_OK;
}
