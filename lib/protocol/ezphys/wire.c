/* The packets of EZPhysics as a table, and the five preset framings. */
#include "protocol/ezphys/wire.h"

#include <endian.h>
#include <string.h>

#include "protocol/ezphys/rows.h"
#include "wire/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define FLOAT    .type = AW_FLOAT, .bits = 32

/* clang-format off */
static const struct aw_field head32[] = {
    AW_EZPHYS_TYPE(32), AW_EZPHYS_ID(32), AW_EZPHYS_LENGTH(32), {0},
};
static const struct aw_field head8[] = {AW_EZPHYS_TYPE(8), AW_EZPHYS_ID(16), {0}};
static const struct aw_field head_name[] = {
    AW_EZPHYS_TYPE(32), AW_EZPHYS_NAME(256), AW_EZPHYS_LENGTH(32), {0},
};
static const struct aw_field envelope[] = {AW_EZPHYS_SIZE(32), AW_EZPHYS_COUNT(32), {0}};

static const struct aw_variant variants[] = {
    {.name = "le32", .help = "32-bit little-endian headers, messages with size and count",
     .head = head32, .envelope = envelope},
    {.name = "be32", .help = "like le32, but big-endian", .big_endian = true, .head = head32,
     .envelope = envelope},
    {.name = "packed8", .help = "packets with 8-bit type and 16-bit id, without length",
     .head = head8, .envelope = envelope},
    {.name = "stream", .help = "like le32, but packets without a message envelope", .head = head32},
    {.name = "name32", .help = "like le32, with a name of 32 bytes instead of the id",
     .head = head_name, .envelope = envelope},
    {0},
};

#define XYZ(unit_name, what)                                                                       \
    {                                                                                              \
        {.name = "x", FLOAT, .optional = true, .unit = unit_name, .help = what},                   \
            {.name = "y", FLOAT, .optional = true, .unit = unit_name},                             \
            {.name = "z", FLOAT, .optional = true, .unit = unit_name},                             \
            {0},                                                                                   \
    }

static const struct aw_field xyz_m[] = XYZ("m", "position");
static const struct aw_field xyz_n[] = XYZ("N", "force");
static const struct aw_field xyz_nm[] = XYZ("Nm", "torque");
static const struct aw_field xyz_m_s[] = XYZ("m/s", "linear velocity");
static const struct aw_field xyz_rad_s[] = XYZ("rad/s", "angular velocity");
static const struct aw_field wxyz[] = {
    {.name = "w", FLOAT, .optional = true, .fallback = 1, .help = "rotation as a unit quaternion"},
    {.name = "x", FLOAT, .optional = true},
    {.name = "y", FLOAT, .optional = true},
    {.name = "z", FLOAT, .optional = true},
    {0},
};

#define VECTOR(label, unit_rows)                                                                   \
    {.name = #label, .type = AW_GROUP, .rows = (unit_rows),                                        \
     .labels = (const char *const[]){#label, NULL}}
#define UNUSED AW_EZPHYS_PAD("unused", 32)

static const struct aw_field collision[] = {
    {.name = "x", FLOAT, .unit = "m", .help = "contact point"},
    {.name = "y", FLOAT, .unit = "m"},
    {.name = "z", FLOAT, .unit = "m"},
    {.name = "depth", FLOAT, .unit = "m", .help = "penetration depth"},
    {0},
};

static const struct aw_field limb[] = {
    VECTOR(position, xyz_m),
    VECTOR(rotation, wxyz),
    VECTOR(force, xyz_n),
    VECTOR(torque, xyz_nm),
    UNUSED,
    VECTOR(linear_velocity, xyz_m_s),
    VECTOR(angular_velocity, xyz_rad_s),
    UNUSED,
    {0},
};

#define JOINT_AXIS                                                                                 \
    {.name = "displacement", FLOAT, .part = AW_PART_POSITION,                                      \
     .help = "displacement in rad, or in m for a slider"},                                         \
    {.name = "angular_velocity", FLOAT, .unit = "rad/s", .part = AW_PART_VELOCITY,                 \
     .help = "velocity in rad/s, or in m/s for a slider"}
static const struct aw_field joint_axis[] = {
    JOINT_AXIS,
    {0},
};

static const struct aw_field ordered_axis[] = {
    {.name = "axis", .type = AW_UINT, .min = 1, .max = 3, .optional = true, /* no bits */
     .help = "axis of the joint, from 1, numbered in the order of the packets"},
    JOINT_AXIS,
    {0},
};

static const struct aw_field joint_feedback[] = {
    VECTOR(force1, xyz_n),
    VECTOR(torque1, xyz_nm),
    VECTOR(force2, xyz_n),
    VECTOR(torque2, xyz_nm),
    {0},
};

static const struct aw_field timestamp[] = {
    {.name = "step", .type = AW_LONG, .help = "steps since the simulation began"},
    {.name = "step_size", FLOAT, .unit = "s", .help = "step size"},
    {0},
};

static const struct aw_field axis_force[] = {
    {.name = "axis1", FLOAT, .unit = "Nm",
     .help = "torque on axis 1 in Nm, or force in N on a slider"},
    {.name = "axis2", FLOAT, .unit = "Nm", .optional = true,
     .help = "torque on axis 2, if the joint has one"},
    {.name = "axis3", FLOAT, .unit = "Nm", .optional = true,
     .help = "torque on axis 3, if the joint has one"},
    {0},
};

static const struct aw_field axis_motor[] = {
    {.name = "velocity1", FLOAT, .unit = "rad/s",
     .help = "target velocity of axis 1 in rad/s, or in m/s for a slider"},
    {.name = "max_torque1", FLOAT, .unit = "Nm",
     .help = "maximum torque on axis 1 in Nm, or force in N on a slider; 0 switches the motor off"},
    {.name = "velocity2", FLOAT, .unit = "rad/s", .optional = true,
     .help = "target velocity of axis 2, if the joint has one"},
    {.name = "max_torque2", FLOAT, .unit = "Nm", .optional = true,
     .help = "maximum torque on axis 2"},
    {.name = "velocity3", FLOAT, .unit = "rad/s", .optional = true,
     .help = "target velocity of axis 3, if the joint has one"},
    {.name = "max_torque3", FLOAT, .unit = "Nm", .optional = true,
     .help = "maximum torque on axis 3"},
    {0},
};

static const struct aw_message messages[] = {
    {.name = "collision", .dir = AW_RX, .code = 1, .fields = collision,
     .help = "contact point of a body; usually one packet for each of the two bodies"},
    {.name = "limb", .dir = AW_RX, .code = 2, .fields = limb, .help = "state of a body"},
    {.name = "joint_axis", .dir = AW_RX, .code = 3, .fields = joint_axis,
     .help = "state of one axis of a joint; one packet per axis, in order"},
    {.name = "joint_feedback", .dir = AW_RX, .code = 4, .fields = joint_feedback,
     .help = "forces and torques that a joint exerts on its two bodies"},
    {.name = "timestamp", .dir = AW_RX, .code = 5, .fields = timestamp,
     .help = "simulation time: step number times step size"},
    {.name = "reset", .dir = AW_TX, .code = 1, .help = "restart the simulation"},
    {.name = "axis_force", .dir = AW_TX, .code = 2, .drives = true, .fields = axis_force,
     .help = "apply torques to the axes of a joint for one step"},
    {.name = "axis_motor", .dir = AW_TX, .code = 3, .drives = true, .fields = axis_motor,
     .help = "set the target velocities and maximum torques of a joint's motors"},
};

const struct aw_message aw_ezphys_ordered[] = {
    {.name = "joint_axis", .dir = AW_RX, .code = 3, .fields = ordered_axis,
     .help = "state of one axis of a joint; one packet per axis, in order"},
    {0},
};

/* clang-format on */

/* The header of a packet. */
struct packet {
    uint32_t code;
    /* size of the payload, as announced or determined by its type */
    uint32_t length;
    size_t head;                      /* size of the header, bytes */
    const struct aw_message *message; /* NULL: unknown type */
};

static uint32_t read_uint(const uint8_t *p, size_t size, bool big_endian)
{
    uint32_t value = 0;
    if (size == sizeof value) {
        memcpy(&value, p, sizeof value);
        return big_endian ? be32toh(value) : le32toh(value);
    }
    for (size_t i = 0; i < size; i++)
        value |= (uint32_t)p[i] << 8 * (big_endian ? size - 1 - i : i);
    return value;
}

/* Reads a header. in must contain at least the header. */
static struct packet read_head(const struct aw_wire *wire, enum aw_dir dir, struct aw_span in)
{
    struct packet packet = {.head = wire->head_size};
    bool big_endian = wire->variant.big_endian;
    packet.code = read_uint(in.data + wire->code_row.at, wire->code_row.size, big_endian);
    packet.message = aw_find_by_code(wire, dir, packet.code);
    if (wire->length_row.size)
        packet.length = read_uint(in.data + wire->length_row.at, wire->length_row.size, big_endian);
    else if (packet.message)
        packet.length = (uint32_t)aw_payload_size(wire, packet.message);
    return packet;
}

static enum aw_status check_length(const struct aw_wire *wire, const struct packet *packet,
                                   struct aw_error *err)
{
    size_t expected = aw_payload_size(wire, packet->message);
    if (packet->length == expected || (wire->lenient && packet->length > expected))
        return AW_OK;
    return aw_fail(
        err, AW_MALFORMED,
        "%s: payload of %u bytes, expected %zu — check --wire; the packet may be damaged",
        packet->message->name, (unsigned)packet->length, expected);
}

static const struct aw_message *identify(const struct aw_wire *wire, enum aw_dir dir,
                                         struct aw_span frame, struct aw_error *err)
{
    if (frame.size < wire->head_size) {
        aw_fail(err, AW_MALFORMED, "packet truncated: %zu bytes, shorter than a header",
                frame.size);
        return NULL;
    }
    struct packet packet = read_head(wire, dir, frame);
    if (!packet.message) {
        aw_fail(
            err, AW_MALFORMED,
            "unknown packet type %u %s the simulator — check --wire, or describe the packet with "
            "--packets",
            (unsigned)packet.code, dir == AW_TX ? "to" : "from");
        return NULL;
    }
    return check_length(wire, &packet, err) == AW_OK ? packet.message : NULL;
}

static enum aw_dir get_direction(const struct aw_framer *framer)
{
    return framer->dir ? framer->dir : AW_RX;
}

/* Returns true for a valid packet. Without an envelope, its type must be known and its length must
 * fit. */
static bool is_packet(const struct aw_wire *wire, enum aw_dir dir, struct aw_span in)
{
    struct packet packet = read_head(wire, dir, in);
    return packet.message && packet.length <= AW_EZPHYS_MESSAGE_MAX &&
           check_length(wire, &packet, NULL) == AW_OK;
}

/* The contents of an envelope; not every wire has both. */
struct envelope {
    uint32_t size, count;
    bool sized, counted;
};

/* Reads an envelope, which in must contain completely. Writes to a pointer: returning the struct
 * would cost more than the rest of the function, and searches call this for every byte. */
static void read_envelope(const struct aw_wire *wire, struct aw_span in, struct envelope *env)
{
    const uint8_t *p = in.data;
    *env = (struct envelope){0};
    for (const struct aw_field *row = wire->variant.envelope; row->type != AW_ROWS_END; row++) {
        uint32_t value = read_uint(p, row->bits / 8u, wire->variant.big_endian);
        if (row->type == AW_LENGTH) {
            env->size = value > UINT32_MAX - row->constant ? UINT32_MAX : value + row->constant;
            env->sized = true;
        }
        if (row->type == AW_CONST) {
            env->count = value;
            env->counted = true;
        }
        p += row->bits / 8;
    }
}

static bool is_plausible(const struct aw_wire *wire, const struct envelope *env)
{
    size_t head = wire->envelope_size, max_size = env->sized ? env->size : AW_EZPHYS_MESSAGE_MAX;
    if (max_size < head || max_size > AW_EZPHYS_MESSAGE_MAX)
        return false;
    if (env->counted && env->count > (max_size - head) / wire->head_size)
        return false;
    return !env->sized || !env->counted || env->count > 0 || env->size == head;
}

static bool is_empty(const struct aw_wire *wire, const struct envelope *env)
{
    return env->counted ? env->count == 0 : env->size == wire->envelope_size;
}

/* Returns AW_OK if a message may start here with this envelope. After skipped bytes, the first
 * packet must be plausible too, because eight bytes inside a message often look like an
 * envelope. */
static enum aw_status check_envelope(const struct aw_wire *wire, enum aw_dir dir, bool resyncing,
                                     struct aw_span in, struct envelope *env)
{
    size_t head = wire->envelope_size;
    if (in.size < head)
        return AW_MORE;
    read_envelope(wire, in, env);
    if (!is_plausible(wire, env))
        return AW_MALFORMED;
    if (!resyncing || is_empty(wire, env))
        return AW_OK;
    struct aw_span first = {in.data + head, in.size - head};
    if (first.size < wire->head_size)
        return AW_MORE;
    return is_packet(wire, dir, first) ? AW_OK : AW_MALFORMED;
}

/* Discards bytes up to the next possible start of a message. */
static enum aw_status skip_to_envelope(const struct aw_wire *wire, struct aw_framer *framer,
                                       struct aw_span in, size_t *used, struct aw_error *err)
{
    struct envelope env, next;
    read_envelope(wire, (struct aw_span){in.data + *used, in.size - *used}, &env);
    size_t start = *used;
    do
        ++*used;
    while (check_envelope(wire, get_direction(framer), true,
                          (struct aw_span){in.data + *used, in.size - *used},
                          &next) == AW_MALFORMED);
    framer->skipped += *used - start;
    return aw_fail(err, AW_MALFORMED,
                   "message: size %u does not fit %u packets — skipped %zu bytes",
                   (unsigned)env.size, (unsigned)env.count, *used - start);
}

/* Drops the rest of a damaged message. Without a size, the framer must search for the next one. */
static void drop_message(struct aw_framer *framer, struct aw_span in, size_t *used)
{
    size_t available = in.size - *used;
    size_t drop = framer->bytes_left < available ? framer->bytes_left : available;
    if (framer->unsized)
        drop = available > 0;
    framer->packets_left = 0;
    framer->bytes_left = framer->unsized ? 0 : framer->bytes_left - (uint32_t)drop;
    framer->skipped += drop;
    framer->n_envelopes += framer->bytes_left == 0;
    *used += drop;
}

/* Reads envelopes until one has packets. Skips messages without packets. */
static enum aw_status open_message(const struct aw_wire *wire, struct aw_framer *framer,
                                   struct aw_span in, size_t *used, struct aw_error *err)
{
    while (framer->packets_left == 0) {
        if (framer->bytes_left)
            drop_message(framer, in, used);
        if (framer->bytes_left)
            return AW_MORE;
        struct aw_span rest = {in.data + *used, in.size - *used};
        struct envelope env;
        enum aw_status status =
            check_envelope(wire, get_direction(framer), framer->skipped > 0, rest, &env);
        if (status == AW_MALFORMED)
            return skip_to_envelope(wire, framer, in, used, err);
        if (status != AW_OK)
            return status;
        *used += wire->envelope_size;
        size_t head = wire->envelope_size;
        framer->unsized = !env.sized;
        framer->n_packets = 0;
        framer->uncounted = !env.counted;
        framer->bytes_left = (uint32_t)((env.sized ? env.size : AW_EZPHYS_MESSAGE_MAX) - head);
        framer->packets_left = is_empty(wire, &env) ? 0 : env.counted ? env.count : 1;
        if (framer->packets_left == 0) {
            framer->bytes_left = 0;
            framer->n_envelopes++;
        }
    }
    return AW_OK;
}

/* Checks that the packet fits the rest of its message, and that the last packet ends the
 * message. */
static enum aw_status check_fit(const struct aw_wire *wire, const struct aw_framer *framer,
                                const struct packet *packet, struct aw_error *err)
{
    if (!packet->message && !packet->length)
        return aw_fail(err, AW_MALFORMED,
                       "unknown packet type %u — dropped the rest of the message",
                       (unsigned)packet->code);
    uint64_t need = (uint64_t)packet->head + packet->length;
    uint64_t other_bytes = (uint64_t)(framer->packets_left - 1) * packet->head;
    if (need + other_bytes > framer->bytes_left)
        return aw_fail(err, AW_MALFORMED,
                       "length: %u bytes do not fit the message — dropped its rest",
                       (unsigned)packet->length);
    bool is_last = framer->packets_left == 1 && !framer->unsized && !framer->uncounted;
    if (is_last && need < framer->bytes_left && !wire->lenient)
        return aw_fail(err, AW_MALFORMED,
                       "size: %u bytes left after the last packet — dropped the message",
                       (unsigned)(framer->bytes_left - need));
    return AW_OK;
}

/* Cuts the frame after the fields of its type, because the sender may have appended bytes. */
static size_t get_frame_size(const struct aw_wire *wire, const struct packet *packet)
{
    size_t expected = packet->message ? aw_payload_size(wire, packet->message) : 0;
    bool longer = wire->lenient && packet->message && packet->length > expected;
    return packet->head + (longer ? expected : packet->length);
}

static enum aw_status fail_too_small(struct aw_framer *framer, struct aw_span in, size_t *used,
                                     struct aw_error *err)
{
    unsigned left = framer->bytes_left;
    drop_message(framer, in, used);
    return aw_fail(err, AW_MALFORMED,
                   "size: %u bytes left in the message, less than a packet — skipped", left);
}

static enum aw_status next_in_message(const struct aw_wire *wire, struct aw_framer *framer,
                                      struct aw_span in, struct aw_span *frame, size_t *used,
                                      struct aw_error *err)
{
    enum aw_status status = open_message(wire, framer, in, used, err);
    if (status != AW_OK)
        return status;
    struct aw_span rest = {in.data + *used, in.size - *used};
    if (framer->bytes_left < wire->head_size)
        return fail_too_small(framer, in, used, err);
    if (rest.size < wire->head_size)
        return AW_MORE;
    struct packet packet = read_head(wire, get_direction(framer), rest);
    if (check_fit(wire, framer, &packet, err) != AW_OK) {
        drop_message(framer, in, used);
        return AW_MALFORMED;
    }
    size_t size = packet.head + packet.length;
    if (rest.size < size)
        return AW_MORE;
    *frame = (struct aw_span){rest.data, get_frame_size(wire, &packet)};
    *used += size;
    /* One packet of the message has been handled. */
    framer->bytes_left -= (uint32_t)size;
    framer->n_packets++;
    if (framer->uncounted)
        framer->packets_left = framer->bytes_left > 0;
    else
        framer->packets_left--;
    if (framer->packets_left == 0 && framer->unsized)
        framer->bytes_left = 0;
    framer->n_envelopes += framer->packets_left == 0 && framer->bytes_left == 0;
    return AW_OK;
}

static enum aw_status skip_to_packet(const struct aw_wire *wire, struct aw_framer *framer,
                                     struct aw_span in, size_t *used, struct aw_error *err)
{
    do
        ++*used;
    while (*used + wire->head_size <= in.size &&
           !is_packet(wire, get_direction(framer),
                      (struct aw_span){in.data + *used, in.size - *used}));
    framer->skipped += *used;
    return aw_fail(err, AW_MALFORMED, "stream: skipped %zu bytes that are not a packet", *used);
}

static enum aw_status next_packet(const struct aw_wire *wire, struct aw_framer *framer,
                                  struct aw_span in, struct aw_span *frame, size_t *used,
                                  struct aw_error *err)
{
    if (in.size < wire->head_size)
        return AW_MORE;
    if (!is_packet(wire, get_direction(framer), in))
        return skip_to_packet(wire, framer, in, used, err);
    struct packet packet = read_head(wire, get_direction(framer), in);
    size_t size = packet.head + packet.length;
    if (in.size < size)
        return AW_MORE;
    *frame = (struct aw_span){in.data, get_frame_size(wire, &packet)};
    *used = size;
    return AW_OK;
}

static enum aw_status next_frame(const struct aw_wire *wire, struct aw_framer *framer,
                                 struct aw_span in, struct aw_span *frame, size_t *used,
                                 struct aw_error *err)
{
    *used = 0;
    return wire->variant.envelope ? next_in_message(wire, framer, in, frame, used, err)
                                  : next_packet(wire, framer, in, frame, used, err);
}

/* Custom packets have the same header as the others. */
static const struct aw_custom_packets custom_packets = {
    .max_size = 64, .max_code = 0xFF, .dir = AW_BOTH};

const struct aw_protocol aw_ezphys_protocol = {
    .name = "ezphys",
    .title = "EZPhysics simulator, binary packets over a stream",
    .messages = messages,
    .n_messages = COUNT(messages),
    .variants = variants,
    .medium = AW_MEDIUM_TCP,
    .ports = {47001},
    .frames.frame_max = 128,
    .frames.identify = identify,
    .frames.next_frame = next_frame,
    .custom.custom = &custom_packets,
};
