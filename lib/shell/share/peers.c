/* Connections of a server: who listens where, who is there, and what comes and goes. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/xdg.h"
#include "shell/core/object.h"
#include "shell/share/address.h"
#include "shell/share/server.h"
#include "shell/share/systemd.h"

#define SAY_MAX    65536
#define LINE_LIMIT (24 << 20)           /* bytes of a line: files come in one */
#define TOGETHER   (2 * AW_MILLISECOND) /* records wait so long for others */
#define AGAIN      AW_MILLISECOND       /* until a link that was busy is looked at again */
#define EVENTS     64
#define HELLO_MS   1000
#define AT_ONCE    32 /* lines of one client before the next one's turn */

static int64_t now_ns(const struct aw_server *server)
{
    return aw_clock_now(&server->session->real_clock.base);
}

/* ---- Going out ---------------------------------------------------------------------------------
 */

/* Room in the socket matters only while something waits for it. */
static void watch_peer(struct aw_peer *peer)
{
    bool waiting = aw_conn_waiting(&peer->conn);
    struct epoll_event event = {.events = EPOLLIN | (waiting ? EPOLLOUT : 0), .data.ptr = peer};
    if (waiting != peer->blocked)
        epoll_ctl(peer->server->all, EPOLL_CTL_MOD, peer->conn.fd, &event);
    peer->blocked = waiting;
}

void aw_peer_put(struct aw_peer *peer, const char *text, size_t size, bool record)
{
    aw_conn_put(&peer->conn, text, size, record);
    if (record && !peer->conn.since_ns)
        peer->conn.since_ns = now_ns(peer->server);
    if (record)
        return;
    aw_conn_flush(&peer->conn);
    watch_peer(peer);
}

void aw_peer_say(struct aw_peer *peer, const char *format, ...)
{
    char text[SAY_MAX];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (size > 0 && (size_t)size < sizeof text)
        aw_peer_put(peer, text, (size_t)size, false);
}

/* ---- Who is there ------------------------------------------------------------------------------
 */

void aw_peer_welcome(struct aw_server *server, struct aw_peer *peer)
{
    peer->welcome = true;
    char *fields = aw_feed_fields(server), who[256], link[6 * sizeof server->url + 2];
    if (!fields)
        return;
    *aw_json_string(link, server->url, sizeof server->url) = '\0';
    aw_who_text(server, who, sizeof who);
    const struct aw_tool *tool = server->session->tool;
    aw_peer_say(peer,
                "{\"serve\":\"%s\",\"version\":\"%s\",\"pid\":%d,\"link\":%s,\"datagrams\":%s,"
                "\"deadman_ms\":%lld,\"commander\":%s,\"fields\":[%s]}\n",
                tool->name, AW_VERSION, (int)getpid(), link,
                server->session->link && server->session->link->datagrams ? "true" : "false",
                (long long)(server->deadman_ns / AW_MILLISECOND), who, fields);
    free(fields);
}

struct aw_peer *aw_peer_add(struct aw_server *server, int fd)
{
    struct aw_peer *peer = server->n_peers < AW_PEERS_MAX ? calloc(1, sizeof *peer) : NULL;
    if (!peer) {
        close(fd);
        return NULL;
    }
    aw_conn_init(&peer->conn, fd, LINE_LIMIT);
    peer->seen_ns = now_ns(server);
    peer->server = server;
    peer->next = server->peers;
    server->peers = peer;
    server->n_peers++;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
    epoll_ctl(server->all, EPOLL_CTL_ADD, fd, &event);
    return peer;
}

static void accept_peer(struct aw_server *server, const struct aw_listener *listener)
{
    int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
    struct aw_peer *peer = fd >= 0 ? aw_peer_add(server, fd) : NULL;
    if (!peer)
        return;
    if (listener->token) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return;
    }
    aw_who_local(&peer->who, fd);
    aw_peer_welcome(server, peer);
}

static void remove_peer(struct aw_server *server, struct aw_peer *peer)
{
    struct aw_peer **at = &server->peers;
    while (*at && *at != peer)
        at = &(*at)->next;
    if (*at)
        *at = peer->next;
    server->n_peers--;
    if (peer == server->bringer) {
        server->bringer = NULL;
        aw_session_notice(server->session, "armwire-mqtt has ended: nobody comes by MQTT");
    }
    /* A child that has just been forked may have the socket, too: closing it is not enough. */
    epoll_ctl(server->all, EPOLL_CTL_DEL, peer->conn.fd, NULL);
    aw_feed_leave(server, peer);
    if (peer->child > 0)
        aw_beside_end(peer);
    else
        aw_server_forget(server, peer);
    aw_conn_free(&peer->conn);
    free(peer);
}

/* ---- Coming in ---------------------------------------------------------------------------------
 */

static bool take_lines(struct aw_server *server, struct aw_peer *peer)
{
    for (int i = 0; i < AT_ONCE && peer->waiting < AW_REQUESTS_MAX; i++) {
        const char *line = aw_conn_next(&peer->conn);
        if (!line)
            break;
        peer->seen_ns = now_ns(server);
        if (peer->child > 0)
            aw_beside_take(peer, line);
        else
            aw_server_take_line(server, peer, line);
    }
    if (peer->conn.overlong)
        aw_peer_say(peer, "{\"error\":\"usage\",\"why\":\"a line of more than %d bytes\"}\n",
                    LINE_LIMIT);
    return !peer->conn.overlong && !peer->conn.gone;
}

static void serve_peer(struct aw_server *server, struct aw_peer *peer, uint32_t events)
{
    bool there = true;
    if (events & EPOLLOUT)
        aw_conn_flush(&peer->conn);
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        there = aw_conn_fill(&peer->conn);
    if (!take_lines(server, peer) || !there || peer->conn.gone)
        remove_peer(server, peer);
    else
        watch_peer(peer);
}

void aw_peer_resume(struct aw_peer *peer)
{
    if (!take_lines(peer->server, peer))
        peer->conn.gone = true;
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
    int64_t due = aw_deadman_due(server), again = now_ns(server) + AGAIN;
    for (const struct aw_peer *peer = server->peers; peer; peer = peer->next) {
        if (peer->conn.since_ns && peer->conn.since_ns + TOGETHER < due)
            due = peer->conn.since_ns + TOGETHER;
        if (peer->question && again < due)
            due = again;
    }
    if (server->watchdog_ns && server->alive_ns < due)
        due = server->alive_ns;
    server->aside.due = due;
}

void aw_server_serve(struct aw_aside *aside)
{
    struct aw_server *server = (struct aw_server *)aside;
    struct epoll_event events[EVENTS];
    int n = epoll_wait(server->all, events, EVENTS, 0);
    for (int i = 0; i < n; i++) {
        const struct aw_listener *listener = as_listener(server, events[i].data.ptr);
        if (listener)
            accept_peer(server, listener);
        else
            serve_peer(server, events[i].data.ptr, events[i].events);
    }
    int64_t due = aw_deadman_due(server);
    if (due != AW_NEVER && now_ns(server) >= due) {
        double silent = (double)(now_ns(server) - server->commander->seen_ns) / 1e9;
        aw_server_interrupt(server, "the commander was silent for %.2f s — stopped", silent);
        aw_peer_say(server->commander, "{\"stopped\":\"%s\"}\n", server->why);
        aw_lease_end(server);
    }
    if (server->watchdog_ns && now_ns(server) >= server->alive_ns) {
        aw_systemd_tell("WATCHDOG=1");
        server->alive_ns = now_ns(server) + server->watchdog_ns;
    }
    /* Records that have waited long enough go out; who has been cut off goes. */
    int64_t now = now_ns(server);
    for (struct aw_peer *peer = server->peers, *next; peer; peer = next) {
        next = peer->next;
        struct aw_conn *conn = &peer->conn;
        if (conn->since_ns && now - conn->since_ns >= TOGETHER) {
            aw_conn_flush(conn);
            watch_peer(peer);
        }
        if (conn->gone)
            remove_peer(server, peer);
    }
    if (aside->rests)
        aw_beside_ask(server);
    aw_server_due(server);
}

/* ---- Listening ---------------------------------------------------------------------------------
 */

static enum aw_status refuse(struct aw_server *server, const char *url, const char *why)
{
    return aw_fail(&server->session->err, AW_NO_LINK, "serve: %s: %s", url, why);
}

/* What the server at the other end has, by its first line; "" if it says none in time. */
static void read_device(int fd, char *out, size_t size)
{
    struct aw_conn conn;
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    const char *line = NULL;
    aw_conn_init(&conn, dup(fd), LINE_LIMIT);
    while (!line && poll(&ready, 1, HELLO_MS) == 1 && aw_conn_fill(&conn))
        line = aw_conn_next(&conn);
    json_t *hello = line ? json_loads(line, 0, NULL) : NULL;
    const char *link = json_string_value(json_object_get(hello, "link"));
    snprintf(out, size, "%s", link ? link : "");
    json_decref(hello);
    aw_conn_free(&conn);
}

/* A socket file that nobody listens on is left over from a server that was killed. */
static enum aw_status take_place(struct aw_server *server, const struct aw_address *address)
{
    char why[160];
    struct aw_who who;
    struct stat file;
    if (lstat(address->path, &file) != 0 || !S_ISSOCK(file.st_mode))
        return AW_OK;
    int fd = aw_address_connect(address, NULL);
    if (fd < 0 && errno == ECONNREFUSED)
        return unlink(address->path) == 0 ? AW_OK : refuse(server, address->text, strerror(errno));
    if (fd < 0)
        return refuse(server, address->text, strerror(errno));
    aw_who_local(&who, fd);
    read_device(fd, server->other, sizeof server->other);
    close(fd);
    if (who.pid > 0 && kill(who.pid, 0) != 0 && errno == ESRCH) /* its guard is about to end */
        return unlink(address->path) == 0 ? AW_OK : refuse(server, address->text, strerror(errno));
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
    if (status == AW_OK && address.family != AF_UNIX && !*server->token)
        status = aw_fail(err, AW_USAGE,
                         "serve: %s needs --token FILE: who shows what is in it may command", url);
    if (status == AW_OK && address.family == AF_UNIX)
        status = take_place(server, &address);
    if (status != AW_OK)
        return status;
    mode_t before = umask(aw_systemd_shares(address.path) ? 0117 : 0177);
    listener->fd = aw_address_listen(&address);
    umask(before);
    if (listener->fd < 0)
        return refuse(server, url, strerror(errno));
    listener->token = address.family != AF_UNIX;
    aw_address_text(&address, listener->fd, listener->url, sizeof listener->url);
    snprintf(listener->path, sizeof listener->path, "%s", listener->token ? "" : address.path);
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
    if (server->mqtt)
        close(aw_link_fd(server->mqtt));
    if (server->all >= 0)
        close(server->all);
}

void aw_server_close(struct aw_server *server)
{
    server->bringer = NULL;
    while (server->peers) {
        aw_conn_flush(&server->peers->conn);
        remove_peer(server, server->peers);
    }
    for (size_t i = 0; i < server->n_listeners; i++) {
        if (*server->listeners[i].path)
            unlink(server->listeners[i].path);
        close(server->listeners[i].fd);
    }
    aw_link_close(server->mqtt);
    if (server->all >= 0)
        close(server->all);
}
