/* Fuzzes the inputs of ezphys and its simulator: messages at both ends of a simulation, wire
 * descriptions, names files, trajectories, scenes, and bytes to probe. The first byte selects the
 * part.
 *
 * The simulator must survive every command and send only valid messages. The client must send only
 * whole messages with its commanded motor. A wire description must survive a round trip, and an
 * accepted scene must be usable for physics.
 */
#include <limits.h>
#include <math.h>

#include "../../cmd/ezphys-sim/encoder.h"
#include "../../cmd/ezphys-sim/listener.h"
#include "peer.h"
#include "protocol/ezphys/client.h"
#include "protocol/ezphys/framing.h"
#include "protocol/ezphys/names.h"
#include "protocol/ezphys/probe.h"
#include "protocol/ezphys/scene.h"

enum { HINGE = 3, VARIANTS = 8 };

/* Selects a variant by a byte of the input. */
static size_t choose_variant(uint8_t choice)
{
    size_t n = count_variants(&aw_ezphys_protocol);
    MUST(n <= VARIANTS);
    return choice % n;
}

/* Adds the envelope of its wire to a packet. */
static void mend(const struct aw_wire *wire, struct segment *segment)
{
    size_t size = aw_wire_wrap(wire, segment->data, segment->size, sizeof segment->data);
    if (size > 0)
        segment->size = size;
}

/* Requires that all bytes are frames of this direction. */
static void must_be_frames(struct aw_wire *wire, enum aw_dir dir, struct aw_span bytes,
                           void (*check)(const struct aw_record *record))
{
    struct aw_framer framer = {.dir = dir};
    struct aw_record record;
    while (bytes.size > 0) {
        struct aw_span frame;
        size_t used = 0;
        enum aw_status status = aw_wire_next(wire, &framer, bytes, &frame, &used, NULL);
        MUST(status == AW_OK || (status == AW_MORE && used == bytes.size));
        bytes.data += used;
        bytes.size -= used;
        if (status != AW_OK)
            continue;
        MUST(aw_wire_decode(wire, dir, frame, &record, NULL) == AW_OK);
        if (check)
            check(&record);
    }
}

/* ---- Simulator ---- */

struct rig {
    struct aw_wire wire;
    struct custom custom;
    struct listener listener;
    struct encoder encoder;
};

/* A scene with a joint of every kind. */
static const char scene_text[] =
    "body a sphere 0.1 mass 1 at 0 0 1\n"
    "body b sphere 0.1 mass 1 at 1 0 1\n"
    "body c sphere 0.1 mass 1 at 2 0 1\n"
    "body d box 1 1 1 density 10 at 4 0 1\n"
    "body e box 1 1 1 density 10 at 6 0 1\n"
    "body f capsule 0.1 1 mass 1 at 8 0 1\n"
    "body g cylinder 0.1 1 mass 1 at 8 0 3\n"
    "joint hinge hinge a world anchor 0 0 2 axis 0 1 0\n"
    "joint slider slider b world axis 1 0 0 stops -1 1\n"
    "joint universal universal c world anchor 2 0 2 axis 1 0 0 axis2 0 1 0\n"
    "joint hinge2 hinge2 d e anchor 5 0 1 axis 0 0 1 axis2 0 1 0\n"
    "joint ball ball f world anchor 8 0 2 axis 1 0 0 axis3 0 0 1\n"
    "joint fixed fixed f g\n";

static struct aw_scene scene_of_all;
static struct world *world;

/* Creates the slow parts once; all variants share the world. */
static struct rig *open_rig(size_t variant)
{
    static const struct world_options options;
    static struct rig rigs[VARIANTS];
    struct rig *rig = &rigs[variant];
    if (!world)
        MUST(aw_scene_parse(&scene_of_all, "all", scene_text, sizeof scene_text - 1, NULL) ==
                 AW_OK &&
             (world = world_new(&scene_of_all, &options)));
    if (!rig->wire.protocol) {
        aw_wire_init(&rig->wire, &aw_ezphys_protocol, &aw_ezphys_protocol.variants[variant], false);
        MUST(custom_init(&rig->custom, &rig->wire, &scene_of_all, world, NULL) == AW_OK);
        MUST(listener_init(&rig->listener, &rig->wire, &scene_of_all, world, &rig->custom, NULL) ==
             AW_OK);
        MUST(encoder_init(&rig->encoder, &rig->wire, &scene_of_all, NULL) == AW_OK);
    }
    world_reset(world);
    listener_restart(&rig->listener);
    rig->listener.n_logged = UINT_MAX / 2; /* no explanations */
    return rig;
}

/* Large forces may make the physics diverge; then only a reset helps. */
static void step(struct rig *rig)
{
    struct aw_span told;
    if (!world_step(world))
        world_reset(world);
    MUST(encoder_encode(&rig->encoder, world, &rig->custom, &told, NULL) == AW_OK);
    must_be_frames(&rig->wire, AW_RX, told, NULL);
}

static void try_simulator(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    struct rig *rig = open_rig(choose_variant(data[0]));
    struct input input = {data + 1, size - 1};
    struct segment segment;
    size_t cap;
    while (next_piece(&input, &segment)) {
        if (segment.mended)
            mend(&rig->wire, &segment);
        uint8_t *room = listener_space(&rig->listener, &cap);
        MUST(cap >= segment.size);
        memcpy(room, segment.data, segment.size);
        listener_commit(&rig->listener, segment.size);
        while (listener_read(&rig->listener) > 0)
            step(rig);
    }
}

/* ---- Client ---- */

static void mend_peer(struct peer *peer, struct segment *segment)
{
    mend(&peer->wire, segment);
}

static void check_command(const struct aw_record *record)
{
    const char *name = record->codec->message->name;
    if (strcmp(name, "axis_motor") == 0)
        MUST(fabs(aw_record_get(record, "velocity1")) <= 1);
    else
        MUST(strcmp(name, "axis_force") == 0 || strcmp(name, "reset") == 0);
}

static void check_heard(struct peer *peer, struct aw_span bytes)
{
    must_be_frames(&peer->wire, AW_TX, bytes, check_command);
}

/* Only the values of an axis may be invalid numbers; then the client must report an unknown
 * position. */
static void check_packet(struct aw_ezphys *ez, struct aw_span frame)
{
    struct aw_record record;
    MUST(aw_wire_decode(&ez->wire, AW_RX, frame, &record, NULL) == AW_OK ||
         (record.present && strcmp(record.codec->message->name, "joint_axis") == 0));
}

static void try_client(const uint8_t *data, size_t size)
{
    static struct peer peer = {.mend = mend_peer, .received = check_heard};
    static struct aw_ezphys ez;
    struct aw_error err;
    if (size == 0)
        return;
    const struct aw_variant *variant = &aw_ezphys_protocol.variants[choose_variant(data[0])];
    peer_init(&peer, &aw_ezphys_protocol, variant, data + 1, size - 1);
    MUST(aw_ezphys_init(&ez, variant, NULL, &err) == AW_OK);
    aw_ezphys_attach(&ez, &peer.base);
    while (aw_ezphys_receive(&ez, peer.clock.time_ns + AW_SECOND, NULL, &err) == AW_OK) {
        MUST(ez.n_packets <= AW_EZPHYS_PACKETS && ez.input.n_bytes <= 1 << 20);
        for (size_t i = 0; i < ez.n_packets; i++)
            check_packet(&ez, ez.packets[i].frame);
        aw_ezphys_motor(&ez, &(struct aw_ezphys_target){.id = HINGE, .name = "hinge"},
                        &(struct aw_ezphys_motor){.velocity = {1}, .max_torque = {10}}, &err);
        aw_ezphys_answer(&ez, &err);
    }
    aw_ezphys_stop(&ez, false, &err);
    aw_ezphys_free(&ez);
}

/* ---- Texts ---- */

TEXT_PART(try_framing)
{
    struct aw_ezphys_framing framing, again;
    struct aw_error err = {.text = ""};
    char printed[AW_EZPHYS_FRAMING_TEXT], twice[AW_EZPHYS_FRAMING_TEXT];
    enum aw_status status = aw_ezphys_framing_parse(&framing, text, NULL, &err);
    if (status != AW_OK) {
        MUST(*err.text);
        return;
    }
    printed[aw_ezphys_framing_print(&framing.variant, printed)] = '\0';
    MUST(aw_ezphys_framing_parse(&again, printed, NULL, &err) == AW_OK);
    twice[aw_ezphys_framing_print(&again.variant, twice)] = '\0';
    MUST(strcmp(printed, twice) == 0);
}

FILE_PART(try_names)
{
    struct aw_ezphys_names names = {0};
    struct aw_error err = {.text = ""};
    enum aw_status status = aw_ezphys_names_read(&names, in, "fuzz", &err);
    MUST(status == AW_OK || *err.text);
    for (size_t i = 0; i < names.n; i++)
        MUST(aw_ezphys_names_find(&names, names.list[i].kind, names.list[i].name) ==
             &names.list[i]);
}

/* Each input tries hundreds of descriptions: a few inputs suffice, to leave time for other
 * parts. */
static void try_probe(const uint8_t *data, size_t size)
{
    struct aw_ezphys_guess guesses[3];
    if (size % 64 != 0)
        return;
    size_t n = aw_ezphys_probe((struct aw_span){data, size}, guesses, 3);
    for (size_t i = 0; i < n; i++)
        MUST(guesses[i].score >= 0 && guesses[i].score <= 1.000001 && *guesses[i].wire);
}

/* ---- Scenes ---- */

static bool is_unit(const double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return fabs(sum - 1) < 1e-6;
}

static void check_body(const struct aw_scene_body *body)
{
    MUST(*body->name && body->id > 0);
    MUST((body->mass_kg > 0) != (body->density_kg_m3 > 0));
    MUST(body->size_m[0] > 0 && is_unit(body->rotation, 4));
}

static void check_joint(const struct aw_scene *scene, const struct aw_scene_joint *joint)
{
    int n = (int)scene->n_bodies;
    unsigned axes = aw_scene_count_axes(joint->kind);
    MUST(*joint->name && joint->id > 0 && joint->body[0] != joint->body[1]);
    MUST(joint->body[0] >= 0 && joint->body[0] < n);
    MUST(joint->body[1] >= AW_SCENE_WORLD && joint->body[1] < n);
    for (unsigned i = 0; i < axes; i++) {
        MUST((joint->kind == AW_SCENE_BALL && i == 1) || is_unit(joint->axis[i], 3));
        MUST(joint->low[i] <= joint->high[i] && joint->max_torque[i] >= 0);
    }
}

static void try_scene(const uint8_t *data, size_t size)
{
    static struct aw_scene scene;
    struct aw_error err;
    if (aw_scene_parse(&scene, "fuzz", (const char *)data, size, &err) != AW_OK) {
        MUST(strncmp(err.text, "fuzz:", 5) == 0);
        return;
    }
    MUST(scene.n_bodies > 0 && scene.step_s > 0 && is_unit(scene.ground_normal, 3));
    for (size_t i = 0; i < scene.n_bodies; i++)
        check_body(&scene.bodies[i]);
    for (size_t i = 0; i < scene.n_joints; i++)
        check_joint(&scene, &scene.joints[i]);
}

PARTS(try_simulator, try_client, try_framing, try_names, try_probe, try_scene)
