/* The frames of the joint drivers as a table, and both layouts of the sensors frame. */
#include "protocol/canpid/wire.h"

#include "wire/can_id.h"
#include "wire/rows.h"

#define FLOAT .type = AW_FLOAT, .bits = 32
#define PAD(n)                                                                                     \
    {                                                                                              \
        .name = "zero", .type = AW_PAD, .bits = (n), .marked = true                                \
    }
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Full scales of the wire's numbers. */
#define TURN       360.0           /* deg */
#define LEVER_STEP (360.0 / 8000)  /* deg, optical encoder */
#define ALPHA_STEP (360.0 / 16384) /* deg, magnetic encoder */
#define TORQUE     25.0            /* Nm */
#define Q15        (1.0 / 32768)

/* clang-format off */
static const struct aw_name boards[] = {
    {0x20, "lhip"},  {0x40, "lknee"},  {0x60, "lankle"}, {0x80, "rhip"},
    {0xA0, "rknee"}, {0xC0, "rankle"}, {0},
};

static const struct aw_name controllers[] = {
    {0, "pos"}, {1, "lvl"}, {2, "tor"}, {3, "tl"}, {0},
};

static const struct aw_name events[] = {{0, "idle"}, {1, "start"}, {2, "end"}, {0}};

static const struct aw_name errors[] = {
    {0, "none"}, {1, "pid_config"}, {2, "fix_link_encoder"}, {3, "lever_arm_encoder"}, {0},
};

enum { BOARD = 1 }; /* index of the board's row */
static const struct aw_field head[] = {
    {.name = "message", .type = AW_CODE, .bits = 5, .help = "lower five bits of the identifier"},
    {.name = "board", .type = AW_UINT, .bits = 6, .scale = 32, .upper_bits = true, .names = boards,
     .open_names = true, .help = "joint driver; its number is the identifier's upper six bits"},
    PAD(5),
    {0},
};

#define CONTROLLER                                                                                 \
    {.name = "controller", .type = AW_UINT, .bits = 8, .names = controllers, .min = 0, .max = 3,   \
     .help = "position, lever lock, torque or tacit learning; the driver switches to this "        \
             "controller"}

static const struct aw_field gain[] = {
    {.name = "value", FLOAT, .min = -100, .max = 100, .help = "gain of the normalised error"},
    CONTROLLER,
    PAD(8),
    {0},
};

/* More than twice the largest useful setpoint, because 1.5 of full scale disables a driver. */
static const struct aw_scale setpoint_scales[] = {
    {.selector = 0, .unit = "deg", .scale = TURN, .min = -1.5 * TURN, .max = 1.5 * TURN},
    {.selector = 1, .scale = 1, .min = -1.5, .max = 1.5},
    {.selector = 2, .unit = "Nm", .scale = TORQUE, .min = -1.5 * TORQUE, .max = 1.5 * TORQUE},
    {.selector = 3, .scale = 1, .min = -1.5, .max = 1.5},
};

static const struct aw_special disable = {1.5, "disable"};

static const struct aw_field setpoint[] = {
    {.name = "value", FLOAT, .scaled_by = "controller", .scales = setpoint_scales,
     .special = &disable,
     .n_scales = COUNT(setpoint_scales),
     .help = "deg (pos) or Nm (tor), otherwise a fraction of full scale; the driver runs up to 180 "
             "deg, 25 Nm, 0.5 (lvl) or 1 (tl); 1.5 of full scale disables it"},
    CONTROLLER,
    PAD(8),
    {0},
};

static const struct aw_field precompression[] = {
    {.name = "value", FLOAT, .unit = "m", .min = -0.05, .max = 0.05,
     .help = "precompression of the spring; the published panel offers -21 to 21 mm"},
    CONTROLLER,
    PAD(8),
    {0},
};

static const struct aw_field event[] = {
    {.name = "value", .type = AW_SINT, .bits = 32, .names = events, .open_names = true,
     .help = "start begins the push-off boost, end ramps it down"},
    PAD(16),
    {0},
};

static const struct aw_field reference[] = {
    {.name = "value", FLOAT, .optional = true, .is_metadata = true,
     .help = "ignored by the published firmware, which uses the current angle as zero"},
    PAD(16),
    {0},
};

static const struct aw_field aux[] = {
    {.name = "index", .type = AW_UINT, .bits = 8, .has_at = true, .at = 32, .min = 0, .max = 3,
     .always_limit = true, .marked = true, .help = "number of the variable"},
    {.name = "value", FLOAT, .has_at = true,
     .help = "value for the user's algorithm; variable 0 switches the lamp of the driver: 1 on, 2 "
             "off"},
    {.name = "zero", .type = AW_PAD, .bits = 8, .has_at = true, .at = 40, .marked = true},
    {0},
};

static const struct aw_field calibrate[] = {PAD(48), {0}};

#define PERCENT(last)                                                                              \
    .type = AW_SINT, .bits = 16, .unit = "%", .scale = 100 * Q15, .min = -32768 * (100 * Q15),     \
    .max = (last) * (100 * Q15)

static const struct aw_field pid[] = {
    {.name = "setpoint", PERCENT(32766), .has_no_data = true, .no_data = AW_CANPID_SATURATED,
     .help = "setpoint in % of the active controller's full scale; no data while disabled"},
    {.name = "output", PERCENT(32767), .help = "control output; 0 while disabled"},
    {.name = "measured", PERCENT(32767), .help = "measured value in % of full scale"},
    {0},
};

static const struct aw_field joint[] = {
    {.name = "fix_link_angle", .type = AW_SINT, .bits = 16, .unit = "deg", .scale = LEVER_STEP,
     .min = -3999 * LEVER_STEP, .max = 4000 * LEVER_STEP,
     .help = "angle of the fixed link (optical encoder)"},
    {.name = "alpha_angle", .type = AW_SINT, .bits = 16, .unit = "deg", .scale = ALPHA_STEP,
     .min = -8191 * ALPHA_STEP, .max = 8192 * ALPHA_STEP,
     .help = "angle of the spring (magnetic encoder)"},
    {.name = "torque", .type = AW_SINT, .bits = 16, .unit = "Nm", .scale = TORQUE * Q15,
     .part = AW_PART_EFFORT,
     .min = -32768 * (TORQUE * Q15), .max = 32767 * (TORQUE * Q15),
     .help = "torque, computed from alpha and the precompression"},
    {0},
};

#define ERROR                                                                                      \
    {.name = "error", .type = AW_UINT, .bits = 4, .names = errors, .open_names = true,             \
     .help = "error reported by the driver"}
/* An error frame has no measurements: the lever's 0x7FFF marks all of them as missing, in either
 * layout. */
#define NO_DATA(number) .has_no_data = true, .no_data = (number), .no_data_with = "lever_angle"
#define CURRENT                                                                                    \
    {.name = "current", .type = AW_UINT, .bits = 10, .unit = "A", .scale = 25.0 / 1024,            \
     .offset = -12.5, NO_DATA(0x1FF), .help = "motor current; no data after an error"}
#define LEVER_ANGLE                                                                                \
    {.name = "lever_angle", .type = AW_SINT, .bits = 16, .unit = "deg", .scale = LEVER_STEP,       \
     .min = -3999 * LEVER_STEP, .max = 4000 * LEVER_STEP, .has_no_data = true, .no_data = 0x7FFF,  \
     .part = AW_PART_POSITION, .help = "angle of the lever arm; no data after an error"}

static const struct aw_field sensors[] = {
    ERROR,
    {.name = "velocity", .type = AW_SINT, .bits = 14, .unit = "rpm", NO_DATA(0x7FF),
     .help = "motor velocity (cells VELOCITY and VEL of the published table); no data after an "
             "error"},
    CURRENT,
    {.name = "reserved", .type = AW_PAD, .bits = 4, .marked = true},
    LEVER_ANGLE,
    {0},
};

static const struct aw_field sensors_fw[] = {
    ERROR,
    {.name = "velocity", .type = AW_SINT, .bits = 12, .unit = "rpm", NO_DATA(0x7FF),
     .help = "motor velocity; the current overwrites the upper two bits; no data after an error"},
    CURRENT,
    {.name = "reserved", .type = AW_PAD, .bits = 6, .marked = true},
    LEVER_ANGLE,
    {0},
};

#define SENSORS                                                                                    \
    .name = "sensors", .dir = AW_RX, .code = 31,                                                   \
    .help = "error code, motor velocity and current, angle of the lever arm"

static const struct aw_message fw_messages[] = {{SENSORS, .fields = sensors_fw}, {0}};

static const struct aw_variant variants[] = {
    {.name = "spec", .help = "sensors as in the published table", .head = head},
    {.name = "fw", .help = "sensors as the published firmware packs them", .head = head,
     .replacements = fw_messages},
    {0},
};

static const struct aw_message messages[] = {
    {.name = "kp", .dir = AW_TX, .code = 1, .fields = gain,
     .help = "set the proportional gain of a controller",
     .example = "-l sim: kp 0.6 -b lknee -c tor --switch"},
    {.name = "ki", .dir = AW_TX, .code = 2, .fields = gain,
     .help = "set the integral gain of a controller, per control period; 0 clears the integral",
     .example = "-l sim: ki 0.0005 -b lknee -c pos --switch"},
    {.name = "kd", .dir = AW_TX, .code = 3, .fields = gain,
     .help = "set the derivative gain of a controller, per control period",
     .example = "-l sim: kd 0 -b lknee -c pos --switch"},
    {.name = "setpoint", .dir = AW_TX, .code = 4, .drives = true, .fields = setpoint,
     .help = "send a setpoint, which enables the controller if it is within the limits, and "
             "disables it otherwise"},
    {.name = "precompression", .dir = AW_TX, .code = 5, .fields = precompression,
     .help = "set the precompression of the spring",
     .example = "-l sim: precompression 2mm -b lknee -c pos --switch"},
    {.name = "event", .dir = AW_TX, .code = 6, .drives = true, .fields = event,
     .help = "report a gait event", .example = "-l sim: event start -b lankle"},
    {.name = "ref_alpha", .dir = AW_TX, .code = 7, .fields = reference,
     .help = "use the current alpha angle as zero", .example = "-l sim: ref_alpha -b lknee"},
    {.name = "ref_fix_link", .dir = AW_TX, .code = 8, .fields = reference,
     .help = "use the current fixed-link angle as zero",
     .example = "-l sim: ref_fix_link -b lknee"},
    {.name = "aux", .dir = AW_TX, .code = 9, .fields = aux, .help = "set an auxiliary variable",
     .example = "-l sim: aux 0 2.0 -b lknee"},
    {.name = "calibrate", .dir = AW_TX, .code = 10, .fields = calibrate,
     .help = "use both current angles as zero", .example = "-l sim: calibrate -b lknee"},
    {.name = "pid", .dir = AW_RX, .code = 29, .fields = pid,
     .help = "setpoint, output and measured value of the active controller"},
    {.name = "joint", .dir = AW_RX, .code = 30, .fields = joint,
     .help = "angles and torque of the joint"},
    {SENSORS, .fields = sensors},
};

/* clang-format on */

/* Identifiers of the table are below TABLE_END; for other nodes, the code is the identifier. */
enum { TABLE_END = AW_CAN_LOW };

static const struct aw_field custom_head[] = {
    {.name = "id", .type = AW_CODE, .bits = 11, .help = "identifier"}, PAD(5), {0}};

static const char *find_taken(uint32_t id, const struct aw_message **message)
{
    for (const struct aw_name *board = boards; board->name; board++)
        if ((id & ~(TABLE_END - 1u)) == (uint32_t)board->value)
            for (size_t i = 0; i < COUNT(messages); i++)
                if (messages[i].code == id % TABLE_END) {
                    *message = &messages[i];
                    return board->name;
                }
    return NULL;
}

static const struct aw_custom_packets custom_packets = {.head = custom_head,
                                                        .max_size = 8,
                                                        .min_code = TABLE_END,
                                                        .max_code = 0x7FF,
                                                        .dir = AW_RX,
                                                        .find_conflict = find_taken};

/* Returns true if the identifier belongs to a known sender or a named board; without known
 * senders, always. Another node's lower bits may match a driver's. */
static bool is_driver(const struct aw_wire *wire, uint32_t id)
{
    if (!wire->variant.known_senders ||
        (id / TABLE_END < 64 && *wire->variant.known_senders >> id / TABLE_END & 1))
        return true;
    const struct aw_name *name = wire->variant.head[BOARD].names;
    while (name->name && (uint32_t)name->value != (id & ~(TABLE_END - 1u)))
        name++;
    return name->name;
}

/* Reports the problem of an identifier without a message. */
static void fail_id(const struct aw_wire *wire, struct aw_can_id can, struct aw_error *err)
{
    if (can.is_long)
        aw_fail(err, AW_MALFORMED, "id %08X: no message with this id — give a DBC file with --dbc",
                (unsigned)can.id);
    else if (!is_driver(wire, can.id))
        aw_fail(err, AW_MALFORMED,
                "id %03X: unknown driver — give its board id with -b 0x%X or [board NAME], or "
                "describe the packet with --packets or --dbc",
                (unsigned)can.id, (unsigned)(can.id & ~(TABLE_END - 1u)));
    else
        aw_fail(err, AW_MALFORMED, "id %03X: no message with number %u — see 'describe'",
                (unsigned)can.id, (unsigned)can.id & 31);
}

static const struct aw_message *identify(const struct aw_wire *wire, enum aw_dir dir,
                                         struct aw_span frame, struct aw_error *err)
{
    /* Packet or DBC files may add messages of other nodes. */
    bool has_custom_messages = wire->protocol->n_messages > COUNT(messages);
    const struct aw_message *message = NULL;
    if (!aw_can_head_size(frame)) {
        aw_fail(err, AW_MALFORMED, "frame truncated: no identifier");
        return NULL;
    }
    struct aw_can_id can = aw_can_id_of(frame.data);
    if (has_custom_messages)
        message = aw_find_by_any_code(wire, dir, aw_can_code_of_id(can));
    if (!message && !can.is_long && is_driver(wire, can.id))
        message = aw_find_by_any_code(wire, dir, can.id & (TABLE_END - 1));
    if (!message)
        fail_id(wire, can, err);
    return message;
}

static bool is_other(const struct aw_wire *wire, struct aw_span frame)
{
    if (!aw_can_head_size(frame))
        return false;
    struct aw_can_id can = aw_can_id_of(frame.data);
    return can.is_long || !is_driver(wire, can.id);
}

const struct aw_protocol aw_canpid_protocol = {
    .name = "canpid",
    .title = "exoskeleton joint drivers, 6-byte CAN frames",
    .messages = messages,
    .n_messages = COUNT(messages),
    .variants = variants,
    .medium = AW_MEDIUM_CAN,
    .hid.udev_file = "/etc/udev/rules.d/70-canpid.rules",
    .frames.frame_max = 8,
    .frames.is_can = true,
    .frames.datagrams = true,
    .frames.identify = identify,
    .frames.is_other_node = is_other,
    .custom.custom = &custom_packets,
};
