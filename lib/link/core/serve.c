/* Serves a simulated device on a link: transfers messages both ways. */
#include "link/core/device.h"

#include <stdlib.h>

void aw_device_close(struct aw_device *device)
{
    if (device->ops->close)
        device->ops->close(device);
    else
        free(device);
}

/* Waits for the host or the device, and transfers messages both ways. */
static enum aw_status serve_once(struct aw_device *device, struct aw_link *link,
                                 struct aw_error *err)
{
    uint8_t buf[AW_DEVICE_MESSAGE];
    unsigned before = link->n_connections;
    size_t got = 0, size;
    enum aw_status status =
        aw_link_read(link, buf, sizeof buf, &got, device->ops->next_event(device), err);
    if (status != AW_OK && status != AW_TIMEOUT && status != AW_EVENT)
        return status;
    int64_t now = aw_clock_now(link->clock);
    if (link->n_connections != before && device->ops->connected)
        device->ops->connected(device, now);
    if (got > 0 && !link->rx.is_echo)
        device->ops->receive(device, buf, got, now);
    device->ops->step(device, now);
    /* Ignores write errors: the interface may only be down, and the next read reports a lost
     * link. */
    while ((size = device->ops->transmit(device, buf, sizeof buf)) > 0)
        aw_link_write(link, buf, size, NULL);
    return AW_OK;
}

enum aw_status aw_device_serve(struct aw_device *device, struct aw_link *link, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    while (status == AW_OK)
        status = serve_once(device, link, err);
    return status;
}
