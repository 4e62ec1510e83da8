/* Replays a capture as a device: returns its messages at their original intervals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "capture/log.h"
#include "link/wrap/transports.h"
#include "wire/codec.h"

struct log_link {
    struct aw_link base;
    struct aw_log *log;
    double speed; /* factor; INFINITY: without waiting */
    int64_t from_ns;
    bool repeats;
    struct aw_log_entry entry;
    bool has_entry, started;
    size_t n_read; /* bytes of the entry already read */
    /* time of the first entry that has one; time of its replay on the link's clock */
    int64_t first_ns, start_ns;
    uint64_t n_delivered; /* entries since the start of the file */
    char name[128];
};

static enum aw_status restart(struct log_link *self, struct aw_error *err)
{
    if (!self->repeats || !self->n_delivered)
        return aw_fail(err, AW_LOST, "%s: end of file", self->name);
    self->started = false;
    self->n_delivered = 0;
    return aw_log_rewind(self->log, err);
}

/* Returns the time since the first message, at least 0: the kernel's timestamps may be out of
 * order. Messages without a time are due at once. */
static int64_t get_elapsed_ns(const struct log_link *self)
{
    int64_t time_ns = self->entry.time_ns;
    if (time_ns == AW_NO_TIME)
        return self->from_ns;
    return time_ns > self->first_ns ? time_ns - self->first_ns : 0;
}

/* Returns true for an entry to replay: not empty, not before from_ns, and received by a host. On a
 * CAN bus, hosts also receive frames to the device. */
static bool is_replayed(const struct log_link *self)
{
    const struct aw_log_entry *entry = &self->entry;
    bool is_received = entry->dir != AW_TX || entry->linktype == AW_LINKTYPE_CAN;
    return entry->data.size && is_received && get_elapsed_ns(self) >= self->from_ns;
}

static void start_clock(struct log_link *self)
{
    if (!self->started) {
        self->start_ns = aw_clock_now(self->base.clock);
        self->first_ns = AW_NO_TIME;
    }
    self->started = true;
    if (self->first_ns == AW_NO_TIME)
        self->first_ns = self->entry.time_ns;
}

static enum aw_status load_entry(struct log_link *self, struct aw_error *err)
{
    while (!self->has_entry) {
        enum aw_status status = aw_log_next(self->log, &self->entry, err);
        if (status == AW_END)
            status = restart(self, err);
        else if (status == AW_OK)
            start_clock(self);
        if (status != AW_OK && status != AW_MALFORMED)
            return status;
        self->has_entry = status == AW_OK && self->started && is_replayed(self);
        self->n_read = 0;
    }
    return AW_OK;
}

static enum aw_status log_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                               int64_t deadline, struct aw_error *err)
{
    struct log_link *self = (struct log_link *)link;
    *got = 0;
    /* Checks for a request to stop even without waiting, so that a flood cannot hide it. */
    enum aw_status status = aw_clock_wait(link->clock, -1, 0, aw_clock_now(link->clock));
    if (status == AW_STOPPED)
        return status;
    status = load_entry(self, err);
    if (status != AW_OK)
        return status;
    int64_t due_ns = self->start_ns, offset_ns = get_elapsed_ns(self) - self->from_ns;
    if (!isinf(self->speed) && offset_ns > 0)
        due_ns = aw_time_after(due_ns, (double)offset_ns / 1e9 / self->speed);
    if (due_ns > aw_clock_now(link->clock)) {
        status = aw_clock_sleep(link->clock, due_ns < deadline ? due_ns : deadline);
        if (status != AW_OK || due_ns > deadline)
            return status == AW_OK ? AW_TIMEOUT : status;
    }
    const struct aw_log_entry *entry = &self->entry;
    size_t left = entry->data.size - self->n_read;
    *got = left < cap ? left : cap;
    memcpy(buf, entry->data.data + self->n_read, *got);
    self->n_read += *got;
    self->has_entry = !link->datagrams && self->n_read < entry->data.size;
    /* 0 means unknown, so the time 0 of candump -t z becomes 1 */
    link->rx.time_ns = entry->time_ns == AW_NO_TIME ? 0 : entry->time_ns ? entry->time_ns : 1;
    link->rx.is_echo = entry->dir == AW_TX;
    self->n_delivered++;
    return AW_OK;
}

static enum aw_status log_write(struct aw_link *link, const void *buf, size_t size,
                                struct aw_error *err)
{
    (void)link, (void)buf, (void)size, (void)err;
    return AW_OK;
}

static void log_close(struct aw_link *link)
{
    struct log_link *self = (struct log_link *)link;
    aw_log_close(self->log);
    free(self);
}

static const struct aw_link_ops log_ops = {
    .read = log_read,
    .write = log_write,
    .close = log_close,
};

static enum aw_status read_keys(struct log_link *self, const struct aw_url *url,
                                struct aw_log_options *options, struct aw_error *err)
{
    static const char *const no_yes[] = {"no", "yes"};
    const char *speed = aw_url_get(url, "speed"), *from = aw_url_get(url, "from");
    size_t loop = 0;
    long port = 0;
    enum aw_status status = AW_OK;
    self->speed = 1;
    if (speed && strcmp(speed, "max") == 0)
        self->speed = INFINITY;
    else if (speed && aw_number_parse(speed, &self->speed, NULL) != AW_OK)
        return aw_fail(err, AW_USAGE, "speed: '%.40s' is not a number — give a factor, or max",
                       speed);
    if (!(self->speed > 0))
        return aw_fail(err, AW_LIMIT, "speed: %.40s is out of range (above 0, or max)", speed);
    if (status == AW_OK && from)
        status = aw_url_duration("from", from, &self->from_ns, err);
    if (status == AW_OK)
        status = aw_url_choice(url, "loop", no_yes, 2, &loop, err);
    if (status == AW_OK)
        status = aw_url_int(url, "port", 1, 65535, &port, err);
    self->repeats = loop == 1;
    options->ports[0] = (uint16_t)port;
    return status;
}

/* Reads the first entry to detect whether the link has message boundaries. */
static enum aw_status detect_datagrams(struct log_link *self, struct aw_error *err)
{
    struct aw_log_entry first;
    enum aw_status status = aw_log_next(self->log, &first, err);
    while (status == AW_MALFORMED || (status == AW_OK && !first.data.size))
        status = aw_log_next(self->log, &first, err);
    if (status != AW_OK && status != AW_END)
        return status;
    self->base.datagrams = status == AW_OK && !first.is_stream;
    return aw_log_rewind(self->log, err);
}

/* Opens the capture. Reports an unreadable file as AW_NO_LINK. */
static enum aw_status open_log(struct log_link *self, const char *path,
                               const struct aw_log_options *options, struct aw_error *err)
{
    enum aw_status status = aw_log_open(&self->log, path, options, err);
    if (status != AW_USAGE && status != AW_LIMIT)
        return status;
    if (err)
        err->status = AW_NO_LINK;
    return AW_NO_LINK;
}

enum aw_status aw_log_link_open(struct aw_link **out, const struct aw_url *url,
                                const struct aw_link_options *options, struct aw_error *err)
{
    struct aw_log_options reading = {0};
    struct log_link *self = calloc(1, sizeof *self);
    if (!self)
        return aw_no_memory(err);
    self->base = (struct aw_link){
        .ops = &log_ops, .clock = options->clock, .is_recording = true, .n_connections = 1};
    snprintf(self->name, sizeof self->name, "%s", url->rest);
    snprintf(self->base.key, sizeof self->base.key, "log:%.120s", url->rest);
    enum aw_status status = read_keys(self, url, &reading, err);
    if (status == AW_OK)
        status = open_log(self, url->rest, &reading, err);
    if (status == AW_OK)
        status = detect_datagrams(self, err);
    if (status != AW_OK) {
        log_close(&self->base);
        return status;
    }
    *out = &self->base;
    return AW_OK;
}
