/* Reads, writes and closes links on a file descriptor, without blocking past a deadline. */
#include "link/core/fd_link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WRITE_TIMEOUT_MS 1000
#define STALL_NS         AW_SECOND
#define CLOSE_NS         (200 * AW_MILLISECOND)

const struct aw_link_ops aw_fd_ops = {
    .read = aw_fd_read,
    .write = aw_fd_write,
    .close = aw_fd_close,
    .fd = aw_fd_get_fd,
    .raw = aw_fd_raw,
};

void *aw_fd_link_new(size_t size, const struct aw_link_ops *ops, struct aw_clock *clock)
{
    struct aw_fd_link *self = calloc(1, size);
    if (!self)
        return NULL;
    self->base.ops = ops;
    self->base.clock = clock;
    self->fd = -1;
    return self;
}

enum aw_status aw_fd_fail_lost(const struct aw_link *link, int error, struct aw_error *err)
{
    return aw_fail(err, AW_LOST,
                   "%s: connection lost: %s — check that the device is plugged in and "
                   "running",
                   link->key, error ? strerror(error) : "closed by the peer");
}

static bool is_temporary(int error)
{
    return error == EAGAIN || error == EINTR;
}

enum aw_status aw_fd_await(struct aw_link *link, int fd, int64_t deadline, struct aw_error *err)
{
    enum aw_status status = aw_clock_wait(link->clock, fd, POLLIN, deadline);
    return status == AW_LOST ? aw_fd_fail_lost(link, errno, err) : status;
}

/* Writes without blocking. Returns -1 with errno on failure. */
static ssize_t write_now(const struct aw_fd_link *self, const void *buf, size_t size)
{
    return self->is_socket ? send(self->fd, buf, size, MSG_NOSIGNAL) : write(self->fd, buf, size);
}

void aw_fd_clear_output(struct aw_fd_link *self)
{
    aw_outbox_clear(&self->outbox);
    self->stalled_ns = 0;
}

/* Sends as much of the queue as possible. Returns AW_OK or AW_LOST. */
static enum aw_status flush(struct aw_fd_link *self, struct aw_error *err)
{
    struct aw_span next;
    while ((next = aw_outbox_next(&self->outbox)).size > 0) {
        ssize_t n = write_now(self, next.data, next.size);
        if (n < 0 && is_temporary(errno))
            return AW_OK;
        if (n < 0) {
            int error = errno;
            aw_fd_clear_output(self);
            return aw_fd_fail_lost(&self->base, error, err);
        }
        self->stalled_ns = 0;
        aw_outbox_remove_sent(&self->outbox, (size_t)n);
    }
    return AW_OK;
}

static enum aw_status fail_stalled(const struct aw_link *link, struct aw_error *err)
{
    return aw_fail(err, AW_TIMEOUT,
                   "%s: write timed out after 1 s — check that the peer is running; on a serial "
                   "port, check flow control",
                   link->key);
}

static enum aw_status queue_rest(struct aw_fd_link *self, const void *buf, size_t size, size_t sent,
                                 struct aw_error *err)
{
    int64_t now = aw_clock_now(self->base.clock);
    aw_outbox_add(&self->outbox, buf, size, sent);
    self->base.n_dropped = self->outbox.n_dropped;
    if (self->stalled_ns == 0)
        self->stalled_ns = now;
    if (now - self->stalled_ns < STALL_NS)
        return AW_OK;
    self->stalled_ns = now;
    return fail_stalled(&self->base, err);
}

enum aw_status aw_fd_write_queued(struct aw_link *link, const void *buf, size_t size,
                                  struct aw_error *err)
{
    struct aw_fd_link *self = (struct aw_fd_link *)link;
    self->has_written = true;
    enum aw_status status = flush(self, err);
    ssize_t n = 0;
    if (status == AW_OK && self->outbox.size == 0)
        n = write_now(self, buf, size);
    if (n < 0 && !is_temporary(errno))
        status = aw_fd_fail_lost(link, errno, err);
    if (status != AW_OK || (n > 0 && (size_t)n == size))
        return status;
    return queue_rest(self, buf, size, n > 0 ? (size_t)n : 0, err);
}

ssize_t aw_fd_read_now(int fd, void *buf, size_t cap)
{
    ssize_t n = read(fd, buf, cap);
    return n < 0 && errno == ECONNRESET ? read(fd, buf, cap) : n;
}

enum aw_status aw_fd_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                          int64_t deadline, struct aw_error *err)
{
    struct aw_fd_link *self = (struct aw_fd_link *)link;
    *got = 0;
    for (;;) {
        /* Waits even if there is input, so that a flood cannot hide a request to stop. */
        short events = self->outbox.size ? POLLIN | POLLOUT : POLLIN;
        enum aw_status status = aw_clock_wait(link->clock, self->fd, events, deadline);
        if (status != AW_OK)
            return status == AW_LOST ? aw_fd_fail_lost(link, errno, err) : status;
        flush(self, NULL); /* ignores errors, which the read below reports */
        ssize_t n = aw_fd_read_now(self->fd, buf, cap);
        int error = n < 0 ? errno : 0;
        if (n > 0) {
            *got = (size_t)n;
            return AW_OK;
        }
        if (!is_temporary(error))
            return aw_fd_fail_lost(link, error, err);
    }
}

/* On AW_TIMEOUT, *written is the size of the part that was written. */
static enum aw_status write_all(struct aw_link *link, const void *buf, size_t size, size_t *written,
                                struct aw_error *err)
{
    struct aw_fd_link *self = (struct aw_fd_link *)link;
    const char *next = buf;
    self->has_written = true;
    for (*written = 0; *written < size;) {
        ssize_t n = write_now(self, next + *written, size - *written);
        if (n > 0)
            *written += (size_t)n;
        else if (n < 0 && !is_temporary(errno))
            return aw_fd_fail_lost(link, errno, err);
        else {
            /* Uses poll(2), because a request to stop would end a wait on the clock. */
            struct pollfd writable = {.fd = self->fd, .events = POLLOUT};
            int ready;
            do
                ready = poll(&writable, 1, WRITE_TIMEOUT_MS);
            while (ready < 0 && errno == EINTR);
            if (ready <= 0)
                return fail_stalled(link, err);
        }
    }
    return AW_OK;
}

enum aw_status aw_fd_write(struct aw_link *link, const void *buf, size_t size, struct aw_error *err)
{
    size_t written;
    enum aw_status status = write_all(link, buf, size, &written, err);
    if (status != AW_TIMEOUT || written == 0)
        return status;
    return aw_fail(
        err, AW_LOST,
        "%s: timed out: the peer accepted %zu of %zu bytes of a message — reopen the link",
        link->key, written, size);
}

void aw_fd_read_stamps(struct aw_fd_link *self, struct msghdr *header)
{
    struct timespec time;
    uint32_t overflow;
    self->base.rx.time_ns = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            memcpy(&time, CMSG_DATA(c), sizeof time);
            self->base.rx.time_ns = (int64_t)time.tv_sec * AW_SECOND + time.tv_nsec;
        } else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
            memcpy(&overflow, CMSG_DATA(c), sizeof overflow);
            self->base.n_dropped += overflow - self->overflow;
            self->overflow = overflow;
        }
    }
}

void aw_fd_close(struct aw_link *link)
{
    struct aw_fd_link *self = (struct aw_fd_link *)link;
    if (self->fd >= 0)
        close(self->fd);
    aw_outbox_free(&self->outbox);
    free(self);
}

void aw_fd_shut_down(struct aw_link *link)
{
    const struct aw_fd_link *self = (const struct aw_fd_link *)link;
    struct aw_real_clock clock = aw_real_clock(-1);
    int64_t deadline = aw_clock_now(&clock.base) + CLOSE_NS;
    char unread[4096];
    bool is_open = self->has_written && shutdown(self->fd, SHUT_WR) == 0;
    while (is_open && aw_clock_now(&clock.base) < deadline &&
           aw_clock_wait(&clock.base, self->fd, POLLIN, deadline) == AW_OK)
        is_open = read(self->fd, unread, sizeof unread) > 0;
    aw_fd_close(link);
}

int aw_fd_get_fd(const struct aw_link *link)
{
    return ((const struct aw_fd_link *)link)->fd;
}

bool aw_fd_raw(const struct aw_link *link, const void *buf, size_t size, struct aw_link_raw *raw)
{
    raw->fd = ((const struct aw_fd_link *)link)->fd;
    raw->address = NULL;
    raw->address_size = 0;
    raw->size = size;
    if (raw->fd < 0 || size > raw->cap)
        return false;
    memcpy(raw->bytes, buf, size);
    return true;
}
