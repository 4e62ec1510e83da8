/* A datagram server for many clients at once, like a hidraw node: receives from all of them, and
 * sends every message to all. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/core/server.h"
#include "link/core/turns.h"

static bool watch(const struct aw_server_link *self, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(self->hub_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void accept_client(struct aw_server_link *self)
{
    int fd = accept4(self->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    if (self->n_clients < AW_SERVER_CLIENTS && watch(self, fd))
        self->clients[self->n_clients++] = fd;
    else
        close(fd);
    self->fd.base.waiting = self->n_clients == 0;
}

static void drop_client(struct aw_server_link *self, int fd)
{
    int i = 0;
    while (self->clients[i] != fd)
        i++;
    self->clients[i] = self->clients[--self->n_clients];
    self->fd.base.waiting = self->n_clients == 0;
    close(fd);
}

static enum aw_status hub_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                               int64_t deadline, struct aw_error *err)
{
    struct aw_server_link *self = (struct aw_server_link *)link;
    *got = 0;
    for (;;) {
        struct epoll_event event;
        enum aw_status status = aw_fd_await(link, self->hub_fd, deadline, err);
        if (status != AW_OK)
            return status;
        if (epoll_wait(self->hub_fd, &event, 1, 0) != 1)
            continue;
        if (event.data.fd == self->listen_fd) {
            accept_client(self);
            continue;
        }
        ssize_t n = aw_fd_read_now(event.data.fd, buf, cap);
        if (n > 0) {
            *got = (size_t)n;
            return AW_OK;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            drop_client(self, event.data.fd);
    }
}

/* Never blocks: a client that does not read loses messages that do not fit. */
static enum aw_status hub_write(struct aw_link *link, const void *buf, size_t size,
                                struct aw_error *err)
{
    const struct aw_server_link *self = (const struct aw_server_link *)link;
    (void)err;
    for (int i = 0; i < self->n_clients; i++)
        send(self->clients[i], buf, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    return AW_OK;
}

static void turns_path(const struct aw_server_link *self, char out[sizeof self->path + 8])
{
    snprintf(out, sizeof self->path + 8, "%s" AW_TURNS, self->path);
}

static void hub_close(struct aw_link *link)
{
    struct aw_server_link *self = (struct aw_server_link *)link;
    char turns[sizeof self->path + 8];
    turns_path(self, turns);
    for (int i = 0; i < self->n_clients; i++)
        close(self->clients[i]);
    close(self->hub_fd);
    close(self->listen_fd);
    unlink(turns);
    unlink(self->path);
    aw_fd_close(link);
}

static int hub_fd(const struct aw_link *link)
{
    return ((const struct aw_server_link *)link)->hub_fd;
}

static const struct aw_link_ops hub_ops = {
    .read = hub_read,
    .write = hub_write,
    .close = hub_close,
    .fd = hub_fd,
};

void aw_server_share(struct aw_link *link)
{
    struct aw_server_link *self = (struct aw_server_link *)link;
    char turns[sizeof self->path + 8];
    if (!link->datagrams || !*self->path)
        return;
    self->hub_fd = epoll_create1(EPOLL_CLOEXEC);
    if (self->hub_fd < 0 || !watch(self, self->listen_fd))
        return;
    turns_path(self, turns);
    int fd = open(turns, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0)
        close(fd);
    link->ops = &hub_ops;
}
