/* Answers control, camera and scene datagrams, and moves a simulated Bento Arm. */
#include "protocol/unitysim/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clamp.h"
#include "base/suggest.h"
#include "link/core/random.h"
#include "packets/memory.h"
#include "protocol/unitysim/fields.h"
#include "protocol/unitysim/wire.h"
#include "wire/wire.h"

#define STEP_NS      (20 * AW_MILLISECOND)
#define STEP_S       0.02
#define SCENES       6
#define DATAGRAM_MAX 64        /* longer datagrams do not have a valid size anyway */
#define WAITING_MAX  256       /* approximate receive buffer of a socket */
#define RETURN_SHARE (2.0 / 3) /* fraction of the excess by which a joint moves back per step */
#define RETURN_MIN   0.01      /* deg */
#define CUSTOM_HZ    10.0      /* rate of custom packets */
#define GOAL_DEG_S   90.0      /* speed toward the setpoint of a custom packet */

enum { HEADER = 2, ENTRIES = 4, SHORTEST = 4 };

struct datagram {
    uint8_t bytes[DATAGRAM_MAX];
    size_t size;
};

struct queue {
    unsigned first, count;
    struct datagram items[WAITING_MAX];
};

struct joint {
    double position; /* position at the last step, deg */
    double target;   /* position at the end of the current step, deg */
    double min, max;
    double goal; /* setpoint from a custom packet, deg; NaN: none */
    struct aw_unitysim_drive drive;
    bool at_limit;
};

struct arm {
    struct aw_device base;
    struct aw_unitysim_device_options options;
    struct aw_unitysim_device_counters counters;
    char drop_reason[160];
    struct aw_wire wire;
    struct aw_packet_memory *memory; /* memory of custom packets; or NULL */
    struct {
        const struct aw_codec *control;
        size_t entry_size, velocity_at, state_at; /* offsets in an entry of a control packet */
        double deg_s;                             /* deg/s per unit of velocity */
    } layout;
    struct aw_random random;
    struct {
        bool started, mute;
    } state;
    struct {
        int64_t now_ns, step_ns; /* current time; time of the next step */
    } clock;
    struct {
        int64_t feedback_ns;                                         /* time of the next message */
        int ticks[AW_UNITYSIM_JOINTS], velocity[AW_UNITYSIM_JOINTS]; /* values of feedback */
    } feedback;
    struct {
        int scene, frame_rate;
        bool loaded; /* a scene (1 or higher) has been loaded before */
        struct aw_unitysim_camera camera, next_camera;
        struct aw_unitysim_limits limits, next_limits; /* next_limits: for the next scene */
    } world;
    struct joint joints[AW_UNITYSIM_JOINTS];
    struct queue out;
};

/* ---- Options ---- */

const char *const aw_unitysim_speed_names[] = {"servo", "unity", "nominal", NULL};
static const double speeds[] = {AW_UNITYSIM_DEG_S, 0.80, 1.2};

struct aw_unitysim_device_options aw_unitysim_device_defaults(void)
{
    return (struct aw_unitysim_device_options){.scene = 0};
}

/* ---- Queues ---- */

static void fill_datagram(struct datagram *datagram, const void *bytes, size_t size)
{
    datagram->size = size;
    memcpy(datagram->bytes, bytes, size < DATAGRAM_MAX ? size : DATAGRAM_MAX);
}

static bool enqueue(struct queue *queue, const void *bytes, size_t size)
{
    if (queue->count == WAITING_MAX)
        return false;
    fill_datagram(&queue->items[(queue->first + queue->count++) % WAITING_MAX], bytes, size);
    return true;
}

static const struct datagram *dequeue(struct queue *queue)
{
    if (queue->count == 0)
        return NULL;
    const struct datagram *item = &queue->items[queue->first];
    queue->first = (queue->first + 1) % WAITING_MAX;
    queue->count--;
    return item;
}

/* ---- Motion ---- */

/* Runs one step: the joint reaches its target, and gets the next target, one step ahead. If a limit
 * was moved past the joint, the target leads back toward the limit. */
static void step_joint(const struct arm *arm, struct joint *joint)
{
    double direction =
        joint->drive.state == AW_UNITYSIM_DECREASE ? -1 : aw_unitysim_is_driven(&joint->drive);
    double travel = direction * joint->drive.velocity * arm->layout.deg_s * STEP_S;
    joint->position = joint->target;
    if (joint->position < joint->min || joint->position > joint->max) {
        double limit = aw_clamp(joint->position, joint->min, joint->max),
               remaining = limit - joint->position;
        joint->target =
            fabs(remaining) > RETURN_MIN ? joint->position + remaining * RETURN_SHARE : limit;
        return;
    }
    if (!isnan(joint->goal))
        travel = aw_clamp(joint->goal - joint->position, -GOAL_DEG_S * STEP_S, GOAL_DEG_S * STEP_S);
    joint->target = aw_clamp(joint->position + travel, joint->min, joint->max);
    joint->at_limit = fabs(travel) > 0 && !(fabs(joint->target - joint->position) > 0);
}

static void run_joints(struct arm *arm, int64_t now)
{
    for (; arm->clock.step_ns <= now; arm->clock.step_ns += STEP_NS)
        for (unsigned i = 0; i < AW_UNITYSIM_JOINTS; i++)
            if (!(arm->options.stuck >> i & 1))
                step_joint(arm, &arm->joints[i]);
}

/* ---- Sending ---- */

static size_t encode(const struct aw_record *record, uint8_t bytes[DATAGRAM_MAX])
{
    size_t size = 0;
    enum aw_status status = aw_encode(record, true, bytes, DATAGRAM_MAX, &size, NULL);
    return status == AW_OK ? size : 0;
}

/* Updates the feedback values, except in scene 0, which has no visible arm. */
static void update_feedback(struct arm *arm)
{
    for (int i = 0; i < AW_UNITYSIM_JOINTS && arm->world.scene > 0; i++) {
        const struct aw_unitysim_drive *drive = &arm->joints[i].drive;
        double degrees = arm->joints[i].position;
        float internal = (float)drive->velocity * (float)1.2;
        int rounded = (int)(float)(internal / (float)1.2);
        int velocity = arm->options.low_echo ? rounded : drive->velocity;
        /* The original mirrors the hand before truncating the ticks. */
        arm->feedback.ticks[i] = i == AW_UNITYSIM_HAND
                                     ? AW_UNITYSIM_TURN - (int)aw_unitysim_deg_to_ticks(-degrees)
                                     : (int)aw_unitysim_deg_to_ticks(degrees);
        arm->feedback.velocity[i] = aw_unitysim_is_driven(drive) ? velocity : 0;
    }
}

static void send_feedback(struct arm *arm)
{
    uint8_t bytes[DATAGRAM_MAX];
    struct aw_record record;
    bool lost = aw_random_share(&arm->random) < arm->options.feedback_loss;
    if (!arm->world.loaded)
        return;
    update_feedback(arm);
    aw_record_init(&record, aw_wire_codec(&arm->wire, "feedback", AW_RX), AW_RX);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        record.v[aw_unitysim_find_scalar(record.codec, i, "position")] = arm->feedback.ticks[i];
        record.v[aw_unitysim_find_scalar(record.codec, i, "velocity")] = arm->feedback.velocity[i];
    }
    record.present = record.codec->masks.values;
    if (lost || arm->state.mute || !enqueue(&arm->out, bytes, encode(&record, bytes)))
        arm->counters.lost++;
    else
        arm->counters.feedback++;
}

/* ---- Scenes ---- */

/* Wraps an angle like the engine does. */
static int wrap_degrees(int degrees)
{
    return ((degrees % 360) + 360) % 360;
}

static void set_camera(struct arm *arm, const struct aw_unitysim_camera *camera)
{
    arm->world.camera = camera->y == 0 ? aw_unitysim_scene_view(arm->world.scene) : *camera;
    arm->world.camera.rx = wrap_degrees(arm->world.camera.rx);
    arm->world.camera.ry = wrap_degrees(arm->world.camera.ry);
    arm->world.camera.rz = wrap_degrees(arm->world.camera.rz);
}

/* The hand is mirrored, but so are its limits in the original, so min and max need no swap. */
static void set_limits(struct arm *arm, const struct aw_unitysim_limits *limits)
{
    arm->world.limits = *limits;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        struct joint *joint = &arm->joints[i];
        joint->min = aw_unitysim_ticks_to_deg(limits->joint[i].min);
        joint->max = aw_unitysim_ticks_to_deg(limits->joint[i].max);
    }
}

static void load_scene(struct arm *arm, int scene, const struct aw_unitysim_camera *camera,
                       const struct aw_unitysim_limits *limits)
{
    if (scene > SCENES) {
        snprintf(arm->drop_reason, sizeof arm->drop_reason, "scene: %d does not exist", scene);
        return;
    }
    update_feedback(arm);
    arm->world.scene = scene;
    arm->world.loaded = arm->world.loaded || scene > 0;
    set_limits(arm, limits);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        struct joint *joint = &arm->joints[i];
        joint->position = joint->target = 0;
        joint->goal = NAN;
        joint->drive = (struct aw_unitysim_drive){.state = AW_UNITYSIM_STOP};
        joint->at_limit = false;
    }
    set_camera(arm, camera);
}

/* ---- Receiving ---- */

static void handle_scene(struct arm *arm, const struct aw_record *record)
{
    arm->world.next_limits = aw_unitysim_get_limits(record);
    arm->world.next_camera = aw_unitysim_get_camera(record);
    arm->counters.scenes++;
    arm->world.frame_rate = (int)aw_record_get(record, "frame_rate");
    load_scene(arm, (int)aw_record_get(record, "scene"), &arm->world.next_camera,
               &arm->world.next_limits);
}

static void handle_update(struct arm *arm, const struct aw_record *record)
{
    struct aw_unitysim_limits limits = aw_unitysim_get_limits(record);
    struct aw_unitysim_camera camera = aw_unitysim_get_camera(record);
    arm->world.next_camera = camera;
    set_limits(arm, &limits);
    if (arm->world.scene > 0)
        set_camera(arm, &camera);
}

static void handle_request(struct arm *arm, const struct aw_record *request)
{
    struct aw_record record;
    uint8_t bytes[DATAGRAM_MAX];
    (void)request;
    arm->counters.requests++;
    if (arm->world.scene == 0)
        return;
    aw_record_init(&record, aw_wire_codec(&arm->wire, "camera", AW_RX), AW_RX);
    aw_unitysim_put_camera(&record, &arm->world.camera);
    size_t size = encode(&record, bytes);
    enqueue(&arm->out, bytes, size);
}

static void drive_joint(struct joint *joint, unsigned velocity, unsigned state)
{
    if (state == AW_UNITYSIM_KEEP)
        return;
    joint->goal = NAN;
    joint->drive.state =
        state < AW_UNITYSIM_KEEP ? (enum aw_unitysim_state)state : AW_UNITYSIM_STOP;
    joint->drive.velocity = joint->drive.state == AW_UNITYSIM_STOP ? 0 : (int)velocity;
}

/* Entries may come in any order, because each one names its joint. Ignores data after the last
 * joint. Reads the checksum of a truncated packet as data. Returns false without a complete
 * entry. */
static bool handle_control(struct arm *arm, const struct datagram *in)
{
    size_t n = in->size > ENTRIES ? (in->size - ENTRIES) / arm->layout.entry_size : 0;
    if (n > AW_UNITYSIM_JOINTS)
        n = AW_UNITYSIM_JOINTS;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *entry = in->bytes + ENTRIES + i * arm->layout.entry_size;
        const uint8_t *velocity = entry + arm->layout.velocity_at;
        if (entry[0] < AW_UNITYSIM_JOINTS && arm->world.scene > 0)
            drive_joint(&arm->joints[entry[0]], velocity[0] | (unsigned)velocity[1] << 8,
                        entry[arm->layout.state_at]);
    }
    arm->counters.partial += n > 0 && n < AW_UNITYSIM_JOINTS;
    arm->counters.odd += in->size > arm->layout.control->size;
    return n > 0;
}

static const struct {
    const char *message;
    void (*handle)(struct arm *arm, const struct aw_record *record);
} actions[] = {
    {"scene", handle_scene}, {"update", handle_update}, {"camera_request", handle_request}};

/* Returns NULL if no message to the simulator has this type. */
static const struct aw_codec *find_codec(struct arm *arm, unsigned type)
{
    for (size_t i = 0; i < aw_unitysim_protocol.n_messages; i++) {
        const struct aw_message *message = &aw_unitysim_protocol.messages[i];
        if (message->code == type && message->dir & AW_TX)
            return aw_wire_codec(&arm->wire, message->name, AW_TX);
    }
    return NULL;
}

/* Checks a packet in the original's order. Returns the counter of its first fault; NULL: valid. */
static uint64_t *find_damage(struct arm *arm, const struct datagram *in)
{
    struct aw_unitysim_device_counters *counters = &arm->counters;
    if (in->size == 0)
        return &counters->empty;
    if (in->size < SHORTEST || in->size > DATAGRAM_MAX)
        return &counters->size;
    if (in->bytes[0] != 0xFF || in->bytes[1] != 0xFF)
        return &counters->header;
    if (aw_unitysim_protocol.frames.checksum(in->bytes, in->size - 1) != in->bytes[in->size - 1])
        return &counters->checksum;
    return find_codec(arm, in->bytes[HEADER]) ? NULL : &counters->type;
}

/* Applies a truncated scene or update as far as possible: the scene number, the camera, all limits.
 * Missing parts keep their values. Reads the checksum as data. Returns false without even the scene
 * number. */
static bool complete_datagram(struct arm *arm, const struct aw_codec *codec,
                              const struct datagram *in, struct datagram *complete)
{
    struct aw_record record;
    size_t camera_at = codec->scalars[aw_codec_find(codec, "camera.x")].bit / 8U,
           limits = codec->scalars[aw_unitysim_find_scalar(codec, 0, "min")].bit / 8U,
           data_end = codec->size - 1, size = in->size;
    bool is_scene = strcmp(codec->message->name, "scene") == 0;
    if (size < (is_scene ? camera_at : limits))
        return false;
    aw_record_init(&record, codec, AW_TX);
    aw_unitysim_put_camera(&record, &arm->world.next_camera);
    aw_unitysim_put_limits(&record, is_scene ? &arm->world.next_limits : &arm->world.limits);
    if (is_scene) { /* mandatory fields, set from the packet below */
        aw_record_set(&record, "scene", 1, NULL);
        aw_record_set(&record, "frame_rate", 1, NULL);
    }
    complete->size = encode(&record, complete->bytes);
    memcpy(complete->bytes, in->bytes,
           size >= data_end ? data_end
           : size >= limits ? limits
                            : camera_at);
    return complete->size > 0;
}

/* The original checks neither size nor length byte. It reads fields at fixed positions, ignores
 * data after them, and needs only the type of a request. Builds the datagram as the original reads
 * it. Returns false if the size is right already, or the datagram is too short. */
static bool normalise_datagram(struct arm *arm, const struct datagram *in,
                               struct datagram *complete)
{
    const struct aw_codec *codec = find_codec(arm, in->bytes[HEADER]);
    if (!codec || in->size == codec->size)
        return false;
    if (in->size > codec->size) {
        complete->size = codec->size;
        memcpy(complete->bytes, in->bytes, complete->size);
    } else if (aw_codec_find(codec, "camera.x") < 0 ||
               !complete_datagram(arm, codec, in, complete)) {
        return false;
    }
    complete->bytes[complete->size - 1] =
        aw_unitysim_protocol.frames.checksum(complete->bytes, complete->size - 1);
    return true;
}

static void drop(struct arm *arm, const struct datagram *in, const char *reason)
{
    uint64_t *counter = find_damage(arm, in);
    ++*(counter ? counter : &arm->counters.size);
    snprintf(arm->drop_reason, sizeof arm->drop_reason, "%.150s", reason);
}

/* Handles a custom packet. Returns false for other packets. */
static bool handle_custom(struct arm *arm, struct aw_span frame)
{
    struct aw_packet_memory_joint joints[AW_UNITYSIM_JOINTS];
    for (int i = 0; i < AW_UNITYSIM_JOINTS && arm->memory; i++) {
        const struct joint *joint = &arm->joints[i];
        double velocity = (joint->target - joint->position) / STEP_S;
        joints[i] = (struct aw_packet_memory_joint){.name = aw_unitysim_joint_name(i),
                                                    .unit = "deg",
                                                    .position = joint->position,
                                                    .setpoint = joint->goal,
                                                    .velocity = velocity,
                                                    .effort = NAN};
    }
    aw_packet_memory_set_joints(arm->memory, joints, AW_UNITYSIM_JOINTS);
    if (!aw_packet_memory_store(arm->memory, frame))
        return false;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        double goal = aw_packet_memory_new_setpoint(arm->memory, (size_t)i);
        if (!isnan(goal) && arm->world.scene > 0)
            arm->joints[i].goal = goal;
    }
    return true;
}

static void handle_datagram(struct arm *arm, const struct datagram *in)
{
    struct aw_record record;
    struct aw_error err;
    struct datagram complete;
    arm->counters.received++;
    bool valid = !find_damage(arm, in), odd = valid && normalise_datagram(arm, in, &complete);
    const struct datagram *source = odd ? &complete : in;
    struct aw_span frame = {source->bytes,
                            source->size < DATAGRAM_MAX ? source->size : DATAGRAM_MAX};
    if (handle_custom(arm, frame)) {
        arm->counters.applied++;
        return;
    }
    /* Reads complete control packets like truncated ones, so joints may come in any order. */
    if (valid && in->bytes[HEADER] == arm->layout.control->message->code &&
        handle_control(arm, in)) {
        arm->counters.applied++;
    } else if (aw_wire_decode(&arm->wire, AW_TX, frame, &record, &err) != AW_OK) {
        drop(arm, in, err.text);
    } else if (!find_codec(arm, in->bytes[HEADER])) {
        drop(arm, in, "type: only the simulator sends this type — check the ports");
    } else {
        arm->counters.applied++;
        arm->counters.odd += odd;
        for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
            if (strcmp(actions[i].message, record.codec->message->name) == 0)
                actions[i].handle(arm, &record);
    }
}

/* ---- The device ---- */

/* The device's time begins with the first call. */
static void run_until(struct arm *arm, int64_t now)
{
    if (!arm->state.started) {
        arm->state.started = true;
        arm->clock.step_ns = now + STEP_NS;
        arm->feedback.feedback_ns = now + AW_UNITYSIM_CADENCE_NS;
    }
    for (; arm->feedback.feedback_ns <= now; arm->feedback.feedback_ns += AW_UNITYSIM_CADENCE_NS) {
        run_joints(arm, arm->feedback.feedback_ns);
        send_feedback(arm);
    }
    run_joints(arm, now);
    arm->clock.now_ns = now;
}

static void device_step(struct aw_device *device, int64_t now)
{
    run_until((struct arm *)device, now);
}

static void device_receive(struct aw_device *device, const void *buf, size_t size, int64_t now)
{
    struct arm *arm = (struct arm *)device;
    struct datagram in;
    run_until(arm, now);
    fill_datagram(&in, buf, size);
    handle_datagram(arm, &in);
}

static bool is_sending(const struct arm *arm)
{
    return arm->world.loaded && !arm->state.mute;
}

static size_t device_transmit(struct aw_device *device, void *buf, size_t cap)
{
    struct arm *arm = (struct arm *)device;
    const struct datagram *item = dequeue(&arm->out);
    if (!item)
        return is_sending(arm) ? aw_packet_memory_next(arm->memory, arm->clock.now_ns, buf, cap)
                               : 0;
    size_t n = item->size < cap ? item->size : cap;
    memcpy(buf, item->bytes, n);
    return n;
}

static int64_t device_next_event(const struct aw_device *device)
{
    const struct arm *arm = (const struct arm *)device;
    if (!arm->state.started)
        return 0;
    int64_t custom_ns = is_sending(arm) ? aw_packet_memory_next_due(arm->memory) : AW_NEVER;
    return arm->world.loaded ? aw_min_time(arm->feedback.feedback_ns, custom_ns) : AW_NEVER;
}

static void device_close(struct aw_device *device)
{
    aw_packet_memory_free(((struct arm *)device)->memory);
    free(device);
}

struct aw_device *aw_unitysim_device_new(const struct aw_unitysim_device_options *options)
{
    static const struct aw_device_ops ops = {.receive = device_receive,
                                             .step = device_step,
                                             .transmit = device_transmit,
                                             .next_event = device_next_event,
                                             .close = device_close};
    struct aw_packet_memory_options memory = {.protocol = options->protocol,
                                              .first_custom = aw_unitysim_protocol.n_messages,
                                              .rate_hz = CUSTOM_HZ};
    struct arm *arm = calloc(1, sizeof *arm);
    if (!arm || !aw_packet_memory_new(&arm->memory, &memory)) {
        free(arm);
        return NULL;
    }
    arm->base.ops = &ops;
    arm->options = *options;
    arm->random.state = options->seed;
    arm->layout.deg_s = speeds[options->speed];
    aw_wire_init(&arm->wire, &aw_unitysim_protocol, NULL, false);
    /* Offsets in an entry of a control packet, whose first byte is the joint. */
    const struct aw_codec *codec = arm->layout.control =
        aw_wire_codec(&arm->wire, "control", AW_TX);
    const struct aw_scalar *first = &codec->scalars[aw_unitysim_find_scalar(codec, 0, "velocity")],
                           *second = &codec->scalars[aw_unitysim_find_scalar(codec, 1, "velocity")],
                           *state = &codec->scalars[aw_unitysim_find_scalar(codec, 0, "state")];
    arm->layout.entry_size = (size_t)(second->bit - first->bit) / 8;
    arm->layout.velocity_at = first->bit / 8U - ENTRIES;
    arm->layout.state_at = state->bit / 8U - ENTRIES;
    arm->world.next_limits = aw_unitysim_limits_default();
    load_scene(arm, options->scene, &arm->world.next_camera, &arm->world.next_limits);
    return &arm->base;
}

void aw_unitysim_device_get_truth(struct aw_device *device, int64_t now,
                                  struct aw_unitysim_truth *truth)
{
    struct arm *arm = (struct arm *)device;
    run_until(arm, now);
    *truth = (struct aw_unitysim_truth){.scene = arm->world.scene,
                                        .frame_rate = arm->world.frame_rate,
                                        .camera = arm->world.camera,
                                        .limits = arm->world.limits,
                                        .counters = arm->counters};
    memcpy(truth->drop_reason, arm->drop_reason, sizeof truth->drop_reason);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        truth->degrees[i] = arm->joints[i].position;
        truth->drive[i] = arm->joints[i].drive;
        truth->at_limit[i] = arm->joints[i].at_limit;
    }
}

void aw_unitysim_device_set_stuck(struct aw_device *device, unsigned joints)
{
    ((struct arm *)device)->options.stuck = joints;
}

void aw_unitysim_device_set_mute(struct aw_device *device, bool mute)
{
    ((struct arm *)device)->state.mute = mute;
}
