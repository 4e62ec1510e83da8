/* The connections of a server: its listeners, and its clients, served in turn. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/safety/stop.h"
#include "shell/serve/server.h"
#include "shell/serve/systemd.h"

#define SPARES    8   /* max spare connections of a user */
#define EVENTS    256 /* max epoll events handled per turn */
#define AT_ONCE   8   /* messages of one client, or new clients, handled per turn */
#define MAX_SPEED 1e6 /* max playback speed; 1: as in the file */

/* ---- One client ---- */

static void hello(struct aw_peer *peer)
{
    const struct aw_server *server = peer->server;
    struct aw_session *session = server->session;
    const struct aw_link *device = session->device.link;
    struct aw_hello hello;
    memset(&hello, 0, sizeof hello); /* also clears the padding */
    hello.pid = getpid();
    hello.datagrams = device && device->datagrams;
    hello.deadman_ns = server->lease.deadman_ns;
    hello.packets = aw_session_packets_checksum(session);
    hello.memory_size = (uint32_t)aw_memory_save(session, hello.memory).size;
    snprintf(hello.version, sizeof hello.version, "%s", AW_VERSION);
    snprintf(hello.tool, sizeof hello.tool, "%s", session->tool->name);
    snprintf(hello.url, sizeof hello.url, "%s", server->device.url);
    snprintf(hello.key, sizeof hello.key, "%s", device ? device->key : "");
    aw_lease_get_holder(server, &hello.commander);
    aw_peer_send(peer, &(struct aw_serve_message){.type = AW_HELLO,
                                                  .body = {(const uint8_t *)&hello, sizeof hello}});
}

static void remove_peer(struct aw_server *server, struct aw_peer *peer)
{
    struct aw_peer **at = &server->clients.peers;
    while (*at && *at != peer)
        at = &(*at)->next;
    if (*at)
        *at = peer->next;
    server->clients.n_peers--;
    /* A forked child may hold the socket too, so closing it is not enough. */
    epoll_ctl(server->clients.epoll_fd, EPOLL_CTL_DEL, peer->conn.fd, NULL);
    aw_lease_handle_exit(server, peer);
    aw_conn_free(&peer->conn);
    free(peer);
}

/* ---- Messages ---- */

/* Sends the holder a new playback speed, and answers the peer. takes: the peer need not hold the
 * lease. */
static void change_speed(struct aw_peer *peer, double share, bool takes)
{
    struct aw_server *server = peer->server;
    struct aw_peer *holder = server->lease.holder;
    struct aw_error err = {.status = AW_OK};
    if (!(share >= 0 && share <= MAX_SPEED))
        aw_fail(&err, AW_USAGE, "speed: out of range — give 0 to %g", MAX_SPEED);
    else if (!holder || !holder->is_playing)
        aw_fail(&err, AW_REFUSED,
                "speed: nothing is playing through this server — start play, "
                "replay or follow first");
    else if (holder != peer && !takes)
        aw_fail(&err, AW_REFUSED, "speed: %s holds the lease — change its speed with --take",
                holder->who.text);
    if (err.status == AW_OK)
        aw_peer_send(holder, &(struct aw_serve_message){.type = AW_SPEED, .share = share});
    aw_peer_answer(peer, 0, err.status, err.status == AW_OK ? "" : err.text);
}

static void handle_message(struct aw_peer *peer, const struct aw_serve_message *m)
{
    struct aw_server *server = peer->server;
    switch ((enum aw_serve_type)m->type) {
    case AW_LIFE:
        break;
    case AW_LINK:
        peer->receives_bytes = true;
        aw_frames_send_missed(server, peer);
        break;
    case AW_WANT:
        aw_lease_request(server, peer, m->flag);
        break;
    case AW_FRAME:
    case AW_ASK:
        aw_frames_handle(peer, m);
        break;
    case AW_IDLE:
        aw_lease_end_command(server, peer, m);
        break;
    case AW_PLAYS:
        peer->is_playing = m->flag;
        break;
    case AW_ASK_SPEED:
        change_speed(peer, m->share, m->flag);
        break;
    case AW_GET_HELLO:
        hello(peer);
        break;
    case AW_RELEASE:
        if (server->lease.holder == peer)
            aw_lease_release(server);
        break;
    default:
        peer->conn.disconnected = true;
    }
}

/* Handles some messages of a client. Once it has closed its connection, handles all: only IDLE and
 * RELEASE count then; a STOP was handled before. */
static void handle_messages(struct aw_peer *peer, bool closed)
{
    struct aw_serve_message m;
    enum aw_serve_type type = 0;
    int n = 0;
    peer->due_ns = 0;
    while ((n++ < AT_ONCE || closed) && !peer->due_ns && !peer->conn.disconnected &&
           (type = aw_conn_next(&peer->conn, &m)))
        if (!closed || type == AW_IDLE || type == AW_RELEASE)
            handle_message(peer, &m);
    if (peer->due_ns)
        peer->conn.in.start -= m.size; /* handled again when it is due */
    peer->has_messages = type != 0;
}

/* Reads no faster than it handles messages, which comes later: the stops of all clients are first.
 */
static void serve_peer(struct aw_peer *peer, uint32_t events)
{
    if (peer->conn.disconnected)
        return;
    if (events & EPOLLOUT) {
        aw_conn_flush(&peer->conn);
        aw_peer_watch(peer);
    }
    bool closed = events & EPOLLHUP;
    if (closed || (events & (EPOLLIN | EPOLLERR) && (!peer->has_messages || peer->due_ns))) {
        size_t before = peer->conn.in.end - peer->conn.in.start;
        peer->input_ended = !aw_conn_fill(&peer->conn);
        if (peer->conn.in.end - peer->conn.in.start > before)
            peer->received_ns = aw_server_now(peer->server);
        if (aw_conn_take_stop(&peer->conn))
            aw_lease_handle_stop(peer->server, peer);
        peer->has_messages = true;
        if (closed)
            handle_messages(peer, true);
    }
}

/* ---- New clients ---- */

/* Each local user has a limited number of connections, and a few spare ones that get the lease only
 * for a stop. A new spare connection replaces the oldest spare one that has not sent a stop. */
static void claim_slot(struct aw_server *server, struct aw_peer *peer)
{
    unsigned n = 0, spares = 0;
    struct aw_peer *oldest = NULL;
    for (struct aw_peer *other = server->clients.peers; other; other = other->next) {
        if (other == peer || other->who.uid != peer->who.uid || other->conn.disconnected)
            continue;
        n++;
        spares += other->is_spare;
        if (other->is_spare && !other->lease.sent_stop)
            oldest = other;
    }
    peer->is_spare = n >= AW_USER_PEERS || server->clients.n_peers > server->clients.max_peers;
    if (peer->is_spare && spares >= SPARES && oldest)
        oldest->conn.disconnected = true;
}

static bool accept_peer(struct aw_server *server, const struct aw_listener *listener)
{
    int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct aw_peer *peer = fd >= 0 ? aw_peer_add(server, fd) : NULL;
    if (!peer)
        return false;
    aw_peer_identify(&peer->who, fd, &server->clients.newest);
    server->clients.newest = peer->who;
    claim_slot(server, peer);
    hello(peer);
    return true;
}

static void accept_peers(struct aw_server *server)
{
    for (size_t i = 0; i < server->clients.n_listeners; i++)
        for (int more = AT_ONCE; more > 0 && accept_peer(server, &server->clients.listeners[i]);
             more--)
            ;
}

/* ---- All clients ---- */

void aw_server_set_due(struct aw_server *server)
{
    int64_t due = aw_lease_deadman_due(server);
    for (const struct aw_peer *peer = server->clients.peers; peer; peer = peer->next) {
        if (peer->conn.oldest_ns)
            due = aw_min_time(due, peer->conn.oldest_ns + AW_TOGETHER);
        if (peer->has_messages)
            due = aw_min_time(due, peer->due_ns);
    }
    if (server->systemd.interval_ns)
        due = aw_min_time(due, server->systemd.due_ns);
    if (server->stop.retry_ns && !server->stop.is_due)
        due = aw_min_time(due, server->stop.retry_ns);
    if (server->stop.end_ns)
        due = aw_min_time(due, server->stop.end_ns);
    server->background.due = due;
}

/* Handles and sends messages, and removes clients that ended or were disconnected. */
static void maintain_clients(struct aw_server *server)
{
    int64_t now = aw_server_now(server);
    for (struct aw_peer *peer = server->clients.peers, *next; peer; peer = next) {
        if (peer->has_messages && now >= peer->due_ns)
            handle_messages(peer, false);
        if (peer->conn.oldest_ns && now - peer->conn.oldest_ns >= AW_TOGETHER)
            aw_peer_flush(peer);
        next = peer->next;
        if (peer->conn.disconnected || (peer->input_ended && (!peer->has_messages || peer->due_ns)))
            remove_peer(server, peer);
    }
}

void aw_server_serve(struct aw_background *background)
{
    struct aw_server *server = (struct aw_server *)background;
    struct epoll_event events[EVENTS];
    if (server->is_stopping ||
        server->device.is_serving) { /* a write to the device may also wait here */
        background->due = AW_NEVER;
        return;
    }
    server->device.is_serving = true;
    /* This comes first, because a client's frame may be old. */
    aw_watchdog_show_life(&server->watchdog);
    background->fd = -1;
    int n = epoll_wait(server->clients.epoll_fd, events, EVENTS, 0);
    for (int i = 0; i < n; i++)
        if (!events[i].data.ptr)
            accept_peers(server);
    for (int i = 0; i < n; i++)
        if (events[i].data.ptr)
            serve_peer(events[i].data.ptr, events[i].events);
    aw_lease_check_deadman(server);
    if (server->systemd.interval_ns && aw_server_now(server) >= server->systemd.due_ns) {
        aw_systemd_notify("WATCHDOG=1");
        server->systemd.due_ns = aw_server_now(server) + server->systemd.interval_ns;
    }
    maintain_clients(server);
    background->fd = server->clients.epoll_fd;
    server->device.is_serving = false;
    aw_server_set_due(server);
}

/* ---- Listening ---- */

static enum aw_status refuse(struct aw_server *server, const struct aw_address *address,
                             const char *why)
{
    return aw_fail(&server->session->err, AW_NO_LINK, "serve: %s: %s", address->path, why);
}

/* Removes a stale socket file, left by a server that was killed. AW_NO_LINK: a process still uses
 * the socket, or the file cannot be removed. */
static enum aw_status claim_socket(struct aw_server *server, const struct aw_address *address)
{
    char why[160];
    struct aw_peer_info who;
    struct stat file;
    struct aw_hello hello;
    if (lstat(address->path, &file) != 0 || !S_ISSOCK(file.st_mode))
        return AW_OK;
    bool there = aw_hello_query(server->session, address, &who, &hello, NULL);
    if (there)
        snprintf(server->device.other_device, sizeof server->device.other_device, "%s", hello.url);
    /* the watchdog process of a killed server may still run */
    bool left = there ? kill(who.pid, 0) != 0 && errno == ESRCH : errno == ECONNREFUSED;
    if (left && unlink(address->path) == 0)
        return AW_OK;
    if (left || !there)
        return refuse(server, address, strerror(errno));
    snprintf(why, sizeof why, "busy: in use by %s serve (pid %d) — give --listen unix:PATH",
             server->session->tool->name, (int)who.pid);
    return refuse(server, address, why);
}

enum aw_status aw_server_listen(struct aw_server *server, const char *url)
{
    struct aw_listener *listener = &server->clients.listeners[server->clients.n_listeners];
    struct aw_address address;
    struct stat file = {0};
    struct aw_error *err = &server->session->err;
    enum aw_status status = aw_address_parse(&address, server->session->tool->name, url, err);
    if (status == AW_OK && server->clients.n_listeners == AW_LISTEN_MAX)
        status = aw_fail(err, AW_USAGE, "serve: --listen given more than %d times — remove some",
                         AW_LISTEN_MAX);
    if (status == AW_OK)
        status = claim_socket(server, &address);
    if (status != AW_OK)
        return status;
    mode_t before = umask(aw_systemd_shares(address.path) ? 0117 : 0177);
    listener->fd = aw_address_open(&address, true);
    umask(before);
    if (listener->fd < 0)
        return refuse(server, &address, strerror(errno));
    snprintf(listener->path, sizeof listener->path, "%s", address.path);
    stat(listener->path, &file);
    listener->device = file.st_dev;
    listener->inode = file.st_ino;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(server->clients.epoll_fd, EPOLL_CTL_ADD, listener->fd, &event);
    server->clients.n_listeners++;
    return AW_OK;
}

void aw_server_close_fds(void *context)
{
    const struct aw_server *server = context;
    for (const struct aw_peer *peer = server->clients.peers; peer; peer = peer->next)
        close(peer->conn.fd);
    for (size_t i = 0; i < server->clients.n_listeners; i++)
        close(server->clients.listeners[i].fd);
    close(server->clients.epoll_fd);
}

/* Returns false if another server has replaced the socket file. */
static bool is_ours(const struct aw_listener *listener)
{
    struct stat file;
    return lstat(listener->path, &file) == 0 && file.st_dev == listener->device &&
           file.st_ino == listener->inode;
}

void aw_server_close(struct aw_server *server)
{
    while (server->clients.peers) {
        aw_conn_flush(&server->clients.peers->conn);
        remove_peer(server, server->clients.peers);
    }
    for (size_t i = 0; i < server->clients.n_listeners; i++) {
        if (is_ours(&server->clients.listeners[i]))
            unlink(server->clients.listeners[i].path);
        close(server->clients.listeners[i].fd);
    }
    if (server->clients.epoll_fd >= 0)
        close(server->clients.epoll_fd);
}
