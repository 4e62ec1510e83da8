/* What a server of a device reads from its clients, and a client from its server: lines that
 * anybody may have written. The first byte chooses. Nothing is run: a command that is understood
 * waits behind another one, and frames go to a link that takes everything.
 *
 * No client has more lines waiting than it may, and bytes of a link come as they are.
 */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/core/transport.h"
#include "shell.h"
#include "shell/share/attached.h"
#include "shell/share/server.h"
#include "shell/share/share.h"

static enum aw_status take_all(struct aw_link *link, const void *buf, size_t size,
                               struct aw_error *err)
{
    (void)link, (void)err;
    MUST(buf && size);
    return AW_OK;
}

static const struct aw_link_ops ops = {.write = take_all};

/* Both ends of a connection at which this has been said. */
static bool say(const uint8_t *data, size_t size, int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
        return false;
    ssize_t n = write(ends[1], data, size);
    n = n < 0 ? n : write(ends[1], "\n", 1);
    return n >= 0;
}

/* A client whose first line is being carried out: those that follow wait, and start no child. */
static void keep_busy(struct aw_peer *peer)
{
    struct aw_request *first = calloc(1, sizeof *first + 4);
    MUST(first);
    strcpy(first->line, "deg");
    peer->first = peer->last = first;
    peer->waiting = 1;
    peer->busy = true;
}

static void try_server(const uint8_t *data, size_t size)
{
    int ends[2];
    char *line;
    struct aw_session *session = open_session(&fuzz_tools[0]);
    struct aw_server *server = calloc(1, sizeof *server);
    struct aw_link link = {.ops = &ops, .clock = session->clock};
    MUST(server && say(data, size, ends));
    *server = (struct aw_server){.session = session,
                                 .answered = aw_frames_answered,
                                 .all = epoll_create1(EPOLL_CLOEXEC),
                                 .spare = open("/dev/null", O_RDONLY | O_CLOEXEC),
                                 .ask_ns = AW_NEVER};
    server->aside = (struct aw_aside){.fd = server->all, .due = AW_NEVER};
    session->share.server = server;
    session->share.sharing = &aw_sharing;
    session->device.link = &link;
    MUST(aw_feed_open(server) == AW_OK);
    struct aw_peer *peer = aw_peer_add(server, ends[0], AW_PEERS_MAX);
    MUST(peer);
    keep_busy(peer);
    aw_conn_fill(&peer->conn);
    while ((line = aw_conn_next(&peer->conn)) && !peer->conn.gone) {
        aw_server_take_line(peer, line);
        MUST(peer->waiting <= AW_REQUESTS_MAX);
        server->halt = false; /* there is no device that could be stopped */
        if (!peer->first)
            keep_busy(peer);
    }
    session->device.link = NULL;
    aw_server_close(server);
    aw_feed_close(server);
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
    *attached =
        (struct aw_attached){.session = session, .datagrams = size % 2, .virtual = size % 3 == 0};
    aw_conn_init(&attached->conn, ends[0], 1 << 16);
    session->share.attached = attached;
    MUST(aw_attached_open(session, &link) == AW_OK);
    shutdown(ends[1], SHUT_WR);
    aw_attached_take(attached);
    while (aw_link_read(link, bytes, sizeof bytes, &got, 0, NULL) == AW_OK)
        MUST(got > 0 && got <= sizeof bytes);
    aw_link_close(link);
    json_decref(attached->hello);
    json_decref(attached->answer);
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
