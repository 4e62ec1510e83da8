/* A server with three clients, each connected by a socket pair. */
#ifndef AW_TESTS_SERVER_HELPER_H
#define AW_TESTS_SERVER_HELPER_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "shell_helper.h"

#include "shell/serve/server.h"

static struct aw_session *session;
static struct aw_server server;
static struct aw_peer *peers[3]; /* the last client is first in the server's list */
static struct aw_conn ends[3];

static inline int server_start(const struct aw_tool *tool)
{
    session = rig_new(tool);
    server = (struct aw_server){.session = session,
                                .clients.epoll_fd = epoll_create1(EPOLL_CLOEXEC),
                                .clients.max_peers = AW_PEERS_MAX};
    server.background = (struct aw_background){.fd = server.clients.epoll_fd, .due = AW_NEVER};
    session->share.server = &server;
    session->time.real.stop_fd = session->motion.stop.request_fd =
        eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    for (int i = 0; i < 3; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
            return -1;
        aw_conn_init(&ends[i], pair[1]);
        peers[i] = aw_peer_add(&server, pair[0]);
        peers[i]->who = (struct aw_peer_info){.pid = 70 + i, .program = "script", .user = "ann"};
        sprintf(peers[i]->who.text, "script (pid %d, ann)", 70 + i);
    }
    return server.clients.n_peers != 3;
}

static inline void start(void)
{
    assert_int_equal(server_start(&rig_tool), 0);
}

static inline void stop(void)
{
    aw_server_close(&server);
    session->share.server = NULL;
    rig_free(session);
    for (int i = 0; i < 3; i++)
        aw_conn_free(&ends[i]);
    assert_false(server.clients.n_peers || server.clients.peers);
}

/* Sends a message and lets the server read it. */
static inline void tell(int i, struct aw_serve_message m)
{
    aw_conn_put(&ends[i], &m);
    aw_conn_flush(&ends[i]);
    aw_server_serve(&server.background);
}

static inline void say(int i, enum aw_serve_type type, bool flag)
{
    tell(i, (struct aw_serve_message){.type = type, .flag = flag});
}

/* Returns the type of the next message to a client, or 0. */
static inline enum aw_serve_type hear(int i, struct aw_serve_message *m)
{
    enum aw_serve_type type = aw_conn_next(&ends[i], m);
    if (type)
        return type;
    aw_conn_fill(&ends[i]);
    return aw_conn_next(&ends[i], m);
}

/* Requires a message of this type and returns it. Skips PASSED messages unless they are
 * required. */
static inline struct aw_serve_message hears(int i, enum aw_serve_type type)
{
    struct aw_serve_message m;
    enum aw_serve_type got;
    do
        got = hear(i, &m);
    while (got == AW_PASSED && type != AW_PASSED);
    assert_int_equal(got, type);
    return m;
}

static inline void hears_nothing(int i)
{
    hears(i, 0);
}

/* Requires a message of this type whose text starts with beginning. */
static inline struct aw_serve_message hears_text(int i, enum aw_serve_type type,
                                                 const char *beginning)
{
    struct aw_serve_message m = hears(i, type);
    char text[AW_REASON_MAX + 1];
    aw_serve_copy_text(&m, text, sizeof text);
    if (strncmp(text, beginning, strlen(beginning)) != 0)
        fail_msg("'%s' does not begin with '%s'", text, beginning);
    return m;
}

#endif
