/* Simulated joint drivers on one CAN bus: the control loop of the published firmware. Behind every
 * driver is a joint with inertia, friction, a spring and a hanging leg.
 *
 *     struct aw_canpid_device_options options = aw_canpid_device_defaults();
 *     options.boards = AW_CANPID_BIT(0x40);
 *     struct aw_device *device = aw_canpid_device_new(&options);
 *     struct aw_link *link = aw_sim_link(device, &clock.base, true, "sim:");
 *
 * Datagrams, see wire.h. A driver accepts the identifiers board + 0 … 15 of any length (missing
 * bytes are zero) and does not answer. It sends joint, pid and sensors rate_hz times a second, one
 * board after the other. Frames that are not read in time are dropped, as on a bus.
 *
 * The loop, as published: a round takes at least 4 ms. A gate reads one frame and runs the
 * controller; after the gate, telemetry is sent. So the control period equals the round: 10 ms at
 * 100 Hz, as long as a telemetry cycle, and 4 ms with faster telemetry. Our choice: telemetry below
 * 10 Hz counts as decimated, with the usual period of 10 ms. tick_s overrides the period.
 *
 * The receive path, as published: two frames wait in the hardware's buffers. A third one while they
 * are full is lost without a sign and counted as an overrun. Frames that a busy computer delivers
 * late and together arrived at different times, and are not lost.
 *
 * After power-up the published firmware has no output for 100 control periods, one second at 100
 * Hz. The quirk "power-up" adds this. It is off by default: users of a simulated bus expect drivers
 * that are already running.
 *
 * As published: the driver starts disabled, in tor; see controller.h. kp, ki, kd, setpoint and
 * precompression for another controller switch to it. Near a mechanical stop a driver that pushes
 * outward switches to pos by itself. A controller number above 3 is error pid_config. aux 0 with 1
 * and 2 is the lamp. ref_alpha, ref_fix_link and calibrate zero the encoders in place. A driver
 * without an encoder sends the error, velocity 0x7FF, current 0x1FF and lever 0x7FFF. The torque of
 * the telemetry assumes a precompression of 2 mm.
 *
 * Our choice, because the publication is silent: a driver with an error does not drive. Numbers
 * saturate if they do not fit the telemetry. Event start applies the last precompression within 0.1
 * s on top of those 2 mm. End (or idle) removes it within 0.2 s; the leg feels this wherever the
 * spring is bent. An aux variable above 5 is ignored.
 *
 * Other nodes, from custom packets, send their periodic packets at the file's rate, otherwise 10
 * times a second. A frame to such a node replaces the values that it sends from then on.
 *
 * Time advances in steps of 1 ms, so that a run depends only on the commands and their times.
 */
#ifndef AW_PROTOCOL_CANPID_DEVICE_H
#define AW_PROTOCOL_CANPID_DEVICE_H

#include "link/core/device.h"
#include "protocol/canpid/controller.h"
#include "protocol/canpid/joint.h"
#include "protocol/canpid/names.h"
#include "protocol/canpid/plant.h"

/* Error codes of the telemetry. */
enum aw_canpid_error {
    AW_CANPID_NO_ERROR,
    AW_CANPID_ERROR_CONFIG,   /* pid_config */
    AW_CANPID_ERROR_FIX_LINK, /* fix_link_encoder */
    AW_CANPID_ERROR_LEVER,    /* lever_arm_encoder */
};

/* Parses a fault by name: "none", "encoder" (the lever arm's), or the error codes' names. The error
 * of AW_USAGE lists them. */
enum aw_status aw_canpid_fault_parse(const char *text, enum aw_canpid_error *fault,
                                     struct aw_error *err);

/* "none", "encoder" …, NULL-terminated, for help and completion. */
extern const char *const aw_canpid_fault_names[];

/* Quirks of the published firmware that are off by default; bits. */
enum aw_canpid_quirk {
    AW_CANPID_POWER_UP = 1, /* no output for the first 100 control periods */
};

extern const char *const aw_canpid_quirk_names[]; /* "power-up", NULL; in the order of the bits */

#define AW_CANPID_TICK_MAX_S 1.0 /* longest control period of simulated drivers */

struct aw_canpid_device_options {
    uint64_t boards;            /* bits of the boards; default AW_CANPID_SIX */
    double rate_hz;             /* telemetry rate, default 100; clamped to 1 … the bus's max */
    double tick_s;              /* control period, 0.004 to 1; 0: derived from rate_hz, see above */
    unsigned quirks;            /* bits of enum aw_canpid_quirk */
    bool fw;                    /* sensors as the published firmware packs them (variant "fw") */
    enum aw_canpid_error fault; /* an encoder that is broken from the start, of all boards */
    /* every frame takes effect on arrival, without the receive path; for other tests */
    bool act_on_arrival;
    /* model of every joint; NULL: six different ones, see plant.h */
    const struct aw_joint_model *model;
    struct aw_canpid_plant plants[AW_CANPID_BOARDS]; /* mechanical faults, indexed by board / 32 */
    /* protocol with custom packets, see packets/memory.h; or NULL */
    const struct aw_protocol *protocol;
};

struct aw_canpid_device_options aw_canpid_device_defaults(void);

/* Returns the max number of telemetry cycles per second that 1 Mbit/s carries for these boards. */
double aw_canpid_device_max_rate(uint64_t boards);

/* Returns the control period of drivers with these options, s. */
double aw_canpid_device_tick(const struct aw_canpid_device_options *options);

struct aw_canpid_device_counters {
    uint64_t received, /* frames for one of the boards */
        foreign,       /* frames for other nodes */
        ignored,       /* frames for a board that are not a known command */
        overruns,      /* lost, because two frames were already waiting */
        switches,      /* changes of the active controller */
        sent, dropped; /* telemetry frames sent; dropped: not read by the host */
};

/* Returns NULL if out of memory or without a board. The caller closes the device through its
 * ops. */
struct aw_device *aw_canpid_device_new(const struct aw_canpid_device_options *options);

/* Returns the counters for tests and the simulator's status line; valid for the lifetime of the
 * device. */
const struct aw_canpid_device_counters *aw_canpid_device_counters(const struct aw_device *device);

/* For tests, like everything below: the true state of a board's driver and joint at this time,
 * independent of the telemetry. Returns false if the board does not exist. */
struct aw_canpid_truth {
    struct aw_canpid_joint joint; /* rad, rad/s */
    struct aw_canpid_pid pid;     /* controller, gains, setpoint, output */
    double aux[6];
    double precompression_m; /* as configured */
    double boost;            /* active fraction of it, 0 … 1 */
    bool is_lamp_on;
    enum aw_canpid_error error;
};
bool aw_canpid_device_get_truth(struct aw_device *device, unsigned board, int64_t now,
                                struct aw_canpid_truth *truth);

/* Breaks (or repairs, with AW_CANPID_NO_ERROR) the encoders of these boards from now on. A
 * repaired driver waits for a setpoint. */
void aw_canpid_device_set_fault(struct aw_device *device, uint64_t boards,
                                enum aw_canpid_error fault);

#endif
