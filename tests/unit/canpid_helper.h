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
    struct aw_canpid_sent sent; /* the last setpoint of rig_steps */
    struct aw_error err;
};

static inline struct rig *rig_of(const struct aw_canpid_device_options *options)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct aw_canpid_options client = aw_canpid_defaults();
    rig->clock = aw_virtual_clock();
    rig->device = aw_canpid_device_new(options);
    assert_non_null(rig->device);
    rig->link = aw_sim_link(rig->device, &rig->clock.base, true, "sim:");
    assert_non_null(rig->link);
    aw_canpid_init(&rig->client, rig->link, NULL, &client);
    return rig;
}

/* Returns options with identical joints and a freely hanging leg, as the driver tests assume. */
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

/* Returns options for driver tests in which frames take effect immediately. */
static inline struct aw_canpid_device_options rig_direct_options(void)
{
    struct aw_canpid_device_options options = rig_default_options();
    options.act_on_arrival = true;
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
    assert_true(aw_canpid_device_get_truth(rig->device, board, rig->clock.time_ns, &truth));
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
    assert_ok(
        aw_canpid_send_setpoint(&rig->client, board, controller, normalised, &rig->sent, &rig->err),
        &rig->err);
}

static inline void rig_gain(struct rig *rig, unsigned board, int controller,
                            enum aw_canpid_gain gain, double value)
{
    struct aw_canpid_gain_at at = {board, controller, gain, value};
    bool allowed = rig->client.options.allow_switch;
    if (aw_canpid_board(&rig->client, board)->controller == AW_CANPID_LAST)
        rig->client.options.allow_switch = true;
    assert_ok(aw_canpid_set_gain(&rig->client, &at, NULL, &rig->err), &rig->err);
    rig->client.options.allow_switch = allowed;
}

static inline double rig_value(struct rig *rig, unsigned id, const char *name)
{
    struct aw_canpid_truth t = rig_truth(rig, id);
    const struct aw_canpid_board *board = aw_canpid_board(&rig->client, id);
    const struct aw_canpid_device_counters *n = aw_canpid_device_counters(rig->device);
    const double *gains = t.pid.gains[AW_CANPID_POS];
    double lever = t.joint.lever * DEG, rpm = t.joint.lever_speed * DEG / 6 * 60;
    const struct {
        const char *name;
        double value;
    } values[] = {{"lever", lever},
                  {"speed", t.joint.lever_speed},
                  {"rpm", rpm},
                  {"slip", board->velocity - rpm},
                  {"motor", t.joint.motor_nm},
                  {"enabled", t.pid.enabled},
                  {"controller", t.pid.controller},
                  {"setpoint", t.pid.setpoint},
                  {"output", t.pid.output},
                  {"off", t.pid.setpoint * 360 - lever},
                  {"kp", gains[AW_CANPID_KP]},
                  {"ki", gains[AW_CANPID_KI]},
                  {"kd", gains[AW_CANPID_KD]},
                  {"boost", t.boost},
                  {"lamp", t.is_lamp_on},
                  {"pre", t.precompression_m},
                  {"aux", t.aux[3]},
                  {"torque", board->torque},
                  {"angle", board->lever_angle},
                  {"link", board->fix_link_angle},
                  {"alpha", board->alpha_angle},
                  {"shown", board->output},
                  {"measured", board->measured},
                  {"velocity", board->velocity},
                  {"current", board->current},
                  {"error", board->error},
                  {"switches", (double)n->switches},
                  {"received", (double)n->received},
                  {"ignored", (double)n->ignored},
                  {"foreign", (double)n->foreign},
                  {"overruns", (double)n->overruns}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strcmp(values[i].name, name) == 0)
            return values[i].value;
    fail_msg("there is no %s", name);
    return 0;
}

/* Returns false if a value is not the required one. */
static inline bool rig_step(struct rig *rig, const char *step)
{
    unsigned board = strncmp(step, "hip ", 4) == 0 ? LHIP : LKNEE;
    char name[20] = "", gain[3] = "", op[2] = "";
    double value = 0, tolerance = 0;
    step += board == LHIP ? 4 : 0;
    if (sscanf(step, "%19[a-z]%1[<=>]%lf~%lf", name, op, &value, &tolerance) >= 3) {
        double found = rig_value(rig, board, name);
        return *op == '<'     ? found < value
               : *op == '>'   ? found > value
               : isnan(value) ? isnan(found)
                              : fabs(found - value) <= tolerance;
    }
    if (*step == '+')
        rig_run(rig, atof(step + 1));
    else if (*step == '@')
        rig->clock.time_ns += atoi(step + 1) * AW_MILLISECOND;
    else if (sscanf(step, "gain %19s %2s %lf", name, gain, &value) == 3)
        rig_gain(rig, board, aw_canpid_controller_find(name),
                 gain[1] == 'p' ? AW_CANPID_KP : AW_CANPID_KI, value);
    else if (sscanf(step, "fault %lf", &value) == 1)
        aw_canpid_device_set_fault(rig->device, AW_CANPID_BIT(LKNEE), (enum aw_canpid_error)value);
    else if (strcmp(step, "stop") == 0)
        return aw_canpid_stop(&rig->client, AW_CANPID_BIT(LKNEE), AW_CANPID_LAST, NULL,
                              &rig->err) == AW_OK;
    else if (sscanf(step, "verify %lf", &value) == 1)
        return aw_canpid_verify(&rig->client, &rig->sent,
                                rig->clock.time_ns + (int64_t)(value * AW_MILLISECOND), NULL, NULL,
                                &rig->err) == AW_OK;
    else if (strcmp(step, "half") == 0)
        return aw_link_write(rig->link, "\x41", 1, &rig->err) == AW_OK;
    else if (sscanf(step, "%19[a-z] %lf", name, &value) == 2)
        rig_setpoint(rig, board, aw_canpid_controller_find(name), value);
    else
        rig_put(rig, (unsigned)strtoul(step, NULL, 16), strchr(step, ' ') + 1);
    return true;
}

/* Takes steps between slashes, for the left knee ("hip": the left hip): a setpoint of pos or tor,
 * "gain CONTROLLER GAIN VALUE", a frame in hex, "half" of an identifier, "stop", "verify" (the
 * setpoint, within ms), "fault NUMBER", "+" (seconds pass), "@" (the bus is delayed by ms), and
 * values required of simulation, telemetry and counters ("~": the tolerance). */
static inline void rig_steps(struct rig *rig, const char *what, const char *text)
{
    char steps[600], *save;
    strcpy(steps, text);
    for (char *step = strtok_r(steps, "/", &save); step; step = strtok_r(NULL, "/", &save))
        if (!rig_step(rig, step))
            fail_msg("%s: not %s", what, step);
}

#endif
