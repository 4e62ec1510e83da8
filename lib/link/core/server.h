/* A stream or datagram server for one client at a time; it accepts the next one when the first is
 * gone. A datagram server can be shared by many clients at once instead (hub.c). Internal to
 * lib/link. */
#ifndef AW_LINK_CORE_SERVER_H
#define AW_LINK_CORE_SERVER_H

#include "link/core/fd_link.h"

#define AW_SERVER_CLIENTS 64

struct aw_server_link {
    struct aw_fd_link fd; /* the client, or -1 */
    int listen_fd;
    bool tcp;
    bool gone;      /* the client accepts no more output */
    char path[128]; /* socket file to remove on close, or "" */
    int hub_fd;     /* shared: epoll's, with listener and clients; else -1 */
    int n_clients;  /* shared: number of clients */
    int clients[AW_SERVER_CLIENTS];
};

/* For ops: from now on serves all clients at once; each receives all output. */
void aw_server_share(struct aw_link *link);

struct aw_server_link *aw_server_new(struct aw_clock *clock);

#endif
