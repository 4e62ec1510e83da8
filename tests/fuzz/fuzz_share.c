/* What a server of a device reads from its clients, and a client from its server: lines that
 * anybody may have written. The first byte chooses. Nothing is run: a request that is understood is
 * queued, and freed.
 *
 * Every line that is no sign of life is answered or queued; what a client is told writes no file
 * that it has not named, and bytes of a link come as they are.
 */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shell.h"
#include "shell/core/share.h"
#include "shell/share/attached.h"
#include "shell/share/server.h"

static void swallow(struct aw_sink *sink, bool error, const char *text, size_t size)
{
    (void)sink, (void)error, (void)text, (void)size;
}

/* Both ends of a connection at which this has been said. */
static bool say(const uint8_t *data, size_t size, int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
        return false;
    ssize_t n = write(ends[1], data, size);
    n = n < 0 ? n : write(ends[1], "\n", 1);
    return n >= 0;
}

static void drop_requests(struct aw_server *server)
{
    while (server->first) {
        struct aw_request *request = server->first;
        MUST(request->peer && (request->line || request->object));
        server->first = request->next;
        aw_request_free(request);
    }
    server->last = NULL;
}

static void try_server(const uint8_t *data, size_t size)
{
    int ends[2];
    struct aw_session *session = open_session(&fuzz_tools[0]);
    struct aw_server *server = calloc(1, sizeof *server);
    struct aw_peer *peer = calloc(1, sizeof *peer);
    char *line;
    MUST(session && server && peer && say(data, size, ends));
    *server = (struct aw_server){.session = session, .all = epoll_create1(0), .peers = peer};
    session->server = server;
    session->sharing = &aw_sharing;
    session->out.sink = &server->sink;
    server->sink.put = swallow;
    snprintf(server->token, sizeof server->token, "secret");
    MUST(aw_feed_open(server) == AW_OK);
    *peer = (struct aw_peer){.server = server, .welcome = size % 4 != 0};
    aw_conn_init(&peer->conn, ends[0], 1 << 16);
    server->n_peers = 1;
    aw_conn_fill(&peer->conn);
    while ((line = aw_conn_next(&peer->conn)) && !peer->conn.gone) {
        aw_server_take_line(server, peer, line);
        drop_requests(server);
    }
    aw_server_close(server);
    aw_feed_close(server);
    close(ends[1]);
    session->server = NULL;
    session->out.sink = NULL;
    close_session(session);
    free(server);
}

static void try_client(const uint8_t *data, size_t size)
{
    int ends[2];
    struct aw_sink sink = {swallow};
    struct aw_session *session = open_session(&fuzz_tools[0]);
    struct aw_attached *attached = calloc(1, sizeof *attached);
    struct aw_link *link = NULL;
    uint8_t bytes[256];
    size_t got;
    MUST(session && attached && say(data, size, ends));
    session->out.sink = &sink;
    *attached = (struct aw_attached){.session = session, .id = 1, .datagrams = size % 2};
    attached->files = json_pack("[{s:s}]", "file", "/dev/null");
    aw_conn_init(&attached->conn, ends[0], 1 << 16);
    session->attached = attached;
    MUST(aw_look_open(session, &link) == AW_OK);
    shutdown(ends[1], SHUT_WR);
    aw_attached_take(attached);
    while (aw_link_read(link, bytes, sizeof bytes, &got, 0, NULL) == AW_OK)
        MUST(got > 0 && got <= sizeof bytes);
    aw_link_close(link);
    json_decref(attached->files);
    aw_conn_free(&attached->conn);
    close(ends[1]);
    session->attached = NULL;
    session->out.sink = NULL;
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
