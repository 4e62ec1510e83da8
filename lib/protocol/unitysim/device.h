/* A simulated Virtual Bento, the Unity simulation of the Bento Arm.
 *
 *     struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
 *     struct aw_device *device = aw_unitysim_device_new(&options);
 *     struct aw_link *link = aw_sim_link(device, &clock.base, true, "sim:");
 *
 * Datagrams, see wire.h. As published: the simulator is silent until a scene with number 1 or
 * higher is loaded. Then it sends feedback every 15 ms. In scene 0, which has no visible arm, it
 * repeats the last values. Loading a scene stops every joint at 2048 ticks and applies the limits
 * and the camera of the packet. Commands latch; there is no watchdog. State 3 leaves a joint
 * unchanged; 4 and above stop it, like 0. A joint stops at its limits. An update changes the limits
 * at once, and a joint that is then outside drives back inside. Ticks are truncated toward zero.
 * The velocity of feedback is the commanded one while a joint is driven, also when it pushes
 * against a limit. A camera with y 0 is the scene's own view. Damaged datagrams are dropped
 * silently. A short one with a valid checksum takes effect as far as possible, with the checksum
 * read as data. In control, complete entries take effect. A short scene is loaded. The camera of
 * scene and update applies if present, and the limits if all are present. Values missing from a
 * scene keep their old values. The length byte is ignored.
 *
 * Time: physics in steps of 20 ms from the first call, so that a run depends only on the commands
 * and their times. A stopped joint coasts to its last target, which is at most a step ahead.
 *
 * Our choice: deg/s per unit of velocity, one of three values (see enum aw_unitysim_speed). The
 * real simulation has a soft drive and is slower than its numbers, more so at low frame rates; we
 * ignore this.
 */
#ifndef AW_PROTOCOL_UNITYSIM_DEVICE_H
#define AW_PROTOCOL_UNITYSIM_DEVICE_H

#include "link/core/device.h"
#include "protocol/unitysim/arm.h"

enum aw_unitysim_speed {
    AW_UNITYSIM_SERVO,   /* 0.684 deg/s per unit, like the servos of the real arm */
    AW_UNITYSIM_UNITY,   /* 0.80, the expected result in the Unity simulation */
    AW_UNITYSIM_NOMINAL, /* 1.2, by the simulation's code */
};

/* "servo", "unity", "nominal", NULL, in the order of the enum. */
extern const char *const aw_unitysim_speed_names[];

struct aw_unitysim_device_options {
    /* scene loaded from the start, with default limits and view; 0: no scene and no feedback */
    int scene;
    enum aw_unitysim_speed speed;
    /* rounds the velocities of feedback like the original: 15 comes back as 14 */
    bool low_echo;
    unsigned stuck;       /* bits of the joints that ignore commands */
    double feedback_loss; /* share of dropped feedback: 0 … 1 */
    uint64_t seed;
    /* protocol with custom packets, see packets/memory.h; or NULL. Must outlive the device. Joints
     * move to their setpoints at 90 deg/s, until a control command replaces them */
    const struct aw_protocol *protocol;
};

struct aw_unitysim_device_options aw_unitysim_device_defaults(void);

struct aw_unitysim_device_counters {
    uint64_t received; /* datagrams received */
    uint64_t applied;  /* of these: handled, completely or in part */
    uint64_t partial;  /* of applied: truncated control packets */
    /* of applied: with an undocumented size. The published simulation checks neither size nor
     * length byte. It accepts a camera request with a length byte, control with more than its five
     * entries, and bytes after the last field. It handles a short scene or update as far as
     * possible */
    uint64_t odd;
    uint64_t empty, header, checksum, size, type; /* dropped, by reason */
    uint64_t scenes, requests;
    uint64_t feedback, lost; /* feedback sent; feedback dropped by feedback_loss or while muted */
};

/* Copies the options. Returns NULL if out of memory. The caller closes the device through its
 * ops. */
struct aw_device *aw_unitysim_device_new(const struct aw_unitysim_device_options *options);

/* The true state, for the summary and for tests. */
struct aw_unitysim_truth {
    int scene; /* 0: none */
    int frame_rate;
    struct aw_unitysim_camera camera;
    struct aw_unitysim_limits limits;
    double degrees[AW_UNITYSIM_JOINTS]; /* 0 is the centre */
    struct aw_unitysim_drive drive[AW_UNITYSIM_JOINTS];
    bool at_limit[AW_UNITYSIM_JOINTS];
    struct aw_unitysim_device_counters counters;
    char drop_reason[160]; /* reason of the last dropped datagram or rejected scene, or "" */
};

/* Returns the state at time now, which must not decrease. */
void aw_unitysim_device_get_truth(struct aw_device *device, int64_t now,
                                  struct aw_unitysim_truth *truth);

/* Faults at run time. A mute simulator moves without sending. */
void aw_unitysim_device_set_stuck(struct aw_device *device, unsigned joints);
void aw_unitysim_device_set_mute(struct aw_device *device, bool mute);

#endif
