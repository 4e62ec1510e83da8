/* Puts the state of a world into one message: the timestamp, then limbs, then the axes of joints
 * (1, 2, 3 behind each other, with the joint's id), then feedback, then contacts, one packet for
 * each of the bodies that touch, then packets of files. Limbs and joints come in the order of the
 * scene.
 */
#ifndef AW_CMD_EZPHYS_SIM_ENCODER_H
#define AW_CMD_EZPHYS_SIM_ENCODER_H

#include "own.h"
#include "protocol/ezphys/message.h"

enum packet_kind { COLLISION, LIMB, JOINT_AXIS, JOINT_FEEDBACK, TIMESTAMP, PACKET_KINDS };

/* One of the messages, encoded once; then only the bytes of its values change. */
struct packet {
    const struct aw_codec *codec;
    uint8_t frame[128];
    int id, name;       /* scalar of the one that this wire has, the other is -1 */
    uint8_t scalar[20]; /* of the values, in order */
    uint8_t at[20];     /* where they are in the frame */
    size_t n;
    bool floats; /* all values are */
};

struct encoder {
    const struct aw_scene *scene;
    struct aw_ezphys_message message;
    struct packet packets[PACKET_KINDS];
};

/* The wire and the scene are not owned. AW_NO_MEMORY. */
enum aw_status encoder_init(struct encoder *encoder, struct aw_wire *wire,
                            const struct aw_scene *scene, struct aw_error *err);
void encoder_free(struct encoder *encoder);

/* AW_LIMIT if a number does not fit the wire: then the physics has blown up. */
enum aw_status encoder_encode(struct encoder *encoder, const struct world *world, struct own *own,
                              struct aw_span *out, struct aw_error *err);

#endif
