/* udp: and udp-listen:, over the loopback interface. */
#include "link_helper.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#include "link/udp.h"

/* A plain socket with a free port. */
static int plain_socket(unsigned *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

static void send_plain(int fd, unsigned port, const char *text, size_t size)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_addr = {htonl(INADDR_LOOPBACK)},
                             .sin_port = htons((uint16_t)port)};
    assert_int_equal(sendto(fd, text, size, 0, (struct sockaddr *)&to, sizeof to), size);
}

static unsigned port_in(const char *text)
{
    unsigned port = 0;
    assert_int_equal(sscanf(text, "udp:%*[^:]:%u", &port), 1);
    return port;
}

/* One read that has to bring news with these words. */
static void assert_news(struct aw_link *link, const char *words)
{
    assert_read_is(link, AW_MORE, AW_SECOND);
    if (!strstr(link->event, words))
        fail_msg("\"%s\" does not say \"%s\"", link->event, words);
}

static void both_ends_talk(const char *listen)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *server = open_link(listen, &clock.base);
    assert_writes(server, "for nobody");
    assert_read_is(server, AW_TIMEOUT, 0);
    struct aw_link *client = open_link(server->ready, &clock.base);
    assert_true(server->datagrams && client->datagrams);
    assert_string_equal(client->key, server->key);
    assert_writes(client, "hello");
    assert_reads(server, "hello");
    assert_writes(server, "you");
    assert_reads(client, "you");
    aw_link_close(client);
    aw_link_close(server);
}

static void answers_go_to_the_sender(void **state)
{
    (void)state;
    both_ends_talk("udp-listen:0?reply=sender");
    both_ends_talk("udp-listen:*:0?reply=sender");
    both_ends_talk("udp-listen:127.0.0.1:0?reply=sender");
}

static void answers_go_to_a_fixed_port(void **state)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    unsigned port;
    char url[80], ready[160];
    (void)state;
    int fd = plain_socket(&port);
    close(fd);
    snprintf(url, sizeof url, "udp-listen:0?reply=127.0.0.1:%u", port);
    struct aw_link *server = open_link(url, &clock.base);
    snprintf(ready, sizeof ready, "?listen=%u", port);
    assert_non_null(strstr(server->ready, ready));
    struct aw_link *client = open_link(server->ready, &clock.base);
    assert_writes(server, "at once");
    assert_reads(client, "at once");
    aw_link_close(client);
    aw_link_close(server);
}

static void datagrams_keep_their_boundaries(void **state)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *server = open_link("udp-listen:0?reply=sender", &clock.base);
    struct aw_link *client = open_link(server->ready, &clock.base);
    char buf[16];
    size_t got;
    (void)state;
    for (int i = 0; i < 100; i++) {
        snprintf(buf, sizeof buf, "%d", i);
        assert_writes(client, buf);
    }
    int64_t deadline = aw_clock_now(&clock.base) + 5 * AW_SECOND, before = aw_wall_time();
    for (int i = 0; i < 100; i++) {
        assert_int_equal(aw_link_read(server, buf, sizeof buf - 1, &got, deadline, NULL), AW_OK);
        buf[got] = '\0';
        assert_int_equal(atoi(buf), i);
        assert_true(before - server->rx_time_ns < 5 * AW_SECOND);
        assert_true(server->rx_time_ns <= aw_wall_time());
    }
    assert_int_equal(server->dropped, 0);
    assert_writes(client, "longer than the reader's room");
    assert_int_equal(aw_link_read(server, buf, 6, &got, deadline, NULL), AW_OK);
    assert_int_equal(got, 6);
    assert_read_is(server, AW_TIMEOUT, 0);
    aw_link_close(client);
    aw_link_close(server);
}

static void what_does_not_fit_is_counted(void **state)
{
    enum { SENT = 20000 };
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *server = open_link("udp-listen:0?reply=sender", &clock.base);
    struct aw_link *client = open_link(server->ready, &clock.base);
    char buf[64] = {0};
    size_t got, n = 0;
    (void)state;
    for (int i = 0; i < SENT; i++)
        assert_int_equal(aw_link_write(client, buf, 35, NULL), AW_OK);
    while (aw_link_read(server, buf, sizeof buf, &got, 0, NULL) == AW_OK)
        n++;
    assert_true(n < SENT);
    assert_writes(client, "the next one tells");
    assert_reads(server, "the next one tells");
    assert_int_equal(server->dropped, SENT - n);
    aw_link_close(client);
    aw_link_close(server);
}

static void nobody_there_is_no_reason_to_give_up(void **state)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    unsigned port;
    char url[80];
    (void)state;
    close(plain_socket(&port));
    snprintf(url, sizeof url, "udp:127.0.0.1:%u?listen=0", port);
    struct aw_link *client = open_link(url, &clock.base);
    assert_writes(client, "one");
    assert_news(client, "nobody listens at 127.0.0.1:");
    for (int i = 0; i < 5; i++)
        assert_writes(client, "again"); /* said once */
    assert_read_is(client, AW_TIMEOUT, 10 * AW_MILLISECOND);
    assert_string_equal(client->event, "");

    snprintf(url, sizeof url, "udp-listen:%u?reply=sender", port);
    struct aw_link *server = open_link(url, &clock.base);
    assert_writes(client, "two");
    assert_reads(server, "two");
    assert_writes(server, "here I am");
    assert_reads(client, "here I am");
    aw_link_close(server);
    assert_writes(client, "gone");
    assert_news(client, "nobody listens");
    aw_link_close(client);
}

static void a_second_sender_is_noticed(void **state)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *server = open_link("udp-listen:0?reply=sender", &clock.base);
    unsigned here, there, to = port_in(server->key);
    int one = plain_socket(&here), two = plain_socket(&there);
    char words[80];
    (void)state;
    send_plain(one, to, "a", 1);
    assert_reads(server, "a");
    send_plain(two, to, "b", 1); /* the first one may have been restarted */
    assert_reads(server, "b");
    send_plain(one, to, "c", 1);
    snprintf(words, sizeof words, "127.0.0.1:%u and from 127.0.0.1:%u: two clients", there, here);
    assert_news(server, words);
    assert_reads(server, "c");
    send_plain(two, to, "d", 1); /* said once */
    assert_reads(server, "d");
    close(one);
    close(two);
    aw_link_close(server);
}

static void an_empty_datagram_is_news(void **state)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *server = open_link("udp-listen:0?reply=sender", &clock.base);
    unsigned port;
    int fd = plain_socket(&port);
    (void)state;
    send_plain(fd, port_in(server->key), "", 0);
    assert_news(server, "empty");
    send_plain(fd, port_in(server->key), "", 0);
    send_plain(fd, port_in(server->key), "x", 1);
    assert_reads(server, "x");
    close(fd);
    aw_link_close(server);
}

static void a_taken_port_is_explained(void **state)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    unsigned port;
    char url[80], me[40];
    (void)state;
    int fd = plain_socket(&port);
    snprintf(me, sizeof me, "test_link_udp (pid %d)", (int)getpid());
    snprintf(url, sizeof url, "udp:127.0.0.1:1?listen=%u", port);
    assert_open_fails(url, AW_NO_LINK, me);
    assert_open_fails(url, AW_NO_LINK, "only one client");
    snprintf(url, sizeof url, "udp-listen:%u", port);
    assert_open_fails(url, AW_NO_LINK, me);
    assert_open_fails(url, AW_NO_LINK, "choose another port");
    close(fd);
    aw_link_close(open_link(url, &clock.base));
}

static void bad_urls(void **state)
{
    (void)state;
    assert_open_fails("udp:127.0.0.1:0", AW_USAGE, "port 0");
    assert_open_fails("udp:127.0.0.1:1?listen=65536", AW_USAGE, "listen");
    assert_open_fails("udp:256.1.1.1:1?listen=0", AW_NO_LINK, "no such host");
    assert_open_fails("udp:?listne=1", AW_USAGE, "listen");
    assert_open_fails("udp-listen:127.0.0.1:0?listen=1", AW_USAGE, "unknown");
    assert_open_fails("udp-listen:192.0.2.1:0", AW_NO_LINK, "an address of this machine");
}

static void a_bound_port_is_seen(void **state)
{
    unsigned port;
    int fd = plain_socket(&port);
    (void)state;
    assert_true(aw_udp_bound(port));
    close(fd);
    assert_false(aw_udp_bound(port));
}

static void a_wish_to_stop_ends_the_read(void **state)
{
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    struct aw_real_clock clock = aw_real_clock(ends[0]);
    struct aw_link *server = open_link("udp-listen:0?reply=sender", &clock.base);
    struct aw_link *client = open_link(server->ready, &clock.base);
    assert_writes(client, "waiting");
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_read_is(server, AW_STOPPED, AW_SECOND);
    assert_writes(client, "the stop itself");
    assert_int_equal(read(ends[0], (char[1]){0}, 1), 1);
    assert_reads(server, "waiting");
    assert_reads(server, "the stop itself");
    aw_link_close(client);
    aw_link_close(server);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_go_to_the_sender),
        cmocka_unit_test(answers_go_to_a_fixed_port),
        cmocka_unit_test(datagrams_keep_their_boundaries),
        cmocka_unit_test(what_does_not_fit_is_counted),
        cmocka_unit_test(nobody_there_is_no_reason_to_give_up),
        cmocka_unit_test(a_second_sender_is_noticed),
        cmocka_unit_test(an_empty_datagram_is_news),
        cmocka_unit_test(a_taken_port_is_explained),
        cmocka_unit_test(bad_urls),
        cmocka_unit_test(a_bound_port_is_seen),
        cmocka_unit_test(a_wish_to_stop_ends_the_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
