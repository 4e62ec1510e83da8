/* A simulated board with its arm, as the published firmware does it.
 *
 *     struct aw_hidmotor_device_options options = aw_hidmotor_device_defaults();
 *     aw_hidmotor_faults_parse("lost:10%,late:5%", &options.faults, &err);
 *     struct aw_device *device = aw_hidmotor_device(&options);
 *     struct aw_link *link = aw_sim_link(device, &clock.base, true, "sim:");
 *
 * Datagrams, see wire.h. As published: the board answers in the buffer that it received into, so
 * bytes that it does not set repeat the request, and a report of less than 64 bytes leaves the end
 * of the packet before behind it; an unknown id is answered with packet 99; the buffer has one
 * place, and a report that comes before the main loop has looked (1 ms) replaces the one before,
 * which gets no reply. Positions are measured every 16 ms in steps of 0.24 deg, velocities every
 * 50 ms from their differences. Setpoints start from the present setpoint, and jump below 1 ms;
 * mode below 1 is linear, anything else sinusoidal; a command with the same duration and mode to
 * where the setpoint is already is ignored; while running a setpoint beyond a limit is put to the
 * limit and the rest of that motion forgotten. set_pid_gains puts the setpoints to the positions,
 * set_velocity_gains takes no ki, set_velocity moves nothing, freezes the setpoint and shows in
 * velocities only: at least 150, 150 and 50 deg/s, at most 876, 480 and 1400, with an effort that
 * follows from it (none at the slowest). Effort is a whole number with a dead band, the gripper
 * value is kept below 181 (the echo is not).
 *
 * States: unhomed (positions are raw servo angles of 0 to 240 deg, setpoints move and the arm does
 * not, no limits), running, disabled (positions are true, setpoints move, the arm does not; when it
 * is enabled again it jumps to them). A real arm is unhomed after power-up; this one is running
 * unless it is told otherwise.
 *
 * Drives. On this arm the gains move nothing: its bus servos have a loop of their own, and what the
 * firmware's law makes of the gains is thrown away (SerialMotor::setOutput is empty). Boards of the
 * same firmware with DC motors are driven by it: AW_HIDMOTOR_PID_DRIVE is an arm with such motors,
 * see dc_motor.h. There set_velocity moves a motor, too.
 *
 * Our choice, where nothing is published: the servos (205 deg/s, an overshoot of about 2 deg after
 * a step of 60, at rest up to 1 deg off, depending on where), homing (takes no time, ends in the
 * calibration pose), effort (none within 1 deg of the setpoint, beyond that proportional to kp and
 * the distance).
 *
 * Depends on nothing but the reports, their times and the seed.
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
    AW_HIDMOTOR_SERVO_DRIVE, /* bus servos, as on the published arm: gains move nothing */
    AW_HIDMOTOR_PID_DRIVE,   /* DC motors that the gains drive */
};

/* "servo", "pid", NULL, in the order of the enum. */
extern const char *const aw_hidmotor_drive_names[];

enum aw_hidmotor_fault {
    AW_HIDMOTOR_LOST,      /* no reply */
    AW_HIDMOTOR_LATE,      /* a reply after 150 ms; the order is kept */
    AW_HIDMOTOR_DUPLICATE, /* a reply twice */
    AW_HIDMOTOR_FOREIGN,   /* before the reply, one to what another program asked */
    AW_HIDMOTOR_SHORT,     /* a reply that is cut off */
    AW_HIDMOTOR_GLITCH,    /* one measurement that is 0.7 to 3 deg wrong, rarely by a lot more */
    AW_HIDMOTOR_STUCK,     /* a measurement fails: the one before is repeated */
    AW_HIDMOTOR_SLOW,      /* the main loop takes 100 ms instead of 1 */
    AW_HIDMOTOR_COUNT,     /* number of motors 0, 99, NaN, or more than fit */
    AW_HIDMOTOR_NAN,       /* a position or velocity that is no number */
    AW_HIDMOTOR_UNPLUG,    /* from then on nothing is answered. A device cannot take a link away */
    AW_HIDMOTOR_FAULTS,
};

struct aw_hidmotor_faults {
    double share[AW_HIDMOTOR_FAULTS]; /* of replies, measurements or loops: 0 … 1 */
    int64_t unplug_ns;                /* with a share for it: so long after the first contact */
};

/* Reads "lost:10%,slow,unplug:5s" (a share, or for unplug a time); without one it happens every
 * time, and unplug at once. "" is no fault. AW_USAGE with did-you-mean. */
enum aw_status aw_hidmotor_faults_parse(const char *text, struct aw_hidmotor_faults *faults,
                                        struct aw_error *err);

/* Names of the faults, NULL-terminated, in the order of the enum, for help and completion. */
extern const char *const aw_hidmotor_fault_names[];

/* Called for each report that the main loop takes, before it is answered: 64 bytes. */
typedef void aw_hidmotor_taken_fn(void *context, const uint8_t *report, int64_t now);

struct aw_hidmotor_device_options {
    enum aw_hidmotor_state state; /* running */
    enum aw_hidmotor_drive drive; /* servos */
    struct aw_hidmotor_faults faults;
    int motors;         /* that it has and tells of, 1 to 3; else 3 */
    int64_t latency_ns; /* 0; USB with its intervals adds 2 to 4 ms to the time in the board */
    uint64_t seed;
    const struct aw_protocol *protocol; /* with packets of files, see packets/memory.h; or NULL */
    aw_hidmotor_taken_fn *taken;        /* or NULL */
    void *context;
};

struct aw_hidmotor_device_options aw_hidmotor_device_defaults(void);

struct aw_hidmotor_device_counters {
    uint64_t received, /* reports */
        overwritten,   /* before the main loop looked */
        taken,         /* by the main loop */
        unknown,       /* of them: answered with packet 99 */
        sent,          /* reports to the host */
        dropped,       /* replies that the host did not read */
        faults;        /* that befell something */
};

/* NULL: out of memory. The caller closes the device through its ops. */
struct aw_device *aw_hidmotor_device(const struct aw_hidmotor_device_options *options);

/* For tests and the status line of the simulator; valid while the device is. */
const struct aw_hidmotor_device_counters *
aw_hidmotor_device_counters(const struct aw_device *device);

/* For tests, as all below: presses Home (unhomed to running), throws the switch of the motors,
 * takes the power away … */
void aw_hidmotor_device_state(struct aw_device *device, enum aw_hidmotor_state state, int64_t now);

/* How often a fault befalls from now on: 0 … 1. */
void aw_hidmotor_device_fault(struct aw_device *device, enum aw_hidmotor_fault fault, double share);

/* What is really the case, not what is reported. */
#define AW_HIDMOTOR_DEVICE_MOTORS 3
struct aw_hidmotor_truth {
    enum aw_hidmotor_state state;
    double setpoint[AW_HIDMOTOR_DEVICE_MOTORS]; /* deg */
    double angle[AW_HIDMOTOR_DEVICE_MOTORS];    /* of the arm, deg, not rounded */
    double speed[AW_HIDMOTOR_DEVICE_MOTORS];    /* deg/s */
    int gripper;                                /* 0 … 180 */
    double light[3];                            /* hue, saturation, value */
    double gains[AW_HIDMOTOR_DEVICE_MOTORS][3]; /* kp ki kd */
    double velocity_gains[AW_HIDMOTOR_DEVICE_MOTORS][3];
};
void aw_hidmotor_device_truth(struct aw_device *device, int64_t now,
                              struct aw_hidmotor_truth *truth);

#endif
