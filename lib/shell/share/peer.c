/* A client of a server: its connection, and what is put into its queue. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "shell/share/server.h"

#define SAY_MAX 65536

int64_t aw_server_now(const struct aw_server *server)
{
    return aw_clock_now(&server->session->time.real.base);
}

struct aw_peer *aw_peer_add(struct aw_server *server, int fd, unsigned most)
{
    struct aw_peer *peer = server->n_peers < most ? calloc(1, sizeof *peer) : NULL;
    if (!peer) {
        close(fd);
        return NULL;
    }
    aw_conn_init(&peer->conn, fd, AW_LINE_LIMIT);
    peer->seen_ns = aw_server_now(server);
    peer->until_ns = AW_NEVER;
    peer->server = server;
    peer->next = server->peers;
    server->peers = peer;
    server->n_peers++;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
    epoll_ctl(server->all, EPOLL_CTL_ADD, fd, &event);
    return peer;
}

/* Room in the socket matters only while something waits for it. */
void aw_peer_watch(struct aw_peer *peer)
{
    bool waiting = aw_conn_waiting(&peer->conn);
    struct epoll_event event = {.events = EPOLLIN | (waiting ? EPOLLOUT : 0), .data.ptr = peer};
    if (waiting != peer->blocked)
        epoll_ctl(peer->server->all, EPOLL_CTL_MOD, peer->conn.fd, &event);
    peer->blocked = waiting;
}

static void send_now(struct aw_peer *peer)
{
    aw_conn_flush(&peer->conn);
    aw_peer_watch(peer);
}

void aw_peer_put(struct aw_peer *peer, const char *text, size_t size, bool record)
{
    struct aw_server *server = peer->server;
    aw_conn_put(&peer->conn, text, size, record);
    if (record && !peer->conn.since_ns)
        peer->conn.since_ns = aw_server_now(server);
    if (record && !peer->asked && peer != server->holder)
        server->aside.due = aw_sooner(server->aside.due, peer->conn.since_ns + AW_TOGETHER);
    else
        send_now(peer);
}

void aw_peer_tell(struct aw_peer *peer, json_t *object)
{
    aw_conn_put_json(&peer->conn, object);
    send_now(peer);
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
