/* Starts a program on one end of a socket pair, and stops it when the link is closed. */
#include "link/core/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"
#include "link/core/fd_link.h"

#define END_TIMEOUT_MS 1000

struct child_link {
    struct aw_fd_link fd;
    struct aw_child child;
};

static void child_close(struct aw_link *link)
{
    struct aw_child child = ((struct child_link *)link)->child;
    aw_fd_close(link);
    aw_child_end(&child, END_TIMEOUT_MS);
}

static const struct aw_link_ops child_ops = {
    .read = aw_fd_read,
    .write = aw_fd_write,
    .close = child_close,
    .fd = aw_fd_get_fd,
    .raw = aw_fd_raw,
};

enum aw_status aw_spawn_open(struct aw_link **out, const char *path, char *const argv[],
                             struct aw_clock *clock, struct aw_error *err)
{
    int stream[2];
    struct child_link *self = aw_fd_link_new(sizeof *self, &child_ops, clock);
    if (!self)
        return aw_no_memory(err);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) != 0) {
        free(self);
        return aw_fail(err, AW_NO_LINK, "%.100s: cannot create a socket: %s", path,
                       strerror(errno));
    }
    const struct aw_child_plan plan = {path, argv, .fd = stream[1], .dies_with_us = true};
    enum aw_status status = aw_child_start(&self->child, &plan, err);
    close(stream[1]);
    if (status != AW_OK) {
        close(stream[0]);
        free(self);
        return status;
    }
    fcntl(stream[0], F_SETFL, O_NONBLOCK);
    self->fd.fd = stream[0];
    self->fd.is_socket = true;
    self->fd.base.n_connections = 1;
    snprintf(self->fd.base.key, sizeof self->fd.base.key, "%.100s", argv[0]);
    *out = &self->fd.base;
    return AW_OK;
}

enum aw_status aw_spawn_parent(struct aw_link **out, int fd, const char *key,
                               struct aw_clock *clock, struct aw_error *err)
{
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM)
        return aw_fail(err, AW_NO_LINK,
                       "descriptor %d is not a stream — pass one end of a socketpair", fd);
    struct aw_fd_link *self = aw_fd_link_new(sizeof *self, &aw_fd_ops, clock);
    if (!self)
        return aw_no_memory(err);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    self->fd = fd;
    self->is_socket = true;
    self->base.n_connections = 1;
    snprintf(self->base.key, sizeof self->base.key, "%.100s", key);
    *out = &self->base;
    return AW_OK;
}
