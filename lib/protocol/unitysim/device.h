/* A stand-in for Virtual Bento, the Unity simulation of the Bento Arm.
 *
 *     struct aw_unitysim_device_options options = aw_unitysim_device_defaults();
 *     struct aw_device *device = aw_unitysim_device(&options);
 *     struct aw_link *link = aw_sim_link(device, &clock.base, true, "sim:");
 *
 * Datagrams, see wire.h. As published: nothing is said before a scene from 1 on is loaded; then
 * feedback every 15 ms, and in scene 0, which has no such arm, it goes on with what was seen last.
 * A scene puts every joint on 2048, stopped, with the limits and the camera of the packet. Commands
 * latch, there is no watchdog. State 3 leaves a joint as it is, 4 and above stop it, as 0 does. A
 * joint stops at its limits; an update moves the limits at once, and a joint that is then outside
 * drives back inside. Ticks are cut off toward zero. The velocity of feedback is the commanded one
 * while a joint is driven, also when it pushes against a limit. A camera with y 0 is the scene's
 * own view. Damaged datagrams are dropped silently; one that is too short but has a good checksum
 * takes effect as far as it goes, the checksum read as data: of control whole entries, of a scene
 * that it is loaded, of scene and update the camera if it is there, and the limits if all are.
 * Values missing from a scene stay as before. The length byte is ignored. The keyboard works until
 * the first datagram of any kind.
 *
 * Time: physics in steps of 20 ms on a grid that begins with the first call, so that a run depends
 * on nothing but the commands and their times. A joint that is stopped coasts on to its last
 * target, which is at most a step ahead.
 *
 * Our choice: which of three speeds a unit of velocity means (see the options). The real one has a
 * soft drive and is slower than its numbers say, more so at low frame rates; that is not modelled.
 */
#ifndef AW_PROTOCOL_UNITYSIM_DEVICE_H
#define AW_PROTOCOL_UNITYSIM_DEVICE_H

#include "link/core/device.h"
#include "protocol/unitysim/arm.h"

enum aw_unitysim_speed {
    AW_UNITYSIM_SERVO,   /* 0.684 deg/s per unit, as the servos of the real arm */
    AW_UNITYSIM_UNITY,   /* 0.80, what the Unity simulation should make of it */
    AW_UNITYSIM_NOMINAL, /* 1.2, what its code says */
};

/* "servo", "unity", "nominal", NULL, in the order of the enum. */
extern const char *const aw_unitysim_speed_names[];

struct aw_unitysim_device_options {
    int scene;  /* loaded from the start, with default limits and view; 0: none, and silent */
    int scenes; /* how many it has: 6; another one does not load */
    enum aw_unitysim_speed speed;
    bool low_echo;        /* the real one's rounding: the velocity 15 comes back as 14, and so on */
    unsigned stuck;       /* bit of each joint that does not move, whatever it is sent */
    double feedback_loss; /* share of feedback that is not sent: 0 … 1 */
    uint64_t seed;
    const struct aw_protocol *protocol; /* with packets of files, see packets/memory.h; or NULL.
                                           A setpoint is gone to at 90 deg/s, until control says
                                           where to */
};

struct aw_unitysim_device_options aw_unitysim_device_defaults(void);

struct aw_unitysim_device_counters {
    uint64_t received, /* datagrams */
        applied,       /* taken, also in part */
        partial,       /* of these: control packets that were too short */
        odd, /* of these: of another size than documented. The published simulation compares neither
                size nor length byte: it takes a camera request with a length byte, control with
                more than its five entries, bytes behind the last field, and a short scene or
                update as far as it goes */
        empty, header, checksum, size, type; /* dropped, and why */
    uint64_t scenes, requests;
    uint64_t feedback, lost; /* sent; held back by feedback_loss or freeze */
};

/* NULL: out of memory. The caller closes the device through its ops. */
struct aw_device *aw_unitysim_device(const struct aw_unitysim_device_options *options);

/* What is really the case, for a screen and for tests. */
struct aw_unitysim_truth {
    int scene; /* 0: none */
    int frame_rate;
    struct aw_unitysim_camera camera;
    struct aw_unitysim_limits limits;
    double degrees[AW_UNITYSIM_JOINTS]; /* 0 is the centre */
    struct aw_unitysim_drive drive[AW_UNITYSIM_JOINTS];
    bool at_limit[AW_UNITYSIM_JOINTS];
    bool keyboard; /* keys work: no datagram has come yet */
    bool frozen;
    struct aw_unitysim_device_counters counters;
    char dropped_why[160]; /* the reason of the last dropped datagram, "" if none was */
};

/* As of the time now, which must not go back. */
void aw_unitysim_device_truth(struct aw_device *device, int64_t now,
                              struct aw_unitysim_truth *truth);

/* The keyboard. False if a client has taken over; nothing happens then. Velocity in units; the real
 * one's keys drive with 50 deg/s. A scene loads with default limits and its own view. */
#define AW_UNITYSIM_KEY_VELOCITY 42
bool aw_unitysim_device_key_drive(struct aw_device *device, int joint,
                                  struct aw_unitysim_drive drive);
bool aw_unitysim_device_key_scene(struct aw_device *device, int scene);

/* Faults while it runs. A mute simulator moves and says nothing; a frozen one neither moves nor
 * speaks, and what comes meanwhile waits. */
void aw_unitysim_device_stick(struct aw_device *device, unsigned joints);
void aw_unitysim_device_mute(struct aw_device *device, bool mute);
void aw_unitysim_device_freeze(struct aw_device *device, bool frozen);

#endif
