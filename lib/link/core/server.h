/* A stream or datagram server for one client at a time. It accepts the next client when the
 * previous one has disconnected. Internal to lib/link. */
#ifndef AW_LINK_CORE_SERVER_H
#define AW_LINK_CORE_SERVER_H

#include "link/core/fd_link.h"

struct aw_server_link {
    struct aw_fd_link fd; /* link to the client; its fd is -1 without one */
    int listen_fd;
    bool is_tcp;
    bool output_closed; /* the client accepts no more output */
    char path[128];     /* socket file to remove when closing, or "" */
};

struct aw_server_link *aw_server_new(struct aw_clock *clock);

#endif
