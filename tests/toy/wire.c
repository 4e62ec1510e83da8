/* The two messages of the camera head. */
#include "toy.h"

#define FLOAT .type = AW_FLOAT, .bits = 32

/* clang-format off */
const char *const toy_joints[] = {"pan", "tilt", NULL};
const char *const toy_places[] = {"pan.position", "tilt.position"};
const char *const toy_speeds[] = {"pan.velocity", "tilt.velocity"};

static const struct aw_field head[] = {
    {.name = "kind", .type = AW_CODE, .bits = 8, .help = "which message"},
    {0},
};
static const struct aw_field drive[] = {
    {.name = "pan", FLOAT, .unit = "deg/s", .min = -TOY_SPEED, .max = TOY_SPEED, .optional = true,
     .help = "velocity to the left, in deg/s"},
    {.name = "tilt", FLOAT, .unit = "deg/s", .min = -TOY_SPEED, .max = TOY_SPEED, .optional = true,
     .help = "velocity upwards, in deg/s"},
    {0},
};
static const struct aw_field joint[] = {
    {.name = "position", FLOAT, .unit = "deg", .part = AW_PART_POSITION, .help = "where it is"},
    {.name = "velocity", FLOAT, .unit = "deg/s", .part = AW_PART_VELOCITY, .help = "how it turns"},
    {0},
};
static const struct aw_field place[] = {
    {.name = "joints", .type = AW_GROUP, .rows = joint, .labels = toy_joints},
    {0},
};
static const struct aw_message messages[] = {
    {.name = "drive", .dir = AW_TX, .code = 1, .drives = true, .fields = drive,
     .help = "Turns both joints."},
    {.name = "place", .dir = AW_RX, .code = 2, .fields = place, .help = "Told every 20 ms."},
};
/* clang-format on */

static const struct aw_variant variants[] = {
    {.name = "spec", .help = "the only one", .head = head},
    {0},
};

const struct aw_protocol toy_protocol = {
    .name = "toy",
    .title = "camera head of two joints",
    .messages = messages,
    .n_messages = sizeof messages / sizeof *messages,
    .variants = variants,
    .medium = AW_MEDIUM_UDP,
    .frames.frame_max = TOY_FRAME,
    .frames.datagrams = true,
};
