/* can_link TEST INTERFACE: tests the can: link on an interface of the kernel, one test by name;
 * exit status 0 if it passes.
 *
 * can_link dump URL COUNT: prints "open", then COUNT frames and the events between them.
 * can_link send URL FRAME…: writes frames given as 123#DEAD; exits with the status.
 */
#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"
#include "protocol/canpid/wire.h"
#include "wire/hex.h"

static struct aw_link *open_can(const char *interface, const char *query)
{
    char url[200];
    snprintf(url, sizeof url, "can:%s%s", interface, query);
    return open_or_exit(url);
}

/* Opens a separate socket, for frames that the links do not send. */
static int open_raw(const char *interface)
{
    const struct sockaddr_can address = {.can_family = AF_CAN,
                                         .can_ifindex = (int)if_nametoindex(interface)};
    int fd = socket(AF_CAN, SOCK_RAW, CAN_RAW);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    perror("# raw socket");
    exit(1);
}

static void send_raw(int fd, uint32_t id, uint8_t second_byte)
{
    const struct can_frame frame = {.can_id = id, .can_dlc = 8, .data = {1, second_byte}};
    expect(write(fd, &frame, sizeof frame) == sizeof frame, "raw socket", "cannot send");
}

static enum aw_status send_numbered(struct aw_link *link, unsigned id, uint32_t number,
                                    struct aw_error *err)
{
    uint8_t datagram[8] = {(uint8_t)id, (uint8_t)(id >> 8)};
    memcpy(datagram + 2, &number, sizeof number);
    return aw_link_write(link, datagram, sizeof datagram, err);
}

/* Reads one frame; returns its identifier, or -1. */
static long receive(struct aw_link *link, uint32_t *number, int64_t wait_ns)
{
    uint8_t datagram[16];
    size_t got;
    struct aw_error err = {0};
    int64_t deadline = aw_clock_now(link->clock) + wait_ns;
    enum aw_status status = aw_link_read(link, datagram, sizeof datagram, &got, deadline, &err);
    if (status != AW_OK || got < 2)
        return -1;
    if (number && got >= 6)
        memcpy(number, datagram + 2, sizeof *number);
    return datagram[0] | datagram[1] << 8;
}

static enum aw_status read_event(struct aw_link *link, struct aw_error *err)
{
    uint8_t datagram[16];
    size_t got;
    *err = (struct aw_error){0};
    return aw_link_read(link, datagram, sizeof datagram, &got,
                        aw_clock_now(link->clock) + 5 * AW_SECOND, err);
}

static void expect_event(struct aw_link *link, const char *words)
{
    struct aw_error err;
    enum aw_status status = read_event(link, &err);
    expect(status == AW_EVENT && strstr(link->rx.event, words), words,
           status == AW_EVENT ? link->rx.event : aw_status_name(status));
    if (status == AW_EVENT)
        printf("# event: %s\n", link->rx.event);
}

static void round_trips(const char *interface)
{
    enum { COUNT = 10000 };
    struct aw_link *a = open_can(interface, "?filter=456"), *b = open_can(interface, "?filter=123");
    struct aw_error err;
    uint32_t number = 0;
    int64_t start = aw_clock_now(a->clock);
    int done = 0;
    while (done < COUNT && send_numbered(a, 0x123, (uint32_t)done, &err) == AW_OK &&
           receive(b, &number, AW_SECOND) == 0x123 && number == (uint32_t)done &&
           send_numbered(b, 0x456, number, &err) == AW_OK &&
           receive(a, &number, AW_SECOND) == 0x456 && number == (uint32_t)done)
        done++;
    double seconds = (double)(aw_clock_now(a->clock) - start) / (double)AW_SECOND;
    printf("# %d round trips in %.2f s, %.0f/s\n", done, seconds, done / seconds);
    expect(done == COUNT, "round trips", "a frame was lost or changed");
    expect(strcmp(a->key, a->client_url) == 0 && strncmp(a->key, "can:", 4) == 0, "key", a->key);
    expect(a->datagrams && a->n_dropped == 0, "datagrams", "not set, or frames were dropped");
    aw_link_close(b);
    aw_link_close(a);
}

static void filters(const char *interface)
{
    static const struct {
        const char *query;
        int seen; /* bits of the frames in the list below */
    } cases[] = {
        {"", 31},
        {"?filter=040/7E0", 3},
        {"?filter=0x040/0x7E0,060/7E0", 7},
        {"?filter=7FF", 16},
        {"?filter=000/000", 31},
    };
    static const unsigned ids[] = {0x041, 0x05F, 0x061, 0x0DF, 0x7FF};
    int raw = open_raw(interface);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_link *link = open_can(interface, cases[i].query);
        int seen = 0;
        long id;
        send_raw(raw, 0x041 | CAN_EFF_FLAG, 0);
        send_raw(raw, 0x041 | CAN_RTR_FLAG, 0);
        for (size_t k = 0; k < 5; k++)
            send_raw(raw, ids[k], 0);
        while ((id = receive(link, NULL, 0)) >= 0)
            for (size_t k = 0; k < 5; k++)
                if (ids[k] == (unsigned)id)
                    seen += 1 << k; /* a duplicate changes the sum */
        expect(seen == cases[i].seen, "filter", cases[i].query);
        aw_link_close(link);
    }
    close(raw);
}

static void times_and_own_frames(const char *interface)
{
    struct aw_link *a = open_can(interface, ""), *b = open_can(interface, "");
    struct aw_error err;
    int64_t last = 0;
    for (uint32_t i = 0; i < 200; i++) {
        int64_t before = aw_wall_time();
        send_numbered(a, 0x041, i, &err);
        expect(receive(a, NULL, AW_SECOND) == 0x041 && a->rx.is_echo, "own frame", "not marked");
        expect(receive(b, NULL, AW_SECOND) == 0x041 && !b->rx.is_echo, "other's frame",
               "marked as own");
        /* A busy kernel stamps a frame long after send() returned. */
        int64_t after = aw_wall_time();
        expect(a->rx.time_ns >= before && a->rx.time_ns <= after, "own time", "not when sent");
        expect(b->rx.time_ns >= before && b->rx.time_ns <= after && b->rx.time_ns >= last,
               "time of other's frame", "not when sent");
        last = b->rx.time_ns;
    }
    aw_link_close(b);
    aw_link_close(a);
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* The reader's queue holds only part of a burst. */
static void bursts_and_drops(const char *interface)
{
    enum { BURST = 2000 };
    static const int tiny = 1;
    struct aw_link *a = open_can(interface, "?filter=001"), *b = open_can(interface, "");
    struct aw_error err;
    uint32_t number, next = 0;
    for (uint32_t i = 0; i < BURST; i++)
        send_numbered(a, 0x041, i, &err);
    double cpu = cpu_seconds();
    while (receive(b, &number, 0) == 0x041 && number == next)
        next++;
    cpu = cpu_seconds() - cpu;
    printf("# %u of %d frames of a burst read, %.1f us each\n", next, BURST, cpu * 1e6 / BURST);
    expect(next == BURST && b->n_dropped == 0, "burst", "not all, or not in order");

    setsockopt(aw_link_fd(b), SOL_SOCKET, SO_RCVBUF, &tiny, sizeof tiny);
    for (uint32_t i = 0; i < BURST; i++)
        send_numbered(a, 0x041, i, &err);
    for (next = 0; receive(b, NULL, 0) == 0x041;)
        next++;
    /* The kernel reports the number of dropped frames with the next frame that it delivers. */
    send_numbered(a, 0x041, BURST, &err);
    next += receive(b, NULL, AW_SECOND) == 0x041;
    printf("# %u read and %llu dropped of %d\n", next, (unsigned long long)b->n_dropped, BURST + 1);
    expect(b->n_dropped > 0 && next + b->n_dropped == BURST + 1, "dropped frames", "miscounted");
    aw_link_close(b);
    aw_link_close(a);
}

/* Sends count frames in a separate process at 9000 per second, once the reader is ready. */
static void send_evenly(const char *interface, uint32_t count)
{
    struct aw_link *link = open_can(interface, "?filter=001");
    struct timespec next;
    struct aw_error err;
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = 200000000}, NULL);
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (uint32_t i = 0; i < count; i++) {
        next.tv_nsec += 1000000000 / 9000;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        send_numbered(link, 0x041, i, &err);
    }
    aw_link_close(link);
}

enum { BUSY = 18000 };

static uint32_t read_by_link(const char *interface)
{
    struct aw_link *link = open_can(interface, "");
    uint32_t number, next = 0;
    while (receive(link, &number, AW_SECOND) == 0x041 && number == next && ++next < BUSY)
        ;
    expect(next == BUSY && link->n_dropped == 0, "busy bus", "not all frames, or not in order");
    aw_link_close(link);
    return next;
}

/* Reads like most programs: waits, then reads one frame. With the default small queue it may lose
 * some. */
static uint32_t read_plainly(const char *interface)
{
    int fd = open_raw(interface);
    struct can_frame frame;
    struct pollfd pollfd = {.fd = fd, .events = POLLIN};
    uint32_t next = 0;
    while (next < BUSY && poll(&pollfd, 1, 1000) > 0 && read(fd, &frame, sizeof frame) > 0)
        next++;
    close(fd);
    return next;
}

/* Returns the number of voluntary context switches of the process. */
static long sleeps(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

/* Returns the number of times a reader sleeps. Unlike its CPU share, this does not grow on a busy
 * machine. */
static long sleeps_of(uint32_t (*reader)(const char *interface), const char *interface)
{
    pid_t child = fork();
    if (child == 0) {
        send_evenly(interface, BUSY);
        _exit(0);
    }
    double cpu = cpu_seconds();
    int64_t start = aw_wall_time();
    long slept = sleeps();
    uint32_t n = reader(interface);
    slept = sleeps() - slept;
    double seconds = (double)(aw_wall_time() - start) / (double)AW_SECOND;
    cpu = cpu_seconds() - cpu;
    waitpid(child, NULL, 0);
    printf("# %u frames in %.2f s, %.1f %% of a processor, slept %ld times\n", n, seconds,
           cpu / seconds * 100, slept);
    return slept;
}

static void busy_bus(const char *interface)
{
    expect(sleeps_of(read_by_link, interface) < BUSY / 4, "busy bus", "read one by one");
    sleeps_of(read_plainly, interface);
}

static void error_frames(const char *interface)
{
    struct aw_link *link = open_can(interface, "?filter=041");
    int raw = open_raw(interface);
    send_raw(raw, CAN_ERR_FLAG | CAN_ERR_BUSOFF, 0);
    expect_event(link, "bus-off");
    send_raw(raw, CAN_ERR_FLAG | CAN_ERR_ACK, 0);
    send_raw(raw, CAN_ERR_FLAG | CAN_ERR_ACK, 0); /* repeated errors are reported only once */
    send_raw(raw, CAN_ERR_FLAG | CAN_ERR_CRTL, CAN_ERR_CRTL_TX_PASSIVE);
    send_raw(raw, 0x041, 0);
    expect_event(link, "no ACK (no other node on the bus, or wrong bit rate)");
    expect_event(link, "error-passive (send errors)");
    expect(receive(link, NULL, AW_SECOND) == 0x041, "frame after errors", "not received");
    expect(link->rx.event[0] == '\0', "event", "not cleared");
    close(raw);
    aw_link_close(link);
}

static void ip(const char *command, const char *interface, const char *more)
{
    char line[200];
    snprintf(line, sizeof line, "ip link %s %s %s", command, interface, more);
    expect(system(line) == 0, line, "failed");
}

static void expect_traffic(struct aw_link *link, const char *interface)
{
    int raw = open_raw(interface);
    struct aw_error err;
    send_raw(raw, 0x041, 0);
    expect(receive(link, NULL, AW_SECOND) == 0x041, "traffic", "frame not received");
    expect(send_numbered(link, 0x042, 0, &err) == AW_OK, "traffic", err.text);
    expect(receive(link, NULL, AW_SECOND) == 0x042 && link->rx.is_echo, "traffic", "no own frame");
    close(raw);
}

static void expect_write_lost(struct aw_link *link, const char *words)
{
    struct aw_error err = {0};
    enum aw_status status = send_numbered(link, 0x041, 0, &err);
    expect(status == AW_LOST && strstr(err.text, words), words, err.text);
    if (status == AW_LOST)
        printf("# %s\n", err.text);
}

static void down_and_up(const char *interface)
{
    struct aw_link *link = open_can(interface, ""), *other = open_can(interface, "");
    struct aw_link *strict = open_can(interface, "?reconnect=off");
    struct aw_error err;
    expect_traffic(link, interface);
    ip("set", interface, "down");
    expect_event(link, "interface down");
    expect_write_lost(link, "ip link set");
    expect(receive(link, NULL, 20 * AW_MILLISECOND) < 0 && !*link->rx.event, "down", "event");
    expect_write_lost(other,
                      "ip link set"); /* detected by a write, and also reported by the next read */
    expect_event(other, "interface down");
    ip("set", interface, "up");
    expect_event(link, "interface up");
    expect_traffic(link, interface);
    expect(send_numbered(other, 0x041, 0, &err) == AW_OK, "writing without reading", err.text);
    while (receive(strict, NULL, 0) >= 0)
        ;
    expect(read_event(strict, &err) == AW_LOST, "reconnect=off", "not lost");
    printf("# %s\n", err.text);
    aw_link_close(strict);
    aw_link_close(other);
    aw_link_close(link);
}

static void removed_and_made_again(const char *interface)
{
    struct aw_link *link = open_can(interface, "");
    expect_traffic(link, interface);
    ip("delete", interface, "");
    expect_event(link, "interface down");
    expect_write_lost(link, "no CAN interface found");
    ip("add", interface, "type vcan");
    ip("set", interface, "up");
    expect_event(link, "interface up");
    expect_traffic(link, interface);
    aw_link_close(link);
}

static void what_cannot_be_opened(const char *interface)
{
    struct aw_link *link;
    struct aw_error err;
    char url[64];
    expect(open_url(&link, "can:can7", &err) == AW_NO_LINK && strstr(err.text, interface),
           "missing interface", err.text);
    printf("# %s\n", err.text);
    expect(open_url(&link, "can:lo", &err) == AW_NO_LINK && strstr(err.text, "not a CAN interface"),
           "not for CAN", err.text);
    ip("set", interface, "down");
    snprintf(url, sizeof url, "can:%s", interface);
    expect(open_url(&link, url, &err) == AW_NO_LINK && strstr(err.text, "ip link set"),
           "interface down", err.text);
    printf("# %s\n", err.text);
    ip("set", interface, "up");
}

/* Tests an interface whose other end never reads. */
static void full_queue(const char *interface)
{
    struct aw_link *link = open_can(interface, "");
    struct aw_error err = {0};
    enum aw_status status = AW_OK;
    int64_t start = 0;
    unsigned sent;
    for (sent = 0; sent < 100000 && status == AW_OK; sent++) {
        start = aw_clock_now(link->clock);
        status = send_numbered(link, 0x041, sent, &err);
    }
    double seconds = (double)(aw_clock_now(link->clock) - start) / (double)AW_SECOND;
    printf("# after %u frames and %.2f s: %s\n", sent - 1, seconds, err.text);
    expect(status == AW_TIMEOUT && strstr(err.text, "txqueuelen"), "full queue", err.text);
    expect(seconds >= 1 && seconds < 5, "full queue", "not retried for 1 to 5 s");
    aw_link_close(link);
}

static int dump(const char *url, unsigned long count)
{
    struct aw_link *link = open_or_exit(url);
    struct aw_error err = {0};
    enum aw_status status = AW_OK;
    char text[AW_HEX_SIZE(16)];
    printf("open\n");
    fflush(stdout);
    while (count > 0 && (status == AW_OK || status == AW_EVENT)) {
        uint8_t datagram[16];
        size_t got;
        status = aw_link_read(link, datagram, sizeof datagram, &got,
                              aw_clock_now(link->clock) + 20 * AW_SECOND, &err);
        if (status == AW_EVENT && *link->rx.event)
            printf("event %s\n", link->rx.event);
        if (status != AW_OK)
            continue;
        aw_hex_print(&aw_canpid_protocol, (struct aw_span){datagram, got}, text);
        puts(text);
        count--;
    }
    if (status != AW_OK)
        printf("%s %s\n", aw_status_name(status), err.text);
    aw_link_close(link);
    return (int)status;
}

static int send_all(const char *url, char **frames)
{
    struct aw_link *link = open_or_exit(url);
    struct aw_error err;
    enum aw_status status = AW_OK;
    for (; *frames && status == AW_OK; frames++) {
        uint8_t datagram[16];
        size_t size;
        status = aw_hex_parse(&aw_canpid_protocol, *frames, strlen(*frames), datagram,
                              sizeof datagram, &size, &err);
        if (status == AW_OK)
            status = aw_link_write(link, datagram, size, &err);
    }
    if (status != AW_OK)
        printf("%s\n", err.text);
    aw_link_close(link);
    return (int)status;
}

static const struct {
    const char *name;
    void (*run)(const char *interface);
} tests[] = {
    {"round-trips", round_trips},
    {"filters", filters},
    {"own", times_and_own_frames},
    {"bursts", bursts_and_drops},
    {"busy", busy_bus},
    {"errors", error_frames},
    {"down", down_and_up},
    {"removed", removed_and_made_again},
    {"open", what_cannot_be_opened},
    {"full", full_queue},
};

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "dump") == 0)
        return dump(argv[2], strtoul(argv[3], NULL, 10));
    if (argc > 3 && strcmp(argv[1], "send") == 0)
        return send_all(argv[2], argv + 3);
    for (size_t i = 0; i < sizeof tests / sizeof *tests && argc == 3; i++) {
        if (strcmp(argv[1], tests[i].name) != 0)
            continue;
        tests[i].run(argv[2]);
        return failures != 0;
    }
    return 2;
}
