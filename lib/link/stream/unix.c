/* The transports unix: and unix-listen:, streams over a socket file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "link/core/fd_link.h"
#include "link/core/port.h"
#include "link/core/server.h"
#include "link/stream/transports.h"

static enum aw_status make_address(struct sockaddr_un *address, const char *path,
                                   struct aw_error *err)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!*path)
        return aw_fail(err, AW_USAGE, "unix: no path given — write unix:PATH");
    if (!aw_absolute_path(path, address->sun_path, sizeof address->sun_path))
        return aw_fail(err, AW_NO_LINK,
                       "unix:%.100s: %s — use a path in an existing directory, up to %zu bytes",
                       path, strerror(errno), sizeof address->sun_path - 1);
    return AW_OK;
}

static int new_socket(void)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static bool try_connect(int fd, const struct sockaddr_un *address)
{
    return fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) == 0;
}

static const struct aw_link_ops unix_ops = {
    .read = aw_fd_read,
    .write = aw_fd_write,
    .close = aw_fd_shut_down,
    .fd = aw_fd_get_fd,
    .raw = aw_fd_raw,
};

enum aw_status aw_unix_open(struct aw_link **out, const struct aw_url *url,
                            const struct aw_link_options *options, struct aw_error *err)
{
    struct sockaddr_un address;
    enum aw_status status = make_address(&address, url->rest, err);
    if (status != AW_OK)
        return status;
    struct aw_fd_link *self = aw_fd_link_new(sizeof *self, &unix_ops, options->clock);
    if (!self)
        return aw_no_memory(err);
    struct aw_link *base = &self->base;
    self->fd = new_socket();
    if (!try_connect(self->fd, &address)) {
        if (errno == EPROTOTYPE)
            status = aw_fail(err, AW_NO_LINK,
                             "unix:%s: this socket belongs to a server — write -l serve:%s",
                             url->rest, url->rest);
        else if (errno == EAGAIN) /* the server's queue of clients is full */
            status = aw_fail(err, AW_NO_LINK,
                             "unix:%s: busy: in use by other programs — end them first", url->rest);
        else
            status = aw_fail(err, AW_NO_LINK, "unix:%s: %s — %s", url->rest, strerror(errno),
                             errno == EACCES ? "check the permissions of the socket"
                                             : "start the device or simulator first");
        aw_fd_close(base);
        return status;
    }
    self->is_socket = true;
    base->datagrams = true;
    base->n_connections = 1;
    snprintf(base->key, sizeof base->key, "unix:%s", address.sun_path);
    *out = base;
    return AW_OK;
}

/* Removes the socket file of a killed server if no program listens on it. */
static void remove_stale(const struct sockaddr_un *address)
{
    struct stat file;
    if (lstat(address->sun_path, &file) != 0 || !S_ISSOCK(file.st_mode))
        return;
    int fd = new_socket();
    if (!try_connect(fd, address) && errno == ECONNREFUSED)
        unlink(address->sun_path);
    if (fd >= 0)
        close(fd);
}

enum aw_status aw_unix_listen_open(struct aw_link **out, const struct aw_url *url,
                                   const struct aw_link_options *options, struct aw_error *err)
{
    struct sockaddr_un address;
    enum aw_status status = make_address(&address, url->rest, err);
    if (status != AW_OK)
        return status;
    struct aw_server_link *self = aw_server_new(options->clock);
    if (!self)
        return aw_no_memory(err);
    remove_stale(&address);
    self->listen_fd = new_socket();
    bool bound = self->listen_fd >= 0 &&
                 bind(self->listen_fd, (const struct sockaddr *)&address, sizeof address) == 0;
    if (!bound || listen(self->listen_fd, 8) != 0) {
        status = aw_fail(err, AW_NO_LINK, "unix-listen:%s: %s — choose another path", url->rest,
                         strerror(errno));
        aw_link_close(&self->fd.base);
        return status;
    }
    self->fd.base.datagrams = true;
    snprintf(self->path, sizeof self->path, "%s", address.sun_path);
    snprintf(self->fd.base.key, sizeof self->fd.base.key, "unix:%s", address.sun_path);
    snprintf(self->fd.base.client_url, sizeof self->fd.base.client_url, "unix:%s",
             address.sun_path);
    *out = &self->fd.base;
    return AW_OK;
}
