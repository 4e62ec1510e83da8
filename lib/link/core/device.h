/* A simulated device: bytes in, bytes out, and time. It does not depend on a link or wall clock. So
 * the same code runs in this process (sim:), as a server (sim --listen), and in virtual time in
 * tests.
 *
 * The runner calls receive with bytes from the host, then step with the current time, then transmit
 * until it returns 0. It repeats this when more bytes arrive, and at next_event() at the latest.
 */
#ifndef AW_LINK_CORE_DEVICE_H
#define AW_LINK_CORE_DEVICE_H

#include "link/core/link.h"

struct aw_device;

struct aw_device_ops {
    void (*receive)(struct aw_device *device, const void *buf, size_t size, int64_t now);
    void (*step)(struct aw_device *device, int64_t now);
    /* Removes one pending message (one write on the wire) of at most cap bytes and returns its
     * size; 0: nothing is pending. cap is at least AW_DEVICE_MESSAGE. A stream may be cut there and
     * continue in the next call. */
    size_t (*transmit)(struct aw_device *device, void *buf, size_t cap);
    /* Returns the time of the next call of step; AW_NEVER if the device only waits for the host. */
    int64_t (*next_event)(const struct aw_device *device);
    /* A new connection on a medium that has them (tcp, unix, sim:); may be NULL. Should discard
     * pending output for the previous connection. */
    void (*connected)(struct aw_device *device, int64_t now);
    void (*close)(struct aw_device *device); /* frees the device; NULL: it is one block */
};

#define AW_DEVICE_MESSAGE 65536

struct aw_device {
    const struct aw_device_ops *ops;
};

void aw_device_close(struct aw_device *device);

/* Creates a link to a device in this process. Takes the device over and copies key. On lack of
 * memory, closes the device and returns NULL. Waits on the clock, wall or virtual. */
struct aw_link *aw_sim_link(struct aw_device *device, struct aw_clock *clock, bool datagrams,
                            const char *key);

/* The same for a transport sim:. If device is NULL, returns AW_NO_MEMORY. */
enum aw_status aw_sim_open(struct aw_link **out, struct aw_device *device, struct aw_clock *clock,
                           bool datagrams, struct aw_error *err);

/* Serves a device on a link until the clock requests a stop (AW_STOPPED) or the link is lost
 * (AW_LOST). Owns neither. Drops output that the host does not read for a second, like a line
 * without a reader. */
enum aw_status aw_device_serve(struct aw_device *device, struct aw_link *link,
                               struct aw_error *err);

#endif
