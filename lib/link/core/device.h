/* A simulated device: it receives bytes, sends bytes, and advances in time. It does not depend on a
 * link or a clock. So the same code runs in this process (sim:), as a server (sim --listen), and in
 * virtual time in tests.
 *
 * The runner calls receive with bytes from the host, then step with the current time, then transmit
 * until it returns 0. It repeats this when more bytes arrive, and at next_event() at the latest.
 * All times are ns of the clock of the link that runs the device.
 */
#ifndef AW_LINK_CORE_DEVICE_H
#define AW_LINK_CORE_DEVICE_H

#include "link/core/link.h"

struct aw_device;

struct aw_device_ops {
    void (*receive)(struct aw_device *device, const void *buf, size_t size, int64_t now);
    void (*step)(struct aw_device *device, int64_t now);
    /* Removes one pending message (one write on the wire) of at most cap bytes, and returns its
     * size; 0: no message is pending. cap is at least AW_DEVICE_MESSAGE. On a stream, a message
     * longer than cap continues in the next call. */
    size_t (*transmit)(struct aw_device *device, void *buf, size_t cap);
    /* Returns the time of the next call of step. Returns AW_NEVER if the device only waits for the
     * host. */
    int64_t (*next_event)(const struct aw_device *device);
    /* Called for a new connection on a medium with connections (tcp, unix, sim:); may be NULL.
     * Should discard pending output of the previous connection. */
    void (*connected)(struct aw_device *device, int64_t now);
    void (*close)(struct aw_device *device); /* frees the device; NULL: it is one allocation */
};

#define AW_DEVICE_MESSAGE 65536

struct aw_device {
    const struct aw_device_ops *ops;
};

void aw_device_close(struct aw_device *device);

/* Creates a link to a device in this process. Takes ownership of the device and copies key. If out
 * of memory, closes the device and returns NULL. Waits on the clock, real or virtual. */
struct aw_link *aw_sim_link(struct aw_device *device, struct aw_clock *clock, bool datagrams,
                            const char *key);

/* Same as aw_sim_link, for a transport sim:. Returns AW_NO_MEMORY if device is NULL. */
enum aw_status aw_sim_open(struct aw_link **out, struct aw_device *device, struct aw_clock *clock,
                           bool datagrams, struct aw_error *err);

/* Serves a device on a link until the clock requests a stop (AW_STOPPED) or the link is lost
 * (AW_LOST). Owns neither of them. Drops output that the host does not read within a second, like a
 * real serial line. */
enum aw_status aw_device_serve(struct aw_device *device, struct aw_link *link,
                               struct aw_error *err);

#endif
