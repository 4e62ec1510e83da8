/* The description of an arm: its joints by name, with kind, limits, home and speed.
 *
 * Plain data, filled from the [joint NAME] sections of the config file:
 *
 *     struct aw_armctl_profile profile = {0};
 *     aw_armctl_profile_set(&profile, "elbow", "index", "2", &err);
 *     aw_armctl_profile_set(&profile, "elbow", "max", "180", &err);
 *     aw_armctl_profile_finish(&profile, &err);
 *
 * Without a profile (n is 0) joints 0..9 have 0..360 deg and 0..999 mm, the ranges of three digits.
 */
#ifndef AW_PROTOCOL_ARMCTL_PROFILE_H
#define AW_PROTOCOL_ARMCTL_PROFILE_H

#include "wire/wire.h"

#define AW_ARMCTL_JOINTS 10 /* joint numbers are one digit */

/* Default joints for theta, h and r of arm, unless a profile assigns these roles. */
#define AW_ARMCTL_BASE  1
#define AW_ARMCTL_LIFT  2
#define AW_ARMCTL_REACH 3

enum aw_armctl_kind {
    AW_ARMCTL_ROTATE,    /* degrees, moved by deg */
    AW_ARMCTL_TRANSLATE, /* millimetres, moved by pos */
    AW_ARMCTL_PULSE, /* servo pulse in µs, moved by pulse (DEG on the wire); published firmware */
};

#define AW_ARMCTL_KINDS 3

/* The role of a joint in the command arm. */
enum aw_armctl_role {
    AW_ARMCTL_NO_ROLE,
    AW_ARMCTL_R,     /* reach, translates */
    AW_ARMCTL_THETA, /* angle of the base, rotates */
    AW_ARMCTL_H,     /* height, translates */
};

#define AW_ARMCTL_ROLES 4

struct aw_armctl_joint {
    char name[24];
    int index; /* 0..9 on the wire */
    enum aw_armctl_kind kind;
    enum aw_armctl_role role;
    double min, max, home; /* deg, mm or µs */
    double speed;          /* deg/s, mm/s or µs/s; 0: unknown */
    bool is_signed;        /* negative values may be sent */
    unsigned given;        /* bits of the keys that were given, for aw_armctl_profile_finish */
};

struct aw_armctl_profile {
    size_t n;
    struct aw_armctl_joint joints[AW_ARMCTL_JOINTS];
};

/* Sets one key (index kind role min max home speed signed) of the joint with this name. The first
 * key creates the joint. AW_USAGE: an unknown key, an invalid value, or an eleventh joint; the
 * message lists the valid choices. */
enum aw_status aw_armctl_profile_set(struct aw_armctl_profile *profile, const char *joint,
                                     const char *key, const char *value, struct aw_error *err);

/* Fills in missing keys and checks for contradictions; call once, after the last key. It refuses a
 * missing or duplicate index, min above max, home outside the limits, and a pulse outside the
 * wire's range. It also refuses a duplicate role and a role that does not fit the joint's kind.
 * Defaults: rotate, 0..360 deg, 0..999 mm (from the negative if signed) or 1000..2000 us. Home is 0
 * or the nearest limit; for a pulse joint 1500 us. */
enum aw_status aw_armctl_profile_finish(struct aw_armctl_profile *profile, struct aw_error *err);

/* Returns a joint by name, or by number as text ("2"); NULL: not found. */
const struct aw_armctl_joint *aw_armctl_profile_find(const struct aw_armctl_profile *profile,
                                                     const char *text);

/* Returns a joint by its number on the wire, or NULL. A NULL profile has no joints. */
const struct aw_armctl_joint *aw_armctl_profile_joint(const struct aw_armctl_profile *profile,
                                                      int index);

/* Return the message and the field that move a joint of this kind: "deg" and "angle", "pos" and
 * "position", "pulse" and "pulse"; and the unit of its values: "deg", "mm", "us". */
const char *aw_armctl_kind_message(enum aw_armctl_kind kind);
const char *aw_armctl_kind_field(enum aw_armctl_kind kind);
const char *aw_armctl_kind_unit(enum aw_armctl_kind kind);

/* Return the limits of a joint of this kind without a profile. */
double aw_armctl_kind_min(enum aw_armctl_kind kind, bool negatives);
double aw_armctl_kind_max(enum aw_armctl_kind kind);

/* Returns true if the profile sets this key ("min") of the joint; otherwise the joint uses the
 * kind's default. */
bool aw_armctl_joint_has_key(const struct aw_armctl_joint *joint, const char *key);

/* Returns "r", "theta" or "h", the name of arm's field; "" for AW_ARMCTL_NO_ROLE. */
const char *aw_armctl_role_name(enum aw_armctl_role role);

/* Returns the number of the joint with role r, theta or h, otherwise the default joint. profile may
 * be NULL. */
int aw_armctl_role_joint(const struct aw_armctl_profile *profile, enum aw_armctl_role role);

/* Returns which joint a scalar of a record moves, and its kind. The profile's roles, if any, name
 * the joints of arm; profile may be NULL. Returns false for fields that move no joint to a
 * position: seq, joint, distance, speed, duty. Also returns false without a joint 0 to 9 in the
 * record. */
bool aw_armctl_scalar_joint(const struct aw_armctl_profile *profile, const struct aw_record *record,
                            int scalar, int *joint, enum aw_armctl_kind *kind);

/* Checks a command against the profile. AW_OK, or AW_LIMIT naming joint, value and limit:
 *     elbow: 400 deg is above its maximum 180 deg — change [joint elbow] in the config file, …
 * or AW_USAGE if the joint has the other kind:
 *     elbow: the arm command uses joint 2 for h by default, which needs a translating joint …
 * profile may be NULL; negatives allows values below zero for joints that no profile describes
 * (--signed). aw_encode refuses values that the wire cannot carry. */
enum aw_status aw_armctl_profile_check(const struct aw_armctl_profile *profile, bool negatives,
                                       const struct aw_record *record, struct aw_error *err);

/* Returns the duration in ms of the slowest possible motion of this command according to the
 * profile; 0 if a speed is unknown. */
int aw_armctl_profile_max_ms(const struct aw_armctl_profile *profile,
                             const struct aw_record *record);

#endif
