/* The simulated handler: the receiver and the sender of the published state diagrams, and joints
 * that need time to move.
 *
 *     struct aw_armctl_device_options options = aw_armctl_device_defaults();
 *     aw_armctl_quirks_parse("no-reack,bare-confirm", &options.quirks, &err);
 *     struct aw_device *device = aw_armctl_device(&options);
 *     struct aw_link *link = aw_sim_link(device, &clock.base, false, "sim:");
 *
 * Receiver: the expected digit is acknowledged and carried out, the other one acknowledged again
 * and nothing else. What is no packet, or a packet that the handler cannot carry out, is not
 * acknowledged and leaves the digit as it is. Sender: a confirmation with 2, 3, 2 … when a motion
 * ends, again every 2 s until it is acknowledged, one at a time, in the order in which they became
 * due.
 *
 * Every joint has an angle, a position and a pulse, unless the profile says which of them it is;
 * all start at home, or 0. Motions are at constant speed and clamped to the limits; the
 * confirmation carries the values reached, rounded. Joints move side by side; a command for a joint
 * that is under way replaces the motion, and the command it replaces is confirmed at once with the
 * values that were reached. spd sets the speed of the vehicle (the size of it; 0 ends a mov where
 * it is) and is confirmed at once, mov when the way has been driven.
 *
 * On a medium with connections a new one sets both digits back and forgets confirmations; motions
 * go on.
 */
#ifndef AW_PROTOCOL_ARMCTL_DEVICE_H
#define AW_PROTOCOL_ARMCTL_DEVICE_H

#include "link/core/device.h"
#include "protocol/armctl/profile.h"

/* What the published firmware does differently from its specification. */
enum aw_armctl_quirk {
    AW_ARMCTL_NO_REACK = 1,     /* duplicates are ignored, not acknowledged again */
    AW_ARMCTL_BARE_CONFIRM = 2, /* confirmations carry no values: 2DEG */
    AW_ARMCTL_DROP_CONFIRM = 4, /* a confirmation that is due before the last one is acknowledged is
                                dropped */
    AW_ARMCTL_ACK_INVALID = 8,  /* every line with the expected digit is acknowledged; what is no
                                command is not confirmed */
    AW_ARMCTL_PULSE_DEG = 16, /* the value of deg is a servo pulse, 1000 to 2000 µs (0 to 180 deg);
                              outside it is confirmed as asked though nothing moves */
    AW_ARMCTL_ONLY_DEG_SPD = 32, /* two types are known, DEG<joint>,<pulse> for servos on joints 2,
                                 4 and 5, and SPD<joint>,<duty> for motors on 1 and 3; they are
                                 confirmed at once, for other joints and values too */
    AW_ARMCTL_RAW_LINES = 64,  /* a CR without its LF is dropped, a LF without CR is a character, 32
                               characters without an end are a line */
    AW_ARMCTL_PUBLISHED = 127, /* all of them: the published handler as it is */
};

/* Parses "no-reack,bare-confirm"; "" is no quirk, "published" all. AW_USAGE lists the quirks. */
enum aw_status aw_armctl_quirks_parse(const char *text, unsigned *quirks, struct aw_error *err);

/* Names of the quirks, NULL-terminated, for help and completion. */
extern const char *const aw_armctl_quirk_names[];

/* Called when a command is carried out (begun), with its body: "DEG1,090". */
typedef void aw_armctl_executed_fn(void *context, const char *body, int64_t now);

struct aw_armctl_device_options {
    unsigned quirks;                         /* of enum aw_armctl_quirk */
    double turn_deg_s;                       /* speed of joints whose profile says none; 90 */
    double slide_mm_s;                       /* 200; also of the vehicle until spd sets another */
    const struct aw_armctl_profile *profile; /* NULL: none; copied */
    const struct aw_protocol *protocol;      /* with words of packet files, see packets/memory.h,
                                                which are confirmed at once; or NULL */
    aw_armctl_executed_fn *executed;         /* or NULL */
    void *context;
};

struct aw_armctl_device_options aw_armctl_device_defaults(void);

struct aw_armctl_device_counters {
    uint64_t executed, duplicates, ignored, garbage, overlong, confirmed, confirmations_sent,
        confirmations_dropped;
};

/* NULL: out of memory. The caller closes the device through its ops. */
struct aw_device *aw_armctl_device(const struct aw_armctl_device_options *options);

/* For tests and the status line of the simulator; valid while the device is. */
const struct aw_armctl_device_counters *aw_armctl_device_counters(const struct aw_device *device);

/* For tests: where joint 0 to 9 is at this time, deg, mm or µs. */
double aw_armctl_device_joint(const struct aw_device *device, enum aw_armctl_kind kind, int joint,
                              int64_t now);

#endif
