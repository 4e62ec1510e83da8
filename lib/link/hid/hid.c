/* Transfers reports of a HID device through the kernel's hidraw nodes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/hidraw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "link/core/fd_link.h"
#include "link/core/turns.h"
#include "link/hid/hid_port.h"
#include "link/hid/transports.h"

#define UDEV_TIME AW_SECOND /* max time that udev needs after the board was plugged in */
#define RETRY_NS  (20 * AW_MILLISECOND)

struct hid_link {
    struct aw_fd_link fd;
    struct aw_turns turns;
    char name[112];
};

static enum aw_status fail_lost(const struct hid_link *self, struct aw_error *err)
{
    return aw_fail(err, AW_LOST,
                   "%s: board disconnected — plug it in, switch it on, and run the command again",
                   self->name);
}

static enum aw_status hid_link_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                    int64_t deadline, struct aw_error *err)
{
    struct hid_link *self = (struct hid_link *)link;
    /* The size of a whole report, because the kernel discards the rest if the buffer is smaller. */
    unsigned char report[AW_HID_REPORT];
    *got = 0;
    for (;;) {
        enum aw_status status = aw_clock_wait(link->clock, self->fd.fd, POLLIN, deadline);
        if (status != AW_OK)
            return status;
        ssize_t n = read(self->fd.fd, report, sizeof report);
        if (n > 0) {
            *got = (size_t)n < cap ? (size_t)n : cap;
            memcpy(buf, report, *got);
            return AW_OK;
        }
        if (n == 0 || (errno != EINTR && errno != EAGAIN))
            return fail_lost(self, err);
    }
}

static enum aw_status hid_link_write(struct aw_link *link, const void *buf, size_t size,
                                     struct aw_error *err)
{
    struct hid_link *self = (struct hid_link *)link;
    unsigned char report[1 + AW_HID_REPORT] = {0}; /* starts with the report number, 0: none */
    if (size > AW_HID_REPORT)
        return aw_fail(err, AW_USAGE, "%s: report too long (%zu bytes, max %d) — shorten it",
                       self->name, size, AW_HID_REPORT);
    memcpy(report + 1, buf, size);
    ssize_t n;
    do
        n = write(self->fd.fd, report, 1 + size);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == ETIMEDOUT)
        return aw_fail(err, AW_TIMEOUT, "%s: timed out: the board accepts no data — reset it",
                       self->name);
    return n < 0 ? fail_lost(self, err) : AW_OK;
}

static bool hid_link_raw(const struct aw_link *link, const void *buf, size_t size,
                         struct aw_link_raw *raw)
{
    *raw = (struct aw_link_raw){
        .bytes = raw->bytes, .cap = raw->cap, .size = 1 + size, .fd = aw_fd_get_fd(link)};
    if (raw->size > raw->cap)
        return false;
    raw->bytes[0] = 0; /* report number: none */
    memcpy(raw->bytes + 1, buf, size);
    return true;
}

static const struct aw_link_ops hid_ops = {
    .read = hid_link_read,
    .write = hid_link_write,
    .close = aw_fd_close,
    .fd = aw_fd_get_fd,
    .raw = hid_link_raw,
};

static bool is_hidraw(int fd)
{
    struct hidraw_devinfo info;
    int size;
    return ioctl(fd, HIDIOCGRDESCSIZE, &size) == 0 && ioctl(fd, HIDIOCGRAWINFO, &info) == 0;
}

static bool is_new_node(const char *path)
{
    struct stat node;
    return stat(path, &node) == 0 &&
           aw_wall_time() - ((int64_t)node.st_mtim.tv_sec * AW_SECOND + node.st_mtim.tv_nsec) <
               UDEV_TIME;
}

/* Opens a node, with retries: udev sets its permissions some time after the kernel has created
 * it. */
static enum aw_status open_node(const char *path, struct aw_clock *clock, int *fd)
{
    /* does not depend on the wall clock, which may be set back */
    int64_t deadline = aw_clock_now(clock) + UDEV_TIME;
    while ((*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == EACCES &&
           is_new_node(path) && aw_clock_now(clock) < deadline)
        if (aw_clock_sleep(clock, aw_clock_now(clock) + RETRY_NS) == AW_STOPPED)
            return AW_STOPPED;
    return *fd >= 0 ? AW_OK : AW_NO_LINK;
}

static enum aw_status open_port(struct hid_link *self, const struct aw_protocol *protocol,
                                const struct aw_hid_port *port, struct aw_error *err)
{
    char problem[sizeof port->problem];
    if (open_node(port->path, self->fd.base.clock, &self->fd.fd) == AW_STOPPED)
        return aw_fail(err, AW_STOPPED, "%s: stopped", self->name);
    if (self->fd.fd >= 0 && is_hidraw(self->fd.fd))
        return AW_OK;
    aw_hid_explain(protocol, port, errno, problem, sizeof problem);
    return aw_fail(err, AW_NO_LINK, "%s: %s", self->name, problem);
}

static enum aw_status fail_with_list(const char *rest, const char *problem,
                                     struct aw_hid_port *ports, size_t n, struct aw_error *err)
{
    char urls[200] = "";
    for (size_t i = 0; i < n; i++)
        if (ports[i].is_candidate)
            aw_append(urls, sizeof urls, ", ", "%s", ports[i].url);
    return aw_fail(err, AW_NO_LINK, "hid%s%.60s: %s: %s", *rest ? ":" : "", rest, problem, urls);
}

static enum aw_status fail_not_found(const struct aw_protocol *protocol, const char *rest,
                                     struct aw_hid_port *ports, struct aw_error *err)
{
    static const struct aw_hid_choice any = {.usage_page = -1, .interface = -1};
    size_t n = aw_hid_find_ports(protocol, ports, &any);
    for (size_t i = 0; i < n; i++)
        if (ports[i].is_candidate)
            return fail_with_list(rest, "board not found — available", ports, n, err);
    return aw_fail(err, AW_NO_LINK,
                   "hid%s%.60s: board not found — plug it in, switch it on, and see 'list'",
                   *rest ? ":" : "", rest);
}

static enum aw_status choose_port(struct aw_hid_port *port, const struct aw_protocol *protocol,
                                  const struct aw_hid_choice *choice, const char *rest,
                                  struct aw_error *err)
{
    struct aw_hid_port ports[AW_HID_PORTS];
    size_t n = aw_hid_find_ports(protocol, ports, choice), found = 0;
    for (size_t i = 0; i < n; i++) {
        if (ports[i].is_candidate) {
            *port = ports[i];
            found++;
        }
    }
    if (found > 1)
        return fail_with_list(rest, "several boards — choose one", ports, n, err);
    return found == 1 ? AW_OK : fail_not_found(protocol, rest, ports, err);
}

/* Describes the interface at a path from sysfs; without sysfs, from the path alone. */
static enum aw_status describe_path(struct aw_hid_port *port, const struct aw_protocol *protocol,
                                    const char *path, struct aw_error *err)
{
    static const struct aw_hid_choice any = {.usage_page = -1, .interface = -1};
    struct aw_hid_port ports[AW_HID_PORTS];
    char real[PATH_MAX];
    size_t n = aw_hid_find_ports(protocol, ports, &any);
    if (!realpath(path, real))
        snprintf(real, sizeof real, "%s", path);
    if (strlen(path) >= sizeof port->path)
        return aw_fail(err, AW_NO_LINK, "hid:%.200s: path too long — make a symlink to it", path);
    *port = (struct aw_hid_port){.interface = -1};
    memcpy(port->path, path, strlen(path));
    for (size_t i = 0; i < n; i++)
        if (strcmp(ports[i].path, real) == 0)
            *port = ports[i];
    return AW_OK;
}

static bool parse_hex(const char *text, char end, const char **next, long *value)
{
    char *after;
    *value = strtol(text, &after, 16);
    *next = after + 1;
    return after > text && *after == end && *value >= 0 && *value <= 0xFFFF;
}

static enum aw_status parse_rest(struct aw_hid_choice *choice, const char *rest,
                                 struct aw_error *err)
{
    long vendor, product;
    const char *next;
    if (*rest == '/') {
        choice->path = rest;
    } else if (strncmp(rest, "serial=", 7) == 0 && rest[7]) {
        choice->serial = rest + 7;
    } else if (parse_hex(rest, ':', &next, &vendor) && parse_hex(next, '\0', &next, &product) &&
               vendor > 0) {
        choice->vendor = (uint16_t)vendor;
        choice->product = (uint16_t)product;
    } else if (*rest) {
        return aw_fail(
            err, AW_USAGE,
            "hid:%.60s: invalid board address — write hid:, hid:VID:PID, hid:serial=… or "
            "hid:/dev/hidrawN",
            rest);
    }
    return AW_OK;
}

static enum aw_status parse_url(struct aw_hid_choice *choice, const struct aw_url *url,
                                struct aw_error *err)
{
    const char *next, *page = aw_url_get(url, "usage_page"), *serial = aw_url_get(url, "serial");
    *choice = (struct aw_hid_choice){.serial = serial, .usage_page = -1, .interface = -1};
    enum aw_status status = aw_url_int(url, "interface", 0, 255, &choice->interface, err);
    if (status == AW_OK && page && !parse_hex(page, '\0', &next, &choice->usage_page))
        return aw_fail(err, AW_USAGE,
                       "link key usage_page=%.40s: not a hexadecimal number (0 to ffff)", page);
    if (status == AW_OK)
        status = parse_rest(choice, url->rest, err);
    if (status == AW_OK && choice->path && (serial || page || choice->interface >= 0))
        return aw_fail(
            err, AW_USAGE,
            "hid:%.60s: serial, usage_page and interface not allowed with a path — remove them",
            url->rest);
    return status;
}

enum aw_status aw_hid_open(struct aw_link **out, const struct aw_url *url,
                           const struct aw_link_options *options, struct aw_error *err)
{
    struct aw_hid_choice choice;
    struct aw_hid_port port;
    enum aw_status status = parse_url(&choice, url, err);
    if (status == AW_OK)
        status = choice.path ? describe_path(&port, options->protocol, choice.path, err)
                             : choose_port(&port, options->protocol, &choice, url->rest, err);
    if (status != AW_OK)
        return status;
    struct hid_link *self = aw_fd_link_new(sizeof *self, &hid_ops, options->clock);
    if (!self)
        return aw_no_memory(err);
    self->fd.base.datagrams = true;
    self->fd.base.n_connections = 1;
    snprintf(self->name, sizeof self->name, "hid:%s", port.path);
    if (*port.serial)
        snprintf(self->fd.base.key, sizeof self->fd.base.key, "hid:%04x:%04x:%s", port.vendor,
                 port.product, port.serial);
    else
        snprintf(self->fd.base.key, sizeof self->fd.base.key, "%s", self->name);
    status = open_port(self, options->protocol, &port, err);
    if (status != AW_OK) {
        aw_fd_close(&self->fd.base);
        return status;
    }
    self->turns.fd = self->fd.fd;
    self->fd.base.turns = &self->turns;
    *out = &self->fd.base;
    return AW_OK;
}
