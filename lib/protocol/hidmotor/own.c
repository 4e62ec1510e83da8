/* Packets of packet files in the simulated board: a memory by names, and joints as they are. */
#include "protocol/hidmotor/own.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/number.h"
#include "protocol/hidmotor/wire.h"
#include "wire/rows.h"

void aw_hidmotor_own_init(struct aw_hidmotor_own *own, struct aw_wire *wire, size_t first)
{
    own->wire = wire;
    own->first = first;
    for (size_t i = 0; i < AW_HIDMOTOR_OWN_JOINTS; i++)
        own->setpoint[i] = NAN;
    for (size_t i = 0; i < wire->protocol->n_messages; i++)
        own->written[i].codec = NULL;
}

/* NaN: nobody has such a value, or not in that unit. */
static double value_of(const struct aw_record *from, const char *name, const char *unit)
{
    double scale = 1, offset = 0;
    int at = from->codec ? aw_codec_find(from->codec, name) : -1;
    if (at < 0 || !(from->present >> at & 1))
        return NAN;
    const char *has = aw_scalar_range(from->codec, at, from).unit;
    bool same = has == unit || (has && unit && strcmp(has, unit) == 0);
    if (!same && !(has && unit && aw_number_conversion(has, unit, &scale, &offset)))
        return NAN;
    return from->v[at] * scale + offset;
}

/* Is it this field of this message? place: "go.m1.setpoint". */
static bool is_place(const char *place, const char *message, const char *field)
{
    size_t length = strlen(message);
    return place && strncmp(place, message, length) == 0 && place[length] == '.' &&
           strcmp(place + length + 1, field) == 0;
}

/* Of a joint; where the unit is none of an angle, the number is one in degrees. */
static double value_of_joint(const struct aw_record *known, const char *name, const char *unit)
{
    double scale, offset;
    const char *deg = strchr(name, '.') && strstr(name, "velocity") ? "deg/s" : "deg";
    bool angle = unit && aw_number_conversion(deg, unit, &scale, &offset);
    return value_of(known, name, angle ? unit : deg);
}

/* NaN: it is of no joint. */
static double joint_value(const struct aw_hidmotor_own *own, const char *message, const char *field,
                          const char *unit, const struct aw_record *known)
{
    const struct aw_joint_row *joint = own->wire->protocol->joints;
    for (int i = 0; joint && joint->name && i < AW_HIDMOTOR_OWN_JOINTS; joint++, i++) {
        const struct {
            const char *place, *of;
            int from;
        } told[] = {{joint->position, "position", 0},
                    {joint->target, "setpoint", 0},
                    {joint->velocity, "velocity", 1},
                    {joint->effort, "effort", 1}};
        for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
            char name[32];
            if (!is_place(told[k].place, message, field))
                continue;
            snprintf(name, sizeof name, "m%d.%s", i + 1, told[k].of);
            return k == 3 ? aw_record_get(&known[1], name)
                          : value_of_joint(&known[told[k].from], name, unit);
        }
    }
    return NAN;
}

/* What a packet says of setpoints. */
static void take_setpoints(struct aw_hidmotor_own *own, const struct aw_record *written)
{
    const struct aw_joint_row *joint = own->wire->protocol->joints;
    const struct aw_codec *codec = written->codec;
    for (int i = 0; joint && joint->name && i < AW_HIDMOTOR_OWN_JOINTS; joint++, i++) {
        double scale = 1, offset = 0;
        size_t length = strlen(codec->message->name);
        bool here = strncmp(joint->setpoint, codec->message->name, length) == 0 &&
                    joint->setpoint[length] == '.';
        int at = here ? aw_codec_find(codec, joint->setpoint + length + 1) : -1;
        if (at < 0 || !(written->present >> at & 1) || !isfinite(written->v[at]))
            continue;
        const char *unit = aw_scalar_range(codec, at, written).unit;
        if (!unit || !aw_number_conversion(unit, "deg", &scale, &offset))
            scale = 1, offset = 0;
        own->setpoint[i] = written->v[at] * scale + offset;
    }
}

/* The name of the packet whose fields an answer has. */
static const char *told_as(const struct aw_hidmotor_own *own, const struct aw_message *answer)
{
    const struct aw_protocol *protocol = own->wire->protocol;
    for (size_t i = own->first; i < protocol->n_messages; i++)
        if (protocol->messages[i].dir & AW_RX && protocol->messages[i].fields == answer->fields)
            return protocol->messages[i].name;
    return answer->name;
}

static void fill(const struct aw_hidmotor_own *own, struct aw_record *answer,
                 const struct aw_record *known, size_t n_known)
{
    for (int i = 0; i < answer->codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &answer->codec->scalars[i];
        char name[64];
        double value = NAN;
        if (!scalar->value)
            continue;
        aw_scalar_name(scalar, name, sizeof name);
        const char *unit = aw_scalar_range(answer->codec, i, answer).unit;
        value = joint_value(own, told_as(own, answer->codec->message), name, unit, known);
        for (size_t n = own->first; n < own->wire->protocol->n_messages && isnan(value); n++)
            value = value_of(&own->written[n], name, unit);
        for (size_t n = 0; n < n_known && isnan(value); n++)
            value = value_of(&known[n], name, unit);
        if (isnan(value) && !scalar->field->has_no_data)
            value = scalar->field->fallback;
        answer->v[i] = value;
        answer->present |= UINT64_C(1) << i;
    }
}

/* A value that its row cannot carry is left out: the board knows no ranges. */
static void answer_with(const struct aw_hidmotor_own *own, const struct aw_message *message,
                        uint8_t *report, const struct aw_record *known, size_t n_known)
{
    struct aw_record answer;
    size_t size, index = (size_t)(message - own->wire->protocol->messages);
    aw_record_init(&answer, aw_wire_codec_at(own->wire, index), AW_RX);
    fill(own, &answer, known, n_known);
    if (aw_encode(&answer, true, report, AW_HIDMOTOR_REPORT, &size, NULL) == AW_OK)
        return;
    memset(report, 0, AW_HIDMOTOR_REPORT);
    aw_put_u32(report, message->code);
}

bool aw_hidmotor_own_knows(const struct aw_hidmotor_own *own, uint32_t id)
{
    const struct aw_message *there = aw_find_code(own->wire, AW_TX, id);
    return there && there >= own->wire->protocol->messages + own->first;
}

bool aw_hidmotor_own_serve(struct aw_hidmotor_own *own, uint8_t *report,
                           const struct aw_record *known, size_t n_known)
{
    const struct aw_message *messages = own->wire->protocol->messages;
    uint32_t id = aw_get_u32(report);
    const struct aw_message *there = aw_find_code(own->wire, AW_TX, id);
    const struct aw_message *back = aw_find_code(own->wire, AW_RX, id);
    if (!there || there < messages + own->first)
        return false;
    size_t index = (size_t)(there - messages);
    struct aw_record *written = &own->written[index];
    if (there->fields &&
        aw_decode(aw_wire_codec_at(own->wire, index), (struct aw_span){report, AW_HIDMOTOR_REPORT},
                  written, NULL) != AW_OK)
        written->codec = NULL;
    else if (there->fields)
        take_setpoints(own, written);
    if (back && back != there)
        answer_with(own, back, report, known, n_known);
    return true;
}
