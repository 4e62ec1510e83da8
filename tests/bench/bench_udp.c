/* Measures feedback of the virtual arm over loopback: read by a bare loop of recvmmsg(2), by one
 * that also gets sender and time of each datagram (as a link must), through a udp: link, and also
 * decoded.
 *
 *     bench_udp [SECONDS per measurement]
 *
 * Each round fills a socket with datagrams and measures the time to read them; the four cases
 * alternate, and the best round counts. Prints name, bytes, millions per second. Exits with 1 if a
 * datagram is lost.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "link/core/link.h"
#include "link/open.h"
#include "protocol/unitysim/wire.h"
#include "wire/wire.h"

enum { ROUND = 128, BATCH = 32, ROOM = 64 };

struct run {
    struct aw_real_clock clock;
    struct aw_link *link;
    int sender, bare, stamped;
    struct sockaddr_in to_link, to_bare, to_stamped;
    struct aw_wire wire;
    uint8_t frame[ROOM];
    size_t size;
};

static int new_socket(struct sockaddr_in *at)
{
    socklen_t size = sizeof *at;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    must(fd >= 0 && bind(fd, (struct sockaddr *)at, size) == 0 &&
             getsockname(fd, (struct sockaddr *)at, &size) == 0,
         "no socket");
    return fd;
}

static void fill(struct run *run, const struct sockaddr_in *to)
{
    for (int i = 0; i < ROUND; i++)
        must(sendto(run->sender, run->frame, run->size, 0, (const struct sockaddr *)to,
                    sizeof *to) == (ssize_t)run->size,
             "nothing can be sent");
}

static void read_bare(struct run *run)
{
    uint8_t room[BATCH][ROOM];
    struct iovec parts[BATCH];
    struct mmsghdr headers[BATCH] = {0};
    for (int i = 0; i < BATCH; i++) {
        parts[i] = (struct iovec){room[i], ROOM};
        headers[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i], .msg_iovlen = 1};
    }
    for (int n = 0, got; n < ROUND; n += got) {
        got = recvmmsg(run->bare, headers, BATCH, 0, NULL);
        must(got > 0, "a datagram is lost");
    }
}

static void read_stamped(struct run *run)
{
    uint8_t room[BATCH][ROOM];
    struct iovec parts[BATCH];
    struct sockaddr_storage from[BATCH];
    _Alignas(struct cmsghdr) uint8_t times[BATCH][CMSG_SPACE(sizeof(struct timespec))];
    struct mmsghdr headers[BATCH] = {0};
    for (int n = 0, got; n < ROUND; n += got) {
        for (int i = 0; i < BATCH; i++) {
            parts[i] = (struct iovec){room[i], ROOM};
            headers[i].msg_hdr = (struct msghdr){.msg_iov = &parts[i],
                                                 .msg_iovlen = 1,
                                                 .msg_name = &from[i],
                                                 .msg_namelen = sizeof from[i],
                                                 .msg_control = times[i],
                                                 .msg_controllen = sizeof times[i]};
        }
        got = recvmmsg(run->stamped, headers, BATCH, 0, NULL);
        must(got > 0, "a datagram is lost");
    }
}

static size_t read_one(struct run *run, uint8_t *frame)
{
    size_t got;
    must(aw_link_read(run->link, frame, ROOM, &got, 0, NULL) == AW_OK, "a datagram is lost");
    return got;
}

static void read_link(struct run *run)
{
    uint8_t frame[ROOM];
    for (int i = 0; i < ROUND; i++)
        read_one(run, frame);
}

static void read_and_decode(struct run *run)
{
    uint8_t frame[ROOM];
    struct aw_record record;
    struct aw_error err;
    for (int i = 0; i < ROUND; i++) {
        size_t got = read_one(run, frame);
        must(aw_wire_decode(&run->wire, AW_RX, (struct aw_span){frame, got}, &record, &err) ==
                 AW_OK,
             err.text);
    }
}

static const struct job {
    const char *name;
    size_t to; /* offset of the address in struct run */
    void (*read_all)(struct run *run);
} jobs[] = {
    {"recvmmsg", offsetof(struct run, to_bare), read_bare},
    {"recvmmsg+stamps", offsetof(struct run, to_stamped), read_stamped},
    {"link", offsetof(struct run, to_link), read_link},
    {"link+decode", offsetof(struct run, to_link), read_and_decode},
};

#define JOBS (sizeof jobs / sizeof *jobs)

static double measure(struct run *run, const struct job *job)
{
    fill(run, (const struct sockaddr_in *)((const char *)run + job->to));
    double start = now(CLOCK_MONOTONIC);
    job->read_all(run);
    return now(CLOCK_MONOTONIC) - start;
}

static void open_all(struct run *run)
{
    struct aw_error err;
    unsigned port;
    struct aw_record record;
    run->clock = aw_real_clock(-1);
    const struct aw_link_options options = {.clock = &run->clock.base};
    must(aw_link_open(&run->link, "udp-listen:127.0.0.1:0?reply=sender", &options, &err) == AW_OK,
         err.text);
    must(sscanf(run->link->client_url, "udp:127.0.0.1:%u", &port) == 1, "no port");
    struct sockaddr_in unused;
    run->sender = new_socket(&unused);
    run->bare = new_socket(&run->to_bare);
    run->stamped = new_socket(&run->to_stamped);
    must(setsockopt(run->stamped, SOL_SOCKET, SO_TIMESTAMPNS, &(int){1}, sizeof(int)) == 0,
         "no times");
    run->to_link = run->to_bare;
    run->to_link.sin_port = htons((uint16_t)port);
    aw_wire_init(&run->wire, &aw_unitysim_protocol, NULL, false);
    aw_record_init(&record, aw_wire_codec(&run->wire, "feedback", AW_RX), AW_RX);
    record.present = record.codec->masks.values;
    for (int i = 0; i < record.codec->n_scalars; i++)
        record.v[i] = 2048;
    must(aw_encode(&record, true, run->frame, sizeof run->frame, &run->size, &err) == AW_OK,
         err.text);
}

int main(int argc, char **argv)
{
    static struct run run;
    double best[JOBS] = {1, 1, 1, 1}, seconds = argc > 1 ? atof(argv[1]) : 1;
    open_all(&run);
    double end = now(CLOCK_MONOTONIC) + seconds * (double)JOBS;
    do {
        for (size_t i = 0; i < JOBS; i++) {
            double spent = measure(&run, &jobs[i]);
            best[i] = spent < best[i] ? spent : best[i];
        }
    } while (now(CLOCK_MONOTONIC) < end);
    for (size_t i = 0; i < JOBS; i++)
        printf("%s unitysim.feedback\t%zu\t%.3f\n", jobs[i].name, run.size, ROUND / best[i] / 1e6);
    must(!run.link->n_dropped, "the kernel dropped datagrams");
    aw_link_close(run.link);
    close(run.sender);
    close(run.bare);
    close(run.stamped);
    return 0;
}
