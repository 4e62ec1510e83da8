/* One client of a server: its connection and its output queue. */
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "shell/serve/server.h"

int64_t aw_server_now(const struct aw_server *server)
{
    return aw_clock_now(&server->session->time.real.base);
}

struct aw_peer *aw_peer_add(struct aw_server *server, int fd)
{
    struct aw_peer *peer = server->clients.n_peers < server->clients.max_peers + AW_SPARES_MAX
                               ? calloc(1, sizeof *peer)
                               : NULL;
    if (!peer) {
        close(fd);
        return NULL;
    }
    aw_conn_init(&peer->conn, fd);
    peer->received_ns = aw_server_now(server);
    peer->server = server;
    peer->next = server->clients.peers;
    server->clients.peers = peer;
    server->clients.n_peers++;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
    epoll_ctl(server->clients.epoll_fd, EPOLL_CTL_ADD, fd, &event);
    return peer;
}

void aw_peer_watch(struct aw_peer *peer)
{
    bool waiting = aw_conn_has_output(&peer->conn);
    struct epoll_event event = {.events = EPOLLIN | (waiting ? EPOLLOUT : 0), .data.ptr = peer};
    if (waiting != peer->is_blocked)
        epoll_ctl(peer->server->clients.epoll_fd, EPOLL_CTL_MOD, peer->conn.fd, &event);
    peer->is_blocked = waiting;
}

/* epoll reports when a full socket has room again. */
void aw_peer_flush(struct aw_peer *peer)
{
    if (peer->is_blocked) {
        peer->conn.oldest_ns = 0;
        return;
    }
    aw_conn_flush(&peer->conn);
    aw_peer_watch(peer);
}

void aw_peer_send(struct aw_peer *peer, const struct aw_serve_message *m)
{
    struct aw_server *server = peer->server;
    bool record = m->type == AW_PASSED;
    size_t share = AW_QUEUES_MAX / server->clients.n_peers;
    peer->conn.max_record_size = share < AW_CONN_QUEUE ? share : AW_CONN_QUEUE;
    aw_conn_put(&peer->conn, m);
    if (record && !peer->conn.oldest_ns)
        peer->conn.oldest_ns = aw_server_now(server);
    if (record && !peer->awaits_answer && peer != server->lease.holder)
        server->background.due =
            aw_min_time(server->background.due, peer->conn.oldest_ns + AW_TOGETHER);
    else
        aw_peer_flush(peer);
}

void aw_peer_answer(struct aw_peer *peer, uint32_t number, enum aw_status status, const char *why)
{
    aw_peer_send(peer, &(struct aw_serve_message){.type = AW_DONE,
                                                  .number = number,
                                                  .status = (uint8_t)status,
                                                  .body = aw_text_body(why)});
}
