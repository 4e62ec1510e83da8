/* Prepares records for printing. The wire has no names next to numbers, and no axes. This builds a
 * message table with rows for both and copies the values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol/ezphys/wire.h"
#include "state.h"
#include "wire/rows.h"

static const struct aw_field name_row = {
    .name = "name",
    .type = AW_TEXT,
    .bits = 8 * (AW_EZPHYS_NAME_SIZE - 1),
    .optional = true,
    .help = "name of the body or joint, from --names or the scene"};
enum aw_status ezphys_show_begin(struct aw_session *session)
{
    struct ezphys_shown *shown = &ezphys_state(session)->shown;
    struct aw_wire *wire;
    enum aw_status status = aw_session_decoding_wire(session, &wire);
    if (status != AW_OK)
        return status;
    struct aw_variant variant = session->wire->variant;
    shown->raw = wire->raw ? wire : NULL;
    size_t n = 0;
    for (const struct aw_field *row = variant.head; row->type != AW_ROWS_END; row++)
        shown->head[n++] = *row;
    if (!aw_rows_have(variant.head, AW_TEXT))
        shown->head[n++] = name_row;
    shown->head[n] = (struct aw_field){0};
    variant.head = shown->head;
    variant.instead = aw_ezphys_ordered;
    aw_wire_init(&shown->wire, wire->protocol, &variant, wire->raw);
    memset(shown->from, 0, sizeof shown->from);
    session->run.printing.wire = &shown->wire;
    return AW_OK;
}

static size_t index_of(const struct aw_codec *codec)
{
    const struct aw_message *messages = codec->protocol->messages;
    size_t i = 0;
    while (strcmp(messages[i].name, codec->message->name) != 0 ||
           messages[i].dir != codec->message->dir)
        i++;
    return i;
}

static void put(struct aw_record *record, const char *field, double value)
{
    int scalar = aw_codec_find(record->codec, field);
    if (scalar < 0)
        return;
    record->v[scalar] = value;
    record->present |= UINT64_C(1) << scalar;
}

enum aw_status ezphys_show_decode(struct aw_session *session, size_t packet,
                                  struct aw_record *record)
{
    struct ezphys_state *state = ezphys_state(session);
    struct ezphys_shown *shown = &state->shown;
    const struct aw_ezphys_about *about = &state->ez.packets[packet].about;
    struct aw_record received;
    enum aw_status status =
        aw_ezphys_decode(&state->ez, shown->raw, packet, &received, &session->err);
    if (status != AW_OK)
        return status;
    size_t message = index_of(received.codec);
    if (shown->from[message] != received.codec) {
        const struct aw_codec *to = aw_wire_codec_at(&shown->wire, message);
        for (int i = 0; i < received.codec->n_scalars; i++) {
            char name[64];
            aw_scalar_name(&received.codec->scalars[i], name, sizeof name);
            shown->map[message][i] =
                received.codec->scalars[i].value ? (int8_t)aw_codec_find(to, name) : (int8_t)-1;
        }
        shown->from[message] = received.codec;
    }
    *record = (struct aw_record){.codec = aw_wire_codec_at(&shown->wire, message),
                                 .time_ns = aw_session_time(session),
                                 .dir = received.dir};
    for (int i = 0; i < received.codec->n_scalars; i++)
        if (shown->map[message][i] >= 0 && received.present >> i & 1) {
            record->v[shown->map[message][i]] = received.v[i];
            record->present |= UINT64_C(1) << shown->map[message][i];
        }
    if (about->object)
        snprintf(record->text, sizeof record->text, "%s", about->object->name);
    put(record, "name", 0);
    if (about->axis)
        put(record, "axis", about->axis);
    return AW_OK;
}

/* Counts axes like the client: the first packet of a joint in a message is axis 1, the next one
 * axis 2. */
void ezphys_order(struct aw_session *session, struct aw_record *record, bool inside)
{
    struct ezphys_order *order = &ezphys_state(session)->order;
    if (strcmp(record->codec->message->name, "joint_axis") != 0) {
        order->axis = 0;
        return;
    }
    double id = aw_record_get(record, "id");
    bool same = isnan(id) ? strcmp(record->text, order->name) == 0 : id == order->id;
    order->axis = inside && order->axis > 0 && same ? order->axis + 1 : 1;
    order->id = id;
    memcpy(order->name, record->text, sizeof order->name);
    put(record, "axis", order->axis);
}

const char *ezphys_about_name(const struct aw_ezphys_about *about, char *out, size_t size)
{
    if (!about->object)
        return NULL;
    if (about->axes > 1)
        snprintf(out, size, "%s.axis%d", about->object->name, about->axis);
    else
        snprintf(out, size, "%s", about->object->name);
    return out;
}
