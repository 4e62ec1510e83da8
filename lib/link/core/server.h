/* A stream or datagram server for one client at a time; the next one is accepted when the first is
 * gone. A datagram server can be shared instead, by many clients at once (hub.c). Internal to
 * lib/link. */
#ifndef AW_LINK_CORE_SERVER_H
#define AW_LINK_CORE_SERVER_H

#include "link/core/fd_link.h"

#define AW_SERVER_CLIENTS 64

struct aw_server_link {
    struct aw_fd_link fd; /* the client, or -1 */
    int listen_fd;
    bool tcp;
    bool gone;      /* the client takes nothing more */
    char path[128]; /* socket file to be removed at the end, or "" */
    int hub_fd;     /* shared: epoll's, with listener and clients; else -1 */
    int n_clients;  /* shared: … */
    int clients[AW_SERVER_CLIENTS];
};

/* For ops: from now on all clients at once, each of which gets all that is written. */
void aw_server_share(struct aw_link *link);

struct aw_server_link *aw_server_new(struct aw_clock *clock);

#endif
