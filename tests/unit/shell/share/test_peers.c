/* Connections of a server, as they come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "shell/share/server.h"

static struct aw_session session;
static struct aw_server server = {.session = &session};

/* A child that has just been forked has all sockets for a moment, too: what comes for one that has
 * been closed here is nobody's any more. (With the sanitizers: not that of a peer that was freed.)
 */
static void who_has_gone_is_not_served_though_its_socket_lives(void **state)
{
    int ends[2];
    (void)state;
    session.real_clock = aw_real_clock(-1);
    server.all = epoll_create1(EPOLL_CLOEXEC);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    struct aw_peer *peer = aw_peer_add(&server, ends[0]);
    assert_non_null(peer);
    int childs = dup(ends[0]);
    peer->conn.gone = true;
    aw_server_serve(&server.aside);
    assert_int_equal(server.n_peers, 0);

    assert_int_equal(write(ends[1], "{}\n", 3), 3);
    struct epoll_event event;
    assert_int_equal(epoll_wait(server.all, &event, 1, 0), 0);
    aw_server_serve(&server.aside);
    close(childs);
    close(ends[1]);
    aw_server_close(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_has_gone_is_not_served_though_its_socket_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
