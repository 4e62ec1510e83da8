/* Encodes the state of a world in one message. Its packets are, in order: the timestamp, limbs,
 * axes, feedback, contacts, and custom packets. The axes 1, 2, 3 of a joint follow each other, with
 * the joint's id. Each contact has a packet for each of its two bodies that the scene sends. Limbs
 * and joints are in scene order.
 */
#ifndef AW_CMD_EZPHYS_SIM_ENCODER_H
#define AW_CMD_EZPHYS_SIM_ENCODER_H

#include "custom.h"
#include "protocol/ezphys/message.h"

enum packet_kind { COLLISION, LIMB, JOINT_AXIS, JOINT_FEEDBACK, TIMESTAMP, PACKET_KINDS };

/* A message that is encoded once; afterwards only the bytes of its values change. */
struct packet {
    const struct aw_codec *codec;
    uint8_t frame[128];
    int id, name;        /* scalar numbers; -1: the wire does not have this one */
    uint8_t scalars[20]; /* scalar numbers of the values, in order */
    uint8_t offsets[20]; /* offsets of the values in the frame */
    size_t n;
    bool has_only_floats; /* all values are floats */
};

struct encoder {
    const struct aw_scene *scene;
    struct aw_ezphys_message message;
    struct packet packets[PACKET_KINDS];
};

/* Borrows wire and scene. AW_NO_MEMORY: out of memory. */
enum aw_status encoder_init(struct encoder *encoder, struct aw_wire *wire,
                            const struct aw_scene *scene, struct aw_error *err);
void encoder_free(struct encoder *encoder);

/* Encodes a message with the state of the world. *out is valid until the next call. Returns
 * AW_LIMIT if a number does not fit the wire, which means that the physics is unstable. */
enum aw_status encoder_encode(struct encoder *encoder, const struct world *world,
                              struct custom *custom, struct aw_span *out, struct aw_error *err);

#endif
