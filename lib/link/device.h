/* A simulated device: bytes in, bytes out, and time. It knows no link and no wall clock, so the
 * same one runs in this process (sim:), as a server for other processes (sim --listen), and in
 * virtual time in tests.
 *
 * The runner calls receive with what came from the host, then step with the time now, then transmit
 * until it returns 0; it comes back when more arrives, at the latest at next_event().
 */
#ifndef AW_LINK_DEVICE_H
#define AW_LINK_DEVICE_H

#include "link/link.h"

struct aw_device;

struct aw_device_ops {
    void (*receive)(struct aw_device *device, const void *buf, size_t size, int64_t now);
    void (*step)(struct aw_device *device, int64_t now);
    /* Takes one pending message (one write on the wire) of at most cap bytes; 0 if there is none.
     */
    size_t (*transmit)(struct aw_device *device, void *buf, size_t cap);
    int64_t (*next_event)(
        const struct aw_device *device); /* AW_NEVER if it only waits for the host */
    void (*connected)(struct aw_device *device,
                      int64_t now); /* a new connection on a medium that has them; may be NULL */
    void (*close)(struct aw_device *device);
};

struct aw_device {
    const struct aw_device_ops *ops;
};

/* A link to a device in this process. Takes the device over; key is copied. */
struct aw_link *aw_sim_link(struct aw_device *device, struct aw_clock *clock, bool datagrams,
                            const char *key);

/* Serves a device on a link until the clock says stop (AW_STOPPED) or the link is lost. Owns
 * neither. */
enum aw_status aw_device_serve(struct aw_device *device, struct aw_link *link,
                               struct aw_error *err);

#endif
