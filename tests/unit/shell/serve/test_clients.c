/* Tests the connections of a server as clients come and go. */
#include "server_helper.h"

static int64_t now(void)
{
    return aw_clock_now(&session->time.real.base);
}

/* A forked child may briefly hold a copy of the closed socket. Input for the freed peer is ignored;
 * a sanitizer detects access to it. */
TEST_WITH(start, stop, closed_peer_is_not_served)
{
    struct epoll_event event;
    int childs = dup(peers[0]->conn.fd);
    peers[0]->conn.disconnected = true;
    aw_server_serve(&server.background);
    assert_int_equal(server.clients.n_peers, 2);
    assert_int_equal(write(ends[0].fd, "{}\n", 3), 3);
    assert_int_equal(epoll_wait(server.clients.epoll_fd, &event, 1, 0), 0);
    aw_server_serve(&server.background);
    close(childs);
}

TEST_WITH(start, stop, closed_connection_removes_the_peer)
{
    shutdown(ends[1].fd, SHUT_WR);
    aw_server_serve(&server.background);
    assert_int_equal(server.clients.n_peers, 2);
    assert_ptr_equal(server.clients.peers, peers[2]);
    assert_ptr_equal(peers[2]->next, peers[0]);
    assert_false(aw_conn_fill(&ends[1])); /* the server closed its socket */
    peers[0]->conn.disconnected = true;
    aw_server_serve(&server.background);
    assert_int_equal(server.clients.n_peers, 1);
    assert_null(peers[2]->next);
    aw_peer_answer(peers[2], 0, AW_OK, "");
    hears(2, AW_DONE);
}

/* A client leaves properly and closes its socket before the server reads that. Its motion
 * continues, however many messages came before. */
TEST_WITH(start, stop, input_of_a_leaving_peer_is_read_to_its_end)
{
    server.lease.holder = peers[1];
    server.lease.moving = true;
    session->motion.ongoing = AW_ONGOING_RUNNING;
    for (int i = 0; i < 20; i++)
        aw_conn_put(&ends[1], &(struct aw_serve_message){.type = AW_LIFE});
    aw_conn_put(&ends[1], &(struct aw_serve_message){.type = AW_RELEASE});
    aw_conn_flush(&ends[1]);
    close(ends[1].fd);
    ends[1].fd = dup(ends[0].fd);
    aw_peer_answer(peers[1], 0, AW_OK, "");
    for (int i = 0; i < 5; i++)
        aw_server_serve(&server.background);
    assert_int_equal(server.clients.n_peers, 2);
    assert_false(server.stop.is_due);
    assert_null(server.lease.holder);
    session->motion.ongoing = AW_ONGOING_NOTHING;
}

/* Part of a message is a sign of life. An invalid message ends the connection. */
TEST_WITH(start, stop, partial_messages_are_signs_of_life)
{
    int64_t before = now();
    for (int i = 0; i < 3; i++)
        peers[i]->received_ns = 1;
    say(0, AW_LIFE, false);
    assert_true(peers[0]->received_ns >= before && peers[0]->received_ns <= now());
    assert_int_equal(peers[2]->received_ns, 1);
    assert_int_equal(write(ends[1].fd, "\5\0\0", 3), 3);
    aw_server_serve(&server.background);
    assert_true(peers[1]->received_ns >= before);
    assert_int_equal(write(ends[0].fd, "\n\n\n\n\n", 5), 5);
    aw_server_serve(&server.background);
    assert_int_equal(server.clients.n_peers, 2);
    say(2, AW_HELLO, false); /* invalid from a client */
    aw_server_serve(&server.background);
    assert_int_equal(server.clients.n_peers, 1);
}

static size_t waiting(const struct aw_peer *peer)
{
    return (peer->conn.in.end - peer->conn.in.start) / AW_HEAD;
}

/* Each call handles a limited number of a client's messages, and reads no more meanwhile. */
TEST_WITH(start, stop, clients_are_served_in_turn)
{
    for (int i = 0; i < 40; i++)
        aw_conn_put(&ends[0], &(struct aw_serve_message){.type = AW_LIFE});
    aw_conn_flush(&ends[0]);
    aw_server_serve(&server.background);
    assert_int_equal(waiting(peers[0]), 32);
    assert_int_equal(server.background.due, 0);
    say(0, AW_LIFE, false);
    assert_int_equal(waiting(peers[0]), 24);
    for (int i = 0; i < 4; i++)
        aw_server_serve(&server.background);
    assert_null(peers[0]->conn.in.bytes);
    assert_true(server.background.due == AW_NEVER);
}

static void put_passed(int i)
{
    aw_peer_send(peers[i], &(struct aw_serve_message){.type = AW_PASSED});
}

/* Traffic records are delayed briefly to be sent together. Other messages are sent immediately. */
TEST_WITH(start, stop, traffic_records_are_sent_together)
{
    put_passed(0);
    assert_true(peers[0]->conn.oldest_ns > 0 && peers[0]->conn.oldest_ns <= now());
    assert_true(server.background.due == peers[0]->conn.oldest_ns + 2 * AW_MILLISECOND);
    int64_t since = peers[0]->conn.oldest_ns = now() + AW_SECOND;
    put_passed(0);
    assert_int_equal(peers[0]->conn.oldest_ns, since);
    aw_server_serve(&server.background);
    hears_nothing(0);
    peers[0]->conn.oldest_ns = now() - 2 * AW_MILLISECOND;
    aw_server_serve(&server.background);
    hears(0, AW_PASSED);
    hears(0, AW_PASSED);
    assert_int_equal(peers[0]->conn.oldest_ns, 0);
    aw_peer_answer(peers[0], 0, AW_OK, "");
    hears(0, AW_DONE);
    assert_int_equal(peers[0]->conn.oldest_ns, 0);
}

TEST_WITH(start, stop, server_wakes_up_for_its_next_deadline)
{
    const int64_t ms = AW_MILLISECOND;
    aw_server_set_due(&server);
    assert_true(server.background.due == AW_NEVER);
    peers[1]->conn.oldest_ns = 70 * ms;
    peers[0]->conn.oldest_ns = 50 * ms;
    aw_server_set_due(&server);
    assert_true(server.background.due == 52 * ms);
    server.systemd.interval_ns = AW_SECOND;
    server.systemd.due_ns = 60 * ms;
    aw_server_set_due(&server);
    assert_true(server.background.due == 52 * ms);
    server.systemd.due_ns = 51 * ms;
    aw_server_set_due(&server);
    assert_true(server.background.due == 51 * ms);
    server.systemd.interval_ns = peers[0]->conn.oldest_ns = peers[1]->conn.oldest_ns = 0;
    peers[2]->has_messages = true;
    peers[2]->due_ns = 40 * ms;
    aw_server_set_due(&server);
    assert_true(server.background.due == 40 * ms);
    peers[2]->due_ns = 0;
    aw_server_set_due(&server);
    assert_int_equal(server.background.due, 0);
    peers[2]->has_messages = false;
}

TEST_WITH(start, stop, systemd_is_notified_at_its_interval)
{
    unsetenv("NOTIFY_SOCKET");
    server.systemd.interval_ns = AW_SECOND;
    int64_t later = server.systemd.due_ns = now() + AW_SECOND;
    aw_server_serve(&server.background);
    assert_true(server.systemd.due_ns == later);
    int64_t before = server.systemd.due_ns = now();
    aw_server_serve(&server.background);
    assert_true(server.systemd.due_ns >= before + AW_SECOND &&
                server.systemd.due_ns <= now() + AW_SECOND);
    server.systemd.interval_ns = 0;
    server.systemd.due_ns = 1;
    aw_server_serve(&server.background);
    assert_int_equal(server.systemd.due_ns, 1);
}

/* The socket exists from aw_server_listen() until it is closed. */
TEST_WITH(start, stop, clients_connect_to_the_socket)
{
    char folder[] = "/tmp/armwire-test-XXXXXX", url[64], busy[48];
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    assert_non_null(mkdtemp(folder));
    snprintf(url, sizeof url, "unix:%s/door", folder);
    snprintf(name.sun_path, sizeof name.sun_path, "%s", url + 5);
    assert_int_equal(aw_server_listen(&server, url), AW_OK);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
    aw_server_serve(&server.background);
    assert_int_equal(server.clients.n_peers, 4);
    aw_conn_free(&ends[0]);
    aw_conn_init(&ends[0], fd);
    struct aw_hello hello;
    memcpy(&hello, hears(0, AW_HELLO).body.data, sizeof hello);
    assert_string_equal(hello.version, AW_VERSION);
    assert_string_equal(hello.tool, "rig");
    assert_int_equal(hello.commander.who.pid, 0);
    say(1, AW_WANT, false);
    say(0, AW_GET_HELLO, false);
    memcpy(&hello, hears(0, AW_HELLO).body.data, sizeof hello);
    assert_int_equal(hello.commander.who.pid, 71);
    assert_string_equal(hello.commander.who.program, "script");
    assert_int_equal(aw_server_listen(&server, url), AW_NO_LINK);
    snprintf(busy, sizeof busy, "busy: in use by rig serve (pid %d)", (int)getpid());
    assert_has(session->err.text, busy);
    aw_server_close(&server);
    assert_int_equal(access(url + 5, F_OK), -1);
    server.clients.epoll_fd = -1;
    server.clients.n_listeners = 0;
    rmdir(folder);
}

/* Beyond the maximum number of clients, some places are reserved for stops. */
TEST_WITH(start, stop, number_of_clients_is_limited)
{
    int pair[2];
    server.clients.max_peers = 3;
    for (unsigned i = 0; i < AW_SPARES_MAX + 1; i++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
        assert_int_equal(aw_peer_add(&server, pair[0]) != NULL, i < AW_SPARES_MAX);
        close(pair[1]);
    }
    assert_int_equal(server.clients.n_peers, 3 + AW_SPARES_MAX);
    server.clients.peers->is_spare = true;
    server.clients.peers->who.pid = 99;
    aw_lease_request(&server, server.clients.peers, false);
    assert_null(server.lease.holder);
    aw_lease_handle_stop(&server, server.clients.peers);
    assert_ptr_equal(server.lease.holder, server.clients.peers);
}
