/* The datagrams of the Bento Arm's simulation as a table, with its two variants. */
#include "protocol/unitysim/wire.h"

#include "wire/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { HEADER = 2, SHORTEST = 4, FRAME_MAX = 45 };

/* clang-format off */
#define MARK                                                                                       \
    {.name = "header", .type = AW_CONST, .bits = 16, .constant = 0xFFFF,                           \
     .help = "start of a packet"}
#define TYPE {.name = "type", .type = AW_CODE, .bits = 8, .help = "packet type"}

static const struct aw_field head[] = {
    MARK,
    TYPE,
    {.name = "length", .type = AW_LENGTH, .bits = 8, .lenient = true, .marked = true,
     .help = "number of data bytes; not checked on receipt"},
    {0},
};

static const struct aw_field head_without_length[] = {MARK, TYPE, {0}};

static const struct aw_field head_38[] = {
    MARK,
    TYPE,
    {.name = "length", .type = AW_CONST, .bits = 8, .constant = 38, .lenient = true,
     .marked = true,
     .help = "number of data bytes minus two, as the published client sends; not checked on "
             "receipt"},
    {0},
};

static const struct aw_field tail[] = {
    {.name = "checksum", .type = AW_CHECKSUM, .bits = 8,
     .help = "complement of the sum of all bytes from the packet type on"},
    {0},
};

static const char *const joints[] = {
    "shoulder", "elbow", "wrist_rotate", "wrist_flex", "hand", NULL,
};

static const struct aw_name scenes[] = {
    {1, "basic"},    {2, "slam-dunk"}, {3, "dont-spill"},
    {4, "ball-cup"}, {5, "bento"},     {6, "cup-stacking"}, {0},
};

static const struct aw_name states[] = {
    {0, "stop"}, {1, "increase"}, {2, "decrease"}, {3, "keep"}, {0},
};

#define SIGNED .type = AW_SIGNMAG, .bits = 24, .min = -65535, .max = 65535
#define TICKS  .type = AW_UINT, .bits = 16, .unit = "tick"

static const struct aw_field camera_rows[] = {
    {.name = "x", SIGNED, .unit = "mm", .optional = true,
     .help = "x position; the arm points in the negative x direction"},
    {.name = "y", SIGNED, .unit = "mm", .optional = true,
     .help = "height; 0 selects the view of the scene"},
    {.name = "z", SIGNED, .unit = "mm", .optional = true, .help = "z position"},
    {.name = "rx", SIGNED, .unit = "deg", .optional = true, .help = "pitch, a whole number"},
    {.name = "ry", SIGNED, .unit = "deg", .optional = true, .help = "yaw, a whole number"},
    {.name = "rz", SIGNED, .unit = "deg", .optional = true, .help = "roll, a whole number"},
    {0},
};

#define GROUP(label, label_rows)                                                                   \
    {.name = #label, .type = AW_GROUP, .rows = (label_rows),                                       \
     .labels = (const char *const[]){#label, NULL}}
#define CAMERA GROUP(camera, camera_rows)

/* Each joint has its own default limits, so each is a group of one. */
#define LIMIT_ROWS(lowest, highest)                                                                \
    {                                                                                              \
        {.name = "min", TICKS, .optional = true, .fallback = (lowest),                             \
         .help = "lower limit in ticks (2048 is the centre) or deg"},                              \
            {.name = "max", TICKS, .optional = true, .fallback = (highest),                        \
             .help = "upper limit in ticks or deg"},                                               \
            {0},                                                                                   \
    }

static const struct aw_field shoulder_limits[] = LIMIT_ROWS(1028, 3073);
static const struct aw_field elbow_limits[] = LIMIT_ROWS(1700, 2570);
static const struct aw_field wrist_rotate_limits[] = LIMIT_ROWS(1028, 3073);
static const struct aw_field wrist_flex_limits[] = LIMIT_ROWS(790, 3328);
static const struct aw_field hand_limits[] = LIMIT_ROWS(1928, 2800);

#define LIMITS                                                                                     \
    GROUP(shoulder, shoulder_limits), GROUP(elbow, elbow_limits),                                  \
        GROUP(wrist_rotate, wrist_rotate_limits), GROUP(wrist_flex, wrist_flex_limits),            \
        GROUP(hand, hand_limits)

#define SCENE_ROWS                                                                                 \
    {.name = "scene", .type = AW_UINT, .bits = 8, .min = 1, .max = 255, .names = scenes,           \
     .open_names = true, .help = "number of the scene, from 1"},                                   \
        {.name = "frame_rate", .type = AW_UINT, .bits = 8, .unit = "Hz", .min = 1, .max = 255,     \
         .optional = true, .fallback = 30, .help = "frame rate, in frames per second"}

static const struct aw_field scene[] = {SCENE_ROWS, CAMERA, LIMITS, {0}};
static const struct aw_field update[] = {CAMERA, LIMITS, {0}};
static const struct aw_field camera[] = {CAMERA, {0}};

static const struct aw_field joint_command[] = {
    {.name = "id", .type = AW_INDEX, .bits = 8, .help = "number of the joint"},
    {.name = "velocity", .type = AW_UINT, .bits = 16, .min = 0, .max = 1023, .optional = true,
     .help = "unsigned speed, in units of 0.684 deg/s"},
    {.name = "state", .type = AW_UINT, .bits = 8, .names = states, .min = 0, .max = 3,
     .optional = true, .help = "direction; keep: unchanged"},
    {0},
};

static const struct aw_field control[] = {
    {.name = "joints", .type = AW_GROUP, .rows = joint_command, .labels = joints},
    {0},
};

static const struct aw_field joint_feedback[] = {
    {.name = "id", .type = AW_INDEX, .bits = 8, .help = "number of the joint"},
    {.name = "position", SIGNED, .unit = "tick", .part = AW_PART_POSITION,
     .help = "position; 2048 is the centre"},
    {.name = "velocity", .type = AW_UINT, .bits = 16,
     .help = "commanded speed while the joint is driven, in units of 0.684 deg/s"},
    {0},
};

static const struct aw_field feedback[] = {
    {.name = "joints", .type = AW_GROUP, .rows = joint_feedback, .labels = joints},
    {0},
};

#define SCENE                                                                                      \
    .name = "scene", .dir = AW_TX, .code = 0, .fields = scene,                                     \
    .help = "load a scene with its camera and joint limits; all joints move to the centre"

static const struct aw_message compat38_messages[] = {{SCENE, .head = head_38}, {0}};

static const struct aw_variant variants[] = {
    {.name = "spec", .help = "as documented", .head = head, .tail = tail},
    {.name = "compat38", .help = "length byte 38 in scene messages, as in the published client",
     .head = head, .tail = tail, .replacements = compat38_messages},
    {0},
};

static const struct aw_message messages[] = {
    {SCENE},
    {.name = "control", .dir = AW_TX, .code = 1, .drives = true, .fields = control,
     .help = "set speed and direction of each joint, every 15 ms; the simulator has no watchdog"},
    {.name = "update", .dir = AW_TX, .code = 2, .fields = update,
     .help = "set the camera and the joint limits of the running scene"},
    {.name = "camera_request", .dir = AW_TX, .code = 3, .reads = true, .head = head_without_length,
     .help = "request the camera; without a length byte"},
    {.name = "feedback", .dir = AW_RX, .code = 4, .fields = feedback,
     .help = "position and speed of each joint, every 15 ms while a scene is loaded"},
    {.name = "camera", .dir = AW_RX, .code = 5, .fields = camera,
     .help = "position and rotation of the camera"},
};

/* clang-format on */

static uint8_t sum_from(const uint8_t *frame, size_t first, size_t size)
{
    unsigned sum = 0;
    for (size_t i = first; i < size; i++)
        sum += frame[i];
    return (uint8_t)~sum;
}

/* size: number of bytes before the checksum. */
static uint8_t get_checksum(const uint8_t *frame, size_t size)
{
    return sum_from(frame, HEADER, size);
}

static enum aw_status check_checksum(struct aw_span frame, struct aw_error *err)
{
    const uint8_t *data = frame.data;
    uint8_t found = data[frame.size - 1];
    uint8_t expected = get_checksum(data, frame.size - 1);
    if (found == expected)
        return AW_OK;
    if (found == sum_from(data, 4, frame.size - 1))
        return aw_fail(err, AW_MALFORMED,
                       "checksum: %02X expected, %02X found: the sender sums from byte 4 (older "
                       "VIPER dialect, not supported) — sum from byte %d",
                       expected, found, HEADER);
    return aw_fail(err, AW_MALFORMED,
                   "checksum: %02X expected, %02X found — check for damage, or a sender "
                   "that sums other bytes",
                   expected, found);
}

static const struct aw_message *fail(struct aw_error *err, const char *why)
{
    aw_fail(err, AW_MALFORMED, "%s", why);
    return NULL;
}

static const struct aw_message *identify(const struct aw_wire *wire, enum aw_dir dir,
                                         struct aw_span frame, struct aw_error *err)
{
    if (frame.size < SHORTEST)
        return fail(err, "datagram: shorter than 4 bytes, so not of this protocol");
    if (frame.data[0] != 0xFF || frame.data[1] != 0xFF)
        return fail(err, "header: does not begin with FF FF, so not of this protocol");
    unsigned type = frame.data[HEADER];
    const struct aw_message *message = aw_find_by_any_code(wire, dir, type);
    if (!message) {
        aw_fail(err, AW_MALFORMED, "unknown type %u — types are 0 to 5", type);
        return NULL;
    }
    size_t size = aw_frame_size(wire, message);
    if (frame.size != size) {
        aw_fail(err, AW_MALFORMED,
                "size: %s has %zu bytes, this datagram %zu — truncated or damaged", message->name,
                size, frame.size);
        return NULL;
    }
    return check_checksum(frame, err) == AW_OK ? message : NULL;
}

/* Returns the number of bytes before the next possible start of a frame. */
static size_t skip_to_header(struct aw_span in, size_t from)
{
    for (size_t i = from; i < in.size; i++)
        if (in.data[i] == 0xFF && (i + 1 == in.size || in.data[i + 1] == 0xFF))
            return i;
    return in.size;
}

static enum aw_status resync(struct aw_framer *framer, struct aw_span in, size_t from, size_t *used,
                             struct aw_error *err)
{
    *used = skip_to_header(in, from);
    framer->skipped += *used;
    return aw_fail(err, AW_MALFORMED, "stream: skipped %zu bytes that are not a packet", *used);
}

static enum aw_status next_frame(const struct aw_wire *wire, struct aw_framer *framer,
                                 struct aw_span in, struct aw_span *frame, size_t *used,
                                 struct aw_error *err)
{
    *used = 0;
    if (skip_to_header(in, 0) > 0)
        return resync(framer, in, 0, used, err);
    if (in.size <= HEADER)
        return AW_MORE;
    const struct aw_message *message = aw_find_by_code(wire, AW_BOTH, in.data[HEADER]);
    if (!message)
        return resync(framer, in, 1, used, err);
    size_t size = aw_frame_size(wire, message);
    if (in.size < size)
        return AW_MORE;
    if (get_checksum(in.data, size - 1) != in.data[size - 1])
        return resync(framer, in, 1, used, err);
    *frame = (struct aw_span){in.data, size};
    *used = size;
    return AW_OK;
}

/* Custom packets have the same header and checksum as the others. */
static const struct aw_custom_packets custom_packets = {
    .max_size = FRAME_MAX - HEADER - 3, .max_code = 0xFF, .dir = AW_BOTH};

const struct aw_protocol aw_unitysim_protocol = {
    .name = "unitysim",
    .title = "Bento Arm in Unity (brachI/Oplexus), binary datagrams",
    .messages = messages,
    .n_messages = COUNT(messages),
    .variants = variants,
    .medium = AW_MEDIUM_UDP,
    .ports = {30004, 30005},
    .frames.frame_max = FRAME_MAX,
    .frames.datagrams = true,
    .frames.checksum = get_checksum,
    .frames.checksum_from = HEADER,
    .frames.identify = identify,
    .frames.next_frame = next_frame,
    .custom.custom = &custom_packets,
};
