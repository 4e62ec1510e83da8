/* The transports tcp: and tcp-listen:, streams over IPv4 and IPv6. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/core/fd_link.h"
#include "link/core/resolve.h"
#include "link/core/server.h"
#include "link/stream/transports.h"

#define CONNECT_TIMEOUT (5 * AW_SECOND)

struct tcp_link {
    struct aw_fd_link fd;
    bool has_read; /* data was read since the last write */
};

struct address {
    char host[256];
    unsigned port;
    struct addrinfo *list;
};

static enum aw_status resolve_address(struct address *address, const char *rest, int flags,
                                      struct aw_clock *clock, struct aw_error *err)
{
    int error;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    address->list = NULL;
    enum aw_status status =
        aw_url_host_port(rest, address->host, sizeof address->host, &address->port, err);
    if (status != AW_OK)
        return status;
    if (address->port == 0 && !(flags & AI_PASSIVE))
        return aw_fail(err, AW_USAGE, "tcp:%.100s: port 0 — give the device's port", rest);
    if (!*address->host)
        snprintf(address->host, sizeof address->host, "127.0.0.1");
    const char *host = strcmp(address->host, "*") == 0 ? NULL : address->host;
    if (aw_resolve(&address->list, host, address->port, &hints, clock, &error) == AW_STOPPED)
        return aw_fail(err, AW_STOPPED, "tcp:%.100s: interrupted during the host name lookup",
                       rest);
    return error ? aw_resolve_fail("tcp", rest, error, err) : AW_OK;
}

/* Writes HOST:PORT, with brackets around a host with colons. */
static void write_name(char *out, size_t size, const char *host, unsigned port)
{
    bool v6 = strchr(host, ':') != NULL;
    snprintf(out, size, "tcp:%s%.90s%s:%u", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

static enum aw_status tcp_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                               int64_t deadline, struct aw_error *err)
{
    struct tcp_link *self = (struct tcp_link *)link;
    static const int on = 1;
    /* Acknowledges at once after two reads without a write. A peer with Nagle's algorithm waits for
     * the acknowledgement, which the kernel would delay by 40 ms. */
    if (self->has_read)
        setsockopt(self->fd.fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
    self->has_read = true;
    return aw_fd_read(link, buf, cap, got, deadline, err);
}

static enum aw_status tcp_write(struct aw_link *link, const void *buf, size_t size,
                                struct aw_error *err)
{
    ((struct tcp_link *)link)->has_read = false;
    return aw_fd_write(link, buf, size, err);
}

static const struct aw_link_ops tcp_ops = {
    .read = tcp_read,
    .write = tcp_write,
    .close = aw_fd_shut_down,
    .fd = aw_fd_get_fd,
    .raw = aw_fd_raw,
};

static int get_connect_error(int fd)
{
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

/* Connects to one address. Returns AW_OK, AW_STOPPED, or AW_NO_LINK with *error set. */
static enum aw_status connect_one(int *fd, const struct addrinfo *to, struct aw_clock *clock,
                                  int *error)
{
    *fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*fd < 0) {
        *error = errno;
        return AW_NO_LINK;
    }
    *error = connect(*fd, to->ai_addr, to->ai_addrlen) == 0 ? 0 : errno;
    enum aw_status status = AW_OK;
    if (*error == EINPROGRESS) {
        status = aw_clock_wait(clock, *fd, POLLOUT, aw_clock_now(clock) + CONNECT_TIMEOUT);
        *error = status == AW_OK ? get_connect_error(*fd) : ETIMEDOUT;
    }
    if (status != AW_STOPPED)
        status = *error ? AW_NO_LINK : AW_OK;
    if (status != AW_OK) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

static enum aw_status connect_any(int *fd, const struct address *address, struct aw_clock *clock,
                                  struct aw_error *err)
{
    int error = 0;
    enum aw_status status = AW_NO_LINK;
    for (const struct addrinfo *to = address->list; to && status == AW_NO_LINK; to = to->ai_next)
        status = connect_one(fd, to, clock, &error);
    if (status == AW_NO_LINK)
        aw_fail(err, status, "tcp:%.90s:%u: %s — %s", address->host, address->port, strerror(error),
                error == ECONNREFUSED ? "start the device or simulator first, or check the port"
                                      : "check address and network");
    if (status == AW_STOPPED)
        aw_fail(err, status, "tcp:%.90s:%u: interrupted while connecting", address->host,
                address->port);
    return status;
}

enum aw_status aw_tcp_open(struct aw_link **out, const struct aw_url *url,
                           const struct aw_link_options *options, struct aw_error *err)
{
    static const int on = 1;
    struct address address;
    enum aw_status status = resolve_address(&address, url->rest, 0, options->clock, err);
    if (status != AW_OK)
        return status;
    struct tcp_link *self = aw_fd_link_new(sizeof *self, &tcp_ops, options->clock);
    status = self ? connect_any(&self->fd.fd, &address, options->clock, err) : aw_no_memory(err);
    freeaddrinfo(address.list);
    if (status != AW_OK) {
        if (self)
            aw_fd_close(&self->fd.base);
        return status;
    }
    setsockopt(self->fd.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    self->fd.is_socket = true;
    self->fd.base.n_connections = 1;
    write_name(self->fd.base.key, sizeof self->fd.base.key, address.host, address.port);
    *out = &self->fd.base;
    return AW_OK;
}

static int open_listener(const struct addrinfo *at)
{
    static const int on = 1;
    int fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, 8) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static unsigned get_port(int fd)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    getsockname(fd, (struct sockaddr *)&address, &size);
    if (address.ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)&address)->sin6_port);
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): initialised to zeros */
    return ntohs(((const struct sockaddr_in *)&address)->sin_port);
}

/* Returns the host that clients on this machine use for a server that listens on all addresses. */
static const char *get_client_host(const char *host)
{
    return strcmp(host, "*") == 0 || strcmp(host, "0.0.0.0") == 0 ? "127.0.0.1"
           : strcmp(host, "::") == 0                              ? "::1"
                                                                  : host;
}

enum aw_status aw_tcp_listen_open(struct aw_link **out, const struct aw_url *url,
                                  const struct aw_link_options *options, struct aw_error *err)
{
    struct address address;
    enum aw_status status = resolve_address(&address, url->rest, AI_PASSIVE, options->clock, err);
    if (status != AW_OK)
        return status;
    struct aw_server_link *self = aw_server_new(options->clock);
    if (self)
        self->listen_fd = open_listener(address.list);
    int error = errno;
    freeaddrinfo(address.list);
    if (!self || self->listen_fd < 0) {
        aw_link_close(self ? &self->fd.base : NULL);
        if (error == ENOMEM)
            return aw_no_memory(err);
        return aw_fail(err, AW_NO_LINK, "tcp-listen:%.100s: %s — %s", url->rest, strerror(error),
                       error == EADDRNOTAVAIL ? "give an address of this machine"
                                              : "choose another port, or 0");
    }
    self->is_tcp = true;
    const char *host = get_client_host(address.host);
    unsigned port = get_port(self->listen_fd);
    write_name(self->fd.base.key, sizeof self->fd.base.key, host, port);
    write_name(self->fd.base.client_url, sizeof self->fd.base.client_url, host, port);
    *out = &self->fd.base;
    return AW_OK;
}
