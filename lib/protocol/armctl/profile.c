/* Reads the [joint NAME] sections of the config file, and finds joints by name. */
#include "protocol/armctl/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clamp.h"
#include "base/number.h"
#include "protocol/armctl/wire.h"

enum key { INDEX = 1, KIND = 2, MIN = 4, MAX = 8, HOME = 16, SPEED = 32, SIGNED = 64, ROLE = 128 };

struct choice {
    const char *name;
    int value;
};

static const struct choice kinds[] = {{"rotate", AW_ARMCTL_ROTATE},
                                      {"translate", AW_ARMCTL_TRANSLATE},
                                      {"pulse", AW_ARMCTL_PULSE},
                                      {0}};
static const struct choice roles[] = {
    {"r", AW_ARMCTL_R}, {"theta", AW_ARMCTL_THETA}, {"h", AW_ARMCTL_H}, {0}};
static const struct choice booleans[] = {{"yes", 1},   {"no", 0}, {"true", 1},
                                         {"false", 0}, {"on", 1}, {"off", 0},
                                         {"1", 1},     {"0", 0},  {0}};

static const struct kind_rows {
    const char *adjective, *message, *field, *unit;
    double min, max, home;
} kind_rows[AW_ARMCTL_KINDS] = {
    [AW_ARMCTL_ROTATE] = {"rotating", "deg", "angle", "deg", 0, 360, 0},
    [AW_ARMCTL_TRANSLATE] = {"translating", "pos", "position", "mm", 0, 999, 0},
    [AW_ARMCTL_PULSE] = {"pulse", "pulse", "pulse", "us", 1000, 2000, 1500},
};

static const struct role_row {
    const char *name;
    int default_joint; /* default joint of the role */
    enum aw_armctl_kind kind;
} role_rows[AW_ARMCTL_ROLES] = {
    [AW_ARMCTL_NO_ROLE] = {"", -1, AW_ARMCTL_ROTATE},
    [AW_ARMCTL_R] = {"r", AW_ARMCTL_REACH, AW_ARMCTL_TRANSLATE},
    [AW_ARMCTL_THETA] = {"theta", AW_ARMCTL_BASE, AW_ARMCTL_ROTATE},
    [AW_ARMCTL_H] = {"h", AW_ARMCTL_LIFT, AW_ARMCTL_TRANSLATE},
};

const char *aw_armctl_role_name(enum aw_armctl_role role)
{
    return role_rows[role].name;
}

static const struct aw_armctl_joint *find_role_holder(const struct aw_armctl_profile *profile,
                                                      enum aw_armctl_role role)
{
    for (size_t i = 0; profile && i < profile->n; i++)
        if (profile->joints[i].role == role)
            return &profile->joints[i];
    return NULL;
}

int aw_armctl_role_joint(const struct aw_armctl_profile *profile, enum aw_armctl_role role)
{
    const struct aw_armctl_joint *joint = find_role_holder(profile, role);
    return joint ? joint->index : role_rows[role].default_joint;
}

const char *aw_armctl_kind_message(enum aw_armctl_kind kind)
{
    return kind_rows[kind].message;
}

const char *aw_armctl_kind_field(enum aw_armctl_kind kind)
{
    return kind_rows[kind].field;
}

const char *aw_armctl_kind_unit(enum aw_armctl_kind kind)
{
    return kind_rows[kind].unit;
}

double aw_armctl_kind_min(enum aw_armctl_kind kind, bool negatives)
{
    bool has_sign = kind != AW_ARMCTL_PULSE; /* a pulse has no sign */
    return negatives && has_sign ? -kind_rows[kind].max : kind_rows[kind].min;
}

double aw_armctl_kind_max(enum aw_armctl_kind kind)
{
    return kind_rows[kind].max;
}

static int find_choice(const struct choice *choices, const char *name)
{
    for (; choices->name; choices++)
        if (strcasecmp(choices->name, name) == 0)
            return choices->value;
    return -1;
}

static const struct key_row {
    const char *name;
    enum key key;
    const struct choice *choices; /* NULL: the value is a number */
    const char *expected;
} key_rows[] = {
    {"index", INDEX, NULL, "a whole number 0 to 9"},
    {"kind", KIND, kinds, "rotate, translate or pulse"},
    {"role", ROLE, roles, "r, theta or h"},
    {"min", MIN, NULL, "a number"},
    {"max", MAX, NULL, "a number"},
    {"home", HOME, NULL, "a number"},
    {"speed", SPEED, NULL, "a number above 0"},
    {"signed", SIGNED, booleans, "yes or no"},
};

static const struct key_row *find_key(const char *name)
{
    for (size_t i = 0; i < sizeof key_rows / sizeof *key_rows; i++)
        if (strcmp(key_rows[i].name, name) == 0)
            return &key_rows[i];
    return NULL;
}

bool aw_armctl_joint_has_key(const struct aw_armctl_joint *joint, const char *key)
{
    const struct key_row *row = find_key(key);
    return row && joint->given & row->key;
}

static bool store_value(struct aw_armctl_joint *joint, enum key key, double value)
{
    bool digit = value >= 0 && value <= 9 && value == floor(value);
    joint->given |= key;
    switch (key) {
    case INDEX:
        if (digit)
            joint->index = (int)value;
        return digit;
    case KIND:
        joint->kind = (enum aw_armctl_kind)value;
        return true;
    case ROLE:
        joint->role = (enum aw_armctl_role)value;
        return true;
    case MIN:
        joint->min = value;
        return true;
    case MAX:
        joint->max = value;
        return true;
    case HOME:
        joint->home = value;
        return true;
    case SPEED:
        joint->speed = value;
        return value > 0;
    case SIGNED:
        joint->is_signed = value > 0;
        return true;
    }
    return false;
}

static bool read_value(const struct key_row *row, const char *text, double *value)
{
    if (!row->choices)
        return aw_number_parse(text, value, NULL) == AW_OK;
    int choice = find_choice(row->choices, text);
    *value = choice;
    return choice >= 0;
}

static struct aw_armctl_joint *find_or_add_joint(struct aw_armctl_profile *profile,
                                                 const char *name)
{
    for (size_t i = 0; i < profile->n; i++)
        if (strcmp(profile->joints[i].name, name) == 0)
            return &profile->joints[i];
    if (profile->n == AW_ARMCTL_JOINTS || !*name || strlen(name) >= sizeof profile->joints->name)
        return NULL;
    struct aw_armctl_joint *joint = &profile->joints[profile->n++];
    *joint = (struct aw_armctl_joint){0};
    snprintf(joint->name, sizeof joint->name, "%s", name);
    return joint;
}

enum aw_status aw_armctl_profile_set(struct aw_armctl_profile *profile, const char *name,
                                     const char *key, const char *text, struct aw_error *err)
{
    const struct key_row *row = find_key(key);
    if (!row)
        return aw_fail(err, AW_USAGE,
                       "[joint %s]: unknown key %s — use one of index kind role min max home "
                       "speed signed",
                       name, key);
    struct aw_armctl_joint *joint = find_or_add_joint(profile, name);
    if (!joint)
        return aw_fail(err, AW_USAGE,
                       "[joint %s]: cannot be added — use at most %d joints, and names of 1 to 23 "
                       "bytes",
                       name, AW_ARMCTL_JOINTS);
    double value;
    if (!read_value(row, text, &value) || !store_value(joint, row->key, value))
        return aw_fail(err, AW_USAGE, "[joint %s]: invalid %s = %s — give %s", name, key, text,
                       row->expected);
    return AW_OK;
}

static enum aw_status check_role(const struct aw_armctl_profile *profile,
                                 const struct aw_armctl_joint *joint, struct aw_error *err)
{
    const struct role_row *role = &role_rows[joint->role];
    if (joint->role == AW_ARMCTL_NO_ROLE)
        return AW_OK;
    const struct aw_armctl_joint *first = find_role_holder(profile, joint->role);
    if (first != joint)
        return aw_fail(err, AW_USAGE,
                       "[joint %s]: role %s already belongs to [joint %s] — remove one",
                       joint->name, role->name, first->name);
    if (joint->kind != role->kind)
        return aw_fail(err, AW_USAGE, "[joint %s]: role %s needs a %s joint (%s) — give kind = %s",
                       joint->name, role->name, kind_rows[role->kind].adjective,
                       kind_rows[role->kind].unit, kinds[role->kind].name);
    return AW_OK;
}

static enum aw_status check_joint(const struct aw_armctl_profile *profile,
                                  const struct aw_armctl_joint *joint, struct aw_error *err)
{
    const struct aw_armctl_joint *first = aw_armctl_profile_joint(profile, joint->index);
    if (!(joint->given & INDEX))
        return aw_fail(err, AW_USAGE, "[joint %s]: no index — add 'index = N', from 0 to 9",
                       joint->name);
    if (first != joint)
        return aw_fail(err, AW_USAGE,
                       "[joint %s]: index %d already belongs to [joint %s] — change one",
                       joint->name, joint->index, first->name);
    if (joint->min > joint->max)
        return aw_fail(err, AW_USAGE, "[joint %s]: min %g is above max %g — swap them", joint->name,
                       joint->min, joint->max);
    if (joint->min < 0 && !joint->is_signed)
        return aw_fail(err, AW_USAGE,
                       "[joint %s]: min %g is negative, but signed is no — set signed = yes",
                       joint->name, joint->min);
    if (joint->kind == AW_ARMCTL_PULSE &&
        (joint->min < AW_ARMCTL_PULSE_MIN || joint->max > AW_ARMCTL_PULSE_MAX))
        return aw_fail(
            err, AW_USAGE, "[joint %s]: pulses of %g to %g us are out of range (%d to %d us)",
            joint->name, joint->min, joint->max, AW_ARMCTL_PULSE_MIN, AW_ARMCTL_PULSE_MAX);
    if (joint->home < joint->min || joint->home > joint->max)
        return aw_fail(err, AW_USAGE, "[joint %s]: home %g is out of range (%g to %g)", joint->name,
                       joint->home, joint->min, joint->max);
    return check_role(profile, joint, err);
}

enum aw_status aw_armctl_profile_finish(struct aw_armctl_profile *profile, struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < profile->n && status == AW_OK; i++) {
        struct aw_armctl_joint *joint = &profile->joints[i];
        const struct kind_rows *row = &kind_rows[joint->kind];
        bool below_zero = joint->given & MIN && joint->min < 0;
        joint->is_signed = joint->is_signed || (!(joint->given & SIGNED) && below_zero);
        if (!(joint->given & MAX))
            joint->max = row->max;
        if (!(joint->given & MIN))
            joint->min = joint->is_signed ? -row->max : row->min;
        if (!(joint->given & HOME))
            joint->home = aw_clamp(row->home, joint->min, joint->max);
        status = check_joint(profile, &profile->joints[i], err);
    }
    return status;
}

const struct aw_armctl_joint *aw_armctl_profile_joint(const struct aw_armctl_profile *profile,
                                                      int index)
{
    for (size_t i = 0; profile && i < profile->n; i++)
        if (profile->joints[i].index == index)
            return &profile->joints[i];
    return NULL;
}

const struct aw_armctl_joint *aw_armctl_profile_find(const struct aw_armctl_profile *profile,
                                                     const char *text)
{
    for (size_t i = 0; profile && i < profile->n; i++)
        if (strcmp(profile->joints[i].name, text) == 0)
            return &profile->joints[i];
    bool digit = text[0] >= '0' && text[0] <= '9' && text[1] == '\0';
    return digit ? aw_armctl_profile_joint(profile, text[0] - '0') : NULL;
}

/* Reads the record's field joint. Returns false for an invalid number; aw_encode refuses that. */
static bool get_joint_field(const struct aw_record *record, int *joint)
{
    int scalar = aw_codec_find(record->codec, "joint");
    double value = record->v[scalar];
    if (!(record->present >> scalar & 1) || !(value >= 0 && value < AW_ARMCTL_JOINTS))
        return false;
    *joint = (int)value;
    return true;
}

/* Returns true if the scalar moves a joint. The fields of arm are named after the roles. */
static bool moves_joint(const struct aw_record *record, int scalar, enum aw_armctl_role *role,
                        enum aw_armctl_kind *kind)
{
    const char *message = record->codec->message->name;
    const char *field = record->codec->scalars[scalar].field->name;
    *role = AW_ARMCTL_NO_ROLE;
    for (int i = 0; i < AW_ARMCTL_KINDS; i++)
        if (strcmp(kind_rows[i].message, message) == 0 && strcmp(kind_rows[i].field, field) == 0) {
            *kind = (enum aw_armctl_kind)i;
            return true;
        }
    for (int i = AW_ARMCTL_R; i < AW_ARMCTL_ROLES && strcmp(message, "arm") == 0; i++)
        if (strcmp(role_rows[i].name, field) == 0) {
            *role = (enum aw_armctl_role)i;
            *kind = role_rows[i].kind;
            return true;
        }
    return false;
}

bool aw_armctl_scalar_joint(const struct aw_armctl_profile *profile, const struct aw_record *record,
                            int scalar, int *joint, enum aw_armctl_kind *kind)
{
    enum aw_armctl_role role;
    if (!moves_joint(record, scalar, &role, kind))
        return false;
    if (role == AW_ARMCTL_NO_ROLE)
        return get_joint_field(record, joint);
    *joint = aw_armctl_role_joint(profile, role);
    return true;
}

/* A value requested for a joint. */
struct request {
    const struct aw_armctl_joint *joint; /* NULL: not in the profile */
    int index;
    enum aw_armctl_kind kind;
    enum aw_armctl_role role;
    double value;
};

static enum aw_status fail_outside(const struct request *request, double limit, bool above,
                                   struct aw_error *err)
{
    const char *unit = kind_rows[request->kind].unit;
    const char *side = above ? "above its maximum" : "below its minimum";
    if (request->joint)
        return aw_fail(
            err, AW_LIMIT, "%s: %g %s is %s %g %s — see [joint %s] in the config, or --force",
            request->joint->name, request->value, unit, side, limit, unit, request->joint->name);
    return aw_fail(err, AW_LIMIT,
                   "joint %d: %g %s is %s %g %s — describe the joint in the config, or %s--force",
                   request->index, request->value, unit, side, limit, unit,
                   above ? "" : "--signed or ");
}

/* Reports that the default joint for r, theta or h has another kind in the profile. */
static enum aw_status check_arm_role(const struct request *request, struct aw_error *err)
{
    const struct aw_armctl_joint *joint = request->joint;
    const struct kind_rows *expected = &kind_rows[request->kind];
    const char *role = aw_armctl_role_name(request->role);
    if (joint->kind != request->kind)
        return aw_fail(err, AW_USAGE,
                       "%s: joint %d is %s of arm, which needs a %s joint (%s), not a %s one — in "
                       "the config, give the joint for %s 'role = %s'",
                       joint->name, joint->index, role, expected->adjective, expected->unit,
                       kind_rows[joint->kind].adjective, role, role);
    if (joint->role != AW_ARMCTL_NO_ROLE && joint->role != request->role)
        return aw_fail(err, AW_USAGE,
                       "%s: joint %d is %s of arm, and its role is %s — in the config, give the "
                       "joint for %s 'role = %s'",
                       joint->name, joint->index, role, aw_armctl_role_name(joint->role), role,
                       role);
    return AW_OK;
}

static enum aw_status check_request(const struct request *request, bool negatives,
                                    struct aw_error *err)
{
    const struct aw_armctl_joint *joint = request->joint;
    const struct kind_rows *row = &kind_rows[request->kind];
    enum aw_status status = AW_OK;
    if (joint && request->role != AW_ARMCTL_NO_ROLE)
        status = check_arm_role(request, err);
    else if (joint && joint->kind != request->kind)
        status =
            aw_fail(err, AW_USAGE, "%s: a %s joint has no %s — use %s", joint->name,
                    kind_rows[joint->kind].adjective, row->field, kind_rows[joint->kind].message);
    if (status != AW_OK)
        return status;
    double max = joint ? joint->max : row->max;
    double min = joint ? joint->min : aw_armctl_kind_min(request->kind, negatives);
    if (request->value > max)
        return fail_outside(request, max, true, err);
    if (request->value < min)
        return fail_outside(request, min, false, err);
    return AW_OK;
}

static bool get_request(const struct aw_armctl_profile *profile, const struct aw_record *record,
                        int scalar, struct request *request)
{
    if (!(record->present >> scalar & 1) ||
        !moves_joint(record, scalar, &request->role, &request->kind) ||
        !aw_armctl_scalar_joint(profile, record, scalar, &request->index, &request->kind))
        return false;
    request->joint = aw_armctl_profile_joint(profile, request->index);
    request->value = record->v[scalar];
    return true;
}

enum aw_status aw_armctl_profile_check(const struct aw_armctl_profile *profile, bool negatives,
                                       const struct aw_record *record, struct aw_error *err)
{
    struct request request;
    enum aw_status status = AW_OK;
    for (int i = 0; i < record->codec->n_scalars && status == AW_OK; i++)
        if (get_request(profile, record, i, &request))
            status = check_request(&request, negatives, err);
    return status;
}

int aw_armctl_profile_max_ms(const struct aw_armctl_profile *profile,
                             const struct aw_record *record)
{
    struct request request;
    double max_ms = 0;
    for (int i = 0; i < record->codec->n_scalars; i++) {
        if (!get_request(profile, record, i, &request))
            continue;
        if (!request.joint || request.joint->speed <= 0)
            return 0;
        double ms = (request.joint->max - request.joint->min) / request.joint->speed * 1000;
        max_ms = ms > max_ms ? ms : max_ms;
    }
    return max_ms < 3600000 ? (int)max_ms : 0;
}
