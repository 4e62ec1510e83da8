/* The transport udp: with a local port and a peer. The peer is named in the URL, or is the first
 * sender. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/errqueue.h>

#include "link/core/fd_link.h"
#include "link/core/port.h"
#include "link/core/resolve.h"
#include "link/udp/transports.h"
#include "link/udp/udp.h"

#define BATCH          32
#define DATAGRAM       2048 /* longer datagrams are truncated */
#define BUFFER         (1 << 20)
#define ALTERNATION_NS AW_SECOND       /* max interval between two senders that alternate */
#define REPORT_NS      (5 * AW_SECOND) /* min interval of reports */
/* the peer listens if it has not refused a datagram for this time; hosts send once a second */
#define LISTEN_NS     (6 * AW_SECOND / 5)
#define ROOM_MS       1000
#define SEND_ATTEMPTS 3

#define NAME_LENGTH 80

struct address {
    struct sockaddr_storage storage;
    socklen_t size;
};

struct received {
    struct address from;
    struct iovec part;
    _Alignas(struct cmsghdr) char control[AW_STAMPS_SIZE];
    uint8_t bytes[DATAGRAM];
};

struct udp_link {
    struct aw_fd_link fd;
    bool is_server;
    struct {
        struct address peer; /* size 0: unknown */
        bool peer_is_sender; /* the peer is the last sender */
        bool peer_only;      /* refuses datagrams from other addresses */
    } peer;
    struct {
        /* the last sender, and the last one that differs from it */
        struct address sender, previous;
        int64_t received_ns, previous_ns; /* times of their last datagrams */
        int64_t reported_ns;              /* time of the last report of an anomaly; 0: never */
    } senders;
    struct {
        bool refused;                /* no program listens at the peer; already reported */
        int64_t refused_ns, sent_ns; /* times of the last refusal and the last datagram sent */
        int send_error;              /* errno of the last datagram sent, or 0 */
    } out;
    struct {
        int64_t batch_ns;     /* time at which the batch was read */
        unsigned next, count; /* unread part of the batch */
        struct mmsghdr headers[BATCH];
        struct received batch[BATCH];
    } in;
};

/* ---- Addresses ---- */

static enum aw_status resolve_host(struct address *out, const char *host, unsigned port, int family,
                                   struct aw_clock *clock, struct aw_error *err)
{
    int error;
    struct addrinfo *list;
    const struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_DGRAM};
    if (aw_resolve(&list, host, port, &hints, clock, &error) == AW_STOPPED)
        return aw_fail(err, AW_STOPPED, "udp:%.100s: interrupted during the host name lookup",
                       host);
    if (error)
        return aw_resolve_fail("udp", host, error, err);
    memcpy(&out->storage, list->ai_addr, list->ai_addrlen);
    out->size = list->ai_addrlen;
    freeaddrinfo(list);
    return AW_OK;
}

static unsigned get_port(const struct address *address)
{
    if (address->storage.ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)&address->storage)->sin6_port);
    return ntohs(((const struct sockaddr_in *)&address->storage)->sin_port);
}

/* Returns the address as a string: "127.0.0.1:30004". */
static const char *print_address(const struct address *address, char out[NAME_LENGTH])
{
    char host[INET6_ADDRSTRLEN] = "?";
    bool v6 = address->storage.ss_family == AF_INET6;
    getnameinfo((const struct sockaddr *)&address->storage, address->size, host, sizeof host, NULL,
                0, NI_NUMERICHOST);
    snprintf(out, NAME_LENGTH, "%s%s%s:%u", v6 ? "[" : "", host, v6 ? "]" : "", get_port(address));
    return out;
}

static bool is_any(const struct address *address)
{
    if (address->storage.ss_family == AF_INET6)
        return IN6_IS_ADDR_UNSPECIFIED(
            &((const struct sockaddr_in6 *)&address->storage)->sin6_addr);
    return ((const struct sockaddr_in *)&address->storage)->sin_addr.s_addr == INADDR_ANY;
}

/* Compares addresses without ports, because the published simulator sends from a port on which it
 * does not listen. */
static bool is_same_host(const struct address *a, const struct address *b)
{
    if (a->storage.ss_family == AF_INET6)
        return memcmp(&((const struct sockaddr_in6 *)&a->storage)->sin6_addr,
                      &((const struct sockaddr_in6 *)&b->storage)->sin6_addr,
                      sizeof(struct in6_addr)) == 0;
    return ((const struct sockaddr_in *)&a->storage)->sin_addr.s_addr ==
           ((const struct sockaddr_in *)&b->storage)->sin_addr.s_addr;
}

static bool is_same(const struct address *a, const struct address *b)
{
    return a->size == b->size && memcmp(&a->storage, &b->storage, a->size) == 0;
}

/* Parses HOST:PORT, HOST, :PORT or an empty string. Missing parts get their defaults. */
static enum aw_status read_address(struct address *out, const char *text, unsigned port, int family,
                                   struct aw_clock *clock, struct aw_error *err)
{
    char host[256] = "";
    bool host_only = *text && (!strchr(text, ':') || strstr(text, "::") == text) &&
                     strspn(text, "0123456789") < strlen(text);
    if (host_only)
        snprintf(host, sizeof host, "%.255s", text);
    enum aw_status status =
        *text && !host_only ? aw_url_host_port(text, host, sizeof host, &port, err) : AW_OK;
    if (status != AW_OK)
        return status;
    const char *name = strcmp(host, "*") == 0 ? "0.0.0.0" : *host ? host : "127.0.0.1";
    return resolve_host(out, name, port, family, clock, err);
}

/* Returns the protocol's default port for the device or for its host; 0: none. */
static unsigned get_default_port(const struct aw_link_options *options, int end)
{
    const struct aw_protocol *protocol = options->protocol;
    return protocol && protocol->medium == AW_MEDIUM_UDP ? protocol->ports[end] : 0;
}

/* ---- Events ---- */

static const char *get_peer_name(const struct udp_link *self)
{
    return self->is_server ? "client" : "simulator";
}

static bool may_report(struct udp_link *self, int64_t now)
{
    if (self->senders.reported_ns && now - self->senders.reported_ns < REPORT_NS)
        return false;
    self->senders.reported_ns = now;
    return true;
}

static enum aw_status report_refused(struct udp_link *self)
{
    char name[NAME_LENGTH];
    self->out.refused_ns = aw_clock_now(self->fd.base.clock);
    if (self->out.refused)
        return AW_TIMEOUT;
    self->out.refused = true;
    snprintf(self->fd.base.rx.event, sizeof self->fd.base.rx.event,
             "no program is listening at %s yet — start the "
             "%s",
             print_address(&self->peer.peer, name), get_peer_name(self));
    return AW_EVENT;
}

/* Returns true and reports it if the peer has started to listen: no ICMP error has arrived for a
 * while. For servers only. */
static bool is_peer_listening(struct udp_link *self)
{
    char name[NAME_LENGTH];
    if (!self->is_server || !self->out.refused ||
        self->out.sent_ns - self->out.refused_ns < LISTEN_NS)
        return false;
    self->out.refused = false;
    snprintf(self->fd.base.rx.event, sizeof self->fd.base.rx.event, "%s is now listening at %s",
             get_peer_name(self), print_address(&self->peer.peer, name));
    return true;
}

/* Returns true and reports it if a sender comes back within a second after another sender, so that
 * there are two. (A sender that restarts gets a new port, and its old port stays silent.) */
static bool is_second_sender(struct udp_link *self, const struct received *datagram)
{
    struct aw_link *link = &self->fd.base;
    char first[NAME_LENGTH], second[NAME_LENGTH];
    int64_t now = self->in.batch_ns;
    if (is_same(&datagram->from, &self->senders.sender)) {
        self->senders.received_ns = now;
        return false;
    }
    bool returns = is_same(&datagram->from, &self->senders.previous) &&
                   now - self->senders.previous_ns < ALTERNATION_NS;
    self->senders.previous = self->senders.sender;
    self->senders.previous_ns = self->senders.received_ns;
    self->senders.sender = datagram->from;
    self->senders.received_ns = now;
    if (!returns || !may_report(self, now))
        return false;
    snprintf(link->rx.event, sizeof link->rx.event,
             "datagrams from two %ss, %s and %s — end one of them", get_peer_name(self),
             print_address(&self->senders.previous, first),
             print_address(&self->senders.sender, second));
    return true;
}

/* Counts a datagram from an unexpected sender, and reports the first one. */
static enum aw_status refuse_sender(struct udp_link *self, const struct address *from)
{
    char name[NAME_LENGTH], expected[NAME_LENGTH];
    if (self->fd.base.n_refused++ > 0)
        return AW_TIMEOUT;
    snprintf(self->fd.base.rx.event, sizeof self->fd.base.rx.event,
             "refused a datagram from %s, expected %s — add from=any to the link to accept it",
             print_address(from, name), print_address(&self->peer.peer, expected));
    return AW_EVENT;
}

/* ---- Reading ---- */

static void init_headers(struct udp_link *self)
{
    for (size_t i = 0; i < BATCH; i++) {
        struct received *datagram = &self->in.batch[i];
        struct msghdr *header = &self->in.headers[i].msg_hdr;
        datagram->part = (struct iovec){datagram->bytes, sizeof datagram->bytes};
        *header = (struct msghdr){.msg_name = &datagram->from.storage,
                                  .msg_namelen = sizeof datagram->from.storage,
                                  .msg_iov = &datagram->part,
                                  .msg_iovlen = 1,
                                  .msg_control = datagram->control,
                                  .msg_controllen = sizeof datagram->control};
    }
}

/* Restores the sizes of names and control buffers, which the kernel has reduced. */
static void reset_headers(struct udp_link *self)
{
    for (size_t i = 0; i < self->in.count; i++) {
        self->in.headers[i].msg_hdr.msg_namelen = sizeof self->in.batch[i].from.storage;
        self->in.headers[i].msg_hdr.msg_controllen = sizeof self->in.batch[i].control;
    }
}

/* Empties the queue of ICMP errors (port unreachable): until it is empty, poll(2) returns at
 * once. */
static enum aw_status read_errors(struct udp_link *self)
{
    enum aw_status status = AW_TIMEOUT;
    char control[512];
    struct msghdr header;
    do {
        header = (struct msghdr){.msg_control = control, .msg_controllen = sizeof control};
        if (recvmsg(self->fd.fd, &header, MSG_ERRQUEUE) < 0)
            return status;
        for (struct cmsghdr *c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c)) {
            struct sock_extended_err error;
            memcpy(&error, CMSG_DATA(c), sizeof error);
            if (error.ee_errno == ECONNREFUSED && report_refused(self) == AW_EVENT)
                status = AW_EVENT;
        }
    } while (true);
}

/* Returns true for a temporary error of a datagram socket. */
static bool is_temporary(int error)
{
    return error == EAGAIN || error == EINTR || error == ECONNREFUSED || error == ENETUNREACH ||
           error == EHOSTUNREACH || error == ENETDOWN || error == EPERM || error == EMSGSIZE ||
           error == ENOBUFS;
}

static enum aw_status fill_batch(struct udp_link *self, int64_t deadline, struct aw_error *err)
{
    /* Waits even if there are datagrams, so that a flood cannot hide a request to stop. */
    enum aw_status status = aw_fd_await(&self->fd.base, self->fd.fd, deadline, err);
    if (status != AW_OK)
        return status;
    reset_headers(self);
    int n = recvmmsg(self->fd.fd, self->in.headers, BATCH, 0, NULL);
    self->in.next = 0;
    self->in.count = n > 0 ? (unsigned)n : 0;
    self->in.batch_ns = aw_clock_now(self->fd.base.clock);
    if (n > 0)
        return AW_OK;
    if (n < 0 && !is_temporary(errno))
        return aw_fd_fail_lost(&self->fd.base, errno, err);
    status = read_errors(self);
    return status == AW_TIMEOUT ? AW_OK : status;
}

/* Reads the next datagram of the batch. AW_OK: a datagram. AW_EVENT: a report. AW_TIMEOUT: the
 * datagram was skipped. */
static enum aw_status read_datagram(struct udp_link *self, void *out, size_t cap, size_t *got)
{
    struct aw_link *link = &self->fd.base;
    struct received *datagram = &self->in.batch[self->in.next];
    datagram->from.size = self->in.headers[self->in.next].msg_hdr.msg_namelen;
    if (self->peer.peer_only && !is_same_host(&datagram->from, &self->peer.peer)) {
        self->in.next++;
        return refuse_sender(self, &datagram->from);
    }
    if (is_second_sender(self, datagram))
        return AW_EVENT; /* the next read returns the datagram */
    size_t size = self->in.headers[self->in.next].msg_len;
    aw_fd_read_stamps(&self->fd, &self->in.headers[self->in.next].msg_hdr);
    self->in.next++;
    self->out.refused = self->out.refused && self->is_server && !self->peer.peer_is_sender;
    bool is_greeting = self->peer.peer_is_sender && !is_same(&datagram->from, &self->peer.peer);
    if (is_greeting)
        self->peer.peer = datagram->from;
    if (size == 0 && (is_greeting || !may_report(self, self->senders.received_ns)))
        return AW_TIMEOUT;
    if (size == 0) {
        snprintf(link->rx.event, sizeof link->rx.event, "empty datagram ignored");
        return AW_EVENT;
    }
    *got = size < cap ? size : cap;
    memcpy(out, datagram->bytes, *got);
    return AW_OK;
}

static enum aw_status udp_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                               int64_t deadline, struct aw_error *err)
{
    struct udp_link *self = (struct udp_link *)link;
    enum aw_status status = AW_TIMEOUT;
    *got = 0;
    link->rx.event[0] = '\0';
    if (self->out.send_error && may_report(self, aw_clock_now(link->clock))) {
        char name[NAME_LENGTH];
        snprintf(link->rx.event, sizeof link->rx.event, "cannot send to %s: %s",
                 print_address(&self->peer.peer, name), strerror(self->out.send_error));
        self->out.send_error = 0;
        return AW_EVENT;
    }
    if (is_peer_listening(self))
        return AW_EVENT;
    for (bool is_first = true; status == AW_TIMEOUT; is_first = false) {
        if (self->in.next == self->in.count) {
            /* A flood of skipped datagrams must not hide the deadline. */
            if (!is_first && aw_clock_now(link->clock) >= deadline)
                return AW_TIMEOUT;
            status = fill_batch(self, deadline, err);
            if (status != AW_OK)
                return status;
        }
        status = self->in.next < self->in.count ? read_datagram(self, buf, cap, got) : AW_TIMEOUT;
    }
    return status;
}

/* ---- Writing ---- */

static ssize_t send_datagram(const struct udp_link *self, const void *buf, size_t size)
{
    return sendto(self->fd.fd, buf, size, MSG_NOSIGNAL,
                  (const struct sockaddr *)&self->peer.peer.storage, self->peer.peer.size);
}

/* Sends a datagram. If the network refuses it, it is lost, and the next read reports that; the link
 * remains usable. */
static enum aw_status udp_write(struct aw_link *link, const void *buf, size_t size,
                                struct aw_error *err)
{
    struct udp_link *self = (struct udp_link *)link;
    if (self->peer.peer.size == 0)
        return AW_OK;
    for (int tries = 0; send_datagram(self, buf, size) < 0; tries++) {
        if (!is_temporary(errno))
            return aw_fd_fail_lost(link, errno, err);
        bool is_full = errno == EAGAIN || errno == ENOBUFS;
        /* A refusal concerns an earlier datagram, but the kernel reports it for this one without
         * sending it. */
        if (tries == SEND_ATTEMPTS || (!is_full && errno != EINTR && errno != ECONNREFUSED)) {
            self->out.send_error = errno == ECONNREFUSED ? 0 : errno;
            return AW_OK;
        }
        struct pollfd writable = {.fd = self->fd.fd, .events = POLLOUT};
        if (is_full)
            poll(&writable, 1, ROOM_MS);
    }
    self->out.send_error = 0;
    self->out.sent_ns = aw_clock_now(link->clock);
    return AW_OK;
}

static bool udp_raw(const struct aw_link *link, const void *buf, size_t size,
                    struct aw_link_raw *raw)
{
    const struct udp_link *self = (const struct udp_link *)link;
    bool ok = aw_fd_raw(link, buf, size, raw) && self->peer.peer.size > 0;
    raw->address = (const struct sockaddr *)&self->peer.peer.storage;
    raw->address_size = self->peer.peer.size;
    return ok;
}

static const struct aw_link_ops udp_ops = {
    .read = udp_read,
    .write = udp_write,
    .close = aw_fd_close,
    .fd = aw_fd_get_fd,
    .raw = udp_raw,
};

/* ---- Opening ---- */

static int new_socket(const struct address *at)
{
    static const int on = 1, room = BUFFER;
    bool v6 = at->storage.ss_family == AF_INET6;
    int fd = socket(at->storage.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    setsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVERR : IP_RECVERR, &on, sizeof on);
    if (bind(fd, (const struct sockaddr *)&at->storage, at->size) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static enum aw_status fail_bind(const struct address *at, bool is_server, struct aw_error *err)
{
    int error = errno;
    char name[NAME_LENGTH], holder[96];
    print_address(at, name);
    if (error != EADDRINUSE)
        return aw_fail(err, AW_NO_LINK, "udp: %s: %s — %s", name, strerror(error),
                       error == EACCES ? "choose a port above 1023"
                                       : "give an address of this machine");
    if (!aw_udp_find_holder(get_port(at), holder, sizeof holder))
        snprintf(holder, sizeof holder, "another program");
    if (is_server)
        return aw_fail(
            err, AW_NO_LINK,
            "udp-listen: %s: busy: in use by %s — end that program, or choose another port", name,
            holder);
    return aw_fail(err, AW_NO_LINK,
                   "udp: %s: busy: in use by %s — end that client, or use another port at both "
                   "ends (listen=PORT)",
                   name, holder);
}

static enum aw_status create_link(struct udp_link **out, const struct address *at, bool is_server,
                                  struct aw_clock *clock, struct aw_error *err)
{
    int fd = new_socket(at);
    if (fd < 0)
        return fail_bind(at, is_server, err);
    struct udp_link *self = aw_fd_link_new(sizeof *self, &udp_ops, clock);
    if (!self) {
        close(fd);
        return aw_no_memory(err);
    }
    self->fd.fd = fd;
    self->fd.base.datagrams = true;
    self->is_server = is_server;
    init_headers(self);
    *out = self;
    return AW_OK;
}

/* Finds the local address from which the kernel would send to the peer. */
static bool find_local_address(const struct address *to, struct address *out)
{
    *out = (struct address){.size = sizeof out->storage};
    int fd = socket(to->storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool found = fd >= 0 && connect(fd, (const struct sockaddr *)&to->storage, to->size) == 0 &&
                 getsockname(fd, (struct sockaddr *)&out->storage, &out->size) == 0;
    if (fd >= 0)
        close(fd);
    return found;
}

/* Chooses the local address: that of the interface towards the peer. Chooses all addresses if any
 * sender is accepted, or if there is no route to the peer. */
static enum aw_status choose_local_address(struct address *out, const struct address *to,
                                           unsigned port, bool any_sender, struct aw_clock *clock,
                                           struct aw_error *err)
{
    bool v6 = to->storage.ss_family == AF_INET6;
    if (any_sender || !find_local_address(to, out))
        return resolve_host(out, v6 ? "::" : "0.0.0.0", port, to->storage.ss_family, clock, err);
    if (v6)
        ((struct sockaddr_in6 *)&out->storage)->sin6_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in *)&out->storage)->sin_port = htons((uint16_t)port);
    return AW_OK;
}

enum aw_status aw_udp_open(struct aw_link **out, const struct aw_url *url,
                           const struct aw_link_options *options, struct aw_error *err)
{
    static const char *const sources[] = {"peer", "any"};
    struct udp_link *self;
    struct address to, at;
    char name[NAME_LENGTH];
    long port = (long)get_default_port(options, 1);
    size_t source = 0;
    enum aw_status status = aw_url_int(url, "listen", 0, 65535, &port, err);
    if (status == AW_OK)
        status = aw_url_choice(url, "from", sources, 2, &source, err);
    if (status == AW_OK)
        status = read_address(&to, url->rest, get_default_port(options, 0), AF_UNSPEC,
                              options->clock, err);
    if (status == AW_OK && get_port(&to) == 0)
        status = aw_fail(err, AW_USAGE, "udp:%.100s: port 0 — give the device's port", url->rest);
    if (status == AW_OK)
        status = choose_local_address(&at, &to, (unsigned)port, source, options->clock, err);
    if (status == AW_OK)
        status = create_link(&self, &at, false, options->clock, err);
    if (status != AW_OK)
        return status;
    self->peer.peer = to;
    self->peer.peer_only = source == 0;
    snprintf(self->fd.base.key, sizeof self->fd.base.key, "udp:%s", print_address(&to, name));
    if (aw_url_get(url, "greet")) /* so that a simulator with reply=sender learns the address */
        sendto(self->fd.fd, "", 0, MSG_NOSIGNAL, (const struct sockaddr *)&to.storage, to.size);
    *out = &self->fd.base;
    return AW_OK;
}

/* Sets key and client_url. For a server that listens on all addresses, these contain the address
 * for clients on this machine. */
static void write_ready(struct udp_link *self, const struct address *at)
{
    char name[NAME_LENGTH];
    struct aw_link *link = &self->fd.base;
    struct address bound = {.size = sizeof bound.storage}, client;
    bool v6 = at->storage.ss_family == AF_INET6;
    getsockname(self->fd.fd, (struct sockaddr *)&bound.storage, &bound.size);
    if (is_any(&bound) && resolve_host(&client, v6 ? "::1" : "127.0.0.1", get_port(&bound),
                                       at->storage.ss_family, link->clock, NULL) == AW_OK)
        bound = client;
    snprintf(link->key, sizeof link->key, "udp:%s", print_address(&bound, name));
    if (self->peer.peer_is_sender)
        snprintf(link->client_url, sizeof link->client_url, "%s?listen=0&greet=1", link->key);
    else
        snprintf(link->client_url, sizeof link->client_url, "%s?listen=%u", link->key,
                 get_port(&self->peer.peer));
}

bool aw_udp_is_bound(unsigned port)
{
    return aw_udp_find_socket(port) != 0;
}

enum aw_status aw_udp_listen_open(struct aw_link **out, const struct aw_url *url,
                                  const struct aw_link_options *options, struct aw_error *err)
{
    struct udp_link *self;
    struct address at, to = {0};
    const char *reply = aw_url_get(url, "reply");
    bool to_sender = reply && strcmp(reply, "sender") == 0;
    enum aw_status status =
        read_address(&at, url->rest, get_default_port(options, 0), AF_UNSPEC, options->clock, err);
    bool v6 = status == AW_OK && at.storage.ss_family == AF_INET6;
    if (status == AW_OK && !to_sender)
        status =
            read_address(&to,
                         reply ? reply
                         : v6  ? "::1"
                               : "",
                         get_default_port(options, 1), at.storage.ss_family, options->clock, err);
    if (status == AW_OK && !to_sender && get_port(&to) == 0)
        status = aw_fail(err, AW_USAGE,
                         "udp-listen:%.100s: no reply address — add reply=PORT or reply=sender",
                         url->rest);
    if (status == AW_OK)
        status = create_link(&self, &at, true, options->clock, err);
    if (status != AW_OK)
        return status;
    self->peer.peer = to;
    self->peer.peer_is_sender = to_sender;
    write_ready(self, &at);
    *out = &self->fd.base;
    return AW_OK;
}
