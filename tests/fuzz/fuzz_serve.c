/* Fuzzes the messages between a server and its clients, in both directions, as any program could
 * send them. The first byte selects the part. Frames go to a link that accepts everything.
 *
 * The input buffer of a client must stay limited, and bytes of a link must arrive unchanged.
 */
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/core/transport.h"
#include "shell.h"
#include "shell/serve/client.h"
#include "shell/serve/serve.h"
#include "shell/serve/server.h"

static enum aw_status take_all(struct aw_link *link, const void *buf, size_t size,
                               struct aw_error *err)
{
    (void)link, (void)err;
    MUST(buf && size);
    return AW_OK;
}

static const struct aw_link_ops ops = {.write = take_all};

/* Opens both ends of a connection and sends the data. */
static bool say(const uint8_t *data, size_t size, int ends[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0 &&
           write(ends[1], data, size) >= 0;
}

static void try_server(const uint8_t *data, size_t size)
{
    int ends[2];
    struct aw_session *session = open_session(&fuzz_tools[0]);
    struct aw_server *server = calloc(1, sizeof *server);
    struct aw_link link = {.ops = &ops, .clock = session->clock};
    MUST(server && say(data, size, ends));
    *server = (struct aw_server){.session = session,
                                 .clients.epoll_fd = epoll_create1(EPOLL_CLOEXEC),
                                 .clients.max_peers = AW_PEERS_MAX};
    server->background = (struct aw_background){.fd = server->clients.epoll_fd, .due = AW_NEVER};
    session->share.server = server;
    session->share.sharing = &aw_sharing;
    session->device.link = &link;
    struct aw_peer *peer = aw_peer_add(server, ends[0]);
    MUST(peer);
    shutdown(ends[1], SHUT_WR);
    for (int turn = 0; turn < 100 && server->clients.n_peers; turn++) {
        aw_server_serve(&server->background);
        server->stop.is_due = false; /* no device to stop */
        MUST(!server->clients.n_peers || peer->conn.in.room <= AW_MESSAGE_MAX);
    }
    session->device.link = NULL;
    aw_server_close(server);
    close(ends[1]);
    session->share.server = NULL;
    close_session(session);
    free(server);
}

static void try_client(const uint8_t *data, size_t size)
{
    int ends[2];
    struct aw_session *session = open_session(&fuzz_tools[0]);
    struct aw_attached *attached = calloc(1, sizeof *attached);
    struct aw_link *link = NULL;
    uint8_t bytes[256];
    size_t got;
    MUST(attached && say(data, size, ends));
    *attached = (struct aw_attached){.session = session, .hello.datagrams = size % 2};
    aw_conn_init(&attached->conn, ends[0]);
    session->share.attached = attached;
    MUST(aw_attached_open(session, &link) == AW_OK);
    shutdown(ends[1], SHUT_WR);
    for (int turn = 0; turn < 100; turn++)
        aw_attached_handle(attached);
    while (aw_link_read(link, bytes, sizeof bytes, &got, 0, NULL) == AW_OK)
        MUST(got <= sizeof bytes);
    aw_link_close(link);
    aw_conn_free(&attached->conn);
    close(ends[1]);
    session->share.attached = NULL;
    free(attached);
    close_session(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 65536)
        return 0;
    (data[0] & 1 ? try_server : try_client)(data + 1, size - 1);
    return 0;
}
