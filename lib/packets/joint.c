/* Parses the sections [joint NAME] and [stop] of a packet file, which name the fields of joints and
 * the packets of the stop. */
#include <stdio.h>
#include <string.h>

#include "base/lines.h"
#include "base/number.h"
#include "base/text.h"
#include "packets/parts.h"
#include "wire/rows.h"

/* ---- Lines ---- */

/* Parses "set_gains.m1.kp gains.m1.kp", the fields that set and report a gain. */
static enum aw_status read_gain(struct aw_joint_row *row, int gain, struct aw_store *store,
                                char *value, struct aw_error *err)
{
    char *words[3];
    size_t n = aw_lines_split(value, words, 3);
    if (n < 1 || n > 2 || !strchr(words[0], '.') || (n == 2 && !strchr(words[1], '.')))
        return aw_fail(err, AW_USAGE,
                       "%s: invalid value — write the PACKET.FIELD that sets it, then the one that "
                       "reports it, such as set_gains.m1.kp gains.m1.kp",
                       aw_gain_names[gain]);
    row->gain_set[gain] = aw_store_string(store, words[0]);
    row->gain_read[gain] = n == 2 ? aw_store_string(store, words[1]) : NULL;
    return row->gain_set[gain] && (n == 1 || row->gain_read[gain]) ? AW_OK : aw_no_memory(err);
}

enum aw_status aw_packet_parse_joint(struct aw_packet_joint *joint, struct aw_store *store,
                                     const char *name, char *value, struct aw_error *err)
{
    static const char *const keys[] = {"alias",    "setpoint", "target", "position",
                                       "velocity", "effort",   "speed",  "near"};
    struct aw_joint_row *row = &joint->row;
    const char **texts[] = {&row->alias,    &row->setpoint, &row->target,  &row->position,
                            &row->velocity, &row->effort,   &joint->speed, &joint->tolerance};
    int gain = aw_find_name(aw_gain_names, AW_JOINT_GAINS, name);
    if (gain >= 0)
        return read_gain(row, gain, store, value, err);
    int key = aw_find_name(keys, sizeof keys / sizeof *keys, name);
    if (key < 0)
        return aw_fail(err, AW_USAGE,
                       "unknown joint key '%.40s' — use setpoint, target, position, velocity, "
                       "effort, alias, speed, near, kp, ki or kd",
                       name);
    bool is_path = key > 0 && key < 6;
    if (is_path && !strchr(value, '.'))
        return aw_fail(err, AW_USAGE,
                       "%s: invalid '%.60s' — write PACKET.FIELD, such as go.m1.setpoint", name,
                       value);
    enum aw_status status = key != 0 ? AW_OK : aw_packet_check_name(value, "a joint", err);
    if (status != AW_OK)
        return status;
    *texts[key] = aw_store_string(store, value);
    return *texts[key] ? AW_OK : aw_no_memory(err);
}

enum aw_status aw_packet_parse_stop(struct aw_stop_row *stop, struct aw_store *store, char *value,
                                    struct aw_error *err)
{
    char *words[3];
    size_t n = aw_lines_split(value, words, 3);
    if (n < 1 || n > 2 || (n == 2 && strcmp(words[1], "hold") != 0))
        return aw_fail(err, AW_USAGE,
                       "packet: invalid value — write PACKET, or PACKET hold to send the measured "
                       "positions as setpoints");
    stop->packet = aw_store_string(store, words[0]);
    stop->holds = n == 2;
    return stop->packet ? AW_OK : aw_no_memory(err);
}

/* ---- Checks ---- */

/* A field named as "packet.field": its message and its range. */
struct located_field {
    const struct aw_message *message;
    struct aw_range range;
};

static enum aw_status find_field(const struct aw_protocol *protocol, const char *joint,
                                 const char *key, const char *path, enum aw_dir dir,
                                 struct located_field *found, struct aw_error *err)
{
    struct aw_codec codec;
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const struct aw_message *message = &protocol->messages[i];
        const char *field = aw_field_of(path, message->name);
        if (!(message->dir & dir) || !field)
            continue;
        int scalar = -1;
        if (aw_codec_init(&codec, protocol, &protocol->variants[0], message, false) == AW_OK)
            scalar = aw_codec_find(&codec, field);
        if (scalar < 0)
            return aw_fail(err, AW_USAGE,
                           "joint %s: %s: packet '%s' has no field '%.60s' — name another field",
                           joint, key, message->name, field);
        *found = (struct located_field){message, aw_scalar_range(&codec, scalar, NULL)};
        return AW_OK;
    }
    return aw_fail(err, AW_USAGE,
                   "joint %s: %s: packet '%.*s' %s the device not found — add it to the file",
                   joint, key, (int)strcspn(path, "."), path, dir == AW_TX ? "to" : "from");
}

static enum aw_status check_unit(const char *joint, const char *key, const char *unit,
                                 const char *wanted, struct aw_error *err)
{
    double scale, offset;
    bool is_same_unit = unit == wanted || (unit && wanted && strcmp(unit, wanted) == 0);
    if (is_same_unit || (unit && wanted && aw_number_find_scale(unit, wanted, &scale, &offset)))
        return AW_OK;
    return aw_fail(err, AW_USAGE,
                   "joint %s: units differ (setpoint: %s, %s: %s) — give both fields a unit of the "
                   "same kind, directly or in scale=",
                   joint, wanted ? wanted : "none", key, unit ? unit : "none");
}

/* Parses a positive number in this unit. text NULL: leaves *value unchanged. */
static enum aw_status read_positive(const char *joint, const char *key, const char *text,
                                    const char *unit, double *value, struct aw_error *err)
{
    struct aw_error problem;
    enum aw_status status = text ? aw_number_parse_unit(text, unit, value, &problem) : AW_OK;
    if (status != AW_OK)
        return aw_fail(err, status, "joint %s: %s: %.200s", joint, key, problem.text);
    if (text && !(*value > 0))
        return aw_fail(err, AW_USAGE, "joint %s: %s: '%.40s' is not above 0", joint, key, text);
    return AW_OK;
}

static enum aw_status read_numbers(struct aw_packet_joint *joint, const char *unit,
                                   const char **fault, struct aw_error *err)
{
    char per_s[32];
    struct aw_joint_row *row = &joint->row;
    snprintf(per_s, sizeof per_s, "%.24s/s", unit ? unit : "");
    bool has_rate = unit && aw_number_is_unit(per_s);
    const struct {
        const char *key, *text, *unit;
        double *value;
    } numbers[] = {{"speed", joint->speed, has_rate ? per_s : NULL, &row->max_speed},
                   {"near", joint->tolerance, unit, &row->tolerance}};
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == AW_OK; i++) {
        *fault = numbers[i].key;
        status = read_positive(row->name, *fault, numbers[i].text, numbers[i].unit,
                               numbers[i].value, err);
    }
    return status;
}

enum aw_status aw_packet_check_joint(const struct aw_protocol *protocol,
                                     struct aw_packet_joint *checked, const char **fault,
                                     struct aw_error *err)
{
    const struct aw_joint_row *joint = &checked->row;
    struct located_field setpoint, found;
    const struct {
        const char *key, *path;
        bool same_unit;
    } reports[] = {{"position", joint->position, true},
                   {"target", joint->target, true},
                   {"velocity", joint->velocity, false},
                   {"effort", joint->effort, false}};
    if (!joint->setpoint || !joint->position)
        return aw_fail(err, AW_USAGE, "joint %s: %s is missing — add '%s = PACKET.FIELD'",
                       joint->name, joint->setpoint ? "position" : "setpoint",
                       joint->setpoint ? "position" : "setpoint");
    *fault = "setpoint";
    enum aw_status status =
        find_field(protocol, joint->name, "setpoint", joint->setpoint, AW_TX, &setpoint, err);
    if (status == AW_OK && !setpoint.message->moves)
        return aw_fail(err, AW_USAGE,
                       "joint %s: packet '%s' moves it — add 'moves = yes' to the packet",
                       joint->name, setpoint.message->name);
    for (size_t i = 0; i < sizeof reports / sizeof *reports && status == AW_OK; i++) {
        if (!reports[i].path)
            continue;
        *fault = reports[i].key;
        status =
            find_field(protocol, joint->name, reports[i].key, reports[i].path, AW_RX, &found, err);
        if (status == AW_OK && reports[i].same_unit)
            status =
                check_unit(joint->name, reports[i].key, found.range.unit, setpoint.range.unit, err);
    }
    return status == AW_OK ? read_numbers(checked, setpoint.range.unit, fault, err) : status;
}

/* ---- Gains ---- */

/* Returns the first entry of a [joint] section that sets a gain with this field, and sets *owner to
 * the joint; NULL: no section does. */
static const char *const *find_gain(const struct aw_protocol *protocol, const char *packet,
                                    const char *field, const char **owner)
{
    for (const struct aw_joint_row *joint = protocol->custom.joints; joint && joint->name; joint++)
        for (int i = 0; i < AW_JOINT_GAINS; i++) {
            if (!aw_is_field(joint->gain_set[i], packet, field))
                continue;
            *owner = joint->name;
            return &joint->gain_set[i];
        }
    return NULL;
}

/* Checks that all other mandatory fields of the packet are also gains, because their values would
 * be unknown. */
static enum aw_status check_other_fields(const struct aw_protocol *protocol, const char *name,
                                         const struct aw_message *message, struct aw_error *err)
{
    struct aw_codec codec;
    if (aw_codec_init(&codec, protocol, &protocol->variants[0], message, false) != AW_OK)
        return aw_fail(err, AW_LIMIT, "joint %s: packet '%s' is too large — split it", name,
                       message->name);
    for (int i = 0; i < codec.n_scalars; i++) {
        char field[64];
        const char *owner;
        const struct aw_scalar *scalar = &codec.scalars[i];
        aw_scalar_name(scalar, field, sizeof field);
        if (scalar->has_value && !scalar->field->optional &&
            !find_gain(protocol, message->name, field, &owner))
            return aw_fail(
                err, AW_USAGE,
                "joint %s: %s.%s is sent with the gains and has no default — add a default", name,
                message->name, field);
    }
    return AW_OK;
}

/* Checks that the field that reports a gain has the unit of the field that sets it. */
static enum aw_status check_reported(const struct aw_protocol *protocol,
                                     const struct aw_joint_row *joint, int gain, const char *unit,
                                     struct aw_error *err)
{
    const char *key = aw_gain_names[gain];
    struct located_field reported;
    enum aw_status status =
        find_field(protocol, joint->name, key, joint->gain_read[gain], AW_RX, &reported, err);
    if (status != AW_OK)
        return status;
    const char *reported_unit = reported.range.unit ? reported.range.unit : "no unit",
               *set_unit = unit ? unit : "no unit";
    return strcmp(reported_unit, set_unit) == 0
               ? AW_OK
               : aw_fail(err, AW_USAGE,
                         "joint %s: %s is set in %s and reported in %s — use one unit", joint->name,
                         key, set_unit, reported_unit);
}

static enum aw_status check_gain(const struct aw_protocol *protocol,
                                 const struct aw_joint_row *joint, int gain, struct aw_error *err)
{
    const char *key = aw_gain_names[gain], *path = joint->gain_set[gain];
    const char *owner = joint->name;
    struct located_field found;
    enum aw_status status = find_field(protocol, joint->name, key, path, AW_TX, &found, err);
    if (status == AW_OK && found.message->moves)
        return aw_fail(
            err, AW_USAGE,
            "joint %s: %s: packet '%s' moves the joint — set gains with a packet that does not",
            joint->name, key, found.message->name);
    if (status == AW_OK && find_gain(protocol, found.message->name, strchr(path, '.') + 1,
                                     &owner) != &joint->gain_set[gain])
        return aw_fail(err, AW_USAGE,
                       "joint %s: %s: '%.60s' is already a gain of joint %s — name "
                       "another field",
                       joint->name, key, path, owner);
    if (status == AW_OK && joint->gain_read[gain])
        status = check_reported(protocol, joint, gain, found.range.unit, err);
    return status == AW_OK ? check_other_fields(protocol, joint->name, found.message, err) : status;
}

enum aw_status aw_packet_check_gains(const struct aw_protocol *protocol,
                                     const struct aw_joint_row *joint, const char **fault,
                                     struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (int i = 0; i < AW_JOINT_GAINS && status == AW_OK; i++) {
        *fault = aw_gain_names[i];
        if (joint->gain_set[i] && !joint->gain_set[0])
            return aw_fail(err, AW_USAGE, "joint %s: %s without kp — add kp", joint->name, *fault);
        if (joint->gain_set[i])
            status = check_gain(protocol, joint, i, err);
    }
    return status;
}

/* ---- Stops ---- */

static bool is_setpoint(const struct aw_protocol *protocol, const char *packet, const char *field)
{
    for (const struct aw_joint_row *joint = protocol->custom.joints; joint && joint->name; joint++)
        if (aw_is_field(joint->setpoint, packet, field))
            return true;
    return false;
}

/* Checks that each value of the packet is a measured position or has a default. */
static enum aw_status check_values(const struct aw_protocol *protocol,
                                   const struct aw_stop_row *stop, const struct aw_message *message,
                                   struct aw_error *err)
{
    struct aw_codec codec;
    bool has_held = false;
    if (aw_codec_init(&codec, protocol, &protocol->variants[0], message, false) != AW_OK)
        return aw_fail(err, AW_LIMIT, "stop: packet '%s' is too large — split it", stop->packet);
    for (int i = 0; i < codec.n_scalars; i++) {
        char name[64];
        const struct aw_scalar *scalar = &codec.scalars[i];
        aw_scalar_name(scalar, name, sizeof name);
        bool is_held = stop->holds && is_setpoint(protocol, stop->packet, name);
        has_held = has_held || is_held;
        if (scalar->has_value && !is_held && !scalar->field->optional)
            return aw_fail(
                err, AW_USAGE, "stop: %s.%s has no default, %s — add a default", stop->packet, name,
                stop->holds ? "and is not the setpoint of a joint" : "and there is no hold");
    }
    if (stop->holds && !has_held)
        return aw_fail(err, AW_USAGE,
                       "stop: packet '%s' has no joint setpoint to hold — name another packet",
                       stop->packet);
    return AW_OK;
}

enum aw_status aw_packet_check_stop(const struct aw_protocol *protocol,
                                    const struct aw_stop_row *stop, struct aw_error *err)
{
    for (size_t i = 0; i < protocol->n_messages; i++) {
        const struct aw_message *message = &protocol->messages[i];
        if (message->dir & AW_TX && strcmp(message->name, stop->packet) == 0)
            return check_values(protocol, stop, message, err);
    }
    return aw_fail(err, AW_USAGE,
                   "stop: packet '%.40s' to the device not found — add it to the file",
                   stop->packet);
}
