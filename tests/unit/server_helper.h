/* A server with three clients, each at the other end of a pair of sockets. */
#ifndef AW_TESTS_SERVER_HELPER_H
#define AW_TESTS_SERVER_HELPER_H

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "shell_helper.h"

#include "shell/share/server.h"

static struct aw_session *session;
static struct aw_server server;
static struct aw_peer *peers[3]; /* the last one is the first of the server's list */
static int ends[3];

static inline int server_start(const struct aw_tool *tool)
{
    session = rig_new(tool);
    server = (struct aw_server){.session = session,
                                .answered = aw_frames_answered,
                                .all = epoll_create1(EPOLL_CLOEXEC),
                                .spare = open("/dev/null", O_RDONLY | O_CLOEXEC),
                                .ask_ns = AW_NEVER};
    server.aside = (struct aw_aside){.fd = server.all, .due = AW_NEVER};
    session->share.server = &server;
    session->time.real.stop_fd = session->motion.stop.asked =
        eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    for (int i = 0; i < 3; i++) {
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
            return -1;
        ends[i] = pair[1];
        peers[i] = aw_peer_add(&server, pair[0], AW_PEERS_MAX);
        peers[i]->who = (struct aw_who){.pid = 70 + i, .program = "script", .user = "ann"};
    }
    return server.n_peers != 3 || aw_feed_open(&server) != AW_OK;
}

static inline int start(void **state)
{
    (void)state;
    return server_start(&rig_tool);
}

static inline int stop(void **state)
{
    (void)state;
    aw_server_close(&server);
    aw_feed_close(&server);
    rig_free(session);
    for (int i = 0; i < 3; i++)
        close(ends[i]);
    return server.n_peers || server.peers || server.feed;
}

/* Whether what waits was asked to stop, since this was looked at last. */
static inline bool asked_to_stop(void)
{
    uint64_t times;
    return read(session->motion.stop.asked, &times, sizeof times) > 0;
}

/* What has come to a client since it was last asked for. */
static inline const char *heard(int i)
{
    static char text[16384];
    ssize_t n = read(ends[i], text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

#endif
