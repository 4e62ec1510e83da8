/* Reads the [joint NAME] sections of the config file, and finds joints by name. */
#include "protocol/armctl/profile.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clamp.h"
#include "base/number.h"
#include "protocol/armctl/wire.h"

enum key { INDEX, KIND, MIN, MAX, HOME, SPEED, SIGNED, ROLE, KEYS };

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

/* The numbers are in the order of the choices. */
static const char *const kinds[] = {"rotate", "translate", "pulse", NULL};
static const char *const roles[] = {"", "r", "theta", "h", NULL};
static const char *const booleans[] = {"no", "yes", "false", "true", "off", "on", "0", "1", NULL};

/* clang-format off */
static const struct key_row {
    const char *name;
    const char *const *choices; /* NULL: the value is a number */
    double min, max;
    const char *expected;
} key_rows[KEYS] = {
    [INDEX] = {"index", NULL, 0, AW_ARMCTL_JOINTS - 1, "a whole number 0 to 9"},
    [KIND] = {"kind", kinds, 0, AW_ARMCTL_KINDS - 1, "rotate, translate or pulse"},
    [ROLE] = {"role", roles, 1, AW_ARMCTL_ROLES - 1, "r, theta or h"},
    [MIN] = {"min", NULL, -INFINITY, INFINITY, "a number without a unit"},
    [MAX] = {"max", NULL, -INFINITY, INFINITY, "a number without a unit"},
    [HOME] = {"home", NULL, -INFINITY, INFINITY, "a number without a unit"},
    [SPEED] = {"speed", NULL, DBL_MIN, INFINITY, "a number above 0, without a unit"},
    [SIGNED] = {"signed", booleans, 0, 7, "yes or no"},
};
/* clang-format on */

static int find_key(const char *name)
{
    int key = 0;
    while (key < KEYS && strcmp(key_rows[key].name, name) != 0)
        key++;
    return key;
}

static bool was_given(const struct aw_armctl_joint *joint, enum key key)
{
    return joint->given >> key & 1;
}

bool aw_armctl_joint_has_key(const struct aw_armctl_joint *joint, const char *key)
{
    int index = find_key(key);
    return index < KEYS && was_given(joint, (enum key)index);
}

static bool read_value(const struct key_row *row, const char *text, double *value)
{
    int choice = 0;
    if (!row->choices && aw_number_parse(text, value, NULL) != AW_OK)
        return false;
    while (row->choices && row->choices[choice] && strcasecmp(row->choices[choice], text) != 0)
        choice++;
    *value = row->choices ? choice : *value;
    return *value >= row->min && *value <= row->max;
}

static void store_value(struct aw_armctl_joint *joint, enum key key, double value)
{
    double *const numbers[KEYS] = {
        [MIN] = &joint->min, [MAX] = &joint->max, [HOME] = &joint->home, [SPEED] = &joint->speed};
    joint->given |= 1u << key;
    if (numbers[key])
        *numbers[key] = value;
    else if (key == INDEX)
        joint->index = (int)value;
    else if (key == KIND)
        joint->kind = (enum aw_armctl_kind)value;
    else if (key == ROLE)
        joint->role = (enum aw_armctl_role)value;
    else
        joint->is_signed = (int)value % 2;
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
    int index = find_key(key);
    if (index == KEYS)
        return aw_fail(err, AW_USAGE,
                       "[joint %s]: unknown key '%s' — use index, kind, role, min, max, home, "
                       "speed or signed",
                       name, key);
    struct aw_armctl_joint *joint = find_or_add_joint(profile, name);
    if (!joint && (!*name || strlen(name) >= sizeof joint->name))
        return aw_fail(err, AW_USAGE, "[joint %s]: invalid name — use 1 to %zu bytes", name,
                       sizeof joint->name - 1);
    if (!joint)
        return aw_fail(err, AW_USAGE, "[joint %s]: more than %d joints — remove one", name,
                       AW_ARMCTL_JOINTS);
    double value;
    if (!read_value(&key_rows[index], text, &value) || (index == INDEX && value != floor(value)))
        return aw_fail(err, AW_USAGE, "[joint %s]: invalid %s = %s — give %s", name, key, text,
                       key_rows[index].expected);
    store_value(joint, (enum key)index, value);
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
                       kind_rows[role->kind].unit, kinds[role->kind]);
    return AW_OK;
}

static enum aw_status check_joint(const struct aw_armctl_profile *profile,
                                  const struct aw_armctl_joint *joint, struct aw_error *err)
{
    const struct aw_armctl_joint *first = aw_armctl_profile_joint(profile, joint->index);
    if (!was_given(joint, INDEX))
        return aw_fail(err, AW_USAGE, "[joint %s]: no index — add 'index = N', from 0 to 9",
                       joint->name);
    if (first != joint)
        return aw_fail(err, AW_USAGE,
                       "[joint %s]: index %d already belongs to [joint %s] — change one",
                       joint->name, joint->index, first->name);
    if (joint->min > joint->max)
        return aw_fail(err, AW_USAGE, "[joint %s]: min %g is above max %g — lower min or raise max",
                       joint->name, joint->min, joint->max);
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
        bool below_zero = was_given(joint, MIN) && joint->min < 0;
        joint->is_signed = joint->is_signed || (!was_given(joint, SIGNED) && below_zero);
        if (!was_given(joint, MAX))
            joint->max = row->max;
        if (!was_given(joint, MIN))
            joint->min = joint->is_signed ? -row->max : row->min;
        if (!was_given(joint, HOME))
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
    bool is_digit = text[0] >= '0' && text[0] <= '9' && text[1] == '\0';
    return is_digit ? aw_armctl_profile_joint(profile, text[0] - '0') : NULL;
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

static enum aw_status fail_outside(const struct request *request, double limit, bool is_above,
                                   struct aw_error *err)
{
    const char *unit = kind_rows[request->kind].unit;
    const char *side = is_above ? "above its maximum" : "below its minimum";
    bool may_sign = !is_above && request->value >= aw_armctl_kind_min(request->kind, true);
    if (request->joint)
        return aw_fail(err, AW_LIMIT,
                       "%s: %g %s is %s %g %s — change [joint %s] in the config file, or give "
                       "--force",
                       request->joint->name, request->value, unit, side, limit, unit,
                       request->joint->name);
    return aw_fail(err, AW_LIMIT,
                   "joint %d: %g %s is %s %g %s — describe the joint in the config file, or give "
                   "%s--force",
                   request->index, request->value, unit, side, limit, unit,
                   may_sign ? "--signed or " : "");
}

/* Refuses a default joint for r, theta or h that has another kind or role in the profile. */
static enum aw_status check_arm_role(const struct request *request, struct aw_error *err)
{
    const struct aw_armctl_joint *joint = request->joint;
    const struct kind_rows *expected = &kind_rows[request->kind];
    const char *role = aw_armctl_role_name(request->role);
    if (joint->kind != request->kind)
        return aw_fail(err, AW_USAGE,
                       "%s: the arm command uses joint %d for %s by default, which needs a %s "
                       "joint (%s), not a %s one — in the config file, give another joint role = "
                       "%s",
                       joint->name, joint->index, role, expected->adjective, expected->unit,
                       kind_rows[joint->kind].adjective, role);
    if (joint->role != AW_ARMCTL_NO_ROLE && joint->role != request->role)
        return aw_fail(err, AW_USAGE,
                       "%s: the arm command uses joint %d for %s by default, but its role is %s — "
                       "in the config file, give another joint role = %s",
                       joint->name, joint->index, role, aw_armctl_role_name(joint->role), role);
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
