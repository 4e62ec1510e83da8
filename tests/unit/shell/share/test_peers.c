/* Connections of a server, as they come and go. */
#include "server_helper.h"

static int64_t now(void)
{
    return aw_clock_now(&session->time.real.base);
}

/* A child that has just been forked has all sockets for a moment, too: what comes for one that has
 * been closed here is nobody's any more. (With the sanitizers: not that of a peer that was freed.)
 */
static void who_has_gone_is_not_served_though_its_socket_lives(void **state)
{
    struct epoll_event event;
    int childs = dup(peers[0]->conn.fd);
    (void)state;
    peers[0]->conn.gone = true;
    aw_server_serve(&server.aside);
    assert_int_equal(server.n_peers, 2);
    assert_int_equal(write(ends[0], "{}\n", 3), 3);
    assert_int_equal(epoll_wait(server.all, &event, 1, 0), 0);
    aw_server_serve(&server.aside);
    close(childs);
}

/* Who has gone is taken out of the list, wherever he stands. */
static void who_hangs_up(void **state)
{
    (void)state;
    peers[1]->subscription.on = true;
    server.subscribers = 1;
    shutdown(ends[1], SHUT_WR);
    aw_server_serve(&server.aside);
    assert_int_equal(server.subscribers, 0);
    assert_int_equal(server.n_peers, 2);
    assert_ptr_equal(server.peers, peers[2]);
    assert_ptr_equal(peers[2]->next, peers[0]);
    assert_int_equal(read(ends[1], &(char){0}, 1), 0); /* its socket is closed */
    peers[0]->conn.gone = true;
    aw_server_serve(&server.aside);
    assert_int_equal(server.n_peers, 1);
    assert_null(peers[2]->next);
    aw_peer_say(peers[2], "{\"n\":%d}\n", 5);
    assert_string_equal(heard(2), "{\"n\":5}\n");
}

/* Who leaves in order and is gone before that is read, while something is said to it: what it has
 * set going goes on, however many lines there were. */
static void who_leaves_is_listened_to_the_end(void **state)
{
    static const char line[] = "{\"idle\":true}\n";
    (void)state;
    peers[1]->frames = true;
    server.holder = peers[1];
    server.moving = true;
    session->motion.ongoing = AW_ONGOING_RUNNING;
    for (int i = 0; i < 20; i++)
        assert_int_equal(write(ends[1], line, sizeof line - 1), sizeof line - 1);
    assert_int_equal(write(ends[1], "{\"leave\":true}\n", 15), 15);
    close(ends[1]);
    ends[1] = dup(ends[0]);
    aw_peer_say(peers[1], "{}\n");
    for (int i = 0; i < 4; i++)
        aw_server_serve(&server.aside);
    assert_int_equal(server.n_peers, 2);
    assert_false(server.halt);
    assert_null(server.holder);
    session->motion.ongoing = AW_ONGOING_NOTHING;
}

/* An empty line is a sign of life; what says more than a line may have is told so, and cut off. */
static void signs_of_life(void **state)
{
    (void)state;
    int64_t before = now();
    for (int i = 0; i < 3; i++)
        peers[i]->seen_ns = 1;
    assert_int_equal(write(ends[0], "\n", 1), 1);
    assert_int_equal(write(ends[1], "no whole line", 13), 13);
    aw_server_serve(&server.aside);
    assert_true(peers[0]->seen_ns >= before && peers[0]->seen_ns <= now());
    assert_int_equal(peers[1]->seen_ns, 1);
    assert_int_equal(peers[2]->seen_ns, 1);
    peers[1]->conn.longest = 12;
    assert_int_equal(write(ends[1], "\n", 1), 1);
    aw_server_serve(&server.aside);
    assert_string_equal(heard(1),
                        "{\"error\":\"usage\",\"why\":\"a line of more than 12 bytes\"}\n");
    assert_int_equal(server.n_peers, 2);
}

/* Only so many lines of one client at a time, and none while too many of its requests wait. */
static void each_in_its_turn(void **state)
{
    char lines[40];
    (void)state;
    memset(lines, '\n', sizeof lines);
    assert_int_equal(write(ends[0], lines, sizeof lines), sizeof lines);
    aw_server_serve(&server.aside);
    assert_int_equal(peers[0]->conn.in_used - peers[0]->conn.in_start, 24);
    peers[0]->waiting = AW_REQUESTS_MAX;
    aw_server_serve(&server.aside);
    assert_int_equal(peers[0]->conn.in_used - peers[0]->conn.in_start, 24);
    peers[0]->waiting = AW_REQUESTS_MAX - 1;
    peers[0]->more = true;
    aw_server_serve(&server.aside);
    assert_int_equal(peers[0]->conn.in_used - peers[0]->conn.in_start, 16);
    assert_int_equal(server.n_peers, 3);
}

/* Records wait for each other, but not for long; all else goes out at once. */
static void records_go_out_together(void **state)
{
    (void)state;
    aw_peer_put(peers[0], "record\n", 7, true);
    assert_true(peers[0]->conn.since_ns > 0 && peers[0]->conn.since_ns <= now());
    assert_true(server.aside.due == peers[0]->conn.since_ns + 2 * AW_MILLISECOND);
    int64_t since = peers[0]->conn.since_ns = now() + AW_SECOND;
    aw_peer_put(peers[0], "more\n", 5, true);
    assert_int_equal(peers[0]->conn.since_ns, since);
    aw_server_serve(&server.aside);
    assert_string_equal(heard(0), "");
    peers[0]->conn.since_ns = now() - 2 * AW_MILLISECOND;
    aw_server_serve(&server.aside);
    assert_string_equal(heard(0), "record\nmore\n");
    assert_int_equal(peers[0]->conn.since_ns, 0);
    aw_peer_put(peers[0], "answer\n", 7, false);
    assert_string_equal(heard(0), "answer\n");
    assert_int_equal(peers[0]->conn.since_ns, 0);
}

static void when_to_look_again(void **state)
{
    const int64_t ms = AW_MILLISECOND;
    (void)state;
    aw_server_due(&server);
    assert_true(server.aside.due == AW_NEVER);
    peers[1]->conn.since_ns = 70 * ms;
    peers[0]->conn.since_ns = 50 * ms;
    aw_server_due(&server);
    assert_true(server.aside.due == 52 * ms);
    server.watchdog_ns = AW_SECOND;
    server.alive_ns = 60 * ms;
    aw_server_due(&server);
    assert_true(server.aside.due == 52 * ms);
    server.alive_ns = 51 * ms;
    aw_server_due(&server);
    assert_true(server.aside.due == 51 * ms);
    server.watchdog_ns = peers[0]->conn.since_ns = peers[1]->conn.since_ns = 0;
    peers[2]->held = json_object();
    peers[2]->held_until_ns = 40 * ms;
    aw_server_due(&server);
    assert_true(server.aside.due == 40 * ms);
    json_decref(peers[2]->held);
    peers[2]->held = NULL;
}

/* systemd hears that the server lives when it is time for that, and only then. */
static void a_sign_of_life_for_systemd(void **state)
{
    (void)state;
    unsetenv("NOTIFY_SOCKET");
    server.watchdog_ns = AW_SECOND;
    int64_t later = server.alive_ns = now() + AW_SECOND;
    aw_server_serve(&server.aside);
    assert_true(server.alive_ns == later);
    int64_t before = server.alive_ns = now();
    aw_server_serve(&server.aside);
    assert_true(server.alive_ns >= before + AW_SECOND && server.alive_ns <= now() + AW_SECOND);
    server.watchdog_ns = 0;
    server.alive_ns = 1;
    aw_server_serve(&server.aside);
    assert_int_equal(server.alive_ns, 1);
}

/* What finds no room waits until there is some; who looks on and does not read makes us lag. */
static void who_does_not_read(void **state)
{
    static char block[65536], sink[65536];
    (void)state;
    assert_false(aw_server_lags(&server));
    for (int i = 0; i < 64 && !peers[0]->blocked; i++)
        aw_peer_put(peers[0], block, sizeof block, false);
    assert_true(peers[0]->blocked);
    assert_false(aw_server_lags(&server)); /* of answers nobody says so */
    peers[0]->subscription.on = true;
    assert_true(aw_server_lags(&server));
    peers[0]->subscription.on = false;
    size_t left = peers[0]->conn.kept;
    assert_true(left > 0);
    while (peers[0]->blocked) {
        while (read(ends[0], sink, sizeof sink) > 0)
            ;
        aw_server_serve(&server.aside);
        assert_true(!peers[0]->blocked || peers[0]->conn.kept < left);
        left = peers[0]->conn.kept;
    }
    assert_int_equal(left, 0);
    peers[0]->subscription.on = true;
    aw_peer_put(peers[0], block, 100, true);
    assert_false(aw_server_lags(&server)); /* it goes out */
    peers[0]->subscription.on = false;
}

static void there_is_an_end_to_clients(void **state)
{
    int pair[2];
    (void)state;
    server.n_peers = AW_PEERS_MAX - 1;
    for (int more = 0; more < 2; more++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
        assert_int_equal(aw_peer_add(&server, pair[0], AW_PEERS_MAX) != NULL, !more);
        if (more)
            assert_int_equal(read(pair[1], &(char){0}, 1), 0);
        close(pair[1]);
    }
    assert_int_equal(server.n_peers, AW_PEERS_MAX);
    assert_ptr_equal(server.peers->server, &server);
    assert_true(server.peers->seen_ns > 0);
    server.n_peers = 4;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_has_gone_is_not_served_though_its_socket_lives, start,
                                        stop),
        cmocka_unit_test_setup_teardown(who_hangs_up, start, stop),
        cmocka_unit_test_setup_teardown(who_leaves_is_listened_to_the_end, start, stop),
        cmocka_unit_test_setup_teardown(signs_of_life, start, stop),
        cmocka_unit_test_setup_teardown(each_in_its_turn, start, stop),
        cmocka_unit_test_setup_teardown(records_go_out_together, start, stop),
        cmocka_unit_test_setup_teardown(when_to_look_again, start, stop),
        cmocka_unit_test_setup_teardown(a_sign_of_life_for_systemd, start, stop),
        cmocka_unit_test_setup_teardown(who_does_not_read, start, stop),
        cmocka_unit_test_setup_teardown(there_is_an_end_to_clients, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
