#include "armctl/wire.h"

#include <string.h>

/* One field, one row. The width of a number is that it is sent with; 1 to 4 digits are read. */
/* clang-format off */
#define DIGIT   .type = AW_DIGITS, .digits = 1
#define DEGREES .type = AW_DIGITS, .digits = 3, .unit = "deg", .min = -360, .max = 360
#define MM      .type = AW_DIGITS, .digits = 3, .unit = "mm", .min = -999, .max = 999
#define JOINT   {.name = "joint", DIGIT, .max = 9, .may_miss = true, .help = "number of the joint"}

static const struct aw_field head[] = {
    {.name = "seq", DIGIT, .max = 3, .optional = true,
     .help = "sequence digit: 0,1,0,1… from the host, 2,3,2,3… from the device"},
    {.name = "type", .type = AW_CODE, .help = "three capital letters"},
    {0},
};
static const struct aw_field tail[] = {
    {.name = "CR", .type = AW_CONST, .constant = '\r', .help = "carriage return"},
    {.name = "LF", .type = AW_CONST, .constant = '\n', .help = "line feed"},
    {0},
};

static const struct aw_field ack[] = {
    {.name = "ack", DIGIT, .max = 3, .help = "sequence digit of the packet that arrived"},
    {0},
};
static const struct aw_field deg[] = {
    JOINT,
    {.name = "angle", DEGREES, .before = ',', .may_miss = true, .help = "angle to go to"},
    {0},
};
static const struct aw_field pos[] = {
    JOINT,
    {.name = "position", MM, .before = ',', .may_miss = true, .help = "position to go to"},
    {0},
};
static const struct aw_field arm[] = {
    {.name = "r", MM, .may_miss = true, .help = "reach, from the axis of the base"},
    {.name = "theta", DEGREES, .before = ',', .may_miss = true, .help = "angle around the base"},
    {.name = "h", MM, .before = ',', .may_miss = true, .help = "height"},
    {0},
};
static const struct aw_field mov[] = {
    {.name = "distance", .type = AW_DIGITS, .digits = 4, .unit = "mm", .min = -9999, .max = 9999,
     .may_miss = true, .help = "way to drive, negative is backwards"},
    {0},
};
static const struct aw_field spd[] = {
    {.name = "speed", .type = AW_DIGITS, .digits = 3, .unit = "mm/s", .min = -999, .max = 999,
     .may_miss = true, .help = "speed to drive with, negative is backwards"},
    {0},
};

static const struct aw_message messages[] = {
    {.name = "ack", .word = "ACK", .dir = AW_BOTH, .fields = ack,
     .help = "acknowledges a packet; its own first digit is always 0 and ignored"},
    {.name = "deg", .word = "DEG", .dir = AW_BOTH, .fields = deg,
     .help = "turns a joint; sent back when it is there"},
    {.name = "pos", .word = "POS", .dir = AW_BOTH, .fields = pos,
     .help = "slides a joint; sent back when it is there"},
    {.name = "arm", .word = "ARM", .dir = AW_BOTH, .fields = arm,
     .help = "moves the hand to cylindrical coordinates; sent back when it is there"},
    {.name = "mov", .word = "MOV", .dir = AW_BOTH, .fields = mov,
     .help = "drives the transport vehicle a distance"},
    {.name = "spd", .word = "SPD", .dir = AW_BOTH, .fields = spd,
     .help = "sets the speed of the transport vehicle"},
};
/* clang-format on */

static const struct aw_variant variants[] = {
    {.name = "ascii", .help = "lines of ASCII text", .head = head, .tail = tail},
    {0},
};

/* Lines end with CR LF; what has no end after 34 bytes is thrown away up to the next end. */
static enum aw_status next_line(const struct aw_wire *wire, struct aw_framer *framer,
                                struct aw_span in, struct aw_span *frame, size_t *used,
                                struct aw_error *err)
{
    (void)wire;
    const uint8_t *end = memmem(in.data, in.size, "\r\n", 2);
    size_t length = end ? (size_t)(end - in.data) + 2 : in.size;
    *used = end ? length : 0;
    if (!end && length <= AW_ARM_LINE_MAX)
        return AW_MORE;
    if (end && length <= AW_ARM_LINE_MAX && !framer->left) {
        *frame = (struct aw_span){in.data, length};
        return AW_OK;
    }
    /* Keep a last CR: its LF may be the next byte to come. */
    *used = end ? length : length - (in.data[length - 1] == '\r');
    framer->skipped += *used;
    framer->overlong += !framer->left;
    framer->left = end == NULL;
    return aw_fail(err, AW_MALFORMED, "a line of more than %d bytes was thrown away",
                   AW_ARM_LINE_MAX);
}

const struct aw_protocol aw_armctl_protocol = {
    .name = "armctl",
    .title = "handler arm: ASCII lines with an alternating bit",
    .messages = messages,
    .n_messages = sizeof messages / sizeof *messages,
    .variants = variants,
    .medium = AW_MEDIUM_SERIAL,
    .frame_max = AW_ARM_LINE_MAX,
    .ascii = true,
    .next_frame = next_line,
};
