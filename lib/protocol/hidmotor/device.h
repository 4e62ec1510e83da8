/* A simulated board with its arm, modelled on the published firmware.
 *
 *     struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
 *     aw_hidmotor_faults_parse("lost:10%,late:5%", &options.faults, &err);
 *     struct aw_device *device = aw_hidmotor_device_new(&options);
 *     struct aw_link *link = aw_sim_link(device, &clock.base, true, "sim:");
 *
 * Datagrams, see wire.h. As published: the board answers in the receive buffer, so bytes that it
 * does not set repeat the request. A report of less than 64 bytes leaves the end of the previous
 * packet in the buffer. Packet 99 answers an unknown id. The buffer holds one report: one that
 * comes before the main loop reads it (1 ms) replaces the previous one, which gets no reply.
 * Positions are measured every 16 ms in steps of 0.24 deg, velocities every 50 ms from their
 * differences. Setpoints start from the current setpoint, and jump if the duration is below 1 ms.
 * Mode below 1 is linear, any other mode sinusoidal. A command to the current setpoint with the
 * same duration and mode is ignored. While running, a setpoint beyond a limit is set to the limit
 * and the rest of that motion dropped. set_pid_gains sets the setpoints to the positions;
 * set_velocity_gains ignores ki. set_velocity moves no joint, freezes the setpoint and appears in
 * velocities only: at least 150, 150 and 50 deg/s, at most 876, 480 and 1400, with an effort that
 * follows from it (none at the slowest). Effort is an integer with a dead band. The gripper value
 * is limited to 180 (its echo is not).
 *
 * States: unhomed, running, disabled. An unhomed arm reports raw servo angles of 0 to 240 deg;
 * setpoints move without limits, and the arm does not. A disabled arm reports true positions;
 * setpoints move, and the arm does not. It jumps to them when it is enabled again. A real arm is
 * unhomed after power-up; the simulated one is running by default.
 *
 * Drives. On this arm the gains have no effect on motion: its bus servos have their own loop, and
 * the firmware discards its controller's output (SerialMotor::setOutput is empty). On boards with
 * the same firmware and DC motors, that output drives the motors: AW_HIDMOTOR_PID_DRIVE simulates
 * such an arm, see dc_motor.h. There set_velocity moves a motor, too.
 *
 * Our choice, because the publication is silent: servos turn at 205 deg/s, with an overshoot of
 * about 2 deg after a step of 60. At rest they have an error of up to 1 deg that depends on the
 * position. Homing takes no time and ends in the calibration pose. Effort is 0 within 1 deg of the
 * setpoint, and beyond that proportional to kp and the distance.
 *
 * The simulation depends only on the reports, their times and the seed.
 */
#ifndef AW_PROTOCOL_HIDMOTOR_DEVICE_H
#define AW_PROTOCOL_HIDMOTOR_DEVICE_H

#include "link/core/device.h"
#include "wire/table.h"

enum aw_hidmotor_state {
    AW_HIDMOTOR_UNHOMED,
    AW_HIDMOTOR_RUNNING,
    AW_HIDMOTOR_DISABLED,
};

/* "unhomed", "running", "disabled", NULL, in the order of the enum. */
extern const char *const aw_hidmotor_state_names[];

enum aw_hidmotor_drive {
    AW_HIDMOTOR_SERVO_DRIVE, /* bus servos, as on the published arm: gains have no effect on
                                motion */
    AW_HIDMOTOR_PID_DRIVE,   /* DC motors driven by the gains */
};

/* "servo", "pid", NULL, in the order of the enum. */
extern const char *const aw_hidmotor_drive_names[];

enum aw_hidmotor_fault {
    AW_HIDMOTOR_LOST,      /* no reply */
    AW_HIDMOTOR_LATE,      /* a reply after 150 ms; the order is kept */
    AW_HIDMOTOR_DUPLICATE, /* a reply twice */
    AW_HIDMOTOR_FOREIGN,   /* the reply is preceded by a reply to another program's request */
    AW_HIDMOTOR_SHORT,     /* a truncated reply */
    AW_HIDMOTOR_GLITCH,    /* a measurement with an error of 0.7 to 3 deg, rarely far more */
    AW_HIDMOTOR_STUCK,     /* a measurement fails; the previous one is repeated */
    AW_HIDMOTOR_SLOW,      /* the main loop takes 100 ms instead of 1 ms */
    AW_HIDMOTOR_COUNT,     /* the number of motors is 0, 99, NaN, or more than fit */
    AW_HIDMOTOR_NAN,       /* a position or velocity that is NaN */
    AW_HIDMOTOR_UNPLUG,    /* no more answers from then on; the link stays open */
    AW_HIDMOTOR_FAULTS,
};

struct aw_hidmotor_faults {
    double share[AW_HIDMOTOR_FAULTS]; /* share of affected replies, measurements or loops: 0 … 1 */
    int64_t unplug_ns;                /* if unplug has a share: delay after the first contact */
};

/* Parses "lost:10%,slow,unplug:5s" (a share, or for unplug a time). Without a share the fault
 * happens every time, and unplug at once. "" means no fault. AW_USAGE: the error suggests a
 * name. */
enum aw_status aw_hidmotor_faults_parse(const char *text, struct aw_hidmotor_faults *faults,
                                        struct aw_error *err);

/* Names of the faults, NULL-terminated, in the order of the enum, for help and completion. */
extern const char *const aw_hidmotor_fault_names[];

struct aw_hidmotor_device_options {
    enum aw_hidmotor_state state; /* default: running */
    enum aw_hidmotor_drive drive; /* default: servos */
    struct aw_hidmotor_faults faults;
    int motors; /* number of reported motors, 1 to 3; any other value means 3 */
    /* added to the board's response time, default 0; USB intervals add 2 to 4 ms */
    int64_t latency_ns;
    uint64_t seed;
    /* protocol with custom packets, see packets/memory.h; or NULL */
    const struct aw_protocol *protocol;
};

struct aw_hidmotor_device_options aw_hidmotor_device_defaults(void);

struct aw_hidmotor_device_counters {
    uint64_t received, /* reports received */
        overwritten,   /* overwritten before the main loop read them */
        handled,       /* read by the main loop */
        unknown,       /* of these, answered with packet 99 */
        sent,          /* reports to the host */
        dropped,       /* replies that the host did not read */
        faults;        /* faults that took effect */
};

/* Returns NULL if out of memory. The caller closes the device through its ops. */
struct aw_device *aw_hidmotor_device_new(const struct aw_hidmotor_device_options *options);

/* Returns the counters for tests and the simulator's status line; valid for the lifetime of the
 * device. */
const struct aw_hidmotor_device_counters *
aw_hidmotor_device_counters(const struct aw_device *device);

/* For tests, like everything below: changes the state, as the Home button or the switches of the
 * motors and the power do. */
void aw_hidmotor_device_set_state(struct aw_device *device, enum aw_hidmotor_state state,
                                  int64_t now);

/* The true state, independent of the reports. */
#define AW_HIDMOTOR_DEVICE_MOTORS 3
struct aw_hidmotor_truth {
    enum aw_hidmotor_state state;
    double setpoint[AW_HIDMOTOR_DEVICE_MOTORS]; /* deg */
    double angle[AW_HIDMOTOR_DEVICE_MOTORS];    /* of the arm, deg, not rounded */
    double speed[AW_HIDMOTOR_DEVICE_MOTORS];    /* deg/s */
    int gripper;                                /* servo position, 0 (closed) to 180 (open) */
    double light[3];                            /* hue, saturation, value */
    double gains[AW_HIDMOTOR_DEVICE_MOTORS][3]; /* kp ki kd */
    double velocity_gains[AW_HIDMOTOR_DEVICE_MOTORS][3];
};
void aw_hidmotor_device_get_truth(struct aw_device *device, int64_t now,
                                  struct aw_hidmotor_truth *truth);

#endif
