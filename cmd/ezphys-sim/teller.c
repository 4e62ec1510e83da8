#include "teller.h"

#include <stdio.h>
#include <stdlib.h>

#include "ezphys/wire.h"

static const char *const names[] = {
    [COLLISION] = "collision",           [LIMB] = "limb",           [JOINT_AXIS] = "joint_axis",
    [JOINT_FEEDBACK] = "joint_feedback", [TIMESTAMP] = "timestamp",
};

static void init_packet(struct packet *packet, const struct aw_codec *codec)
{
    int name = aw_codec_find(codec, "name");
    packet->id = aw_codec_find(codec, "id");
    packet->n = 0;
    aw_record_init(&packet->record, codec, AW_RX);
    packet->record.present = codec->values;
    for (int i = 0; i < codec->n_leaves; i++)
        if (codec->leaves[i].value && i != packet->id && i != name)
            packet->leaf[packet->n++] = (uint8_t)i;
}

enum aw_status teller_init(struct teller *teller, struct aw_wire *wire,
                           const struct aw_scene *scene, struct aw_error *err)
{
    teller->scene = scene;
    teller->message = (struct aw_ez_message){
        .wire = wire,
        .data = malloc(AW_EZPHYS_MESSAGE_MAX),
        .cap = AW_EZPHYS_MESSAGE_MAX,
    };
    for (int i = 0; i < PACKET_KINDS; i++)
        init_packet(&teller->packets[i], aw_wire_codec(wire, names[i], AW_RX));
    return teller->message.data ? AW_OK : aw_fail(err, AW_NO_LINK, "no memory");
}

void teller_free(struct teller *teller)
{
    free(teller->message.data);
}

static enum aw_status add(struct teller *teller, enum packet_kind kind, uint32_t id,
                          const char *name, const double *values, struct aw_error *err)
{
    struct packet *packet = &teller->packets[kind];
    for (size_t i = 0; i < packet->n; i++)
        packet->record.v[packet->leaf[i]] = values[i];
    if (packet->id >= 0)
        packet->record.v[packet->id] = id;
    else
        snprintf(packet->record.text, sizeof packet->record.text, "%s", name);
    return aw_ez_message_add(&teller->message, &packet->record, err);
}

static enum aw_status add_limbs(struct teller *teller, const struct world *world,
                                struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < teller->scene->n_bodies && status == AW_OK; i++) {
        const struct aw_scene_body *body = &teller->scene->bodies[i];
        double values[LIMB_VALUES];
        if (!body->send)
            continue;
        world_limb(world, i, values);
        status = add(teller, LIMB, body->id, body->name, values, err);
    }
    return status;
}

static enum aw_status add_axes(struct teller *teller, const struct world *world,
                               struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < teller->scene->n_joints; i++) {
        const struct aw_scene_joint *joint = &teller->scene->joints[i];
        unsigned axes = joint->send ? aw_scene_axes(joint->kind) : 0;
        for (unsigned axis = 0; axis < axes && status == AW_OK; axis++) {
            double values[AXIS_VALUES];
            world_axis(world, i, axis, values);
            status = add(teller, JOINT_AXIS, joint->id, joint->name, values, err);
        }
    }
    return status;
}

static enum aw_status add_feedback(struct teller *teller, const struct world *world,
                                   struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < teller->scene->n_joints && status == AW_OK; i++) {
        const struct aw_scene_joint *joint = &teller->scene->joints[i];
        double values[FEEDBACK_VALUES];
        if (!joint->feedback)
            continue;
        world_feedback(world, i, values);
        status = add(teller, JOINT_FEEDBACK, joint->id, joint->name, values, err);
    }
    return status;
}

static enum aw_status add_contact(struct teller *teller, const struct world_contact *contact,
                                  struct aw_error *err)
{
    enum aw_status status = AW_OK;
    for (int i = 0; i < 2 && status == AW_OK; i++) {
        if (contact->body[i] == AW_SCENE_WORLD)
            continue;
        const struct aw_scene_body *body = &teller->scene->bodies[contact->body[i]];
        if (body->send)
            status = add(teller, COLLISION, body->id, body->name, contact->values, err);
    }
    return status;
}

static enum aw_status add_contacts(struct teller *teller, const struct world *world,
                                   struct aw_error *err)
{
    const struct world_contact *contacts;
    size_t n = world_contacts(world, &contacts);
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < n && status == AW_OK; i++)
        status = add_contact(teller, &contacts[i], err);
    return status;
}

enum aw_status teller_tell(struct teller *teller, const struct world *world, struct aw_span *out,
                           struct aw_error *err)
{
    double time[] = {(double)world_steps(world), world_step_size(world)};
    aw_ez_message_begin(&teller->message);
    enum aw_status status = add(teller, TIMESTAMP, 0, "", time, err);
    if (status == AW_OK)
        status = add_limbs(teller, world, err);
    if (status == AW_OK)
        status = add_axes(teller, world, err);
    if (status == AW_OK)
        status = add_feedback(teller, world, err);
    if (status == AW_OK)
        status = add_contacts(teller, world, err);
    *out = aw_ez_message_end(&teller->message);
    return status;
}
