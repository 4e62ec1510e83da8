/* A simulated board in virtual time with a client, for the tests of client, motion and device. */
#ifndef HIDMOTOR_RIG_H
#define HIDMOTOR_RIG_H

#include <math.h>

#include "base/bytes.h"
#include "protocol/hidmotor/client.h"
#include "protocol/hidmotor/device.h"
#include "protocol/hidmotor/motion.h"
#include "test.h"

struct rig {
    struct aw_virtual_clock clock;
    struct aw_device *device;
    struct aw_link *link;
    struct aw_hidmotor arm;
    struct aw_error err;
};

static inline struct rig *rig_of(const struct aw_hidmotor_device_options *options)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct aw_hidmotor_options client = aw_hidmotor_defaults();
    assert_non_null(rig);
    rig->clock = aw_virtual_clock();
    rig->device = aw_hidmotor_device_new(options);
    assert_non_null(rig->device);
    rig->link = aw_sim_link(rig->device, &rig->clock.base, true, "sim:");
    assert_non_null(rig->link);
    aw_hidmotor_init(&rig->arm, rig->link, &client);
    return rig;
}

/* Creates a board with faults in the user's syntax; "": none. */
static inline struct rig *rig_faulty(const char *faults)
{
    struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
    struct aw_error err;
    assert_ok(aw_hidmotor_faults_parse(faults, &options.faults, &err), &err);
    return rig_of(&options);
}

static inline struct rig *rig_in(enum aw_hidmotor_state state)
{
    struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
    options.state = state;
    return rig_of(&options);
}

static inline void rig_free(struct rig *rig)
{
    aw_link_close(rig->link);
    free(rig);
}

static inline void rig_run(struct rig *rig, double seconds)
{
    rig->clock.time_ns += (int64_t)(seconds * AW_SECOND);
}

static inline struct aw_hidmotor_truth rig_truth(struct rig *rig)
{
    struct aw_hidmotor_truth truth;
    aw_hidmotor_device_get_truth(rig->device, rig->clock.time_ns, &truth);
    return truth;
}

static inline struct aw_hidmotor_status rig_status(struct rig *rig)
{
    struct aw_hidmotor_status status;
    assert_ok(aw_hidmotor_status(&rig->arm, &status, &rig->err), &rig->err);
    return status;
}

static inline struct aw_hidmotor_target rig_target(double m1, double m2, double m3,
                                                   double duration_ms)
{
    return (struct aw_hidmotor_target){.given = {true, true, true},
                                       .deg = {m1, m2, m3},
                                       .duration_ms = duration_ms,
                                       .mode = AW_HIDMOTOR_LINEAR};
}

/* Sends a packet id and floats without any check; returns the reply. */
static inline struct aw_hidmotor_reply rig_raw(struct rig *rig, uint32_t id, const double *values,
                                               size_t n)
{
    struct aw_hidmotor_reply reply = {.retries = 0};
    uint8_t bytes[AW_HIDMOTOR_PAYLOAD];
    struct aw_span payload;
    bool force = rig->arm.options.force;
    rig->arm.options.force = true;
    assert_ok(aw_hidmotor_encode_floats(values, n, bytes, &payload, &rig->err), &rig->err);
    assert_ok(aw_hidmotor_send_raw(&rig->arm, id, payload, &reply, &rig->err), &rig->err);
    rig->arm.options.force = force;
    return reply;
}

static inline double rig_float(const uint8_t *report, int i)
{
    return (double)aw_get_f32(report + 4 + 4 * i);
}

#define RIG_RAW(rig, id, ...)                                                                      \
    rig_raw(rig, id, (const double[]){__VA_ARGS__},                                                \
            sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

#endif
