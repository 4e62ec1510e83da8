/* Connections of a server: who listens where, who is there, and what comes and goes. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/share/attached.h"
#include "shell/share/server.h"
#include "shell/share/systemd.h"

#define SPARES  8 /* of a user who has no room */
#define EVENTS  64
#define AT_ONCE 8 /* lines of one client, or new ones, before the next one's turn */

/* ---- Who goes ----------------------------------------------------------------------------------
 */

static void remove_peer(struct aw_server *server, struct aw_peer *peer)
{
    struct aw_peer **at = &server->peers;
    while (*at && *at != peer)
        at = &(*at)->next;
    if (*at)
        *at = peer->next;
    server->n_peers--;
    /* A child that has just been forked may have the socket, too: closing it is not enough. */
    epoll_ctl(server->all, EPOLL_CTL_DEL, peer->conn.fd, NULL);
    aw_feed_leave(server, peer);
    aw_frames_look(server);
    aw_peer_end_lines(peer);
    aw_lease_gone(server, peer);
    json_decref(peer->held);
    aw_conn_free(&peer->conn);
    if (server->spare < 0)
        server->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    free(peer);
}

/* ---- Coming in ---------------------------------------------------------------------------------
 */

static bool take_lines(struct aw_server *server, struct aw_peer *peer)
{
    struct aw_peer *owner;
    peer->more = false;
    for (int i = 0; peer->waiting < AW_REQUESTS_MAX; i++) {
        peer->more = i == AT_ONCE;
        char *line = peer->more ? NULL : aw_conn_next(&peer->conn);
        if (!line)
            break;
        peer->seen_ns = aw_server_now(server);
        if (!peer->pid)
            aw_server_take_line(peer, line);
        else if ((owner = aw_child_take(peer, line)) && !take_lines(server, owner))
            owner->conn.gone = true;
    }
    if (peer->conn.overlong)
        aw_peer_say(peer, "{\"error\":\"usage\",\"why\":\"a line of more than %zu bytes\"}\n",
                    peer->conn.longest);
    return !peer->conn.overlong && !peer->conn.gone;
}

static void serve_peer(struct aw_server *server, struct aw_peer *peer, uint32_t events)
{
    if (peer->conn.gone)
        return;
    if (events & EPOLLOUT)
        aw_conn_flush(&peer->conn);
    /* Read only as fast as it is handled: else a flood fills the memory. */
    bool reads = events & (EPOLLIN | EPOLLHUP | EPOLLERR) && !peer->more;
    if (reads && !aw_conn_fill(&peer->conn))
        peer->over = true;
    if (!take_lines(server, peer))
        peer->conn.gone = true;
    aw_peer_watch(peer); /* who is gone is removed when all have been served */
}

/* ---- Who comes ---------------------------------------------------------------------------------
 */

/* Who has had a place that is kept for a stop for the longest time; of a user, or (NULL) of all. */
static struct aw_peer *oldest_spare(const struct aw_server *server, const struct aw_who *user)
{
    struct aw_peer *oldest = NULL;
    for (struct aw_peer *peer = server->peers; peer; peer = peer->next)
        if (peer->spare && !peer->halts && !peer->conn.gone &&
            (!user || peer->who.uid == user->uid))
            oldest = peer;
    return oldest;
}

/* When there are no descriptors left, one is: for who says stop, or is told that there is no room.
 * Who comes next gets it. */
static int accept_one(struct aw_server *server, const struct aw_listener *listener)
{
    int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0 || (errno != EMFILE && errno != ENFILE))
        return fd;
    struct aw_peer *other = server->spare < 0 ? oldest_spare(server, NULL) : NULL;
    if (other)
        serve_peer(server, other, EPOLLIN); /* it may be a stop that has come just now */
    if (other && other->halts)
        return -1;
    if (other) {
        epoll_ctl(server->all, EPOLL_CTL_DEL, other->conn.fd, NULL);
        aw_conn_free(&other->conn);
        other->conn.gone = true;
    } else if (server->spare >= 0) {
        close(server->spare);
    }
    server->spare = -1;
    return accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* A user of this machine has a share of the room, and beyond it a few places from which a stop is
 * taken: who comes then sends away who has had one for the longest time. */
static void take_room(struct aw_server *server, struct aw_peer *peer)
{
    unsigned n = 0, spares = 0;
    for (struct aw_peer *other = server->peers; other; other = other->next) {
        bool same = other->who.uid == peer->who.uid && other->who.pid && !other->owner;
        if (other == peer || !same || other->conn.gone)
            continue;
        n++;
        spares += other->spare;
    }
    peer->spare = peer->spare || n >= AW_USER_PEERS || server->n_peers > AW_PEERS_MAX;
    struct aw_peer *oldest = spares >= SPARES ? oldest_spare(server, &peer->who) : NULL;
    if (peer->spare && oldest)
        oldest->conn.gone = true;
}

/* False: nobody else is to be let in at this turn. */
static bool accept_peer(struct aw_server *server, const struct aw_listener *listener)
{
    int fd = accept_one(server, listener);
    struct aw_peer *peer = fd >= 0 ? aw_peer_add(server, fd, AW_PEERS_MAX + AW_SPARES_MAX) : NULL;
    if (!peer)
        return false;
    peer->spare = server->spare < 0;
    aw_who_local(&peer->who, fd, &server->newest);
    server->newest = peer->who; /* which may get another name later */
    take_room(server, peer);
    aw_peer_welcome(server, peer);
    return !peer->spare;
}

static struct aw_listener *as_listener(struct aw_server *server, const void *what)
{
    for (size_t i = 0; i < server->n_listeners; i++)
        if (&server->listeners[i] == what)
            return &server->listeners[i];
    return NULL;
}

bool aw_server_lags(const struct aw_server *server)
{
    bool lags = false;
    for (struct aw_peer *peer = server->peers; peer; peer = peer->next) {
        if (peer->subscription.on)
            aw_conn_flush(&peer->conn);
        lags = lags || (peer->subscription.on && aw_conn_waiting(&peer->conn));
    }
    return lags;
}

void aw_server_due(struct aw_server *server)
{
    int64_t due = aw_deadman_due(server);
    bool virtual = aw_session_virtual(server->session);
    if (!virtual)
        due = aw_sooner(due, server->ask_ns);
    for (const struct aw_peer *peer = server->peers; peer; peer = peer->next) {
        if (peer->conn.since_ns)
            due = aw_sooner(due, peer->conn.since_ns + AW_TOGETHER);
        if (peer->held && !virtual)
            due = aw_sooner(due, peer->held_until_ns);
        if (peer->more)
            due = 0;
    }
    if (server->watchdog_ns)
        due = aw_sooner(due, server->alive_ns);
    if (server->again_ns && !server->halt)
        due = aw_sooner(due, server->again_ns);
    if (server->stops_until_ns)
        due = aw_sooner(due, server->stops_until_ns);
    server->aside.due = due;
}

/* Records that have waited long enough go out; who has been cut off goes. */
static void look_after(struct aw_server *server)
{
    int64_t now = aw_server_now(server);
    int waiting;
    for (struct aw_peer *peer = server->peers, *next; peer; peer = next) {
        struct aw_conn *conn = &peer->conn;
        aw_frames_held(server, peer);
        if ((peer->more && !take_lines(server, peer)) || (peer->over && !peer->more))
            conn->gone = true;
        if (peer->drops && !peer->more && ioctl(conn->fd, FIONREAD, &waiting) == 0 && !waiting)
            peer->drops = false;
        if (conn->since_ns && now - conn->since_ns >= AW_TOGETHER) {
            aw_conn_flush(conn);
            aw_peer_watch(peer);
        }
        next = peer->next;
        if (conn->gone)
            remove_peer(server, peer);
    }
}

void aw_server_serve(struct aw_aside *aside)
{
    struct aw_server *server = (struct aw_server *)aside;
    struct epoll_event events[EVENTS];
    if (server->closed || server->serves) { /* a write to the device may wait, too */
        aside->due = AW_NEVER;
        return;
    }
    server->serves = true;
    aw_watchdog_look(&server->watchdog); /* before any client: a frame of theirs may be old */
    aside->fd = -1;
    int n = epoll_wait(server->all, events, EVENTS, 0);
    for (int i = 0; i < n; i++) {
        const struct aw_listener *listener = as_listener(server, events[i].data.ptr);
        for (int more = AT_ONCE; listener && more > 0 && accept_peer(server, listener); more--)
            ;
        if (!listener)
            serve_peer(server, events[i].data.ptr, events[i].events);
    }
    aw_deadman_look(server);
    if (server->watchdog_ns && aw_server_now(server) >= server->alive_ns) {
        aw_systemd_tell("WATCHDOG=1");
        server->alive_ns = aw_server_now(server) + server->watchdog_ns;
    }
    aw_frames_look(server);
    look_after(server);
    aw_children_reap(server);
    aside->fd = server->all;
    server->serves = false;
    aw_server_due(server);
}

/* ---- Listening ---------------------------------------------------------------------------------
 */

static enum aw_status refuse(struct aw_server *server, const char *url, const char *why)
{
    return aw_fail(&server->session->err, AW_NO_LINK, "serve: %s: %s", url, why);
}

/* A socket file that nobody listens on is left over from a server that was killed. */
static enum aw_status take_place(struct aw_server *server, const struct aw_address *address)
{
    char why[160];
    struct aw_who who;
    struct stat file;
    json_t *hello;
    if (lstat(address->path, &file) != 0 || !S_ISSOCK(file.st_mode))
        return AW_OK;
    bool there = aw_way_look(server->session, address, &who, &hello);
    bool left = !there && errno == ECONNREFUSED;
    if (there) {
        const char *link = json_string_value(json_object_get(hello, "link"));
        snprintf(server->other, sizeof server->other, "%s", link ? link : "");
        json_decref(hello);
        left = who.pid > 0 && kill(who.pid, 0) != 0 && errno == ESRCH; /* its guard is there yet */
    }
    if (left && unlink(address->path) == 0)
        return AW_OK;
    if (left || !there)
        return refuse(server, address->text, strerror(errno));
    snprintf(why, sizeof why, "busy, %s serve (pid %d) has it — give --listen unix:PATH",
             server->session->tool->name, (int)who.pid);
    return refuse(server, address->text, why);
}

enum aw_status aw_server_listen(struct aw_server *server, const char *url)
{
    struct aw_listener *listener = &server->listeners[server->n_listeners];
    struct aw_address address;
    struct aw_error *err = &server->session->err;
    enum aw_status status = aw_address_parse(&address, server->session->tool->name, url, err);
    if (status == AW_OK && server->n_listeners == AW_LISTEN_MAX)
        status = aw_fail(err, AW_USAGE, "serve: more than %d times --listen", AW_LISTEN_MAX);
    if (status == AW_OK)
        status = take_place(server, &address);
    if (status != AW_OK)
        return status;
    mode_t before = umask(aw_systemd_shares(address.path) ? 0117 : 0177);
    listener->fd = aw_address_listen(&address);
    umask(before);
    if (listener->fd < 0)
        return refuse(server, url, strerror(errno));
    snprintf(listener->url, sizeof listener->url, "serve:%s", address.path);
    snprintf(listener->path, sizeof listener->path, "%s", address.path);
    struct stat file = {0};
    stat(listener->path, &file);
    listener->device = file.st_dev;
    listener->inode = file.st_ino;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = listener};
    epoll_ctl(server->all, EPOLL_CTL_ADD, listener->fd, &event);
    server->n_listeners++;
    return AW_OK;
}

void aw_server_close_fds(const struct aw_server *server)
{
    for (const struct aw_peer *peer = server->peers; peer; peer = peer->next)
        close(peer->conn.fd);
    for (size_t i = 0; i < server->n_listeners; i++)
        close(server->listeners[i].fd);
    if (server->spare >= 0)
        close(server->spare);
    if (server->all >= 0)
        close(server->all);
}

/* Another server may have taken the place of a socket file that somebody removed. */
static bool is_ours(const struct aw_listener *listener)
{
    struct stat file;
    return *listener->path && lstat(listener->path, &file) == 0 &&
           file.st_dev == listener->device && file.st_ino == listener->inode;
}

void aw_server_close(struct aw_server *server)
{
    while (server->peers) {
        aw_conn_flush(&server->peers->conn);
        remove_peer(server, server->peers);
    }
    for (size_t i = 0; i < server->n_listeners; i++) {
        if (is_ours(&server->listeners[i]))
            unlink(server->listeners[i].path);
        close(server->listeners[i].fd);
    }
    if (server->spare >= 0)
        close(server->spare);
    server->spare = -1;
    if (server->all >= 0)
        close(server->all);
}
