#include "armctl/wire.h"

#include <string.h>

static const struct aw_field head[] = {
    {.name = "seq",
     .help = "sequence digit: 0,1,0,1… from the host, 2,3,2,3… from the device",
     .type = AW_DIGITS,
     .digits = 1,
     .optional = true,
     .max = 3},
    {.name = "type", .help = "three capital letters", .type = AW_CODE},
    {0},
};

static const struct aw_field tail[] = {
    {.name = "CR", .help = "carriage return", .type = AW_CONST, .constant = '\r'},
    {.name = "LF", .help = "line feed", .type = AW_CONST, .constant = '\n'},
    {0},
};

static const struct aw_field ack[] = {
    {.name = "ack",
     .help = "sequence digit of the packet that arrived",
     .type = AW_DIGITS,
     .digits = 1,
     .max = 3},
    {0},
};

static const struct aw_field deg[] = {
    {.name = "joint",
     .help = "number of a rotating joint",
     .type = AW_DIGITS,
     .digits = 1,
     .max = 9,
     .may_miss = true},
    {.name = "angle",
     .help = "angle to go to",
     .unit = "deg",
     .type = AW_DIGITS,
     .digits = 3,
     .before = ',',
     .min = -360,
     .max = 360,
     .may_miss = true},
    {0},
};

static const struct aw_field pos[] = {
    {.name = "joint",
     .help = "number of a sliding joint",
     .type = AW_DIGITS,
     .digits = 1,
     .max = 9,
     .may_miss = true},
    {.name = "position",
     .help = "position to go to",
     .unit = "mm",
     .type = AW_DIGITS,
     .digits = 3,
     .before = ',',
     .min = -999,
     .max = 999,
     .may_miss = true},
    {0},
};

static const struct aw_field arm[] = {
    {.name = "r",
     .help = "reach, from the axis of the base",
     .unit = "mm",
     .type = AW_DIGITS,
     .digits = 3,
     .min = -999,
     .max = 999,
     .may_miss = true},
    {.name = "theta",
     .help = "angle around the base",
     .unit = "deg",
     .type = AW_DIGITS,
     .digits = 3,
     .before = ',',
     .min = -360,
     .max = 360,
     .may_miss = true},
    {.name = "h",
     .help = "height",
     .unit = "mm",
     .type = AW_DIGITS,
     .digits = 3,
     .before = ',',
     .min = -999,
     .max = 999,
     .may_miss = true},
    {0},
};

static const struct aw_field mov[] = {
    {.name = "distance",
     .help = "way to drive, negative is backwards",
     .unit = "mm",
     .type = AW_DIGITS,
     .digits = 4,
     .min = -9999,
     .max = 9999,
     .may_miss = true},
    {0},
};

static const struct aw_field spd[] = {
    {.name = "speed",
     .help = "speed to drive with, negative is backwards",
     .unit = "mm/s",
     .type = AW_DIGITS,
     .digits = 3,
     .min = -999,
     .max = 999,
     .may_miss = true},
    {0},
};

static const struct aw_message messages[] = {
    {.name = "ack",
     .word = "ACK",
     .dir = AW_BOTH,
     .fields = ack,
     .help = "acknowledges a packet; its own first digit is always 0 and ignored"},
    {.name = "deg",
     .word = "DEG",
     .dir = AW_BOTH,
     .fields = deg,
     .help = "turns a joint; sent back when it is there"},
    {.name = "pos",
     .word = "POS",
     .dir = AW_BOTH,
     .fields = pos,
     .help = "slides a joint; sent back when it is there"},
    {.name = "arm",
     .word = "ARM",
     .dir = AW_BOTH,
     .fields = arm,
     .help = "moves the hand to cylindrical coordinates; sent back when it is there"},
    {.name = "mov",
     .word = "MOV",
     .dir = AW_BOTH,
     .fields = mov,
     .help = "drives the transport vehicle a distance"},
    {.name = "spd",
     .word = "SPD",
     .dir = AW_BOTH,
     .fields = spd,
     .help = "sets the speed of the transport vehicle"},
};

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
    .frame_max = AW_ARM_LINE_MAX,
    .ascii = true,
    .next_frame = next_line,
};
