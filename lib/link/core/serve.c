/* Serves a simulated device on a link: what comes goes to it, what it answers goes out. */
#include "link/core/device.h"

/* Whether a link that takes nothing is lost for good (an interface that is down is not) is reported
 * by the next read. */
static void send_all(struct aw_device *device, struct aw_link *link, uint8_t *buf)
{
    size_t size;
    while ((size = device->ops->transmit(device, buf, AW_DEVICE_MESSAGE)) > 0)
        aw_link_write(link, buf, size, NULL);
}

static int64_t wake_up(const struct aw_device *device, int64_t deadline)
{
    int64_t event = device->ops->next_event(device);
    return event < deadline ? event : deadline;
}

enum aw_status aw_device_serve_once(struct aw_device *device, struct aw_link *link,
                                    int64_t deadline, struct aw_error *err)
{
    uint8_t buf[AW_DEVICE_MESSAGE];
    unsigned before = link->connections;
    size_t got = 0;
    enum aw_status status =
        aw_link_read(link, buf, sizeof buf, &got, wake_up(device, deadline), err);
    if (status != AW_OK && status != AW_TIMEOUT && status != AW_EVENT)
        return status;
    int64_t now = aw_clock_now(link->clock);
    if (link->connections != before && device->ops->connected)
        device->ops->connected(device, now);
    if (got > 0 && !link->own)
        device->ops->receive(device, buf, got, now);
    device->ops->step(device, now);
    send_all(device, link, buf);
    return AW_OK;
}

enum aw_status aw_device_serve(struct aw_device *device, struct aw_link *link, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    while (status == AW_OK)
        status = aw_device_serve_once(device, link, AW_NEVER, err);
    return status;
}
