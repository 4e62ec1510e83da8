/* The packets of the teaching arm's board as a table: ids, floats and bytes of a 64-byte report. */
#include "protocol/hidmotor/wire.h"

#include "base/bytes.h"
#include "link/hid/hid.h"
#include "wire/rows.h"

#define FLOAT  .type = AW_FLOAT, .bits = 32
#define REPORT .size = AW_HIDMOTOR_REPORT

static const struct aw_field head[] = {
    {.name = "packet", .type = AW_CODE, .bits = 32, .help = "packet id"},
    {0},
};

static const struct aw_variant variants[] = {
    {.name = "hid", .help = "64-byte reports without a report id", .head = head},
    {0},
};

/* clang-format off */
static const char *const three[] = {"m1", "m2", "m3", NULL};
static const char *const four[] = {"m1", "m2", "m3", "m4", NULL};
static const char *const seven[] = {"m1", "m2", "m3", "m4", "m5", "m6", "m7", NULL};
static const char *const joints[] = {"base", "shoulder", "elbow", NULL, NULL, NULL, NULL, NULL};

static const struct aw_name modes[] = {{0, "linear"}, {1, "sinusoidal"}, {0}};

static const struct aw_field set_setpoints[] = {
    {.name = "duration", FLOAT, .unit = "ms", .min = 0, .max = 3600000, .optional = true,
     .help = "duration of the motion; below 1 ms the setpoints jump"},
    {.name = "mode", FLOAT, .names = modes, .min = 0, .max = 1, .optional = true,
     .help = "interpolation from the old setpoint to the target"},
    {.name = "m1", .alias = "base", FLOAT, .unit = "deg", .min = -90, .max = 90,
     .help = "target of the base"},
    {.name = "m2", .alias = "shoulder", FLOAT, .unit = "deg", .min = -45, .max = 100,
     .help = "target of the shoulder"},
    {.name = "m3", .alias = "elbow", FLOAT, .unit = "deg", .min = -90, .max = 63,
     .help = "target of the elbow"},
    {0},
};

static const struct aw_field motor_position[] = {
    {.name = "setpoint", FLOAT, .unit = "deg", .help = "current setpoint of the interpolation"},
    {.name = "position", FLOAT, .unit = "deg", .part = AW_PART_POSITION,
     .help = "measured angle, in steps of 0.24 deg, updated every 16 ms"},
    {0},
};

static const struct aw_field positions[] = {
    {.name = "count", FLOAT, .min = 1, .max = 7, .optional = true, .fallback = 3,
     .is_metadata = true, .help = "number of motors that follow"},
    {.name = "motors", .type = AW_GROUP, .rows = motor_position, .labels = seven,
     .aliases = joints, .count = "count"},
    {0},
};

static const struct aw_field motor_velocity[] = {
    {.name = "setpoint", FLOAT, .unit = "deg/s",
     .help = "target velocity; 0 unless in velocity mode"},
    {.name = "velocity", FLOAT, .unit = "deg/s", .part = AW_PART_VELOCITY,
     .help = "measured velocity, updated every 50 ms"},
    {.name = "effort", FLOAT,
     .help = "output of the board's controller, -255 to 255; not a torque"},
    {0},
};

static const struct aw_field velocities[] = {
    {.name = "count", FLOAT, .min = 1, .max = 4, .optional = true, .fallback = 3,
     .is_metadata = true, .help = "number of motors that follow"},
    {.name = "motors", .type = AW_GROUP, .rows = motor_velocity, .labels = four,
     .aliases = joints, .count = "count"},
    {0},
};

static const struct aw_field gripper[] = {
    {.name = "value", .type = AW_UINT, .bits = 8, .min = 0, .max = 180,
     .help = "position of the gripper servo, from 0 (closed) to 180 (open); one byte, not a float"},
    {0},
};

static const struct aw_field gain_rows[] = {
    {.name = "kp", FLOAT, .help = "proportional gain"},
    {.name = "ki", FLOAT, .help = "integral gain"},
    {.name = "kd", FLOAT, .help = "derivative gain"},
    {0},
};

static const struct aw_field gains[] = {
    {.name = "motors", .type = AW_GROUP, .rows = gain_rows, .labels = three, .aliases = joints},
    {0},
};

static const struct aw_field velocity_gain_rows[] = {
    {.name = "kp", FLOAT, .help = "proportional gain"},
    {.name = "ki", FLOAT, .optional = true, .help = "integral gain; the board keeps it at 0"},
    {.name = "kd", FLOAT, .help = "derivative gain"},
    {0},
};

static const struct aw_field velocity_gains[] = {
    {.name = "motors", .type = AW_GROUP, .rows = velocity_gain_rows, .labels = three,
     .aliases = joints},
    {0},
};

/* The published firmware clamps higher speeds to these. */
static const struct aw_field set_velocity[] = {
    {.name = "m1", .alias = "base", FLOAT, .unit = "deg/s", .min = -876, .max = 876,
     .optional = true,
     .help = "velocity of the base; 0: unchanged"},
    {.name = "m2", .alias = "shoulder", FLOAT, .unit = "deg/s", .min = -480, .max = 480,
     .optional = true,
     .help = "velocity of the shoulder; 0: unchanged"},
    {.name = "m3", .alias = "elbow", FLOAT, .unit = "deg/s", .min = -1400, .max = 1400,
     .optional = true,
     .help = "velocity of the elbow; 0: unchanged"},
    {0},
};

static const struct aw_field light[] = {
    {.name = "hue", FLOAT, .min = 0, .max = 1,
     .help = "hue; 1 is one turn of the colour wheel"},
    {.name = "saturation", FLOAT, .min = 0, .max = 1,
     .help = "saturation; 0: white, 1: full colour"},
    {.name = "value", FLOAT, .min = 0, .max = 1, .help = "brightness; 0: off, 1: full"},
    {0},
};

static const struct aw_field error[] = {
    {.name = "id", .type = AW_UINT, .bits = 32, .help = "packet id unknown to the board"},
    {0},
};

static const struct aw_message messages[] = {
    {.name = "set_setpoints", .dir = AW_BOTH, .code = 1848, REPORT, .drives = true,
     .fields = set_setpoints,
     .help = "move all three joints to new targets in a given time; the board answers with an "
             "echo"},
    {.name = "positions", .dir = AW_TX, .code = 1910, REPORT, .reads = true,
     .help = "request setpoints and positions",
     .example = "-l sim: positions"},
    {.name = "positions", .dir = AW_RX, .code = 1910, REPORT, .fields = positions,
     .help = "setpoint and measured position of each motor"},
    {.name = "velocities", .dir = AW_TX, .code = 1822, REPORT, .reads = true,
     .help = "request velocities and efforts",
     .example = "-l sim: velocities"},
    {.name = "velocities", .dir = AW_RX, .code = 1822, REPORT, .fields = velocities,
     .help = "velocity setpoint, measured velocity and computed effort of each motor"},
    {.name = "gripper", .dir = AW_BOTH, .code = 1962, REPORT, .fields = gripper,
     .help = "set the gripper; the board answers with an echo, but sends no feedback"},
    {.name = "pid_gains", .dir = AW_TX, .code = 1857, REPORT, .reads = true,
     .help = "request the gains of the position controllers",
     .example = "-l sim: pid_gains"},
    {.name = "pid_gains", .dir = AW_RX, .code = 1857, REPORT, .fields = gains,
     .help = "gains of the position controllers"},
    {.name = "set_pid_gains", .dir = AW_BOTH, .code = 1900, REPORT, .fields = gains,
     .help = "set the gains of all position controllers; a motion in progress stops",
     .example = "-l sim: set_pid_gains 0.1 0 0 0.1 0 0 0.1 0 0"},
    {.name = "velocity_gains", .dir = AW_TX, .code = 1825, REPORT, .reads = true,
     .help = "request the gains of the velocity controllers",
     .example = "-l sim: velocity_gains"},
    {.name = "velocity_gains", .dir = AW_RX, .code = 1825, REPORT, .fields = velocity_gains,
     .help = "gains of the velocity controllers"},
    {.name = "set_velocity_gains", .dir = AW_BOTH, .code = 1810, REPORT, .fields = velocity_gains,
     .help = "set the gains of all velocity controllers",
     .example = "-l sim: set_velocity_gains 0.1 0 0 0.1 0 0 0.1 0 0"},
    {.name = "set_velocity", .dir = AW_BOTH, .code = 1811, REPORT, .drives = true,
     .fields = set_velocity,
     .help = "set velocities; a value other than 0 switches the motor to velocity mode"},
    {.name = "light", .dir = AW_BOTH, .code = 2000, REPORT, .fields = light,
     .help = "set the colour of the light ring",
     .example = "-l sim: light 0.33 1 0.5"},
    {.name = "error", .dir = AW_RX, .code = AW_HIDMOTOR_ERROR, REPORT, .fields = error,
     .help = "answer to a packet with an unknown id"},
};

/* clang-format on */

static const struct aw_message *identify(const struct aw_wire *wire, enum aw_dir dir,
                                         struct aw_span frame, struct aw_error *err)
{
    const uint8_t *p = frame.data;
    if (frame.size != AW_HIDMOTOR_REPORT) {
        aw_fail(err, AW_MALFORMED, "report: %zu byte%s instead of %d — truncated, or not a report",
                frame.size, frame.size == 1 ? "" : "s", AW_HIDMOTOR_REPORT);
        return NULL;
    }
    uint32_t id = aw_get_u32(p);
    const struct aw_message *message = aw_find_by_any_code(wire, dir, id);
    if (!message)
        aw_fail(err, AW_MALFORMED, "unknown packet id %u — see 'describe'", (unsigned)id);
    return message;
}

static const struct aw_board boards[] = {
    {0x16C0, 0x0486, "Hephaestus arm (ItsyBitsy M4 or Teensy)", "Adafruit ItsyBitsy M4"},
    {0x3742, 0x0007, "RBE3001 arm with a Nucleo board", "RBE3001"},
    {0},
};

static const struct aw_custom_packets custom_packets = {.size = AW_HIDMOTOR_REPORT,
                                                        .max_size = AW_HIDMOTOR_PAYLOAD,
                                                        .max_code = UINT32_MAX,
                                                        .dir = AW_BOTH};

const struct aw_protocol aw_hidmotor_protocol = {
    .name = "hidmotor",
    .title = "three-joint teaching arm, 64-byte HID reports",
    .messages = messages,
    .n_messages = sizeof messages / sizeof *messages,
    .variants = variants,
    .medium = AW_MEDIUM_HID,
    .hid.boards = boards,
    .hid.open_board = aw_hid_open,
    .hid.udev_file =
        "/etc/udev/rules.d/70-hidmotor.rules", /* must sort before 73-seat-late.rules */
    .frames.frame_max = AW_HIDMOTOR_REPORT,
    .frames.datagrams = true,
    .frames.identify = identify,
    .custom.custom = &custom_packets,
};
