/* Accepts clients on a listening socket and serves one at a time. */
#include "link/core/server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

static void disconnect_client(struct aw_server_link *self)
{
    if (self->fd.fd >= 0)
        close(self->fd.fd);
    self->fd.fd = -1;
    aw_fd_clear_output(&self->fd);
    self->fd.base.no_client = true;
    self->output_closed = false;
}

/* Detects a client that has vanished (cable, power) after about twenty seconds. */
static void set_options(int fd)
{
    static const struct {
        int level, name, value;
    } options[] = {
        {IPPROTO_TCP, TCP_NODELAY, 1},   {SOL_SOCKET, SO_KEEPALIVE, 1},
        {IPPROTO_TCP, TCP_KEEPIDLE, 10}, {IPPROTO_TCP, TCP_KEEPINTVL, 3},
        {IPPROTO_TCP, TCP_KEEPCNT, 3},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        setsockopt(fd, options[i].level, options[i].name, &options[i].value,
                   sizeof options[i].value);
}

static enum aw_status server_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                  int64_t deadline, struct aw_error *err)
{
    struct aw_server_link *self = (struct aw_server_link *)link;
    *got = 0;
    if (self->fd.fd >= 0) {
        /* A client that disconnects is not an error. */
        enum aw_status status = aw_fd_read(link, buf, cap, got, deadline, NULL);
        if (status != AW_LOST)
            return status;
        disconnect_client(self);
    }
    while (self->fd.fd < 0) {
        enum aw_status status = aw_fd_await(link, self->listen_fd, deadline, err);
        if (status != AW_OK)
            return status;
        self->fd.fd = accept4(self->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    }
    if (self->is_tcp)
        set_options(self->fd.fd);
    link->no_client = false;
    link->n_connections++;
    return AW_EVENT;
}

static bool has_waiting_client(const struct aw_server_link *self)
{
    struct pollfd listener = {.fd = self->listen_fd, .events = POLLIN};
    return poll(&listener, 1, 0) == 1;
}

static enum aw_status server_write(struct aw_link *link, const void *buf, size_t size,
                                   struct aw_error *err)
{
    struct aw_server_link *self = (struct aw_server_link *)link;
    (void)err;
    if (self->fd.fd < 0 || self->output_closed)
        return AW_OK;
    enum aw_status status = aw_fd_write_queued(link, buf, size, NULL);
    self->output_closed = status == AW_LOST; /* its earlier input must still be read */
    if (status == AW_TIMEOUT && has_waiting_client(self))
        disconnect_client(self);
    return AW_OK;
}

static void server_close(struct aw_link *link)
{
    struct aw_server_link *self = (struct aw_server_link *)link;
    if (self->listen_fd >= 0)
        close(self->listen_fd);
    if (self->path[0])
        unlink(self->path);
    aw_fd_shut_down(link);
}

static int server_fd(const struct aw_link *link)
{
    const struct aw_server_link *self = (const struct aw_server_link *)link;
    return self->fd.fd >= 0 ? self->fd.fd : self->listen_fd;
}

static const struct aw_link_ops server_ops = {
    .read = server_read,
    .write = server_write,
    .close = server_close,
    .fd = server_fd,
    .raw = aw_fd_raw,
};

struct aw_server_link *aw_server_new(struct aw_clock *clock)
{
    struct aw_server_link *self = aw_fd_link_new(sizeof *self, &server_ops, clock);
    if (self) {
        self->fd.is_socket = true;
        self->fd.base.no_client = true;
        self->listen_fd = -1;
    }
    return self;
}
