/* The Bento Arm: five joints with their ticks, limits and speeds, and the scenes.
 *
 *     int joint, velocity;
 *     double ticks;
 *     status = aw_unitysim_joint_parse("wrist_flex", &joint, &err);
 *     status = aw_unitysim_position_parse(joint, "30deg", &limits, &ticks, &err);  -> 2389.33
 *     aw_unitysim_ticks_to_deg(2048)                                                    -> 0
 *
 * Names of joints and scenes and the default limits are those of the wire table (wire.c). The
 * functions are pure and allocate nothing.
 *
 * Source: units, default views and hand directions from the published code of brachI/Oplexus and
 * Virtual Bento; speed caps and limits from the profiles that brachI/Oplexus ships.
 */
#ifndef AW_PROTOCOL_UNITYSIM_ARM_H
#define AW_PROTOCOL_UNITYSIM_ARM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"

/* In the order of the wire. */
enum aw_unitysim_joint {
    AW_UNITYSIM_SHOULDER,
    AW_UNITYSIM_ELBOW,
    AW_UNITYSIM_WRIST_ROTATE,
    AW_UNITYSIM_WRIST_FLEX,
    AW_UNITYSIM_HAND,
    AW_UNITYSIM_JOINTS,
};

/* Command of a joint. Ticks increase when shoulder and wrist_rotate turn right, elbow and
 * wrist_flex move up, and the hand opens. */
enum aw_unitysim_state {
    AW_UNITYSIM_STOP,
    AW_UNITYSIM_INCREASE,
    AW_UNITYSIM_DECREASE,
    AW_UNITYSIM_KEEP, /* continue with the command of the last packet */
};

/* initial position of every joint in a scene, ticks */
#define AW_UNITYSIM_CENTRE     2048
#define AW_UNITYSIM_TURN       4096                  /* ticks per turn */
#define AW_UNITYSIM_CADENCE_NS (15 * AW_MILLISECOND) /* period of control and feedback */
/* speed of one unit of velocity, a property of the servos */
#define AW_UNITYSIM_DEG_S        0.684
#define AW_UNITYSIM_VELOCITY_MAX 1023

double aw_unitysim_ticks_to_deg(double ticks);
double aw_unitysim_deg_to_ticks(double degrees);

/* ---- Joints ---- */

/* Returns "elbow", for example. */
const char *aw_unitysim_joint_name(int joint);

/* Finds a joint by name; -1: not found. Ignores case, and accepts a space, dash or underscore
 * between words ("Wrist Rotate" in sequence files). */
int aw_unitysim_joint_find(const char *name);

/* Finds a joint by name. AW_USAGE with a suggestion. */
enum aw_status aw_unitysim_joint_parse(const char *name, int *joint, struct aw_error *err);

/* Lowest and highest position in ticks. */
struct aw_unitysim_limit {
    int min, max;
};
struct aw_unitysim_limits {
    struct aw_unitysim_limit joint[AW_UNITYSIM_JOINTS];
};

/* Returns the limits of the table: shoulder 1028–3073, elbow 1700–2570, wrist_rotate 1028–3073,
 * wrist_flex 790–3328, hand 1928–2800. */
struct aw_unitysim_limits aw_unitysim_limits_default(void);

/* Checks limits. AW_LIMIT, naming the joint: min > max, or a value is outside 0 … 65535. */
enum aw_status aw_unitysim_limits_check(const struct aw_unitysim_limits *limits,
                                        struct aw_error *err);

/* Returns a joint's velocity limit without force: 67 45 90 67 90. It is not on the wire; the
 * simulator accepts any velocity. */
int aw_unitysim_velocity_cap(int joint);

/* Parses a position: "2135", "2135tick", "30deg", "0.5rad", and for the hand "open" (its upper
 * limit) and "close" (its lower limit). AW_USAGE: invalid. Does not check limits. */
enum aw_status aw_unitysim_position_parse(int joint, const char *text,
                                          const struct aw_unitysim_limits *limits, double *ticks,
                                          struct aw_error *err);

/* The command of one joint. */
struct aw_unitysim_drive {
    int velocity; /* 0 … 1023 */
    enum aw_unitysim_state state;
};

/* Returns true if the command moves the joint. */
static inline bool aw_unitysim_is_driven(const struct aw_unitysim_drive *drive)
{
    return drive->state == AW_UNITYSIM_INCREASE || drive->state == AW_UNITYSIM_DECREASE;
}

/* Parses a command: "+45" or "45" (ticks increase), "-45", "-30deg/s", "0" and "stop", "keep". Also
 * accepts "increase" and "decrease", and for the hand "open" and "close", at the joint's cap.
 * AW_USAGE if invalid. AW_LIMIT above the cap (unless force) and always above 1023; drive is then
 * set to that limit. */
enum aw_status aw_unitysim_drive_parse(int joint, const char *text, bool force,
                                       struct aw_unitysim_drive *drive, struct aw_error *err);

/* ---- Scenes ---- */

/* Position in mm (the arm points to negative x, y is up), rotation in whole degrees. y 0 selects
 * the scene's own view and ignores the other values, as in {0}. */
struct aw_unitysim_camera {
    int x, y, z, rx, ry, rz;
};

struct aw_unitysim_scene {
    int index;               /* 1 … 6 */
    const char *title;       /* "Slam Dunk" */
    const char *instruction; /* task for the user */
};

/* Returns one of the six scenes; NULL: another index (the simulator may have more scenes). */
const struct aw_unitysim_scene *aw_unitysim_scene(int index);

/* Returns the name in the wire table, "slam-dunk"; NULL: another index. */
const char *aw_unitysim_scene_name(int index);

/* Parses "slam-dunk", "2", or any number 1 … 255. AW_USAGE with a suggestion; AW_LIMIT for
 * any other number. */
enum aw_status aw_unitysim_scene_parse(const char *text, int *index, struct aw_error *err);

/* Returns the scene's own camera view; for an unknown scene, that of scene 0. */
struct aw_unitysim_camera aw_unitysim_scene_view(int index);

#endif
