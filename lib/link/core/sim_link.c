/* A link to a simulated device in this process: the transport sim: of every tool. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/core/device.h"

struct sim_link {
    struct aw_link base;
    struct aw_device *device;
    size_t next, size; /* unread rest of a message that is larger than the reader's buffer */
    unsigned char message[AW_DEVICE_MESSAGE];
};

static enum aw_status sim_read(struct aw_link *link, void *buf, size_t cap, size_t *got,
                               int64_t deadline, struct aw_error *err)
{
    struct sim_link *self = (struct sim_link *)link;
    struct aw_device *device = self->device;
    (void)err;
    *got = 0;
    int64_t now = aw_clock_now(link->clock);
    /* Checks once even if there is input, so that a flood cannot hide a request to stop. */
    enum aw_status status = aw_clock_wait(link->clock, -1, 0, now);
    while (status == AW_TIMEOUT) {
        now = aw_clock_now(link->clock);
        device->ops->step(device, now);
        if (self->next == self->size) {
            self->next = 0;
            self->size = device->ops->transmit(device, self->message, sizeof self->message);
        }
        size_t left = self->size - self->next;
        *got = left < cap ? left : cap;
        memcpy(buf, self->message + self->next, *got);
        self->next = link->datagrams ? self->size : self->next + *got;
        if (*got > 0)
            return AW_OK;
        if (now >= deadline)
            return AW_TIMEOUT;
        /* Waits for at least 1 ns, so that no device can block the program forever. */
        int64_t event = device->ops->next_event(device);
        event = event <= now ? now + 1 : event;
        status = aw_clock_wait(link->clock, -1, 0, event < deadline ? event : deadline);
    }
    return status;
}

static enum aw_status sim_write(struct aw_link *link, const void *buf, size_t size,
                                struct aw_error *err)
{
    struct sim_link *self = (struct sim_link *)link;
    (void)err;
    int64_t now = aw_clock_now(link->clock);
    self->device->ops->receive(self->device, buf, size, now);
    self->device->ops->step(self->device, now);
    return AW_OK;
}

static void sim_close(struct aw_link *link)
{
    struct sim_link *self = (struct sim_link *)link;
    aw_device_close(self->device);
    free(self);
}

static const struct aw_link_ops sim_ops = {
    .read = sim_read,
    .write = sim_write,
    .close = sim_close,
};

struct aw_link *aw_sim_link(struct aw_device *device, struct aw_clock *clock, bool datagrams,
                            const char *key)
{
    struct sim_link *self = malloc(sizeof *self);
    if (!self) {
        aw_device_close(device);
        return NULL;
    }
    self->base = (struct aw_link){.ops = &sim_ops,
                                  .clock = clock,
                                  .datagrams = datagrams,
                                  .is_simulated = true,
                                  .n_connections = 1};
    snprintf(self->base.key, sizeof self->base.key, "%s", key);
    self->device = device;
    self->next = self->size = 0;
    if (device->ops->connected)
        device->ops->connected(device, aw_clock_now(clock));
    return &self->base;
}

enum aw_status aw_sim_open(struct aw_link **out, struct aw_device *device, struct aw_clock *clock,
                           bool datagrams, struct aw_error *err)
{
    *out = device ? aw_sim_link(device, clock, datagrams, "sim:") : NULL;
    return *out ? AW_OK : aw_no_memory(err);
}
