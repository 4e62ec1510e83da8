/* Packets of packet files in the simulated board: a memory by names, and joints as they are. */
#include "protocol/hidmotor/own.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/number.h"
#include "protocol/hidmotor/wire.h"
#include "wire/rows.h"

void aw_hidmotor_own_init(struct aw_hidmotor_own *own, struct aw_wire *wire, size_t first)
{
    own->wire = wire;
    own->first = first;
    for (size_t i = 0; i < AW_MAX_MESSAGES; i++)
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
    if (back && back != there)
        answer_with(own, back, report, known, n_known);
    return true;
}
