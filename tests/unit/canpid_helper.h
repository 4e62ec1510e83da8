/* A bus of simulated drivers in virtual time with a client, for the tests of both. */
#ifndef CANPID_RIG_H
#define CANPID_RIG_H

#include <math.h>

#include "protocol/canpid/client.h"
#include "protocol/canpid/device.h"
#include "test.h"

#define LHIP  0x20
#define LKNEE 0x40
#define DEG   (180 / 3.14159265358979323846)

struct rig {
    struct aw_virtual_clock clock;
    struct aw_device *device;
    struct aw_link *link;
    struct aw_canpid client;
    struct aw_error err;
};

static inline struct rig *rig_of(const struct aw_canpid_device_options *options)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct aw_canpid_options client = aw_canpid_defaults();
    rig->clock = aw_virtual_clock();
    rig->device = aw_canpid_device(options);
    assert_non_null(rig->device);
    rig->link = aw_sim_link(rig->device, &rig->clock.base, true, "sim:");
    assert_non_null(rig->link);
    aw_canpid_init(&rig->client, rig->link, NULL, &client);
    return rig;
}

/* Returns options with identical joints and a free-hanging leg, which the tests of the driver
 * assume. */
static inline struct aw_canpid_device_options rig_default_options(void)
{
    static struct aw_joint_model model;
    struct aw_canpid_device_options options = aw_canpid_device_defaults();
    model = aw_joint_defaults();
    options.model = &model;
    return options;
}

static inline struct rig *rig_default(void)
{
    struct aw_canpid_device_options options = rig_default_options();
    return rig_of(&options);
}

/* Returns options for the other driver tests, in which frames on the bus take effect at once. */
static inline struct aw_canpid_device_options rig_direct_options(void)
{
    struct aw_canpid_device_options options = rig_default_options();
    options.takes_at_once = true;
    return options;
}

static inline struct rig *rig_direct(void)
{
    struct aw_canpid_device_options options = rig_direct_options();
    return rig_of(&options);
}

static inline void rig_free(struct rig *rig)
{
    aw_link_close(rig->link);
    free(rig);
}

static inline struct aw_canpid_truth rig_truth(struct rig *rig, unsigned board)
{
    struct aw_canpid_truth truth;
    assert_true(aw_canpid_device_truth(rig->device, board, rig->clock.time_ns, &truth));
    return truth;
}

static inline double rig_lever(struct rig *rig, unsigned board)
{
    return rig_truth(rig, board).joint.lever * DEG;
}

/* Puts a frame on the bus unchanged. */
static inline void rig_put(struct rig *rig, unsigned id, const char *hex)
{
    uint8_t bytes[10] = {(uint8_t)id, (uint8_t)(id >> 8)};
    size_t size = 2;
    for (unsigned byte; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        bytes[size++] = (uint8_t)byte;
    assert_int_equal(aw_link_write(rig->link, bytes, size, &rig->err), AW_OK);
}

static inline void rig_run(struct rig *rig, double seconds)
{
    int64_t deadline = rig->clock.time_ns + (int64_t)(seconds * AW_SECOND);
    assert_int_equal(aw_canpid_idle(&rig->client, deadline, NULL, NULL, &rig->err), AW_OK);
    rig->clock.time_ns = deadline; /* a read may have ended slightly earlier */
}

static inline void rig_setpoint(struct rig *rig, unsigned board, int controller, double value)
{
    double normalised = value / aw_canpid_full_scale(controller);
    if (aw_canpid_setpoint(&rig->client, board, controller, normalised, NULL, &rig->err) != AW_OK)
        fail_msg("%s", rig->err.text);
}

static inline void rig_gain(struct rig *rig, unsigned board, int controller,
                            enum aw_canpid_gain gain, double value)
{
    struct aw_canpid_gain_at at = {board, controller, gain, value};
    bool allowed = rig->client.options.allow_switch;
    if (aw_canpid_board(&rig->client, board)->controller == AW_CANPID_LAST)
        rig->client.options.allow_switch = true;
    if (aw_canpid_set(&rig->client, &at, NULL, &rig->err) != AW_OK)
        fail_msg("%s", rig->err.text);
    rig->client.options.allow_switch = allowed;
}

#endif
