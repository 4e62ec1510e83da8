/* Encodes the state of a world as one message, packet by packet. */
#include "encoder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/ezphys/wire.h"

static const char *const names[] = {
    [COLLISION] = "collision",           [LIMB] = "limb",           [JOINT_AXIS] = "joint_axis",
    [JOINT_FEEDBACK] = "joint_feedback", [TIMESTAMP] = "timestamp",
};

static enum aw_status init_packet(struct packet *packet, const struct aw_codec *codec,
                                  struct aw_error *err)
{
    struct aw_record record;
    size_t size;
    *packet = (struct packet){
        .codec = codec,
        .id = aw_codec_find(codec, "id"),
        .name = aw_codec_find(codec, "name"),
        .has_only_floats = true,
    };
    aw_record_init(&record, codec, AW_RX);
    for (int i = 0; i < codec->n_scalars; i++) {
        const struct aw_scalar *scalar = &codec->scalars[i];
        record.v[i] = 0;
        if (!scalar->has_value || i == packet->id || i == packet->name)
            continue;
        packet->has_only_floats = packet->has_only_floats && scalar->field->type == AW_FLOAT;
        packet->scalars[packet->n] = (uint8_t)i;
        packet->offsets[packet->n++] = (uint8_t)(scalar->bit / 8);
    }
    record.present = codec->masks.values;
    return aw_encode(&record, true, packet->frame, sizeof packet->frame, &size, err);
}

enum aw_status encoder_init(struct encoder *encoder, struct aw_wire *wire,
                            const struct aw_scene *scene, struct aw_error *err)
{
    encoder->scene = scene;
    encoder->message = (struct aw_ezphys_message){
        .wire = wire,
        .data = malloc(AW_EZPHYS_MESSAGE_MAX),
        .cap = AW_EZPHYS_MESSAGE_MAX,
    };
    enum aw_status status = encoder->message.data ? AW_OK : aw_no_memory(err);
    for (int i = 0; i < PACKET_KINDS && status == AW_OK; i++)
        status = init_packet(&encoder->packets[i], aw_wire_codec(wire, names[i], AW_RX), err);
    return status;
}

void encoder_free(struct encoder *encoder)
{
    free(encoder->message.data);
}

static void put_bytes(uint8_t *out, unsigned size, bool big_endian, uint64_t value)
{
    for (unsigned i = 0; i < size; i++)
        out[i] = (uint8_t)(value >> 8 * (big_endian ? size - 1 - i : i));
}

/* All rows of this protocol are floats, or whole numbers without a scale. */
static bool put_value(struct packet *packet, int index, double value)
{
    const struct aw_scalar *scalar = &packet->codec->scalars[index];
    float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    put_bytes(packet->frame + scalar->bit / 8, scalar->bits / 8u,
              packet->codec->variant->big_endian,
              scalar->field->type == AW_FLOAT ? bits : (uint64_t)(int64_t)value);
    return isfinite(number);
}

/* Writes all values of a packet with floats only, because a message contains hundreds of them. */
static bool put_floats(struct packet *packet, const double *values)
{
    bool finite = true,
         swap = packet->codec->variant->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    for (size_t i = 0; i < packet->n; i++) {
        float number = (float)values[i];
        uint32_t bits;
        finite = finite && isfinite(number);
        memcpy(&bits, &number, sizeof bits);
        bits = swap ? __builtin_bswap32(bits) : bits;
        memcpy(packet->frame + packet->offsets[i], &bits, sizeof bits);
    }
    return finite;
}

static bool put_values(struct packet *packet, const double *values)
{
    bool finite = true;
    for (size_t i = 0; i < packet->n; i++)
        finite = put_value(packet, packet->scalars[i], values[i]) && finite;
    return finite;
}

static enum aw_status add_packet(struct encoder *encoder, enum packet_kind kind, uint32_t id,
                                 const char *name, const double *values, struct aw_error *err)
{
    struct packet *packet = &encoder->packets[kind];
    bool finite = packet->has_only_floats ? put_floats(packet, values) : put_values(packet, values);
    if (packet->id >= 0)
        put_value(packet, packet->id, id);
    if (packet->name >= 0) {
        const struct aw_scalar *scalar = &packet->codec->scalars[packet->name];
        size_t size = scalar->bits / 8u, length = strnlen(name, size);
        memset(packet->frame + scalar->bit / 8, 0, size);
        memcpy(packet->frame + scalar->bit / 8, name, length);
    }
    if (!finite)
        return aw_fail(err, AW_LIMIT,
                       "%s: value out of range of the wire format — choose another --wire",
                       names[kind]);
    return aw_ezphys_message_add_frame(&encoder->message,
                                       (struct aw_span){packet->frame, packet->codec->size}, err);
}

static enum aw_status add_limbs(struct encoder *encoder, const struct world *world,
                                struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < encoder->scene->n_bodies && status == AW_OK; i++) {
        const struct aw_scene_body *body = &encoder->scene->bodies[i];
        double values[LIMB_VALUES];
        if (!body->send)
            continue;
        world_get_limb(world, i, values);
        status = add_packet(encoder, LIMB, body->id, body->name, values, err);
    }
    return status;
}

static enum aw_status add_axes(struct encoder *encoder, const struct world *world,
                               struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < encoder->scene->n_joints; i++) {
        const struct aw_scene_joint *joint = &encoder->scene->joints[i];
        unsigned axes = joint->send ? aw_scene_count_axes(joint->kind) : 0;
        for (unsigned axis = 0; axis < axes && status == AW_OK; axis++) {
            double values[AXIS_VALUES];
            world_get_axis(world, i, axis, values);
            status = add_packet(encoder, JOINT_AXIS, joint->id, joint->name, values, err);
        }
    }
    return status;
}

static enum aw_status add_feedback(struct encoder *encoder, const struct world *world,
                                   struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < encoder->scene->n_joints && status == AW_OK; i++) {
        const struct aw_scene_joint *joint = &encoder->scene->joints[i];
        double values[FEEDBACK_VALUES];
        if (!joint->feedback)
            continue;
        world_get_feedback(world, i, values);
        status = add_packet(encoder, JOINT_FEEDBACK, joint->id, joint->name, values, err);
    }
    return status;
}

static enum aw_status add_contact(struct encoder *encoder, const struct world_contact *contact,
                                  struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (int i = 0; i < 2 && status == AW_OK; i++) {
        if (contact->body[i] == AW_SCENE_WORLD)
            continue;
        const struct aw_scene_body *body = &encoder->scene->bodies[contact->body[i]];
        if (body->send)
            status = add_packet(encoder, COLLISION, body->id, body->name, contact->values, err);
    }
    return status;
}

static enum aw_status add_contacts(struct encoder *encoder, const struct world *world,
                                   struct aw_error *err)
{
    const struct world_contact *contacts;
    size_t n = world_get_contacts(world, &contacts);
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < n && status == AW_OK; i++)
        status = add_contact(encoder, &contacts[i], err);
    return status;
}

enum aw_status encoder_encode(struct encoder *encoder, const struct world *world,
                              struct custom *custom, struct aw_span *out, struct aw_error *err)
{
    /* Large enough for any packet; the wire's table determines how many values are sent. */
    double time[LIMB_VALUES] = {(double)world_steps(world), world_step_size(world)};
    aw_ezphys_message_begin(&encoder->message);
    enum aw_status status = add_packet(encoder, TIMESTAMP, 0, "", time, err);
    if (status == AW_OK)
        status = add_limbs(encoder, world, err);
    if (status == AW_OK)
        status = add_axes(encoder, world, err);
    if (status == AW_OK)
        status = add_feedback(encoder, world, err);
    if (status == AW_OK)
        status = add_contacts(encoder, world, err);
    if (status == AW_OK)
        status = custom_add(custom, &encoder->message, err);
    *out = aw_ezphys_message_end(&encoder->message);
    return status;
}
