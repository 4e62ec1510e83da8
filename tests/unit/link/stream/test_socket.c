/* Tests tcp:, tcp-listen:, unix:, unix-listen:, and serving a device on them. */
#include "link/open.h"
#include "link_helper.h"
#include "next_helper.h"

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/* Replaces the resolver: it answers for "silent" only on request, fails for other names with
 * lookup_error, and notes whether signals may interrupt the caller. */
static atomic_bool told_to_answer, can_be_interrupted;
static atomic_int lookup_error;

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                struct addrinfo **list)
{
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    atomic_store(&can_be_interrupted, sigismember(&blocked, SIGTERM) == 0);
    for (; host && strcmp(host, "silent") == 0 && !(hints->ai_flags & AI_NUMERICHOST); usleep(1000))
        if (atomic_load(&told_to_answer))
            return EAI_AGAIN;
    int error = hints->ai_flags & AI_NUMERICHOST ? 0 : atomic_load(&lookup_error);
    errno = EMFILE; /* the reason of EAI_SYSTEM */
    if (error)
        return error;
    return NEXT(getaddrinfo)(host, service, hints, list);
}

static int send_error; /* errno of the next send */

ssize_t send(int fd, const void *buf, size_t size, int flags)
{
    int error = send_error;
    send_error = 0;
    return error ? fails_with(error) : NEXT(send)(fd, buf, size, flags);
}

/* The path and the URL of a unix socket. */
static const char *unix_path(void)
{
    return text_of("/tmp/aw-unix-%d", (int)getpid());
}

static const char *unix_url(void)
{
    return text_of("unix-listen:%s", unix_path());
}

static bool has_ipv6(void)
{
    unsigned port;
    FD fd = socket_at(AF_INET6, SOCK_STREAM, "::1", &port);
    return fd >= 0;
}

TEST(clients_are_served_one_after_another)
{
    const char *const urls[] = {"tcp-listen:0", "tcp-listen:127.0.0.1:0", unix_url(),
                                "tcp-listen:[::1]:0"};
    EACH (url, urls) {
        if (strchr(*url, '[') && !has_ipv6())
            continue;
        struct aw_link *server = opened(*url);
        assert_int_equal(server->n_connections, 0);
        assert_writes(server, "for nobody");
        assert_read_is(server, AW_TIMEOUT, 0);

        struct aw_link *first = client_of(server);
        LINK second = client_of(server);
        assert_int_equal(first->n_connections, 1);
        assert_string_equal(first->key, server->client_url);
        assert_int_equal(first->datagrams, server->datagrams);
        assert_writes(second, "later");
        assert_read_is(server, AW_EVENT, AW_SECOND);
        assert_int_equal(server->n_connections, 1);
        assert_passes(first, server, "hello");
        assert_passes(server, first, "you");
        assert_read_is(second, AW_TIMEOUT, 0);

        aw_link_close(first);
        assert_read_is(server, AW_EVENT, AW_SECOND);
        assert_int_equal(server->n_connections, 2);
        assert_reads(server, "later");
        aw_link_close(server);
        assert_read_is(second, AW_LOST, AW_SECOND);
        struct aw_error err = {0};
        while (aw_link_write(second, "x", 1, &err) == AW_OK)
            ; /* the first writes may fit into the socket; SIGPIPE must not kill the process */
        assert_int_equal(err.status, AW_LOST);
    }
    assert_int_equal(access(unix_path(), F_OK), -1);
}

TEST(tcp_errors_are_explained)
{
    assert_open_fails("tcp:127.0.0.1", AW_USAGE, "no port");
    assert_open_fails("tcp:127.0.0.1:0", AW_USAGE, "port 0");
    static const struct {
        int error;
        const char *says;
    } lookups[] = {
        {EAI_NONAME, "tcp:nosuch:1: host not found — check the name"},
        {EAI_AGAIN, "tcp:nosuch:1: cannot resolve the host name: "},
        {EAI_SYSTEM, "tcp:nosuch:1: cannot resolve the host name: Too many open files — check the "
                     "network"},
    };
    EACH (row, lookups) {
        atomic_store(&lookup_error, row->error);
        assert_open_fails("tcp:nosuch:1", AW_NO_LINK, row->says);
    }
    atomic_store(&lookup_error, 0);
    assert_open_fails("tcp-listen:127.0.0.1:x", AW_USAGE, "port");
    struct aw_link *server = opened("tcp-listen:*:0");
    assert_memory_equal(server->client_url, "tcp:127.0.0.1:", 14);
    const char *ready = text_of("%s", server->client_url);
    assert_open_fails(text_of("tcp-listen:%s", strrchr(ready, ':') + 1), AW_NO_LINK, "in use");
    aw_link_close(server);
    assert_open_fails(ready, AW_NO_LINK, "refused");
}

/* The listener's queue is full, so the client waits to connect. */
TEST(slow_tcp_connection_times_out)
{
    unsigned port;
    FD listener = socket_at(AF_INET, SOCK_STREAM, "127.0.0.1", &port);
    assert_int_equal(listen(listener, 0), 0);
    const char *url = text_of("tcp:127.0.0.1:%u", port);
    struct aw_link *links[8];
    struct aw_virtual_clock clock = aw_virtual_clock(); /* the wait takes no real time */
    struct aw_error err = {0};
    size_t n = 0;
    while (n < 8 && try_link(&links[n], url, &clock.base, &err) == AW_OK)
        n++;
    assert_int_equal(err.status, AW_NO_LINK);
    assert_has(err.text, ": Connection timed out — check address and network");
    assert_int_equal(clock.time_ns, 5 * AW_SECOND);

    FD stop = eventfd(1, 0);
    struct aw_real_clock stopped = aw_real_clock(stop);
    assert_open_fails_by(&stopped.base, url, AW_STOPPED, ": interrupted while connecting");
    while (n > 0)
        aw_link_close(links[--n]);
}

TEST(server_on_all_ipv6_addresses_has_a_local_url)
{
    if (!has_ipv6())
        skip();
    LINK server = opened("tcp-listen:[::]:0");
    assert_memory_equal(server->client_url, "tcp:[::1]:", 10);
    aw_link_close(client_of(server));
}

TEST(client_that_does_not_read_is_replaced)
{
    struct aw_error err;
    static char flood[1 << 20];
    LINK server = opened("tcp-listen:0");
    LINK client = client_of(server);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    int64_t start = now();
    for (int i = 0; i < 32; i++) /* more than any socket buffer holds */
        assert_int_equal(aw_link_write(server, flood, sizeof flood, &err), AW_OK);
    assert_true(now() - start < 900 * AW_MILLISECOND); /* no write blocks */
    assert_true(server->n_dropped > 0);
    assert_read_is(server, AW_TIMEOUT, 1100 * AW_MILLISECOND);
    assert_writes(server, "x"); /* a client without rivals may continue to read */
    LINK next = client_of(server);
    assert_read_is(server, AW_TIMEOUT, 1100 * AW_MILLISECOND);
    assert_writes(server, "x");
    assert_read_is(server, AW_EVENT, AW_SECOND);
    assert_int_equal(server->n_connections, 2);
}

TEST(server_that_does_not_read_is_reported)
{
    struct aw_error err = {0};
    static char flood[32 << 20]; /* more than any socket buffer holds */
    LINK server = opened("tcp-listen:0");
    LINK client = client_of(server);
    assert_write_fails(client, flood, sizeof flood, AW_LOST, " of 33554432 bytes of a message");
    while (aw_link_write(client, "x", 1, &err) == AW_OK)
        ;
    assert_int_equal(err.status, AW_TIMEOUT);
    assert_has(err.text, "write timed out after 1 s — check that the peer is running");
}

TEST(unix_sockets_keep_datagram_boundaries)
{
    LINK server = opened(unix_url());
    LINK client = client_of(server);
    assert_true(server->datagrams && client->datagrams);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    assert_writes(client, "one");
    assert_writes(client, "two");
    assert_read_gives(server, 8, "one", 3);
    assert_reads(server, "two");
}

TEST(unix_socket_errors_are_explained)
{
    const char *path = unix_path(), *url = unix_url();
    assert_open_fails(text_of("unix:%s", path), AW_NO_LINK, "start the device");
    assert_open_fails("unix:", AW_USAGE, "no path");
    assert_open_fails("unix-listen:", AW_USAGE, "unix: no path given");
    assert_open_fails(text_of("unix:/tmp/%0150d", 0), AW_NO_LINK,
                      "File name too long — use a path");

    struct aw_link *server = opened(url), *waiting[8];
    assert_open_fails(url, AW_NO_LINK, "in use"); /* the first place in the queue */
    for (size_t i = 0; i < 8; i++)
        waiting[i] = client_of(server);
    assert_open_fails(server->client_url, AW_NO_LINK,
                      "busy: in use by other programs — end them first");
    for (size_t i = 0; i < 8; i++)
        aw_link_close(waiting[i]);
    assert_int_equal(rename(path, "/tmp/aw-unix-left-over"), 0);
    aw_link_close(server);
    assert_int_equal(rename("/tmp/aw-unix-left-over", path), 0);
    aw_link_close(opened(url)); /* takes over a stale socket */

    write_file(path, "");
    assert_open_fails(url, AW_NO_LINK, "in use"); /* never removes a file that is not a socket */
    assert_int_equal(unlink(path), 0);
}

struct serving {
    struct aw_device *device;
    struct aw_link *link;
    enum aw_status status;
};

static void *serve(void *context)
{
    struct serving *serving = context;
    struct aw_error err;
    serving->status = aw_device_serve(serving->device, serving->link, &err);
    return NULL;
}

static void talk_to_a_served_device(const char *listen, unsigned connections)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct aw_real_clock clock = aw_real_clock(-1), stoppable = aw_real_clock(ends[0]);
    struct echo_device *device = echo_device(AW_MILLISECOND);
    device->stop_fd = ends[1];
    struct serving serving = {&device->base, open_link(listen, &stoppable.base), AW_OK};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, serve, &serving), 0);
    for (int i = 0; i < 3; i++) {
        LINK client = open_link(serving.link->client_url, &clock.base);
        assert_passes(client, client, "ping");
        assert_writes(client, i < 2 ? "more" : "quit");
        if (i < 2)
            assert_reads(client, "more");
        if (i == 2)
            assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_int_equal(serving.status, AW_STOPPED);
    assert_int_equal(device->connections, connections);
    aw_link_close(serving.link);
    device->base.ops->close(&device->base);
    close(ends[0]);
    close(ends[1]);
}

/* The last message of a client that does not read arrives, and so does that of a server. */
TEST(output_before_the_close_arrives)
{
    const char *const urls[] = {unix_url(), "tcp-listen:127.0.0.1:0"};
    EACH (url, urls) {
        LINK server = opened(*url);
        struct aw_link *client = client_of(server);
        assert_read_is(server, AW_EVENT, AW_SECOND);
        assert_writes(server, "unread");
        assert_writes(client, "stop");
        aw_link_close(client);
        for (int i = 0; i < 3; i++)
            assert_writes(server, "more");
        assert_reads(server, "stop");
        assert_read_is(server, AW_TIMEOUT, 0);
        assert_true(server->no_client);
    }
}

/* A client is killed with unread input, which resets the socket. */
TEST(output_of_a_killed_client_arrives)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    strcpy(at.sun_path, unix_path());
    LINK server = opened(unix_url());
    int client = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    assert_int_equal(connect(client, (struct sockaddr *)&at, sizeof at), 0);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    assert_writes(server, "unread");
    assert_int_equal(write(client, "stop", 4), 4);
    assert_int_equal(write(client, "again", 5), 5);
    close(client);
    assert_reads(server, "stop");
    assert_reads(server, "again");
    assert_read_is(server, AW_TIMEOUT, 0);
}

/* The peer sees an end instead of a reset, in spite of unread bytes. */
TEST(close_with_unread_input_does_not_reset_the_connection)
{
    char buf[8];
    unsigned port;
    FD listener = socket_at(AF_INET, SOCK_STREAM, "127.0.0.1", &port);
    assert_int_equal(listen(listener, 1), 0);
    struct aw_link *client = opened(text_of("tcp:127.0.0.1:%u", port));
    FD peer = accept(listener, NULL, NULL);
    assert_int_equal(write(peer, "unread", 6), 6);
    assert_writes(client, "stop");
    aw_link_close(client);
    assert_int_equal(read(peer, buf, sizeof buf), 4);
    assert_int_equal(read(peer, buf, sizeof buf), 0);
    assert_int_equal(send(peer, "x", 1, MSG_NOSIGNAL), 1); /* fails after a reset */
}

TEST(client_that_missed_output_gets_no_more_output)
{
    LINK server = opened("tcp-listen:0");
    LINK client = client_of(server);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    assert_writes(server, "one");
    send_error = ENOMEM;
    assert_writes(server, "two");
    assert_int_equal(send_error, 0);
    assert_writes(server, "three");
    assert_writes(client, "here"); /* its input still arrives */
    assert_reads(server, "here");
    assert_reads(client, "one");
    assert_read_is(client, AW_TIMEOUT, 0);
    aw_link_close(client);
    client = client_of(server);
    assert_read_is(server, AW_EVENT, AW_SECOND);
    assert_passes(server, client, "four");
}

TEST(device_is_served_over_tcp_and_pty)
{
    talk_to_a_served_device("tcp-listen:0", 3);
    talk_to_a_served_device("tcp-listen:0?delay=1ms&seed=1", 3);
    talk_to_a_served_device("pty:", 0);
}

TEST(stop_request_ends_waiting_for_clients)
{
    FD stop = eventfd(0, 0);
    struct aw_real_clock clock = aw_real_clock(stop);
    LINK server = open_link("tcp-listen:0", &clock.base);
    assert_int_equal(eventfd_write(stop, 1), 0);
    assert_read_is(server, AW_STOPPED, AW_SECOND);
}

TEST(stop_request_ends_name_resolution)
{
    FD stop = eventfd(0, 0);
    struct aw_real_clock clock = aw_real_clock(stop);
    aw_link_close(open_link("udp:localhost:30004?listen=0", &clock.base));
    assert_false(atomic_load(&can_be_interrupted)); /* signals go to waiting threads */
    sigset_t blocked;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &blocked), 0);
    for (int i = 1; i < SIGRTMAX; i++)
        assert_int_equal(sigismember(&blocked, i) > 0, 0);
    assert_int_equal(eventfd_write(stop, 1), 0);
    assert_open_fails_by(&clock.base, "tcp:silent:4000", AW_STOPPED,
                         "interrupted during the host name lookup");
    assert_open_fails_by(&clock.base, "udp:silent:4000", AW_STOPPED,
                         "interrupted during the host name lookup");
    atomic_store(&told_to_answer, true);
}
