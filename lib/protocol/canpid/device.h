/* Simulated joint drivers on one CAN bus: the control law of the published firmware, and behind
 * every driver a joint that has inertia, friction, a spring and a leg hanging from it.
 *
 *     struct aw_canpid_device_options options = aw_canpid_device_defaults();
 *     options.boards = AW_CANPID_BIT(0x40);
 *     struct aw_device *device = aw_canpid_device(&options);
 *     struct aw_link *link = aw_sim_link(device, &clock.base, true, "sim:");
 *
 * Datagrams, see wire.h. A driver takes the identifiers board + 0 … 15, whatever their length
 * (missing bytes are zero), and answers nothing: it sends joint, pid and sensors again and again,
 * rate_hz times a second, the boards one after the other. Frames that are not read in time are
 * dropped, as on a bus.
 *
 * The loop, as published: each time it comes round, at most once in 4 ms, one gate takes one frame
 * and then runs the control law, and behind the gate telemetry is sent. So the law's tick is the
 * time of the loop: 10 ms at 100 Hz, as long as a telemetry cycle, and 4 ms where telemetry is
 * quicker. Our choice: telemetry below 10 Hz is taken for thinned out, and the tick is the usual
 * 10 ms. tick_s sets it by hand.
 *
 * The receive path, as published: two frames wait in the hardware's buffers; a third one that comes
 * while they are full is lost without a sign and counted as an overrun. What a runner brings late
 * and all at once (a busy computer) has come at different times, and is not lost.
 *
 * After power-up the published firmware has no output for 100 ticks, one second at 100 Hz. That is
 * the quirk "power-up", and no default: who opens a simulated bus expects drivers that have been on
 * for a while, as on the real one.
 *
 * As published: it wakes up disabled, in tor; see law.h; kp, ki, kd, setpoint and precompression
 * for another controller switch over to it; near a mechanical stop a driver that pushes outward
 * switches over to pos by itself; a number of a controller above 3 is error pid_config; aux 0 with
 * 1 and 2 is the lamp; ref_alpha, ref_fix_link and calibrate make the encoders zero where they
 * stand; a driver that has lost an encoder sends the error, velocity 0x7FF, current 0x1FF and lever
 * 0x7FFF. The torque of the telemetry assumes a precompression of 2 mm.
 *
 * Our choice, where nothing is published: a driver with an error does not drive; numbers saturate
 * where they do not fit the telemetry; event start lets the precompression that was set last come
 * in within 0.1 s on top of those 2 mm, and end (or idle) takes it back within 0.2 s, which is felt
 * by the leg wherever the spring is bent; an aux variable above 5 is ignored.
 *
 * Other nodes of files send what they send by themselves, as the file says how often, else 10 times
 * a second; a frame for one of them is what it sends from then on.
 *
 * Everything happens on a grid of 1 ms, so that a run depends on nothing but the commands, their
 * times and the seed.
 */
#ifndef AW_PROTOCOL_CANPID_DEVICE_H
#define AW_PROTOCOL_CANPID_DEVICE_H

#include "link/core/device.h"
#include "protocol/canpid/joint.h"
#include "protocol/canpid/law.h"
#include "protocol/canpid/names.h"
#include "protocol/canpid/plant.h"

/* Error codes of the telemetry. */
enum aw_canpid_error {
    AW_CANPID_NO_ERROR,
    AW_CANPID_ERROR_CONFIG,   /* pid_config */
    AW_CANPID_ERROR_FIX_LINK, /* fix_link_encoder */
    AW_CANPID_ERROR_LEVER,    /* lever_arm_encoder */
};

/* Reads a fault by name: "none", "encoder" (the lever arm's), or the error codes' names. AW_USAGE
 * lists them. */
enum aw_status aw_canpid_fault_parse(const char *text, enum aw_canpid_error *fault,
                                     struct aw_error *err);

/* "none", "encoder" …, NULL-terminated, for help and completion. */
extern const char *const aw_canpid_fault_names[];

/* Oddities of the published firmware that are not there by default; bits. */
enum aw_canpid_quirk {
    AW_CANPID_POWER_UP = 1, /* no output for the first 100 ticks */
};

extern const char *const aw_canpid_quirk_names[]; /* "power-up", NULL: by their bits */

#define AW_CANPID_TICK_MOST_S 1.0 /* longest that the simulated drivers have */

struct aw_canpid_device_options {
    uint64_t boards;            /* bits; AW_CANPID_SIX */
    double rate_hz;             /* of the telemetry, 100; kept within 1 and what the bus carries */
    double tick_s;              /* of the loop, 0.004 to 1; 0: by rate_hz, see above */
    unsigned quirks;            /* of enum aw_canpid_quirk */
    bool fw;                    /* sensors as the published firmware packs them (variant "fw") */
    enum aw_canpid_error fault; /* an encoder that is broken from the start */
    uint64_t fault_boards;      /* 0: all */
    double noise;               /* of both encoders, counts either way; 0 */
    uint64_t seed;              /* of the noise */
    bool takes_at_once; /* every frame acts when it comes, without the receive path below: for
                           tests of other things */
    const struct aw_joint_model *model; /* of every joint; NULL: six different ones, see plant.h */
    struct aw_canpid_plant plants[AW_CANPID_BOARDS]; /* what is wrong with it, by board / 32 */
    const struct aw_protocol *protocol; /* with messages of files, see packets/memory.h; or NULL */
};

struct aw_canpid_device_options aw_canpid_device_defaults(void);

/* The most telemetry cycles a second that 1 Mbit/s carries for so many boards. */
double aw_canpid_device_max_rate(uint64_t boards);

/* The tick that drivers with these options have, s. */
double aw_canpid_device_tick(const struct aw_canpid_device_options *options);

struct aw_canpid_device_counters {
    uint64_t received, /* frames for one of the boards */
        foreign,       /* for none of them */
        ignored,       /* for a board, but no command it knows */
        overruns,      /* lost, because two were waiting already */
        switches,      /* changes of a controller */
        sent, dropped; /* telemetry frames; dropped: the host did not read them */
};

/* NULL: out of memory, or no board. The caller closes the device through its ops. */
struct aw_device *aw_canpid_device(const struct aw_canpid_device_options *options);

/* For tests and the status line of the simulator; valid while the device is. */
const struct aw_canpid_device_counters *aw_canpid_device_counters(const struct aw_device *device);

/* For tests, as all below: what is really the case in a board's driver and joint at this time, not
 * what the telemetry says.
 * False if there is no such board. */
struct aw_canpid_truth {
    struct aw_canpid_joint joint; /* rad, rad/s */
    struct aw_canpid_law law;     /* controller, gains, setpoint, output */
    double aux[6];
    double precompression_m; /* as set */
    double boost;            /* how much of it is felt: 0 … 1 */
    bool lamp;
    enum aw_canpid_error error;
};
bool aw_canpid_device_truth(struct aw_device *device, unsigned board, int64_t now,
                            struct aw_canpid_truth *truth);

/* Breaks (or mends, AW_CANPID_NO_ERROR) the encoders of these boards from now on. A mended driver
 * waits for a setpoint. */
void aw_canpid_device_fault(struct aw_device *device, uint64_t boards, enum aw_canpid_error fault);

#endif
