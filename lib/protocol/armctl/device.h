/* The simulated handler: receiver and sender of the published state diagrams, with joints that take
 * time to move.
 *
 *     struct aw_armctl_device_options options = aw_armctl_device_defaults();
 *     aw_armctl_quirks_parse("no-reack,bare-confirm", &options.quirks, &err);
 *     struct aw_device *device = aw_armctl_device_new(&options);
 *     struct aw_link *link = aw_sim_link(device, &clock.base, false, "sim:");
 *
 * The receiver acknowledges and carries out a packet with the expected digit. It only acknowledges
 * one with the other digit. Invalid lines and impossible commands are not acknowledged and do not
 * change the digit. The sender sends a confirmation with 2, 3, 2 … when a motion ends. It repeats
 * the confirmation every 2 s until it is acknowledged. It sends one at a time, in the order of the
 * motions' ends.
 *
 * Every joint has an angle, a position and a pulse, unless the profile names one of them. All start
 * at home, or 0. Motions have constant speed and are clamped to the limits. The confirmation has
 * the reached values, rounded. Joints move in parallel. A new command for a moving joint replaces
 * the motion; the replaced command is confirmed at once with the values reached. spd sets the
 * vehicle's speed (its magnitude; 0 ends a mov in place) and is confirmed at once. mov is confirmed
 * at the end of its distance.
 *
 * On a medium with connections a new connection resets both digits and discards confirmations.
 * Motions continue.
 */
#ifndef AW_PROTOCOL_ARMCTL_DEVICE_H
#define AW_PROTOCOL_ARMCTL_DEVICE_H

#include "link/core/device.h"
#include "protocol/armctl/profile.h"

/* Deviations of the published firmware from its specification. */
enum aw_armctl_quirk {
    AW_ARMCTL_NO_REACK = 1,     /* duplicates are ignored, not acknowledged again */
    AW_ARMCTL_BARE_CONFIRM = 2, /* confirmations carry no values: 2DEG */
    /* drops a confirmation that becomes due before the previous one is acknowledged */
    AW_ARMCTL_DROP_CONFIRM = 4,
    AW_ARMCTL_ACK_INVALID = 8,   /* acknowledges every line with the expected digit; confirms
                                   commands only */
    AW_ARMCTL_PULSE_DEG = 16,    /* the value of deg is a servo pulse, 1000 to 2000 µs (0 to 180
                                 deg); confirms other values without moving */
    AW_ARMCTL_ONLY_DEG_SPD = 32, /* knows two types, DEG<joint>,<pulse> for servos on joints 2, 4
                                    and 5, and SPD<joint>,<duty> for motors on 1 and 3; confirms
                                    them at once, also for other joints and values */
    AW_ARMCTL_RAW_LINES = 64,    /* drops a CR without LF, reads a LF without CR as a character,
                                  ends a line after 32 characters */
    AW_ARMCTL_PUBLISHED = 127,   /* all quirks: the published handler */
};

/* Parses "no-reack,bare-confirm"; "" means no quirks, "published" means all. The error of AW_USAGE
 * lists the quirks. */
enum aw_status aw_armctl_quirks_parse(const char *text, unsigned *quirks, struct aw_error *err);

/* Names of the quirks, NULL-terminated, for help and completion. */
extern const char *const aw_armctl_quirk_names[];

/* Called when the device starts to carry out a command. Receives its body: "DEG1,090". */
typedef void aw_armctl_execute_fn(void *context, const char *body, int64_t now);

struct aw_armctl_device_options {
    unsigned quirks; /* bits of enum aw_armctl_quirk */
    /* speed of joints without one in the profile; default 90 */
    double turn_deg_s;
    /* default 200; also the vehicle's initial speed, until spd changes it */
    double slide_mm_s;
    const struct aw_armctl_profile *profile; /* NULL: none; copied */
    /* protocol with custom packets, which are confirmed at once, see packets/memory.h; or NULL */
    const struct aw_protocol *protocol;
    aw_armctl_execute_fn *on_execute; /* or NULL */
    void *context;
};

struct aw_armctl_device_options aw_armctl_device_defaults(void);

struct aw_armctl_device_counters {
    uint64_t executed,         /* commands carried out */
        duplicates,            /* packets with the digit of the previous one */
        ignored,               /* other packets that were not carried out */
        garbage,               /* invalid lines, except overlong ones */
        overlong,              /* lines that were too long */
        confirmed,             /* confirmations that the controller has acknowledged */
        confirmations_sent,    /* confirmations sent, including repetitions */
        confirmations_dropped; /* confirmations for which the queue had no room */
};

/* Returns NULL if out of memory. The caller closes the device through its ops. */
struct aw_device *aw_armctl_device_new(const struct aw_armctl_device_options *options);

/* Returns the counters for tests and the simulator's status line; valid for the lifetime of the
 * device. */
const struct aw_armctl_device_counters *aw_armctl_device_counters(const struct aw_device *device);

/* Returns the position of joint 0 to 9 at this time in deg, mm or µs. For tests. */
double aw_armctl_device_position(const struct aw_device *device, enum aw_armctl_kind kind,
                                 int joint, int64_t now);

#endif
