/* Tests udp: and udp-listen: on the loopback interface. */
#include "link_helper.h"
#include "next_helper.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#include "link/core/port.h"
#include "link/open.h"
#include "link/udp/udp.h"

/* Simulated network errors: errno values. */
static struct {
    int send_error, send_times; /* number of failing sends; -1: all */
    int read_error;             /* error of a single read */
} network;

ssize_t sendto(int fd, const void *buf, size_t size, int flags, __CONST_SOCKADDR_ARG to,
               socklen_t to_size)
{
    if (network.send_times == 0)
        return NEXT(sendto)(fd, buf, size, flags, to, to_size);
    network.send_times -= network.send_times > 0;
    return fails_with(network.send_error);
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned max, int flags, struct timespec *timeout)
{
    int error = network.read_error;
    network.read_error = 0;
    return error ? fails_with(error) : NEXT(recvmmsg)(fd, messages, max, flags, timeout);
}

static void fail_sends(int error, int times)
{
    network.send_error = error;
    network.send_times = times;
}

/* close() may change errno but must not replace an earlier error. */
int close(int fd)
{
    int result = NEXT(close)(fd);
    errno = EIO;
    return result;
}

static int plain_socket(unsigned *port)
{
    return socket_at(AF_INET, SOCK_DGRAM, "127.0.0.1", port);
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

/* Requires that one read returns an event with these words. */
static void assert_news(struct aw_link *link, const char *words)
{
    assert_read_is(link, AW_EVENT, AW_SECOND);
    assert_has(link->rx.event, words);
}

static void assert_talk(const char *listen)
{
    LINK server = opened(listen);
    assert_writes(server, "for nobody");
    assert_read_is(server, AW_TIMEOUT, 0);
    LINK client = client_of(server);
    assert_true(server->datagrams && client->datagrams);
    assert_string_equal(client->key, server->key);
    assert_passes(client, server, "hello");
    assert_passes(server, client, "you");
}

TEST(answers_go_to_the_sender)
{
    assert_talk("udp-listen:0?reply=sender");
    assert_talk("udp-listen:*:0?reply=sender");
    assert_talk("udp-listen:127.0.0.1:0?reply=sender");
}

TEST(answers_go_to_a_fixed_port)
{
    unsigned port;
    int fd = plain_socket(&port);
    close(fd);
    LINK server = opened(text_of("udp-listen:0?reply=127.0.0.1:%u", port));
    assert_has(server->client_url, text_of("?listen=%u", port));
    LINK client = client_of(server);
    assert_passes(server, client, "at once");
}

TEST(datagrams_keep_their_boundaries)
{
    LINK server = opened("udp-listen:0?reply=sender");
    LINK client = client_of(server);
    char buf[16];
    size_t got;
    for (int i = 0; i < 100; i++)
        assert_writes(client, text_of("%d", i));
    int64_t deadline = now() + 5 * AW_SECOND, before = aw_wall_time();
    for (int i = 0; i < 100; i++) {
        assert_int_equal(aw_link_read(server, buf, sizeof buf - 1, &got, deadline, NULL), AW_OK);
        buf[got] = '\0';
        assert_int_equal(atoi(buf), i);
        assert_true(before - server->rx.time_ns < 5 * AW_SECOND);
        assert_true(server->rx.time_ns <= aw_wall_time());
    }
    assert_int_equal(server->n_dropped, 0);
    assert_writes(client, "longer than the reader's room");
    assert_read_gives(server, 6, "longer", 6);
    assert_read_is(server, AW_TIMEOUT, 0);
}

TEST(lost_datagrams_are_counted)
{
    enum { SENT = 20000 };
    LINK server = opened("udp-listen:0?reply=sender");
    LINK client = client_of(server);
    char buf[64] = {0};
    size_t got, n = 0;
    for (int i = 0; i < SENT; i++)
        assert_int_equal(aw_link_write(client, buf, 35, NULL), AW_OK);
    while (aw_link_read(server, buf, sizeof buf, &got, 0, NULL) == AW_OK)
        n++;
    assert_true(n < SENT);
    assert_passes(client, server, "the next one tells");
    assert_int_equal(server->n_dropped, SENT - n);
}

TEST(missing_server_is_reported_but_not_fatal)
{
    unsigned port;
    close(plain_socket(&port));
    LINK client = opened(text_of("udp:127.0.0.1:%u?listen=0", port));
    assert_writes(client, "one");
    assert_news(client, "no program is listening at 127.0.0.1:");
    for (int i = 0; i < 5; i++)
        assert_writes(client, "again"); /* reported once */
    assert_read_is(client, AW_TIMEOUT, 10 * AW_MILLISECOND);
    assert_string_equal(client->rx.event, "");

    struct aw_link *server = opened(text_of("udp-listen:%u?reply=sender", port));
    assert_passes(client, server, "two");
    assert_passes(server, client, "here I am");
    aw_link_close(server);
    assert_writes(client, "gone");
    assert_news(client, "no program is listening");
}

/* The report about a missing client is withdrawn once. A successful send does not prove that a
 * client exists. */
TEST(server_reports_a_returned_client)
{
    unsigned port, here;
    close(plain_socket(&port));
    LINK server = opened(text_of("udp-listen:0?reply=127.0.0.1:%u", port));
    FD other = plain_socket(&here);
    assert_writes(server, "one");
    assert_news(server, "no program is listening at 127.0.0.1:");
    send_plain(other, port_in(server->key), "here", 4);
    assert_reads(server, "here");
    assert_writes(server, "two");
    assert_read_is(server, AW_TIMEOUT, 10 * AW_MILLISECOND); /* already reported */

    struct aw_link *client = opened(text_of("udp-listen:%u?reply=sender", port));
    enum aw_status status = AW_TIMEOUT;
    uint8_t byte;
    size_t got;
    for (int i = 0; i < 500 && status == AW_TIMEOUT; i++) {
        assert_writes(server, "three");
        status = aw_link_read(server, &byte, 1, &got, now() + 10 * AW_MILLISECOND, NULL);
    }
    assert_int_equal(status, AW_EVENT);
    assert_string_equal(server->rx.event, text_of("client is now listening at 127.0.0.1:%u", port));
    assert_read_is(server, AW_TIMEOUT, 10 * AW_MILLISECOND);
    aw_link_close(client);
    assert_writes(server, "four");
    assert_news(server, "no program is listening at 127.0.0.1:");
}

TEST(second_sender_is_reported)
{
    LINK server = opened("udp-listen:0?reply=sender");
    unsigned here, there, to = port_in(server->key);
    FD one = plain_socket(&here), two = plain_socket(&there);
    send_plain(one, to, "a", 1);
    send_plain(two, to, "b", 1); /* the first sender may have restarted */
    assert_reads(server, "ab");
    send_plain(one, to, "c", 1);
    assert_news(server,
                text_of("two clients, 127.0.0.1:%u and 127.0.0.1:%u — end one", there, here));
    assert_reads(server, "c");
    send_plain(two, to, "d", 1); /* reported once */
    assert_reads(server, "d");
}

/* Opens a client of the server at fd on 127.0.0.1; *port: the client's port. */
static struct aw_link *client_at(unsigned peer, const char *more, unsigned *port)
{
    close(plain_socket(port));
    return opened(text_of("udp:127.0.0.1:%u?listen=%u%s", peer, *port, more));
}

TEST(senders_that_never_return_are_not_reported)
{
    LINK server = opened("udp-listen:0?reply=sender");
    unsigned port;
    int fds[4];
    for (int i = 0; i < 4; i++) {
        fds[i] = plain_socket(&port);
        send_plain(fds[i], port_in(server->key), "x", 1);
        assert_reads(server, "x");
    }
    for (int i = 0; i < 4; i++)
        close(fds[i]);
}

TEST(datagrams_of_strangers_are_refused)
{
    unsigned peer, elsewhere, forged, here;
    FD fd = plain_socket(&peer), other = plain_socket(&elsewhere);
    FD forger = socket_at(AF_INET, SOCK_DGRAM, "127.0.0.2", &forged);
    LINK client = client_at(peer, "", &here);
    send_plain(forger, here, "forged", 6);
    send_plain(fd, here, "true", 4);
    assert_news(client, text_of("refused a datagram from 127.0.0.2:%u, expected", forged));
    assert_has(client->rx.event, "from=any");
    assert_reads(client, "true");
    for (int i = 0; i < 100; i++) /* reported once, without extending the wait */
        send_plain(forger, here, "forged", 6);
    send_plain(fd, here, "a", 1);
    assert_reads(client, "a");
    send_plain(other, here, "b", 1); /* another port of the same host */
    assert_reads(client, "b");
    assert_read_is(client, AW_TIMEOUT, 0);
    assert_int_equal(client->n_refused, 101);
    aw_link_close(client);

    client = client_at(peer, "&from=any", &here);
    send_plain(forger, here, "anybody", 7);
    assert_reads(client, "anybody");
    assert_int_equal(client->n_refused, 0);
}

TEST(flood_of_foreign_datagrams_does_not_delay_the_deadline)
{
    unsigned peer, forged, here;
    FD fd = plain_socket(&peer), forger = socket_at(AF_INET, SOCK_DGRAM, "127.0.0.2", &forged);
    LINK client = client_at(peer, "", &here);
    send_plain(forger, here, "x", 1);
    assert_news(client, "refused");
    for (int i = 0; i < 200; i++)
        send_plain(forger, here, "x", 1);
    assert_read_is(client, AW_TIMEOUT, 0);
    assert_true(client->n_refused < 100);
}

/* Finds holders in the kernel's table, where "0100007F:7530" is 127.0.0.1:30000. */
static void assert_listens_at(const char *address, unsigned port)
{
    char line[256];
    bool found = false;
    FILE *table = fopen("/proc/net/udp", "re");
    assert_non_null(table);
    const char *wanted = text_of("%08X:%04X ", inet_addr(address), port);
    while (fgets(line, sizeof line, table))
        found = found || strstr(line, wanted);
    fclose(table);
    if (!found)
        fail_msg("no program is listening at %s", wanted);
}

TEST(client_listens_on_the_right_address)
{
    static const char *const servers[][2] = {{"udp-listen:*:0?reply=sender", "0.0.0.0"},
                                             {"udp-listen::0?reply=sender", "127.0.0.1"},
                                             {"udp-listen:127.0.0.2:0?reply=sender", "127.0.0.2"}};
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        LINK server = opened(servers[i][0]);
        assert_listens_at(servers[i][1], port_in(server->key));
    }
    for (int any = 0; any < 2; any++) {
        unsigned here;
        LINK client = client_at(9, any ? "&from=any" : "", &here);
        assert_listens_at(any ? "0.0.0.0" : "127.0.0.1", here);
    }
}

TEST(holder_of_a_busy_port_is_reported)
{
    unsigned port;
    int fd = plain_socket(&port);
    const char *me = text_of("test_udp (pid %d)", (int)getpid());
    assert_true(aw_udp_is_bound(port));
    const char *url = text_of("udp:127.0.0.1:1?listen=%u", port);
    assert_open_fails(url, AW_NO_LINK, me);
    assert_open_fails(url, AW_NO_LINK, "end that client, or use another port");
    url = text_of("udp-listen:%u", port);
    assert_open_fails(url, AW_NO_LINK, me);
    assert_open_fails(url, AW_NO_LINK, "choose another port");
    close(fd);
    assert_false(aw_udp_is_bound(port));
    aw_link_close(opened(url));
}

/* The socket of the port is in transit between two processes, so no process holds it. */
TEST(busy_port_without_a_holder_is_explained)
{
    unsigned port;
    int pair[2], fd = plain_socket(&port);
    char url[80], byte = 'x', control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control,
                            .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
    assert_int_equal(sendmsg(pair[0], &header, 0), 1);
    close(fd);
    snprintf(url, sizeof url, "udp-listen:%u", port);
    assert_open_fails(url, AW_NO_LINK, "busy: in use by another program");
    close(pair[0]);
    close(pair[1]);
}

TEST(ipv6_links_exchange_datagrams)
{
    unsigned port;
    FD fd = socket_at(AF_INET6, SOCK_DGRAM, "::1", &port);
    if (fd < 0)
        skip(); /* no IPv6 on this machine */
    assert_talk("udp-listen:[::1]:0?reply=sender");
    assert_talk("udp-listen:[::]:0?reply=sender");
    LINK server = opened("udp-listen:[::]:0?reply=sender");
    assert_memory_equal(server->client_url, "udp:[::1]:", 10);
    LINK client = client_of(server);
    assert_string_equal(client->key, server->key);
    assert_passes(client, server, "x");
    close_link(&server);
    server = opened("udp-listen:[::1]:0"); /* answers have the same address family */
    assert_has(server->client_url, "?listen=30005");
    close_link(&server);

    assert_open_fails(text_of("udp-listen:[::1]:%u", port), AW_NO_LINK,
                      text_of("busy: in use by test_udp (pid %d)", (int)getpid()));
}

TEST(send_errors_are_reported_but_not_fatal)
{
    static const struct {
        int error, times;
        const char *words; /* errors; NULL: sent after a retry */
    } cases[] = {
        {EINTR, 3, NULL},
        {ECONNREFUSED, 3, NULL}, /* about an earlier datagram */
        {ENOBUFS, 3, NULL},
        {EAGAIN, 2, NULL},
        {ENOBUFS, -1, "No buffer space available"},
        {ENETUNREACH, 1, "Network is unreachable"},
        {EPERM, 1, "Operation not permitted"},
    };
    EACH (row, cases) {
        LINK server = opened("udp-listen:0?reply=sender");
        LINK client = client_of(server);
        fail_sends(row->error, row->times);
        assert_writes(client, "first");
        network.send_times = 0;
        if (!row->words) {
            assert_reads(server, "first");
            assert_read_is(client, AW_TIMEOUT, 0);
        } else {
            assert_news(client, "cannot send to 127.0.0.1:");
            assert_has(client->rx.event, row->words);
            network.send_times = row->times;
            assert_writes(client, "second");
            network.send_times = 0;
            assert_read_is(client, AW_TIMEOUT, 0); /* reported once in five seconds */
        }
        assert_passes(client, server, "third");
        assert_read_is(client, AW_TIMEOUT, 0);
    }
}

TEST(earlier_refusal_does_not_prevent_a_send)
{
    unsigned port;
    char byte;
    FD fd = plain_socket(&port);
    LINK client = opened(text_of("udp:127.0.0.1:%u?listen=0", port));
    fail_sends(ECONNREFUSED, -1);
    assert_writes(client, "lost");
    network.send_times = 0;
    assert_read_is(client, AW_TIMEOUT, 0);
    fail_sends(ENETUNREACH, 1);
    assert_writes(client, "lost"); /* the next datagram arrives */
    assert_writes(client, "x");
    assert_read_is(client, AW_TIMEOUT, 0);
    assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), 1);
    assert_writes(client, "");
    assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
    assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), -1);
}

TEST(fatal_errors_lose_the_link)
{
    LINK server = opened("udp-listen:0?reply=sender");
    LINK client = client_of(server);
    fail_sends(EBADF, 1);
    assert_write_fails(client, "x", 1, AW_LOST, "connection lost: Bad file descriptor");
    assert_writes(client, "still");
    network.read_error = EINTR; /* not fatal */
    assert_reads(server, "still");
    assert_writes(client, "more");
    network.read_error = ENOTCONN;
    assert_read_fails(server, AW_LOST, "connection lost: Transport endpoint is not connected");
}

/* Without a name server, a wrong name gets the advice to check the network, not the name. */
TEST(invalid_urls_are_refused)
{
    assert_open_fails("udp:127.0.0.1:0", AW_USAGE, "port 0");
    assert_open_fails("udp:127.0.0.1:1?listen=65536", AW_USAGE, "listen");
    assert_open_fails("udp:256.1.1.1:1?listen=0", AW_NO_LINK, "check the n");
    assert_open_fails("udp:?from=all", AW_USAGE, "not one of");
    assert_open_fails("udp:?listne=1", AW_USAGE, "listen");
    assert_open_fails("udp-listen:127.0.0.1:0?listen=1", AW_USAGE, "unknown");
    assert_open_fails("udp-listen:a..b:1", AW_NO_LINK, "check the n");
    assert_open_fails("udp-listen:0?reply=a..b:1", AW_NO_LINK, "check the n");
    assert_open_fails("udp:a..b", AW_NO_LINK, "check the n");
    assert_open_fails("udp-listen:127.0.0.1:x", AW_USAGE, "port");
    assert_open_fails("udp-listen:192.0.2.1:0", AW_NO_LINK, "an address of this machine");
}

TEST(stop_request_ends_reading)
{
    FD stop = eventfd(0, 0);
    struct aw_real_clock clock = aw_real_clock(stop);
    LINK server = open_link("udp-listen:0?reply=sender", &clock.base);
    LINK client = open_link(server->client_url, &clock.base);
    assert_writes(client, "waiting");
    assert_int_equal(eventfd_write(stop, 1), 0);
    assert_read_is(server, AW_STOPPED, AW_SECOND);
    assert_writes(client, "the stop itself");
    assert_int_equal(eventfd_read(stop, &(eventfd_t){0}), 0);
    assert_reads(server, "waiting");
    assert_reads(server, "the stop itself");
}

TEST(ports_are_required_without_a_protocol)
{
    assert_refused("udp:", "udp:: port 0 — give the device's port");
    assert_refused("udp:127.0.0.1", "udp:127.0.0.1: port 0 — give the device's port");
    assert_refused("udp-listen:0",
                   "udp-listen:0: no reply address — add reply=PORT or reply=sender");
}

static int64_t held_ns; /* time of the clock */

static int64_t held_now(const struct aw_clock *clock)
{
    (void)clock;
    return held_ns;
}

TEST(events_are_repeated_after_five_seconds)
{
    static const struct {
        int64_t ms;
        bool told;
    } cases[] = {{1000, true}, {5999, false}, {6000, true}, {10999, false}, {11001, true}};
    struct aw_real_clock clock = aw_real_clock(-1);
    clock.base.now = held_now;
    held_ns = AW_SECOND;
    LINK server = open_link("udp-listen:127.0.0.1:0?reply=sender", &clock.base);
    unsigned port, to = port_in(server->client_url);
    FD fd = plain_socket(&port);
    send_plain(fd, to, "", 0); /* a greeting causes no event */
    EACH (row, cases) {
        held_ns = row->ms * AW_MILLISECOND;
        send_plain(fd, to, "", 0);
        send_plain(fd, to, "x", 1);
        if (row->told) {
            assert_read_is(server, AW_EVENT, 0);
            assert_string_equal(server->rx.event, "empty datagram ignored");
        }
        assert_reads(server, "x");
    }
    LINK client = open_link("udp:127.0.0.1:9?listen=0", &clock.base);
    fail_sends(ENETUNREACH, 1);
    assert_writes(client, "lost");
    assert_read_is(client, AW_EVENT, 0);
    held_ns += 20 * AW_SECOND; /* an error that does not return is reported once */
    assert_read_is(client, AW_TIMEOUT, 0);
}

static int option_of(const struct aw_link *link, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    assert_int_equal(getsockopt(aw_link_fd(link), SOL_SOCKET, name, &value, &size), 0);
    return value;
}

TEST(default_ports_and_socket_options_are_used)
{
    unsigned first, second;
    int fds[2] = {plain_socket(&first), plain_socket(&second)}, most = 1 << 20;
    struct aw_protocol protocol = {.medium = AW_MEDIUM_UDP,
                                   .ports = {(uint16_t)first, (uint16_t)second}};
    struct aw_real_clock clock = aw_real_clock(-1);
    const struct aw_link_options options = {.clock = &clock.base, .protocol = &protocol};
    struct aw_link *server, *client;
    struct aw_error err = {.text = ""};
    setsockopt(fds[0], SOL_SOCKET, SO_RCVBUF, &most, sizeof most);
    socklen_t size = sizeof most;
    getsockopt(fds[0], SOL_SOCKET, SO_RCVBUF, &most, &size); /* limited by the kernel */
    assert_int_equal(aw_link_open(&server, "udp-listen:", &options, &err), AW_NO_LINK);
    char who[96];
    aw_port_name_process((long)getpid(), who, sizeof who);
    const char *wanted = text_of("udp-listen: 127.0.0.1:%u: busy: in use by %s", first, who);
    assert_memory_equal(err.text, wanted, strlen(wanted));
    close(fds[0]);
    close(fds[1]);
    assert_int_equal(aw_link_open(&server, "udp-listen:", &options, &err), AW_OK);
    assert_string_equal(server->key, text_of("udp:127.0.0.1:%u", first));
    assert_string_equal(server->client_url, text_of("udp:127.0.0.1:%u?listen=%u", first, second));
    assert_int_equal(option_of(server, SO_TIMESTAMPNS), 1);
    assert_int_equal(option_of(server, SO_RXQ_OVFL), 1);
    assert_int_equal(option_of(server, SO_RCVBUF), most);
    assert_int_equal(aw_link_open(&client, "udp:", &options, &err), AW_OK);
    assert_writes(client, "hello");
    int64_t before = aw_wall_time() - 60 * AW_SECOND;
    assert_reads(server, "hello");
    assert_in_range(server->rx.time_ns, before, aw_wall_time());
    assert_passes(server, client, "you");
    aw_link_close(client);
    aw_link_close(server);
}
