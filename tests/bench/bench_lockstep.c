/* Measures lock-step exchanges with a simulator over TCP on this machine: a message of 16 bodies
 * down, three motors up. All processes share one CPU, so that the scheduler's choice of a CPU does
 * not matter. The cases alternate:
 *
 *     bare    two processes, blocking sockets, one send and as few recv as possible
 *     link    the same peer, and a client on our tcp: link: the cost of the link
 *     ours    ezphys-sim --no-physics, which rebuilds its message each time, and that client
 *     naive   a typical simulator: header and body in two sends, with Nagle's algorithm; and a
 *             client on our tcp: link, whose quick acknowledgements shorten the delay
 *
 *     bench_lockstep [SECONDS per measurement]      prints name, bytes down, exchanges a second
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "bench.h"
#include "link/open.h"
#include "protocol/ezphys/message.h"
#include "protocol/ezphys/wire.h"

#define ROUNDS 5
#define BATCH  20
#define MOTORS 3

enum { HEADER = 8, ANSWER = HEADER + MOTORS * 36, ROOM = 1 << 16 };

/* A client on bare sockets, or on a link. */
struct client {
    int fd;
    struct aw_link *link; /* or NULL */
    uint8_t answer[ANSWER];
    size_t size; /* size of the last message */
};

/* Runs one exchange; returns false if the peer has disconnected. */
typedef bool exchange_fn(struct client *client);

static double measure(exchange_fn *exchange, struct client *client, double seconds)
{
    double start = now(CLOCK_MONOTONIC), end;
    unsigned long n = 0;
    do {
        for (int i = 0; i < BATCH; i++, n++)
            must(exchange(client), "exchange");
        end = now(CLOCK_MONOTONIC);
    } while (end - start < seconds);
    return (double)n / (end - start);
}

/* ---- Sockets --------------------------------------------------------------------------------- */

static void no_delay(int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static bool receive(int fd, uint8_t *buf, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t n = recv(fd, buf + got, size - got, 0);
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

static bool transmit(int fd, const uint8_t *buf, size_t size)
{
    return send(fd, buf, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* Listens at a free port; returns its descriptor and sets its address. */
static int listen_here(struct sockaddr_in *at)
{
    socklen_t size = sizeof *at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    must(bind(fd, (struct sockaddr *)at, size) == 0 && listen(fd, 1) == 0, "listen");
    getsockname(fd, (struct sockaddr *)at, &size);
    return fd;
}

/* Simulates in a child process: sends the message and waits for the answer, repeatedly. */
static pid_t start_server(int listener, bool naive, const uint8_t *message, size_t size)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    uint8_t answer[ANSWER];
    int fd = accept(listener, NULL, NULL);
    size_t first = naive ? HEADER : size;
    if (!naive)
        no_delay(fd);
    do {
        if (!transmit(fd, message, first) ||
            (first < size && !transmit(fd, message + first, size - first)))
            break;
    } while (receive(fd, answer, sizeof answer));
    _exit(0);
}

/* ---- The two clients ------------------------------------------------------------------------- */

static bool bare_exchange(struct client *client)
{
    static uint8_t room[ROOM];
    return receive(client->fd, room, client->size) && transmit(client->fd, client->answer, ANSWER);
}

/* Reads a whole message, which begins with its size. */
static bool read_message(struct client *client)
{
    static uint8_t room[ROOM];
    uint32_t size = HEADER;
    size_t got;
    for (size_t have = 0; have < size; have += got) {
        int64_t deadline = aw_clock_now(client->link->clock) + 10 * AW_SECOND;
        if (aw_link_read(client->link, room + have, ROOM - have, &got, deadline, NULL) != AW_OK)
            return false;
        if (have + got >= HEADER)
            memcpy(&size, room, sizeof size);
    }
    client->size = size;
    return true;
}

static bool link_exchange(struct client *client)
{
    return read_message(client) &&
           aw_link_write(client->link, client->answer, ANSWER, NULL) == AW_OK;
}

/* ---- Benchmark ---- */

struct bench {
    double seconds;
    struct aw_real_clock clock;
    struct client client;
    uint8_t message[ROOM]; /* replaces the simulator's buffer; same size */
    size_t size;
    double bare, link, ours, naive; /* best results, exchanges per second */
};

static void make_answer(uint8_t answer[ANSWER])
{
    static struct aw_wire wire;
    struct aw_record record;
    struct aw_ezphys_message message = {.wire = &wire, .data = answer, .cap = ANSWER};
    aw_wire_init(&wire, &aw_ezphys_protocol, NULL, false);
    aw_record_init(&record, aw_wire_codec(&wire, "axis_motor", AW_TX), AW_TX);
    for (int i = 0; i < record.codec->n_scalars; i++)
        record.v[i] = 0;
    record.present = record.codec->masks.values;
    aw_ezphys_message_begin(&message);
    for (int i = 1; i <= MOTORS; i++) {
        aw_record_set(&record, "id", i, NULL);
        must(aw_ezphys_message_add(&message, &record, NULL) == AW_OK, "answer");
    }
    must(aw_ezphys_message_end(&message).size == ANSWER, "size of the answer");
}

static struct aw_link *open_port(struct bench *b, const char *host_port)
{
    struct aw_link_options options = {.clock = &b->clock.base};
    struct aw_error err;
    struct aw_link *link;
    must(aw_link_open(&link, host_port, &options, &err) == AW_OK, err.text);
    return link;
}

static double measure_link(struct bench *b, const char *url)
{
    b->client.link = open_port(b, url);
    double rate = measure(link_exchange, &b->client, b->seconds);
    aw_link_close(b->client.link);
    return rate;
}

static double measure_sockets(struct bench *b, const struct sockaddr_in *at)
{
    b->client.fd = socket(AF_INET, SOCK_STREAM, 0);
    b->client.size = b->size;
    must(connect(b->client.fd, (const struct sockaddr *)at, sizeof *at) == 0, "connect");
    no_delay(b->client.fd);
    double rate = measure(bare_exchange, &b->client, b->seconds);
    close(b->client.fd);
    return rate;
}

/* Starts ezphys-sim and returns its URL. */
static pid_t start_simulator(char *url, size_t size)
{
    char program[512], line[256] = "";
    int report[2];
    must(aw_child_find("ezphys-sim", program, sizeof program), "ezphys-sim");
    must(pipe(report) == 0, "pipe");
    pid_t pid = fork();
    if (pid == 0) {
        dup2(report[1], STDERR_FILENO);
        execl(program, program, "humanoid", "--no-physics", "--listen", "0", (char *)NULL);
        _exit(127);
    }
    close(report[1]);
    FILE *said = fdopen(report[0], "r");
    must(said && fgets(line, sizeof line, said) && strncmp(line, "ready: ", 7) == 0, "ready");
    line[strcspn(line, "\n")] = '\0';
    snprintf(url, size, "%.180s", line + 7);
    fclose(said);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void keep_best(double *best, double rate)
{
    if (rate > *best)
        *best = rate;
}

static void run_simulator(struct bench *b)
{
    char url[200];
    pid_t pid = start_simulator(url, sizeof url);
    keep_best(&b->ours, measure_link(b, url));
    end(pid);
    b->size = b->client.size;
    uint32_t size = (uint32_t)b->size;
    memcpy(b->message, &size, sizeof size);
}

/* Measures a server of this file; bare: with bare sockets. */
static void run_server(struct bench *b, bool bare, bool naive, double *best)
{
    char url[60];
    struct sockaddr_in at;
    int listener = listen_here(&at);
    pid_t pid = start_server(listener, naive, b->message, b->size);
    snprintf(url, sizeof url, "tcp:127.0.0.1:%u", ntohs(at.sin_port));
    keep_best(best, bare ? measure_sockets(b, &at) : measure_link(b, url));
    close(listener);
    end(pid);
}

/* ezphys-sim is in build/bin, this program in build/tests/bench. */
static void set_path(void)
{
    char exe[512], path[2048];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    must(n > 0, "/proc/self/exe");
    exe[n] = '\0';
    *strrchr(exe, '/') = '\0';
    snprintf(path, sizeof path, "%s/../../bin:%s", exe, getenv("PATH"));
    setenv("PATH", path, 1);
}

static void stay_here(void)
{
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET((size_t)sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
}

int main(int argc, char **argv)
{
    static struct bench b;
    b.seconds = argc > 1 ? atof(argv[1]) : 1;
    b.clock = aw_real_clock(-1);
    set_path();
    stay_here();
    make_answer(b.client.answer);
    for (int i = 0; i < ROUNDS; i++) {
        run_simulator(&b);
        run_server(&b, true, false, &b.bare);
        run_server(&b, false, false, &b.link);
        run_server(&b, false, true, &b.naive);
    }
    printf("lock-step bare sockets\t%zu\t%.0f\n", b.size, b.bare);
    printf("lock-step link\t%zu\t%.0f\n", b.size, b.link);
    printf("lock-step ezphys-sim\t%zu\t%.0f\n", b.size, b.ours);
    printf("lock-step naive peer\t%zu\t%.0f\n", b.size, b.naive);
    return 0;
}
