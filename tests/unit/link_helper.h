/* Shared helpers of the link tests: self-closing links and descriptors, an echo device, and a
 * clock that a test stops. */
#ifndef LINK_HELPER_H
#define LINK_HELPER_H

#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/core/device.h"
#include "link/core/link.h"
#include "link/core/url.h"
#include "link/hid/hid.h"
#include "link/open.h"
#include "link/wrap/fault.h"

/* Echoes every message after delay_ns. "quit" is also written to stop_fd. */
struct echo_device {
    struct aw_device base;
    int64_t delay_ns, due;
    int stop_fd;
    int *closed;
    unsigned connections;
    size_t size;
    char bytes[70000];
};

static inline void echo_receive(struct aw_device *device, const void *buf, size_t size, int64_t now)
{
    struct echo_device *self = (struct echo_device *)device;
    assert_true(self->size + size <= sizeof self->bytes);
    memcpy(self->bytes + self->size, buf, size);
    self->size += size;
    self->due = now + self->delay_ns;
    if (size == 4 && memcmp(buf, "quit", 4) == 0)
        assert_int_equal(write(self->stop_fd, "x", 1), 1);
}

static inline void echo_step(struct aw_device *device, int64_t now)
{
    struct echo_device *self = (struct echo_device *)device;
    if (self->size > 0 && now >= self->due)
        self->due = INT64_MIN;
}

static inline size_t echo_transmit(struct aw_device *device, void *buf, size_t cap)
{
    struct echo_device *self = (struct echo_device *)device;
    size_t n = self->size < cap ? self->size : cap;
    if (self->due != INT64_MIN)
        return 0;
    memcpy(buf, self->bytes, n);
    memmove(self->bytes, self->bytes + n, self->size - n);
    self->size -= n;
    return n;
}

static inline int64_t echo_next_event(const struct aw_device *device)
{
    const struct echo_device *self = (const struct echo_device *)device;
    return self->size > 0 ? self->due : AW_NEVER;
}

static inline void echo_connected(struct aw_device *device, int64_t now)
{
    (void)now;
    ((struct echo_device *)device)->connections++;
}

static inline void echo_close(struct aw_device *device)
{
    struct echo_device *self = (struct echo_device *)device;
    if (self->closed)
        ++*self->closed;
    free(self);
}

static const struct aw_device_ops echo_ops = {
    .receive = echo_receive,
    .step = echo_step,
    .transmit = echo_transmit,
    .next_event = echo_next_event,
    .connected = echo_connected,
    .close = echo_close,
};

static inline struct echo_device *echo_device(int64_t delay_ns)
{
    struct echo_device *self = calloc(1, sizeof *self);
    assert_non_null(self);
    self->base.ops = &echo_ops;
    self->delay_ns = delay_ns;
    self->due = AW_NEVER;
    return self;
}

/* A clock whose wait is interrupted: it closes the other end, or requests a stop if there is
 * none. */
struct interrupted_clock {
    struct aw_real_clock real;
    struct aw_link *leaves; /* link to close */
};

static inline enum aw_status interrupted_wait(struct aw_clock *clock, int fd, short events,
                                              int64_t deadline)
{
    struct interrupted_clock *self = (struct interrupted_clock *)clock;
    struct aw_real_clock real = aw_real_clock(-1);
    if (events == POLLIN && !self->leaves)
        return AW_STOPPED;
    if (events == POLLIN)
        aw_link_close(self->leaves);
    return aw_clock_wait(&real.base, fd, events, deadline);
}

static inline struct interrupted_clock interrupted_clock(struct aw_link *leaves)
{
    struct interrupted_clock clock = {aw_real_clock(-1), leaves};
    clock.real.base.wait = interrupted_wait;
    return clock;
}

/* Default ports and boards for links that omit them. */
static const struct aw_board test_boards[] = {
    {0x16C0, 0x0486, "Hephaestus arm (ItsyBitsy M4 or Teensy)", "Adafruit ItsyBitsy M4"},
    {0x3742, 0x0007, "RBE3001 arm with a Nucleo board", "RBE3001"},
    {0},
};
static const struct aw_protocol test_protocol = {
    .medium = AW_MEDIUM_UDP,
    .ports = {30004, 30005},
    .hid.boards = test_boards,
    .hid.open_board = aw_hid_open,
    .hid.udev_file = "/etc/udev/rules.d/70-test.rules",
};

/* A link and a descriptor that are closed at the end of their block. */
#define LINK __attribute__((cleanup(close_link), unused)) struct aw_link *
#define FD   __attribute__((cleanup(close_fd), unused)) int

static inline void close_link(struct aw_link **link)
{
    aw_link_close(*link);
    *link = NULL;
}

static inline void close_fd(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

/* Binds a socket to a port chosen by the kernel, *port; -1: no such address on this machine. */
static inline int socket_at(int family, int type, const char *address, unsigned *port)
{
    struct sockaddr_storage at = {.ss_family = (sa_family_t)family};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&at;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&at;
    socklen_t size = family == AF_INET ? sizeof *v4 : sizeof *v6;
    int fd = socket(family, type | SOCK_CLOEXEC, 0);
    inet_pton(family, address, family == AF_INET ? (void *)&v4->sin_addr : (void *)&v6->sin6_addr);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) != 0) {
        close(fd);
        return -1;
    }
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    *port = ntohs(family == AF_INET ? v4->sin_port : v6->sin6_port);
    return fd;
}

/* Returns a formatted string, which the eighth call after this one overwrites. */
static inline const char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline const char *text_of(const char *format, ...)
{
    static char texts[8][300];
    static size_t next;
    char *text = texts[next++ % 8];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof texts[0], format, list);
    va_end(list);
    return text;
}

/* The time in tests that do not depend on the clock. */
static inline struct aw_clock *usual_clock(void)
{
    static struct aw_real_clock clock;
    clock = aw_real_clock(-1);
    return &clock.base;
}

static inline int64_t now(void)
{
    return aw_clock_now(usual_clock());
}

static inline enum aw_status try_link(struct aw_link **link, const char *url,
                                      struct aw_clock *clock, struct aw_error *err)
{
    const struct aw_link_options options = {.clock = clock, .protocol = &test_protocol};
    return aw_link_open(link, url, &options, err);
}

/* Opens a link and requires success. */
static inline struct aw_link *open_link(const char *url, struct aw_clock *clock)
{
    struct aw_error err = {0};
    struct aw_link *link;
    assert_ok(try_link(&link, url, clock, &err), &err);
    return link;
}

static inline struct aw_link *opened(const char *url)
{
    return open_link(url, usual_clock());
}

/* Returns a client of this server. */
static inline struct aw_link *client_of(const struct aw_link *server)
{
    return opened(server->client_url);
}

/* Wraps a link with the faults of a URL. */
static inline enum aw_status wrap_link(struct aw_link **out, struct aw_link *inner,
                                       const char *text, bool ascii, struct aw_error *err)
{
    struct aw_url url;
    assert_int_equal(aw_url_parse(&url, text, err), AW_OK);
    return aw_fault_wrap(out, inner, &url, ascii, err);
}

/* Requires that opening fails with this status and these words. */
static inline void assert_open_fails_by(struct aw_clock *clock, const char *url,
                                        enum aw_status status, const char *words)
{
    struct aw_error err = {0};
    struct aw_link *link = (struct aw_link *)clock;
    assert_int_equal(try_link(&link, url, clock, &err), status);
    assert_null(link);
    assert_int_equal(err.status, status);
    if (!strstr(err.text, words))
        fail_msg("%s: \"%s\" does not say \"%s\"", url, err.text, words);
}

static inline void assert_open_fails(const char *url, enum aw_status status, const char *words)
{
    assert_open_fails_by(usual_clock(), url, status, words);
}

/* Requires that opening is refused with exactly this text. */
static inline void assert_refused(const char *url, const char *text)
{
    struct aw_error err = {0};
    struct aw_link *link;
    const struct aw_link_options options = {.clock = usual_clock()};
    assert_error(aw_link_open(&link, url, &options, &err), AW_USAGE, &err, text);
}

static inline void assert_reads(struct aw_link *link, const char *wanted)
{
    char buf[256] = "";
    size_t got = 0, size = 0;
    struct aw_error err = {0};
    int64_t deadline = aw_clock_now(link->clock) + 5 * AW_SECOND;
    while (size < strlen(wanted)) {
        assert_int_equal(
            aw_link_read(link, buf + size, sizeof buf - 1 - size, &got, deadline, &err), AW_OK);
        assert_true(got > 0);
        size += got;
    }
    buf[size] = '\0';
    assert_string_equal(buf, wanted);
}

/* Requires that one read into cap bytes returns exactly these bytes. */
static inline void assert_read_gives(struct aw_link *link, size_t cap, const char *wanted,
                                     size_t size)
{
    char buf[256];
    size_t got;
    struct aw_error err = {0};
    int64_t deadline = aw_clock_now(link->clock) + 5 * AW_SECOND;
    assert_true(cap <= sizeof buf);
    assert_int_equal(aw_link_read(link, buf, cap, &got, deadline, &err), AW_OK);
    assert_int_equal(got, size);
    assert_memory_equal(buf, wanted, size);
}

static inline void assert_writes(struct aw_link *link, const char *text)
{
    struct aw_error err = {0};
    assert_int_equal(aw_link_write(link, text, strlen(text), &err), AW_OK);
}

/* Requires that a text sent on one link arrives at the other. */
static inline void assert_passes(struct aw_link *from, struct aw_link *to, const char *text)
{
    assert_writes(from, text);
    assert_reads(to, text);
}

/* Requires that a read and a write fail with this status and these words. */
static inline void assert_read_fails(struct aw_link *link, enum aw_status status, const char *words)
{
    char buf[16];
    size_t got;
    struct aw_error err = {0};
    assert_int_equal(aw_link_read(link, buf, sizeof buf, &got, AW_NEVER, &err), status);
    assert_int_equal(got, 0);
    assert_has(err.text, words);
}

static inline void assert_write_fails(struct aw_link *link, const void *buf, size_t size,
                                      enum aw_status status, const char *words)
{
    struct aw_error err = {0};
    assert_int_equal(aw_link_write(link, buf, size, &err), status);
    assert_int_equal(err.status, status);
    assert_has(err.text, words);
}

/* Requires that one read ends with this status within wait_ns. */
static inline void assert_read_is(struct aw_link *link, enum aw_status status, int64_t wait_ns)
{
    char buf[16];
    size_t got = 99;
    struct aw_error err = {0};
    int64_t deadline = aw_clock_now(link->clock) + wait_ns;
    assert_int_equal(aw_link_read(link, buf, sizeof buf, &got, deadline, &err), status);
    assert_int_equal(got, 0);
    if (status == AW_LOST)
        assert_true(strlen(err.text) > 10);
}

#endif
