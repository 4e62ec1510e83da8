/* A simulated arm in virtual time with a client, for the tests of both. */
#ifndef UNITYSIM_RIG_H
#define UNITYSIM_RIG_H

#include <math.h>

#include "link/core/device.h"
#include "link/core/url.h"
#include "link/wrap/fault.h"
#include "protocol/unitysim/client.h"
#include "protocol/unitysim/device.h"
#include "protocol/unitysim/wire.h"
#include "test.h"

struct rig {
    struct aw_virtual_clock clock;
    struct aw_device *device;
    struct aw_link *link;
    struct aw_unitysim unity;
    struct aw_error err;
};

/* Creates a rig; faults: keys of a link URL, or "". */
static inline struct rig *rig_of(const struct aw_unitysim_device_options *options,
                                 const char *faults)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct aw_unitysim_options client = aw_unitysim_defaults();
    struct aw_url url;
    char text[AW_URL_MAX];
    snprintf(text, sizeof text, "sim:%s%s", *faults ? "?" : "", faults);
    rig->clock = aw_virtual_clock();
    rig->device = aw_unitysim_device_new(options);
    assert_non_null(rig->device);
    struct aw_link *inner = aw_sim_link(rig->device, &rig->clock.base, true, "sim:");
    assert_non_null(inner);
    assert_int_equal(aw_url_parse(&url, text, &rig->err), AW_OK);
    assert_ok(aw_fault_wrap(&rig->link, inner, &url, false, &rig->err), &rig->err);
    aw_unitysim_init(&rig->unity, rig->link, NULL, &client);
    return rig;
}

static inline struct rig *rig_default(void)
{
    struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
    return rig_of(&options, "");
}

/* Creates a rig with a loaded scene. */
static inline struct rig *rig_in_scene(const char *faults)
{
    struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
    options.scene = 1;
    return rig_of(&options, faults);
}

static inline void rig_free(struct rig *rig)
{
    aw_unitysim_free(&rig->unity);
    assert_int_equal(rig->unity.stream.cadence_ms.n, 0);
    aw_link_close(rig->link);
    free(rig);
}

static inline struct aw_unitysim_truth rig_truth(struct rig *rig)
{
    struct aw_unitysim_truth truth;
    aw_unitysim_device_get_truth(rig->device, rig->clock.time_ns, &truth);
    return truth;
}

static inline double rig_ticks(struct rig *rig, int joint)
{
    return aw_unitysim_deg_to_ticks(rig_truth(rig).degrees[joint]);
}

static inline void rig_run(struct rig *rig, double seconds)
{
    int64_t deadline = rig->clock.time_ns + (int64_t)(seconds * AW_SECOND);
    assert_ok(aw_unitysim_idle(&rig->unity, deadline, NULL, NULL, &rig->err), &rig->err);
    rig->clock.time_ns = deadline; /* a read may have ended slightly earlier */
}

/* Puts a datagram on the wire unchanged; spaces between the bytes are optional. */
static inline void rig_put(struct rig *rig, const char *hex)
{
    uint8_t bytes[128];
    size_t size = 0;
    for (int used; sscanf(hex, " %2hhx%n", &bytes[size], &used) == 1; hex += used)
        size++;
    assert_int_equal(aw_link_write(rig->link, bytes, size, &rig->err), AW_OK);
}

static inline void rig_drive(struct rig *rig, int joint, int velocity)
{
    aw_unitysim_drive(&rig->unity, joint,
                      (struct aw_unitysim_drive){abs(velocity), velocity > 0 ? AW_UNITYSIM_INCREASE
                                                                : velocity < 0
                                                                    ? AW_UNITYSIM_DECREASE
                                                                    : AW_UNITYSIM_STOP});
}

#endif
