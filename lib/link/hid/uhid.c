/* The device's end of hid:, a HID device that the kernel creates for this program. Its description
 * equals that of the arm's ItsyBitsy M4. Source: Documentation/hid/uhid.rst of the kernel. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link/core/fd_link.h"
#include "link/core/random.h"
#include "link/hid/hid.h"
#include "link/hid/transports.h"

#define DEVICES      "/sys/devices/virtual/misc/uhid"
#define NODE_TIMEOUT (5 * AW_SECOND)
#define NODE_STEP    (10 * AW_MILLISECOND)

struct uhid_link {
    struct aw_fd_link fd;
    char serial[48];
    char phys[48]; /* name of this device in sysfs, different for each instance */
    struct uhid_event event;
};

/* clang-format off */
static const uint8_t descriptor[] = {
    0x06, 0x00, 0xFF,       /* vendor-defined usage page */
    0x09, 0x01, 0xA1, 0x01, /* usage 1, collection: application */
    0x09, 0x02, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, AW_HID_REPORT, 0x81, 0x02, /* in */
    0x09, 0x03, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, AW_HID_REPORT, 0x91, 0x02, /* out */
    0xC0,                   /* end of collection */
};
/* clang-format on */

static bool send_event(const struct uhid_link *self, const struct uhid_event *event, size_t size)
{
    ssize_t n;
    do /* the kernel accepts an event completely or not at all, and pads a short one with zeros */
        n = write(self->fd.fd, event, size);
    while (n < 0 && errno == EINTR);
    return n >= 0;
}

/* Refuses a control request, because the board accepts reports only on the interrupt endpoints. */
static void refuse_request(const struct uhid_link *self)
{
    struct uhid_event reply = {.type = UHID_GET_REPORT_REPLY};
    if (self->event.type == UHID_GET_REPORT) {
        reply.u.get_report_reply.id = self->event.u.get_report.id;
        reply.u.get_report_reply.err = EIO;
    } else {
        reply.type = UHID_SET_REPORT_REPLY;
        reply.u.set_report_reply.id = self->event.u.set_report.id;
        reply.u.set_report_reply.err = EIO;
    }
    send_event(self, &reply, sizeof reply);
}

/* Reads an output report. Its first byte is the report number, 0 for none. For a real board, the
 * USB driver removes that 0, so this function does, too. */
static size_t read_output(const struct uhid_link *self, void *buf, size_t cap)
{
    const struct uhid_output_req *output = &self->event.u.output;
    size_t skip = output->size > 0 && output->data[0] == 0;
    size_t size = output->size - skip;
    if (size > AW_HID_REPORT)
        size = AW_HID_REPORT;
    if (size > cap)
        size = cap;
    memcpy(buf, output->data + skip, size);
    return size;
}

static enum aw_status uhid_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                                int64_t deadline, struct aw_error *err)
{
    struct uhid_link *self = (struct uhid_link *)link;
    *got = 0;
    while (*got == 0) {
        enum aw_status status = aw_fd_await(link, self->fd.fd, deadline, err);
        if (status != AW_OK)
            return status;
        ssize_t n = read(self->fd.fd, &self->event, sizeof self->event);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return aw_fd_fail_lost(link, errno, err);
        if (n < 0)
            continue;
        if (self->event.type == UHID_OUTPUT)
            *got = read_output(self, buf, cap);
        else if (self->event.type == UHID_GET_REPORT || self->event.type == UHID_SET_REPORT)
            refuse_request(self);
    }
    return AW_OK;
}

static enum aw_status uhid_write(struct aw_link *link, const void *buf, size_t size,
                                 struct aw_error *err)
{
    struct uhid_link *self = (struct uhid_link *)link;
    struct uhid_event event;
    if (size > AW_HID_REPORT)
        return aw_fail(err, AW_USAGE, "%s: report too long (%zu bytes, max %d) — shorten it",
                       link->key, size, AW_HID_REPORT);
    event.type = UHID_INPUT2;
    event.u.input2.size = (uint16_t)size;
    memcpy(event.u.input2.data, buf, size);
    size_t used = offsetof(struct uhid_event, u.input2.data) + size;
    /* EINVAL: no kernel driver is bound, so no program reads the report. */
    return send_event(self, &event, used) || errno == EINVAL ? AW_OK
                                                             : aw_fd_fail_lost(link, errno, err);
}

static const struct aw_link_ops uhid_ops = {
    .read = uhid_read,
    .write = uhid_write,
    .close = aw_fd_close, /* the kernel then also destroys the device */
    .fd = aw_fd_get_fd,
    .raw = aw_fd_raw,
};

/* Returns true if DEVICES/name/uevent contains the line. */
static bool has_line(const char *name, const char *wanted)
{
    char path[PATH_MAX], line[200];
    bool found = false;
    snprintf(path, sizeof path, DEVICES "/%s/uevent", name);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        found = strcmp(line, wanted) == 0;
    }
    if (file)
        fclose(file);
    return found;
}

/* Finds the first entry of the directory whose name starts with prefix. */
static bool find_entry(const char *directory, const char *prefix, char *out, size_t size)
{
    bool found = false;
    DIR *dir = opendir(directory);
    for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
        found = strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
        snprintf(out, size, "%s", entry->d_name);
    }
    if (dir)
        closedir(dir);
    return found;
}

static bool find_node(const struct uhid_link *self, char *node, size_t size)
{
    char wanted[80], path[PATH_MAX], name[NAME_MAX + 1];
    bool found = false;
    snprintf(wanted, sizeof wanted, "HID_PHYS=%s", self->phys);
    DIR *dir = opendir(DEVICES);
    for (struct dirent *entry; dir && !found && (entry = readdir(dir));) {
        snprintf(path, sizeof path, DEVICES "/%s/hidraw", entry->d_name);
        found = has_line(entry->d_name, wanted) && find_entry(path, "hidraw", name, sizeof name);
    }
    if (dir)
        closedir(dir);
    snprintf(node, size, "/dev/%.40s", found ? name : "");
    return found && access(node, F_OK) == 0;
}

/* Waits for the node, which the kernel creates some time after the request. */
static enum aw_status await_node(struct uhid_link *self, struct aw_error *err)
{
    struct aw_clock *clock = self->fd.base.clock;
    int64_t deadline = aw_clock_now(clock) + NODE_TIMEOUT;
    char node[64];
    while (!find_node(self, node, sizeof node)) {
        if (aw_clock_now(clock) > deadline)
            return aw_fail(err, AW_NO_LINK,
                           "uhid: no /dev/hidraw node appeared — try: sudo modprobe hid-generic");
        if (aw_clock_sleep(clock, aw_clock_now(clock) + NODE_STEP) == AW_STOPPED)
            return aw_fail(err, AW_STOPPED, "uhid: interrupted");
    }
    snprintf(self->fd.base.client_url, sizeof self->fd.base.client_url, "hid:%s", node);
    return AW_OK;
}

static enum aw_status open_uhid(struct uhid_link *self, struct aw_error *err)
{
    self->fd.fd = open("/dev/uhid", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (self->fd.fd >= 0)
        return AW_OK;
    if (errno == EACCES || errno == EPERM)
        return aw_fail(err, AW_NO_LINK,
                       "uhid: /dev/uhid: permission denied — run the command with sudo, or: sudo "
                       "chgrp plugdev "
                       "/dev/uhid && sudo chmod 660 /dev/uhid");
    return aw_fail(err, AW_NO_LINK,
                   "uhid: /dev/uhid: %s — run: sudo modprobe uhid; or use unix-listen: or sim:",
                   strerror(errno));
}

static enum aw_status create_device(struct uhid_link *self, const struct aw_board *board,
                                    struct aw_error *err)
{
    struct uhid_event event = {.type = UHID_CREATE2};
    struct uhid_create2_req *request = &event.u.create2;
    snprintf((char *)request->name, sizeof request->name, "%s", board->usb_name);
    memcpy(request->phys, self->phys, sizeof self->phys);
    memcpy(request->uniq, self->serial, sizeof self->serial);
    memcpy(request->rd_data, descriptor, sizeof descriptor);
    request->rd_size = sizeof descriptor;
    request->bus = BUS_USB;
    request->vendor = board->vendor;
    request->product = board->product;
    if (send_event(self, &event, sizeof event))
        return AW_OK;
    return aw_fail(err, AW_NO_LINK, "uhid: cannot create the device: %s", strerror(errno));
}

/* Gives each instance a unique serial number, unless the URL specifies one. */
static enum aw_status set_names(struct uhid_link *self, const struct aw_url *url,
                                struct aw_error *err)
{
    const char *serial = aw_url_get(url, "serial");
    struct aw_random random = {(uint64_t)aw_wall_time() ^ ((uint64_t)getpid() << 32)};
    if (*url->rest)
        return aw_fail(err, AW_USAGE,
                       "uhid:%.60s: unexpected address — write uhid: or uhid:?serial=…", url->rest);
    if (serial && (!*serial || strlen(serial) >= sizeof self->serial))
        return aw_fail(err, AW_USAGE, "link key serial=%.60s: not 1 to %zu characters", serial,
                       sizeof self->serial - 1);
    if (serial)
        snprintf(self->serial, sizeof self->serial, "%s", serial);
    else
        snprintf(self->serial, sizeof self->serial, "SIM%08X",
                 (unsigned)(aw_random_next(&random) >> 32));
    snprintf(self->phys, sizeof self->phys, "armwire/%d-%016llx", (int)getpid(),
             (unsigned long long)aw_random_next(&random));
    snprintf(self->fd.base.key, sizeof self->fd.base.key, "uhid:%s", self->serial);
    return AW_OK;
}

enum aw_status aw_uhid_open(struct aw_link **out, const struct aw_url *url,
                            const struct aw_link_options *options, struct aw_error *err)
{
    if (!options->protocol || !options->protocol->hid.boards)
        return aw_fail(err, AW_USAGE,
                       "uhid: not supported by this tool (HID reports only) — use another link");
    struct uhid_link *self = aw_fd_link_new(sizeof *self, &uhid_ops, options->clock);
    if (!self)
        return aw_no_memory(err);
    self->fd.base.datagrams = true;
    enum aw_status status = set_names(self, url, err);
    if (status == AW_OK)
        status = open_uhid(self, err);
    if (status == AW_OK)
        status = create_device(self, options->protocol->hid.boards, err);
    if (status == AW_OK)
        status = await_node(self, err);
    if (status != AW_OK) {
        aw_fd_close(&self->fd.base);
        return status;
    }
    *out = &self->fd.base;
    return AW_OK;
}
