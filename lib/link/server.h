/* A stream or datagram server for one client at a time; the next one is accepted when the first is
 * gone. Internal to lib/link. */
#ifndef AW_LINK_SERVER_H
#define AW_LINK_SERVER_H

#include "link/fd_link.h"

#pragma GCC visibility push(hidden)

struct aw_server_link {
    struct aw_fd_link fd; /* the client, or -1 */
    int listen_fd;
    bool tcp;
    bool gone;      /* the client takes nothing more */
    char path[128]; /* socket file to be removed at the end, or "" */
};

struct aw_server_link *aw_server_new(struct aw_clock *clock);

#pragma GCC visibility pop

#endif
