/* Implements SocketCAN links: raw sockets on a kernel interface. */
#include <errno.h>
#include <linux/can.h>
#include <linux/can/raw.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/can/can_error.h"
#include "link/can/can_interface.h"
#include "link/can/can_text.h"
#include "link/can/transports.h"
#include "link/core/fd_link.h"

#define BATCH          64
#define FILTERS_MAX    64
#define RECEIVE_BUFFER (4 << 20) /* the kernel limits it to net.core.rmem_max */
#define FULL_TIMEOUT   AW_SECOND
#define FULL_STEP_MS   1
#define GATHER_NS      AW_MILLISECOND

struct received {
    struct can_frame frame;
    struct iovec part;
    _Alignas(size_t) char control[AW_STAMPS_SIZE]; /* aligned like struct cmsghdr */
};

struct can_link {
    struct aw_fd_link fd;
    char name[IFNAMSIZ];
    bool reconnects;
    bool is_down;    /* the interface is down or gone */
    bool removed;    /* the interface was removed, so the socket must be bound again */
    bool unreported; /* the loss has not been reported yet */
    /* netlink socket for changes of the interface, open while it is down; else -1 */
    int news_fd;
    struct {
        unsigned next, count; /* unread part of the batch */
        int64_t read_time;    /* time at which the batch was filled */
        struct mmsghdr headers[BATCH];
        struct received batch[BATCH];
    } in;
    bool awaits_answer; /* a frame has been written since read_time, so an answer may arrive */
    size_t n_filters;
    struct can_filter filters[FILTERS_MAX];
    /* the last error frame */
    struct {
        uint32_t id;
        uint8_t data[6];
        int64_t time;
    } error;
};

static bool is_interface_error(int error)
{
    return error == ENETDOWN || error == ENODEV || error == ENXIO;
}

static enum aw_status report_event(struct can_link *self, const char *text)
{
    snprintf(self->fd.base.rx.event, sizeof self->fd.base.rx.event, "%s", text);
    return AW_EVENT;
}

static enum aw_status fail_interface_lost(const struct can_link *self, struct aw_error *err)
{
    char problem[200];
    if (!aw_can_find_problem(self->name, problem, sizeof problem))
        snprintf(problem, sizeof problem, "interface was down");
    return aw_fail(err, AW_LOST, "can:%s: %s", self->name, problem);
}

static void close_news(struct can_link *self)
{
    if (self->news_fd >= 0)
        close(self->news_fd);
    self->news_fd = -1;
}

static void set_down(struct can_link *self, int error)
{
    self->removed = self->removed || error != ENETDOWN;
    if (self->is_down)
        return;
    self->is_down = self->unreported = true;
    /* Subscribes to changes before reading the state, so that no change is missed. */
    const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
    self->news_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (self->news_fd >= 0 &&
        bind(self->news_fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        close(self->news_fd);
        self->news_fd = -1;
    }
}

/* Binds the socket and sets its filters, which are lost when the interface is removed. */
static bool bind_socket(struct can_link *self)
{
    const struct sockaddr_can address = {.can_family = AF_CAN,
                                         .can_ifindex = (int)if_nametoindex(self->name)};
    return address.can_ifindex > 0 &&
           setsockopt(self->fd.fd, SOL_CAN_RAW, CAN_RAW_FILTER, self->filters,
                      (socklen_t)(self->n_filters * sizeof *self->filters)) == 0 &&
           bind(self->fd.fd, (const struct sockaddr *)&address, sizeof address) == 0;
}

/* Returns true if the interface is up again, and binds the socket again if necessary: to the
 * kernel, a re-created interface is a new one. */
static bool is_back(struct can_link *self)
{
    int error;
    socklen_t size = sizeof error;
    struct sockaddr_can bound = {0};
    socklen_t bound_size = sizeof bound;
    if (!aw_can_is_interface_up(self->name))
        return false;
    getsockname(self->fd.fd, (struct sockaddr *)&bound, &bound_size);
    if ((self->removed || bound.can_ifindex != (int)if_nametoindex(self->name)) &&
        !bind_socket(self))
        return false;
    getsockopt(self->fd.fd, SOL_SOCKET, SO_ERROR, &error, &size); /* discards an old error */
    self->is_down = self->removed = false;
    close_news(self);
    return true;
}

static enum aw_status await_interface(struct can_link *self, int64_t deadline, struct aw_error *err)
{
    char news[8192];
    if (self->unreported) {
        self->unreported = false;
        return self->reconnects ? report_event(self, "interface down")
                                : fail_interface_lost(self, err);
    }
    if (!self->reconnects)
        return fail_interface_lost(self, err);
    while (!is_back(self)) {
        /* Without change events, as in a sandbox, checks periodically. */
        int64_t next_check = aw_clock_now(self->fd.base.clock) + AW_SECOND / 2;
        int64_t until = self->news_fd < 0 && next_check < deadline ? next_check : deadline;
        enum aw_status status = aw_fd_await(&self->fd.base, self->news_fd, until, err);
        if (status == AW_STOPPED || status == AW_LOST ||
            (status == AW_TIMEOUT && until == deadline))
            return status;
        while (self->news_fd >= 0 && recv(self->news_fd, news, sizeof news, 0) > 0)
            ;
    }
    return report_event(self, "interface up");
}

/* Waits for frames. If they arrive faster than one per millisecond, gathers them for a millisecond,
 * because waking up for each frame of a busy bus is expensive. Does not gather while a write may be
 * answered. The kernel's timestamps remain exact. */
static enum aw_status await_frames(struct can_link *self, int64_t deadline, struct aw_error *err)
{
    struct aw_clock *clock = self->fd.base.clock;
    int64_t now = aw_clock_now(clock);
    /* Waits even if there are frames, so that a flood cannot hide a request to stop. */
    if (!self->awaits_answer && now - self->in.read_time < GATHER_NS && deadline - now > GATHER_NS)
        return aw_clock_sleep(clock, now + GATHER_NS);
    return aw_fd_await(&self->fd.base, self->fd.fd, deadline, err);
}

static int receive_batch(struct can_link *self)
{
    for (size_t i = 0; i < self->in.count; i++) /* the kernel has changed the sizes */
        self->in.headers[i].msg_hdr.msg_controllen = sizeof self->in.batch[i].control;
    int n = recvmmsg(self->fd.fd, self->in.headers, BATCH, 0, NULL);
    self->in.next = 0;
    self->in.count = n > 0 ? (unsigned)n : 0;
    self->in.read_time = aw_clock_now(self->fd.base.clock);
    self->awaits_answer = false;
    return n;
}

static enum aw_status fill_batch(struct can_link *self, int64_t deadline, struct aw_error *err)
{
    for (;;) {
        enum aw_status status = await_frames(self, deadline, err);
        if (status != AW_OK)
            return status;
        int n = receive_batch(self);
        if (n > 0)
            return AW_OK;
        if (n < 0 && is_interface_error(errno)) {
            set_down(self, errno);
            return await_interface(self, deadline, err);
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return aw_fd_fail_lost(&self->fd.base, errno, err);
        self->in.read_time = 0; /* no frames arrived: do not gather next time */
    }
}

/* Returns true for an error frame worth reporting. Without an acknowledgement, a controller repeats
 * its report thousands of times a second. */
static bool is_new_error(struct can_link *self, const struct can_frame *frame)
{
    int64_t now = aw_clock_now(self->fd.base.clock);
    bool is_same = frame->can_id == self->error.id &&
                   memcmp(frame->data, self->error.data, sizeof self->error.data) == 0;
    if (is_same && now - self->error.time < AW_SECOND)
        return false;
    self->error.id = frame->can_id;
    memcpy(self->error.data, frame->data, sizeof self->error.data);
    self->error.time = now;
    return true;
}

/* Reads the next frame of the batch. AW_OK: a frame. AW_EVENT: an error frame. AW_TIMEOUT: the
 * frame was skipped. */
static enum aw_status read_frame(struct can_link *self, uint8_t *out, size_t cap, size_t *got)
{
    struct msghdr *header = &self->in.headers[self->in.next].msg_hdr;
    const struct can_frame *frame = &self->in.batch[self->in.next++].frame;
    uint8_t datagram[AW_CAN_DATAGRAM];
    bool is_long = frame->can_id & CAN_EFF_FLAG;
    struct aw_can_id id = {frame->can_id & (is_long ? CAN_EFF_MASK : CAN_SFF_MASK), is_long};
    aw_fd_read_stamps(&self->fd, header);
    self->fd.base.rx.is_echo = header->msg_flags & MSG_CONFIRM;
    if (frame->can_id & CAN_ERR_FLAG) {
        if (!is_new_error(self, frame))
            return AW_TIMEOUT;
        aw_can_describe_error(frame->can_id, frame->data, self->fd.base.rx.event,
                              sizeof self->fd.base.rx.event);
        return AW_EVENT;
    }
    if (frame->can_id & CAN_RTR_FLAG || frame->can_dlc > CAN_MAX_DLEN)
        return AW_TIMEOUT;
    size_t head = aw_can_put_id(datagram, id);
    memcpy(datagram + head, frame->data, frame->can_dlc);
    *got = frame->can_dlc + head;
    if (*got > cap)
        *got = cap;
    memcpy(out, datagram, *got);
    return AW_OK;
}

static enum aw_status can_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                               int64_t deadline, struct aw_error *err)
{
    struct can_link *self = (struct can_link *)link;
    enum aw_status status = AW_TIMEOUT;
    *got = 0;
    link->rx.event[0] = '\0';
    link->rx.is_echo = false;
    while (status == AW_TIMEOUT) {
        if (self->in.next == self->in.count) {
            status = self->is_down ? await_interface(self, deadline, err)
                                   : fill_batch(self, deadline, err);
            if (status != AW_OK)
                return status;
        }
        status = read_frame(self, buf, cap, got);
    }
    return status;
}

static enum aw_status fail_queue_full(const struct can_link *self, struct aw_error *err)
{
    return aw_fail(err, AW_TIMEOUT,
                   "can:%s: send queue full for 1 s — check bit rate and wiring, or run: sudo ip "
                   "link set %s txqueuelen 1000",
                   self->name, self->name);
}

static enum aw_status fail_write(struct can_link *self, struct aw_error *err)
{
    if (!is_interface_error(errno))
        return aw_fd_fail_lost(&self->fd.base, errno, err);
    set_down(self, errno);
    return fail_interface_lost(self, err);
}

static struct can_frame make_frame(const uint8_t *bytes, size_t size)
{
    size_t head = aw_can_head_size((struct aw_span){bytes, size});
    struct aw_can_id id = aw_can_id_of(bytes);
    struct can_frame frame = {.can_id = id.id | (id.is_long ? CAN_EFF_FLAG : 0),
                              .can_dlc = (uint8_t)(size - head)};
    memcpy(frame.data, bytes + head, frame.can_dlc);
    return frame;
}

static bool can_raw(const struct aw_link *link, const void *buf, size_t size,
                    struct aw_link_raw *raw)
{
    if (aw_can_check_frame(link, buf, size, NULL) != AW_OK ||
        ((const struct can_link *)link)->is_down)
        return false;
    struct can_frame frame = make_frame(buf, size);
    return aw_fd_raw(link, &frame, sizeof frame, raw);
}

static enum aw_status can_write(struct aw_link *link, const void *buf, size_t size,
                                struct aw_error *err)
{
    struct can_link *self = (struct can_link *)link;
    enum aw_status status = aw_can_check_frame(link, buf, size, err);
    if (status != AW_OK)
        return status;
    struct can_frame frame = make_frame(buf, size);
    self->awaits_answer = true;
    if (self->is_down && !is_back(self))
        return fail_interface_lost(self, err);
    int64_t give_up_ns = 0;
    while (send(self->fd.fd, &frame, sizeof frame, MSG_NOSIGNAL) < 0) {
        if (errno != ENOBUFS && errno != EAGAIN && errno != EINTR)
            return fail_write(self, err);
        int64_t now = aw_clock_now(link->clock);
        if (give_up_ns == 0)
            give_up_ns = now + FULL_TIMEOUT;
        if (now >= give_up_ns)
            return fail_queue_full(self, err);
        /* Waits with a timeout, because poll(2) does not report room in the interface's queue. */
        poll(NULL, 0, FULL_STEP_MS);
    }
    return AW_OK;
}

static void can_close(struct aw_link *link)
{
    close_news((struct can_link *)link);
    aw_fd_close(link);
}

static int can_fd(const struct aw_link *link)
{
    const struct can_link *self = (const struct can_link *)link;
    return self->is_down ? self->news_fd : self->fd.fd;
}

static const struct aw_link_ops can_ops = {
    .read = can_read,
    .write = can_write,
    .close = can_close,
    .fd = can_fd,
    .raw = can_raw,
};

static bool parse_filter(const char **text, struct can_filter *filter)
{
    char *end;
    unsigned long id = strtoul(*text, &end, 16), mask = CAN_SFF_MASK;
    if (end == *text)
        return false;
    if (*end == '/') {
        const char *digits = end + 1;
        mask = strtoul(digits, &end, 16);
        if (end == digits)
            return false;
    }
    *text = end + (*end == ',');
    filter->can_id = (canid_t)id;
    filter->can_mask = (canid_t)mask | CAN_EFF_FLAG | CAN_RTR_FLAG;
    return id <= CAN_SFF_MASK && mask <= CAN_SFF_MASK && (*end == ',' || *end == '\0');
}

/* Parses the filters. Without a key, accepts all classic frames. */
static enum aw_status parse_filters(struct can_link *self, const char *text, struct aw_error *err)
{
    const char *next = text;
    if (!text) {
        self->filters[self->n_filters++] = (struct can_filter){0, CAN_RTR_FLAG};
        return AW_OK;
    }
    do {
        if (self->n_filters == FILTERS_MAX ||
            !parse_filter(&next, &self->filters[self->n_filters++]))
            return aw_fail(
                err, AW_USAGE,
                "link key filter=%.60s: not a list of up to %d ID/MASK — write 040/7E0,080/7E0",
                text, FILTERS_MAX);
    } while (*next);
    return AW_OK;
}

static enum aw_status open_socket(int *fd, const char *name, struct aw_error *err)
{
    *fd = socket(AF_CAN, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_RAW);
    if (*fd >= 0)
        return AW_OK;
    if (errno == EAFNOSUPPORT || errno == EPROTONOSUPPORT)
        return aw_fail(err, AW_NO_LINK,
                       "can:%s: CAN not supported by this kernel — use slcan: or sim:", name);
    return aw_fail(err, AW_NO_LINK, "can:%s: %s", name, strerror(errno));
}

static bool set_options(int fd)
{
    static const int on = 1, buffer = RECEIVE_BUFFER;
    static const can_err_mask_t errors = CAN_ERR_MASK;
    /* Root may exceed the kernel's limit. */
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) != 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
    setsockopt(fd, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &errors, sizeof errors);
    return setsockopt(fd, SOL_CAN_RAW, CAN_RAW_RECV_OWN_MSGS, &on, sizeof on) == 0;
}

static enum aw_status start_socket(struct can_link *self, struct aw_error *err)
{
    char problem[200];
    enum aw_status status = open_socket(&self->fd.fd, self->name, err);
    if (status != AW_OK)
        return status;
    if (aw_can_find_problem(self->name, problem, sizeof problem))
        return aw_fail(err, AW_NO_LINK, "can:%s: %s", self->name, problem);
    if (!set_options(self->fd.fd) || !bind_socket(self))
        return aw_fail(err, AW_NO_LINK, "can:%s: %s", self->name, strerror(errno));
    return AW_OK;
}

static enum aw_status parse_keys(struct can_link *self, const struct aw_url *url,
                                 struct aw_error *err)
{
    static const char *const on_off[] = {"on", "off"};
    size_t off = 0;
    enum aw_status status = parse_filters(self, aw_url_get(url, "filter"), err);
    if (status == AW_OK)
        status = aw_url_choice(url, "reconnect", on_off, 2, &off, err);
    self->reconnects = !off;
    return status;
}

enum aw_status aw_can_open(struct aw_link **out, const struct aw_url *url,
                           const struct aw_link_options *options, struct aw_error *err)
{
    struct can_link *self = aw_fd_link_new(sizeof *self, &can_ops, options->clock);
    if (!self)
        return aw_no_memory(err);
    snprintf(self->name, sizeof self->name, "%.15s", *url->rest ? url->rest : "can0");
    self->news_fd = -1;
    for (size_t i = 0; i < BATCH; i++) {
        struct received *slot = &self->in.batch[i];
        slot->part = (struct iovec){&slot->frame, sizeof slot->frame};
        self->in.headers[i].msg_hdr = (struct msghdr){.msg_iov = &slot->part,
                                                      .msg_iovlen = 1,
                                                      .msg_control = slot->control,
                                                      .msg_controllen = sizeof slot->control};
    }
    self->fd.base.datagrams = true;
    snprintf(self->fd.base.key, sizeof self->fd.base.key, "can:%s", self->name);
    snprintf(self->fd.base.client_url, sizeof self->fd.base.client_url, "can:%s", self->name);
    enum aw_status status = parse_keys(self, url, err);
    if (status == AW_OK)
        status = start_socket(self, err);
    if (status != AW_OK) {
        can_close(&self->fd.base);
        return status;
    }
    *out = &self->fd.base;
    return AW_OK;
}
