/* Tests can: on a bus. This program plays the kernel: the link gets one end of a socket pair
 * instead of a CAN socket. The test controls frames, interfaces and full queues;
 * tests/kernel/t_can.sh checks that a real kernel behaves the same. */
#include "can_helper.h"
#include "file_helper.h"

#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#define BUS     "awcan0"
#define TYPE    "/sys/class/net/" BUS "/type"
#define FILTERS 8

/* A frame from the kernel with its ancillary data. */
struct told {
    struct can_frame frame;
    int64_t time_ns; /* 0: no timestamp */
    uint32_t overflow;
    bool own;
};

/* State of the simulated kernel. Errors are errno values; 0: none. */
static struct {
    bool up;
    int index; /* number of the interface; 0: missing */
    int socket[2], news[2];
    int bound;
    size_t n_filters;
    struct can_filter filters[FILTERS];
    int socket_error, news_error, option_error, bind_error;
    int read_error;
    int send_error, send_times; /* number of failing sends; -1: all */
    bool no_inet;
    char options[300]; /* all options set on the CAN socket */
} kernel;

/* A virtual clock that polls descriptors: it jumps to the deadline if nothing is readable. */
static struct bus_clock {
    struct aw_clock base;
    struct aw_real_clock real;
    int64_t time_ns;
    int up_after;         /* number of waits until the interface is up; 0: never */
    bool breaks;          /* every wait fails */
    int64_t send_time_ns; /* duration of a failing send */
} bus_clock;

/* ---- Kernel ---- */

/* The link owns the first end, the kernel the second one. */
static int open_pair(int pair[2])
{
    close(pair[1]);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair),
                     0);
    return pair[0];
}

int socket(int family, int type, int protocol)
{
    if (family == AF_CAN)
        return fails_with(kernel.socket_error) ? -1 : open_pair(kernel.socket);
    if (family == AF_NETLINK)
        return fails_with(kernel.news_error == EPERM ? EPERM : 0) ? -1 : open_pair(kernel.news);
    if (family == AF_INET && kernel.no_inet)
        return fails_with(EAFNOSUPPORT);
    return NEXT(socket)(family, type, protocol);
}

int bind(int fd, __CONST_SOCKADDR_ARG address, socklen_t size)
{
    const struct sockaddr *at = address.__sockaddr__;
    if (at->sa_family == AF_NETLINK)
        return fails_with(kernel.news_error);
    if (at->sa_family != AF_CAN)
        return NEXT(bind)(fd, address, size);
    kernel.bound = ((const struct sockaddr_can *)(const void *)at)->can_ifindex;
    return fails_with(kernel.bind_error);
}

int getsockname(int fd, __SOCKADDR_ARG address, socklen_t *restrict size)
{
    if (fd != kernel.socket[0])
        return NEXT(getsockname)(fd, address, size);
    *(struct sockaddr_can *)(void *)address.__sockaddr__ =
        (struct sockaddr_can){.can_family = AF_CAN, .can_ifindex = kernel.bound};
    return 0;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    size_t used = strlen(kernel.options);
    if (fd == kernel.socket[0] && name != CAN_RAW_FILTER)
        snprintf(kernel.options + used, sizeof kernel.options - used, " %d/%d=%X", level, name,
                 size == sizeof(int) ? *(const unsigned *)value : 0);
    if (level != SOL_CAN_RAW)
        return NEXT(setsockopt)(fd, level, name, value, size);
    if (name == CAN_RAW_FILTER) {
        assert_true(size <= sizeof kernel.filters);
        memcpy(kernel.filters, value, size);
        kernel.n_filters = size / sizeof *kernel.filters;
    }
    return fails_with(name == CAN_RAW_RECV_OWN_MSGS ? kernel.option_error : 0);
}

unsigned if_nametoindex(const char *name)
{
    return strcmp(name, BUS) == 0 ? (unsigned)kernel.index : NEXT(if_nametoindex)(name);
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    struct ifreq *argument = va_arg(list, void *);
    va_end(list);
    if (request != SIOCGIFFLAGS || strcmp(argument->ifr_name, BUS) != 0)
        return NEXT(ioctl)(fd, request, argument);
    argument->ifr_flags = kernel.up ? IFF_UP : 0;
    return fails_with(kernel.index ? 0 : ENODEV);
}

ssize_t send(int fd, const void *buf, size_t size, int flags)
{
    if (fd != kernel.socket[0] || kernel.send_times == 0)
        return NEXT(send)(fd, buf, size, flags);
    kernel.send_times -= kernel.send_times > 0;
    bus_clock.time_ns += bus_clock.send_time_ns;
    return fails_with(kernel.send_error);
}

static void add_control(struct msghdr *header, size_t *used, int type, const void *data,
                        size_t size)
{
    struct cmsghdr *c = (struct cmsghdr *)(void *)((char *)header->msg_control + *used);
    *used += CMSG_SPACE(size);
    assert_true(*used <= header->msg_controllen);
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(size), .cmsg_level = SOL_SOCKET, .cmsg_type = type};
    memcpy(CMSG_DATA(c), data, size);
}

/* Delivers one message like the kernel. */
static void hand_over(struct mmsghdr *to, const struct told *told)
{
    struct msghdr *header = &to->msg_hdr;
    const struct timespec time = {(time_t)(told->time_ns / AW_SECOND),
                                  (long)(told->time_ns % AW_SECOND)};
    size_t used = 0;
    assert_true(header->msg_iov->iov_len >= sizeof told->frame);
    memcpy(header->msg_iov->iov_base, &told->frame, sizeof told->frame);
    to->msg_len = sizeof told->frame;
    header->msg_flags = told->own ? MSG_CONFIRM : 0;
    if (told->time_ns)
        add_control(header, &used, SCM_TIMESTAMPNS, &time, sizeof time);
    if (told->overflow)
        add_control(header, &used, SO_RXQ_OVFL, &told->overflow, sizeof told->overflow);
    header->msg_controllen = used;
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned max, int flags, struct timespec *timeout)
{
    struct told told;
    int n = 0;
    if (fd != kernel.socket[0])
        return NEXT(recvmmsg)(fd, messages, max, flags, timeout);
    if (kernel.read_error) {
        recv(fd, &told, sizeof told, 0); /* the message that ended the wait */
        fails_with(kernel.read_error);
        kernel.read_error = 0;
        return -1;
    }
    while ((unsigned)n < max && recv(fd, &told, sizeof told, 0) == sizeof told)
        hand_over(&messages[n++], &told);
    return n > 0 ? n : fails_with(EAGAIN);
}

/* ---- Bus ---- */

static void tell(const struct told *told)
{
    assert_int_equal(NEXT(send)(kernel.socket[1], told, sizeof *told, 0), sizeof *told);
}

static void tell_frame(canid_t id, uint8_t size, uint8_t first)
{
    tell(&(struct told){.frame = {.can_id = id, .can_dlc = size, .data = {first}}});
}

static void fail_reading(int error)
{
    kernel.read_error = error;
    assert_int_equal(NEXT(send)(kernel.socket[1], "", 1, 0), 1);
}

static void take_down(void)
{
    kernel.up = false;
    fail_reading(ENETDOWN);
}

static void lose_interface(struct aw_link *link)
{
    take_down();
    assert_event(link, "interface down");
}

static void tell_news(void)
{
    assert_int_equal(NEXT(send)(kernel.news[1], "news", 4, 0), 4);
}

static void put_up(void)
{
    kernel.up = true;
    tell_news();
}

/* Requires this frame from the link on the bus. */
static void assert_on_bus(canid_t id, uint8_t size, uint8_t first)
{
    struct can_frame frame;
    assert_int_equal(recv(kernel.socket[1], &frame, sizeof frame, 0), sizeof frame);
    assert_int_equal(frame.can_id, id);
    assert_int_equal(frame.can_dlc, size);
    assert_int_equal(frame.data[0], first);
}

static int64_t bus_now(const struct aw_clock *clock)
{
    return ((const struct bus_clock *)clock)->time_ns;
}

static enum aw_status bus_wait(struct aw_clock *clock, int fd, short events, int64_t deadline)
{
    struct bus_clock *self = (struct bus_clock *)clock;
    if (self->up_after > 0 && --self->up_after == 0)
        kernel.up = true;
    errno = ENOMEM;
    if (self->breaks)
        return AW_LOST;
    enum aw_status status = aw_clock_wait(&self->real.base, fd, events, 0);
    if (status != AW_TIMEOUT)
        return status;
    assert_true(deadline != AW_NEVER); /* otherwise nothing would wake the reader */
    if (deadline > self->time_ns)
        self->time_ns = deadline;
    return AW_TIMEOUT;
}

static void plug_in(void)
{
    bus_clock = (struct bus_clock){.base = {.now = bus_now, .wait = bus_wait},
                                   .real = aw_real_clock(-1),
                                   .time_ns = AW_SECOND};
    memset(&kernel, 0, sizeof kernel);
    kernel.up = true;
    kernel.index = 7;
    memset(kernel.socket, -1, sizeof kernel.socket);
    memset(kernel.news, -1, sizeof kernel.news);
    assert_int_equal(other_begin(), 0);
    other_file(TYPE, "280\n");
}

static void unplug(void)
{
    close(kernel.socket[1]); /* the link owns the other end */
    close(kernel.news[1]);
    assert_int_equal(other_end(), 0);
}

static struct aw_link *open_bus(const char *query)
{
    return open_link(text_of("can:" BUS "%s", query), &bus_clock.base);
}

static void assert_send_fails(struct aw_link *link, enum aw_status wanted, const char *words)
{
    assert_write_fails(link, "\x41\0\1", 3, wanted, words);
}

static void assert_cannot_open(const char *words)
{
    assert_open_fails("can:" BUS, AW_NO_LINK, words);
}

/* ---- Tests ---- */

TEST_WITH(plug_in, unplug, frames_are_sent_and_received)
{
    LINK link = open_bus("");
    assert_string_equal(link->key, "can:" BUS);
    assert_string_equal(link->client_url, "can:" BUS);
    assert_true(link->datagrams && aw_link_fd(link) == kernel.socket[0]);
    assert_int_equal(kernel.bound, 7);
    assert_sends(link, "041#398EE33C0000");
    assert_on_bus(0x041, 6, 0x39);
    assert_sends(link, "7FF#");
    assert_on_bus(0x7FF, 0, 0);
    tell(&(struct told){.frame = {.can_id = 0x05E, .can_dlc = 2, .data = {0x9C, 0xFF}},
                        .time_ns = INT64_C(1436509052249713999)});
    assert_receives(link, "05E#9CFF");
    assert_int_equal(link->rx.time_ns, INT64_C(1436509052249713999));
    assert_false(link->rx.is_echo);
    tell(&(struct told){.frame = {.can_id = 0x7FF}, .own = true, .overflow = 3});
    assert_receives(link, "7FF#");
    assert_true(link->rx.is_echo);
    assert_int_equal(link->rx.time_ns, 0);
    assert_int_equal(link->n_dropped, 3);
    assert_read_is(link, AW_TIMEOUT, 0);
    assert_false(link->rx.is_echo);
}

TEST_WITH(plug_in, unplug, unsuitable_frames_are_skipped)
{
    static const uint8_t above[] = {0x00, 0x08};
    LINK link = open_bus("");
    assert_int_equal(kernel.n_filters, 1);
    tell_frame(0x041 | CAN_RTR_FLAG, 1, 1);
    tell_frame(0x041, 9, 1);
    tell_frame(0x041, 8, 0xAB);
    /* The rest of a datagram is discarded. */
    assert_read_gives(link, 4, "\x41\x00\xAB\x00", 4);
    assert_read_is(link, AW_TIMEOUT, 0);
    assert_write_fails(link, above, sizeof above, AW_USAGE, "can:" BUS ": not a classic CAN frame");
}

TEST_WITH(plug_in, unplug, socket_options_and_filters_are_set)
{
    struct aw_link *link = open_bus("?filter=040/7E0,0/0,05e");
    /* The size depends on a system limit. */
    char *forced = strstr(kernel.options, text_of(" %d/%d=", SOL_SOCKET, SO_RCVBUF));
    if (forced)
        memmove(forced, strstr(forced + 1, " "), strlen(strstr(forced + 1, " ")) + 1);
    assert_string_equal(kernel.options,
                        text_of(" %d/%d=400000 %d/%d=1 %d/%d=1 %d/%d=%X %d/%d=1", SOL_SOCKET,
                                SO_RCVBUFFORCE, SOL_SOCKET, SO_TIMESTAMPNS, SOL_SOCKET, SO_RXQ_OVFL,
                                SOL_CAN_RAW, CAN_RAW_ERR_FILTER, CAN_ERR_MASK, SOL_CAN_RAW,
                                CAN_RAW_RECV_OWN_MSGS));
    assert_int_equal(kernel.n_filters, 3);
    static const struct can_filter filters[] = {{0x040, 0x7E0 | CAN_EFF_FLAG | CAN_RTR_FLAG},
                                                {0, CAN_EFF_FLAG | CAN_RTR_FLAG},
                                                {0x05E, 0x7FF | CAN_EFF_FLAG | CAN_RTR_FLAG}};
    assert_memory_equal(kernel.filters, filters, sizeof filters);
    aw_link_close(link);
    link = open_bus("");
    assert_int_equal(kernel.n_filters, 1);
    static const struct can_filter all = {0, CAN_RTR_FLAG};
    assert_memory_equal(kernel.filters, &all, sizeof all);
    aw_link_close(link);
}

TEST_WITH(plug_in, unplug, crash_stop_gets_the_raw_bytes)
{
    static const uint8_t good[] = {0x41, 0, 7}, bad[] = {0, 8};
    uint8_t room[32];
    struct aw_link_raw raw = {.bytes = room, .cap = sizeof room};
    LINK link = open_bus("");
    assert_false(aw_link_raw(link, bad, sizeof bad, &raw));
    assert_true(aw_link_raw(link, good, sizeof good, &raw));
    const struct can_frame frame = {.can_id = 0x41, .can_dlc = 1, .data = {7}};
    assert_int_equal(raw.size, sizeof frame);
    assert_memory_equal(room, &frame, sizeof frame);
    assert_true(raw.fd == kernel.socket[0] && raw.address == NULL && raw.address_size == 0);
    raw.cap = sizeof frame - 1;
    assert_false(aw_link_raw(link, good, sizeof good, &raw));
    raw.cap = sizeof frame;
    lose_interface(link);
    assert_false(aw_link_raw(link, good, sizeof good, &raw));
}

TEST_WITH(plug_in, unplug, lost_frames_are_counted)
{
    LINK link = open_bus("");
    static const struct {
        uint32_t overflow, dropped;
        int64_t time_ns;
    } cases[] = {{3, 3, 1500000001}, {10, 10, 0}, {0, 10, 0}, {11, 11, 1500000002}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        tell(&(struct told){
            .frame = {.can_id = i}, .overflow = cases[i].overflow, .time_ns = cases[i].time_ns});
        assert_receives(link, text_of("%03X#", i));
        assert_int_equal(link->n_dropped, cases[i].dropped);
        assert_int_equal(link->rx.time_ns, cases[i].time_ns);
    }
}

/* Sends more frames than one read of the kernel returns. On a busy bus, the link gathers frames for
 * at most 1 ms, but not after a write. */
TEST_WITH(plug_in, unplug, bursts_keep_their_order)
{
    LINK link = open_bus("");
    int64_t start = bus_clock.time_ns;
    for (uint8_t round = 0; round < 3; round++) {
        for (uint8_t i = 0; i < 100; i++)
            tell_frame(round, 1, i);
        for (uint8_t i = 0; i < 100; i++)
            assert_receives(link, text_of("%03X#%02X", round, i));
    }
    int64_t gathered = bus_clock.time_ns - start;
    assert_in_range(gathered, AW_MILLISECOND, 6 * AW_MILLISECOND);
    start = bus_clock.time_ns;
    assert_sends(link, "041#01");
    tell_frame(0x05E, 1, 1);
    assert_receives(link, "05E#01");
    assert_int_equal(bus_clock.time_ns, start); /* an answer is not delayed */
    for (uint8_t i = 0; i < 100; i++)
        tell_frame(1, 1, i);
    for (uint8_t i = 0; i < 100; i++)
        assert_receives(link, text_of("001#%02X", i));
    assert_true(bus_clock.time_ns > start); /* later frames are gathered again */
}

TEST_WITH(plug_in, unplug, error_frames_are_reported_once_a_second)
{
    LINK link = open_bus("");
    tell_frame(CAN_ERR_FLAG | CAN_ERR_BUSOFF, 8, 0);
    assert_event(link, "bus-off");
    tell_frame(CAN_ERR_FLAG | CAN_ERR_ACK, 8, 0);
    tell_frame(CAN_ERR_FLAG | CAN_ERR_ACK, 8, 0);
    tell(&(struct told){.frame = {.can_id = CAN_ERR_FLAG | CAN_ERR_CRTL,
                                  .can_dlc = 8,
                                  .data = {0, CAN_ERR_CRTL_TX_PASSIVE}}});
    assert_event(link, "no ACK");
    assert_event(link, "error-passive (send errors)");
    tell_frame(CAN_ERR_FLAG | CAN_ERR_BUSOFF, 8, 0);
    assert_event(link, "bus-off");
    tell_frame(CAN_ERR_FLAG | CAN_ERR_BUSOFF, 8, 0);
    assert_read_is(link, AW_TIMEOUT, AW_SECOND - 1);
    tell_frame(CAN_ERR_FLAG | CAN_ERR_BUSOFF, 8, 0);
    assert_read_is(link, AW_TIMEOUT, 1);
    tell_frame(CAN_ERR_FLAG | CAN_ERR_BUSOFF, 8, 0);
    assert_event(link, "bus-off");
}

TEST_WITH(plug_in, unplug, stop_request_ends_reading)
{
    FD stop = eventfd(0, 0);
    LINK link = open_bus("");
    bus_clock.real.stop_fd = stop;
    assert_int_equal(eventfd_write(stop, 1), 0);
    tell_frame(0x041, 0, 0);
    assert_read_is(link, AW_STOPPED, AW_SECOND);
    assert_sends(link, "041#01"); /* the stop itself is still written */
    assert_on_bus(0x041, 1, 1);
    bus_clock.real.stop_fd = -1;
    assert_receives(link, "041#");
    lose_interface(link);
    bus_clock.real.stop_fd = stop;
    assert_read_is(link, AW_STOPPED, AW_SECOND); /* also while the interface is down */
}

TEST_WITH(plug_in, unplug, write_waits_for_a_full_queue)
{
    static const int passing[] = {ENOBUFS, EAGAIN, EINTR};
    LINK link = open_bus("");
    EACH (row, passing) {
        kernel.send_error = *row;
        kernel.send_times = 3;
        assert_sends(link, "041#07");
        assert_on_bus(0x041, 1, 7);
    }
    kernel.send_error = ENOBUFS;
    kernel.send_times = -1;
    bus_clock.send_time_ns = 100 * AW_MILLISECOND;
    int64_t start = bus_clock.time_ns;
    assert_send_fails(link, AW_TIMEOUT,
                      "can:" BUS
                      ": send queue full for 1 s — check bit rate and wiring, or run: sudo "
                      "ip link set " BUS " txqueuelen 1000");
    assert_int_equal(bus_clock.time_ns - start, 1100 * AW_MILLISECOND);
    kernel.send_times = 0;
    assert_sends(link, "041#08"); /* the bus was busy, but the link is intact */
    assert_on_bus(0x041, 1, 8);
}

TEST_WITH(plug_in, unplug, fatal_errors_lose_the_link)
{
    LINK link = open_bus("");
    fail_reading(EIO);
    assert_read_fails(link, AW_LOST, "can:" BUS ": connection lost: Input/output error");
    kernel.send_error = EINVAL;
    kernel.send_times = 1;
    assert_send_fails(link, AW_LOST, "can:" BUS ": connection lost: Invalid argument");
    bus_clock.breaks = true;
    assert_read_fails(link, AW_LOST, "can:" BUS ": connection lost: Cannot allocate memory");
    bus_clock.breaks = false;
    lose_interface(link);
    bus_clock.breaks = true;
    assert_read_fails(link, AW_LOST, "can:" BUS ": connection lost: Cannot allocate memory");
}

TEST_WITH(plug_in, unplug, link_survives_interface_down_and_up)
{
    LINK link = open_bus("");
    lose_interface(link);
    assert_int_equal(aw_link_fd(link), kernel.news[0]);
    assert_read_is(link, AW_TIMEOUT, AW_SECOND);
    assert_send_fails(link, AW_LOST,
                      "can:" BUS ": interface is down — run: sudo ip link set " BUS " up");
    tell_news(); /* about another interface */
    assert_read_is(link, AW_TIMEOUT, AW_SECOND);
    kernel.bind_error = EIO; /* not detected, because the socket is still bound */
    put_up();
    assert_event(link, "interface up");
    assert_int_equal(aw_link_fd(link), kernel.socket[0]);
    assert_sends(link, "041#01");
    assert_on_bus(0x041, 1, 1);
    tell_frame(0x05E, 0, 0);
    assert_receives(link, "05E#");

    kernel.send_error = ENETDOWN; /* detected by a write, and also reported by the next read */
    kernel.send_times = 1;
    assert_send_fails(link, AW_LOST, "can:" BUS ": interface was down");
    close(kernel.news[1]);
    kernel.news[1] = -1;
    assert_event(link, "interface down");
    assert_event(link, "interface up");
}

TEST_WITH(plug_in, unplug, write_reopens_the_interface)
{
    LINK link = open_bus("");
    lose_interface(link);
    kernel.up = true;
    assert_sends(link, "041#01");
    assert_on_bus(0x041, 1, 1);
    tell_frame(0x05E, 0, 0);
    assert_receives(link, "05E#");
}

/* The kernel drops the socket's binding and filters with the interface. */
TEST_WITH(plug_in, unplug, link_survives_removal_of_the_interface)
{
    LINK link = open_bus("?filter=05E");
    kernel.index = 0;
    other_remove(TYPE);
    kernel.up = false;
    fail_reading(ENODEV);
    assert_event(link, "interface down");
    assert_send_fails(link, AW_LOST, "can:" BUS ": no CAN interface found");
    kernel.index = 9;
    kernel.n_filters = 0;
    other_file(TYPE, "280\n");
    kernel.bind_error = EIO; /* the interface is not ready yet */
    put_up();
    assert_read_is(link, AW_TIMEOUT, AW_SECOND);
    kernel.bind_error = 0;
    tell_news();
    assert_event(link, "interface up");
    assert_int_equal(kernel.bound, 9);
    assert_int_equal(kernel.n_filters, 1);
}

TEST_WITH(plug_in, unplug, interface_is_polled_without_netlink)
{
    static const int errors[] = {EPERM, EACCES}; /* errors of socket(2) and bind(2) */
    EACH (row, errors) {
        LINK link = open_bus("");
        kernel.news_error = *row;
        lose_interface(link);
        assert_int_equal(aw_link_fd(link), -1);
        assert_read_is(link, AW_TIMEOUT, AW_MILLISECOND);
        int64_t start = bus_clock.time_ns;
        bus_clock.up_after = 3;
        assert_event(link, "interface up");
        assert_int_equal(bus_clock.time_ns - start, 3 * AW_SECOND / 2);
    }
}

TEST_WITH(plug_in, unplug, interface_down_loses_the_link_without_reconnect)
{
    LINK link = open_bus("?reconnect=off");
    take_down();
    for (int i = 0; i < 2; i++)
        assert_read_fails(link, AW_LOST, "can:" BUS ": interface is down — run: sudo ip link set");
}

TEST_WITH(plug_in, unplug, unusable_interfaces_are_explained)
{
    kernel.up = false;
    assert_cannot_open("can:" BUS ": interface is down — run: sudo ip link set " BUS " up");
    other_file("/sys/class/net/" BUS "/device", "");
    assert_cannot_open("sudo ip link set " BUS " up type can bitrate 1000000");
    kernel.no_inet = true; /* a kernel without IPv4 has other sockets for the query */
    assert_cannot_open("interface is down");
    kernel.no_inet = false;
    other_file("/sys/class/net/awcan1/type", "280\n");
    other_file("/sys/class/net/eth0/type", "1\n");
    other_file("/sys/class/net/odd/type", "?\n");
    assert_open_fails("can:lo", AW_NO_LINK, "can:lo: not a CAN interface");
    assert_open_fails("can:awcan7", AW_NO_LINK,
                      "can:awcan7: interface not found — available: awcan");
    assert_open_fails("can:", AW_NO_LINK, "can:can0: interface not found — available: awcan");
    other_remove("/sys/class/net");
    assert_open_fails("can:awcan7", AW_NO_LINK,
                      "can:awcan7: no CAN interface found — plug in the adapter, or: sudo ip link "
                      "add awcan7 type vcan");
}

TEST_WITH(plug_in, unplug, kernel_errors_are_explained)
{
    kernel.socket_error = EAFNOSUPPORT;
    assert_cannot_open("can:" BUS ": CAN not supported by this kernel — use slcan: or sim:");
    kernel.socket_error = EPERM;
    assert_cannot_open("can:" BUS ": Operation not permitted");
    kernel.socket_error = 0;
    kernel.option_error = ENOPROTOOPT;
    assert_cannot_open("can:" BUS ": Protocol not available");
    kernel.option_error = 0;
    kernel.bind_error = ENODEV;
    assert_cannot_open("can:" BUS ": No such device");
}
