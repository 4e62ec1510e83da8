/* The messages of the handler's serial protocol as a table. */
#include "protocol/armctl/wire.h"

#include <string.h>

/* .digits is the width for sending; the parser accepts 1 to 4 digits. */
/* clang-format off */
#define DIGIT   .type = AW_DIGITS, .digits = 1
#define DEGREES .type = AW_DIGITS, .digits = 3, .unit = "deg", .min = -360, .max = 360
#define MM      .type = AW_DIGITS, .digits = 3, .unit = "mm", .min = -999, .max = 999
#define JOINT_NUMBER   {.name = "joint", DIGIT, .max = 9, .help = "number of the joint"}
#define JOINT   {.name = "joint", DIGIT, .max = 9, .may_omit = true, .help = "number of the joint"}

static const struct aw_field head[] = {
    {.name = "seq", DIGIT, .max = 3, .optional = true, .is_metadata = true,
     .help = "sequence digit: alternately 0 and 1 from the host, 2 and 3 from the device"},
    {.name = "type", .type = AW_CODE, .help = "three capital letters"},
    {0},
};
static const struct aw_field tail[] = {
    {.name = "CR", .type = AW_CONST, .constant = '\r', .help = "carriage return"},
    {.name = "LF", .type = AW_CONST, .constant = '\n', .help = "line feed"},
    {0},
};

static const struct aw_field ack[] = {
    {.name = "ack", DIGIT, .max = 3, .help = "sequence digit of the acknowledged packet"},
    {0},
};
static const struct aw_field deg[] = {
    JOINT,
    {.name = "angle", DEGREES, .part = AW_PART_POSITION, .separator = ',', .may_omit = true,
     .help = "target angle"},
    {0},
};
/* The published firmware has servos on joints 2, 4 and 5 and motors on 1 and 3. No field is
 * optional here, so that a bare 2DEG or 2SPD is deg or spd. */
static const struct aw_field pulse[] = {
    JOINT_NUMBER,
    {.name = "pulse", .type = AW_DIGITS, .digits = 4, .separator = ',', .unit = "us",
     .min = AW_ARMCTL_PULSE_MIN, .max = AW_ARMCTL_PULSE_MAX, .always_limit = true,
     .help = "width of the servo pulse"},
    {0},
};
static const struct aw_field duty[] = {
    JOINT_NUMBER,
    {.name = "duty", .type = AW_DIGITS, .digits = 3, .separator = ',', .min = -1000, .max = 1000,
     .help = "duty cycle in thousandths; negative: backwards, 0: stop"},
    {0},
};
static const struct aw_field pos[] = {
    JOINT,
    {.name = "position", MM, .part = AW_PART_POSITION, .separator = ',', .may_omit = true,
     .help = "target position"},
    {0},
};
static const struct aw_field arm[] = {
    {.name = "r", MM, .may_omit = true, .help = "reach from the base axis"},
    {.name = "theta", DEGREES, .separator = ',', .may_omit = true, .help = "angle around the base"},
    {.name = "h", MM, .separator = ',', .may_omit = true, .help = "height"},
    {0},
};
static const struct aw_field mov[] = {
    {.name = "distance", .type = AW_DIGITS, .digits = 4, .unit = "mm", .min = -9999, .max = 9999,
     .may_omit = true, .help = "distance to drive; negative: backwards"},
    {0},
};
static const struct aw_field spd[] = {
    {.name = "speed", .type = AW_DIGITS, .digits = 3, .unit = "mm/s", .min = -999, .max = 999,
     .may_omit = true, .help = "driving speed; negative: backwards"},
    {0},
};

static const struct aw_message messages[] = {
    {.name = "ack", .word = "ACK", .dir = AW_BOTH, .fields = ack,
     .help = "acknowledge a packet; the first digit is always 0 and is ignored"},
    {.name = "pulse", .word = "DEG", .dir = AW_BOTH, .drives = true, .fields = pulse,
     .help = "move a joint by servo pulse width (published firmware)"},
    {.name = "deg", .word = "DEG", .dir = AW_BOTH, .drives = true, .fields = deg,
     .help = "turn a joint; on arrival, the device sends the packet back"},
    {.name = "pos", .word = "POS", .dir = AW_BOTH, .drives = true, .fields = pos,
     .help = "slide a joint; on arrival, the device sends the packet back"},
    {.name = "arm", .word = "ARM", .dir = AW_BOTH, .drives = true, .fields = arm,
     .help = "move the hand to cylindrical coordinates; on arrival, the device sends the packet "
             "back"},
    {.name = "mov", .word = "MOV", .dir = AW_BOTH, .drives = true, .fields = mov,
     .help = "drive the transport vehicle by a distance"},
    {.name = "duty", .word = "SPD", .dir = AW_BOTH, .drives = true, .fields = duty,
     .help = "run a motor joint until the next command (published firmware)"},
    {.name = "spd", .word = "SPD", .dir = AW_BOTH, .drives = true, .fields = spd,
     .help = "set the speed of the transport vehicle"},
};
/* clang-format on */

static const struct aw_variant variants[] = {
    {.name = "ascii", .help = "lines of ASCII text", .head = head, .tail = tail},
    {0},
};

/* Returns the size up to and including the first CR, LF or CRLF; 0: incomplete. A CR as the last
 * byte may still be followed by its LF. */
static size_t find_line_length(struct aw_span in)
{
    for (size_t i = 0; i < in.size; i++) {
        if (in.data[i] == '\n')
            return i + 1;
        if (in.data[i] == '\r' && i + 1 < in.size)
            return i + 1 + (in.data[i + 1] == '\n');
    }
    return 0;
}

/* Returns the next line that ends with CR LF. Discards lines with only one of the two, and lines
 * longer than 34 bytes. */
static enum aw_status next_line(const struct aw_wire *wire, struct aw_framer *framer,
                                struct aw_span in, struct aw_span *frame, size_t *used,
                                struct aw_error *err)
{
    (void)wire;
    size_t length = find_line_length(in);
    bool overlong = (length ? length : in.size) > AW_ARMCTL_LINE_MAX || framer->packets_left;
    *used = length;
    if (!length && in.size <= AW_ARMCTL_LINE_MAX)
        return AW_MORE;
    if (length >= 2 && in.data[length - 2] == '\r' && in.data[length - 1] == '\n' && !overlong) {
        *frame = (struct aw_span){in.data, length};
        return AW_OK;
    }
    if (!length) /* wait for the LF of a final CR */
        *used = in.size - (in.data[in.size - 1] == '\r');
    framer->skipped += *used;
    framer->n_overlong += overlong && !framer->packets_left;
    framer->packets_left = !length;
    return overlong
               ? aw_fail(err, AW_MALFORMED, "line longer than %d bytes dropped", AW_ARMCTL_LINE_MAX)
               : aw_fail(err, AW_MALFORMED, "line ends with %s only — end it with CR LF",
                         in.data[length - 1] == '\n' ? "LF" : "CR");
}

/* Returns the number after the comma, without a sign; -1: no comma. */
static int read_second_number(struct aw_span frame)
{
    const uint8_t *at = memchr(frame.data, ',', frame.size), *end = frame.data + frame.size;
    int value = at ? 0 : -1;
    while (at && ++at < end && *at >= '0' && *at <= '9' && value <= AW_ARMCTL_PULSE_MAX)
        value = value * 10 + (*at - '0');
    return value;
}

/* Returns true if ARM has all three numbers or none. */
static bool has_all_values(struct aw_span frame)
{
    const uint8_t *comma = memchr(frame.data, ',', frame.size), *end = frame.data + frame.size;
    return comma ? memchr(comma + 1, ',', (size_t)(end - comma - 1)) != NULL
                 : frame.size == strlen("0ARM\r\n");
}

/* Two messages share the code DEG, and two the code SPD; the part after the comma distinguishes
 * them. */
static bool matches_message(const struct aw_message *message, struct aw_span frame)
{
    if (frame.size < 4 || memcmp(frame.data + 1, message->word, 3) != 0)
        return false;
    if (message->fields == arm)
        return has_all_values(frame);
    if (message->fields == pulse)
        return read_second_number(frame) >= AW_ARMCTL_PULSE_MIN &&
               read_second_number(frame) <= AW_ARMCTL_PULSE_MAX;
    return message->fields != duty || read_second_number(frame) >= 0;
}

/* Finds a custom packet by its complete name. */
static const struct aw_message *find_custom(const struct aw_wire *wire, enum aw_dir dir,
                                            struct aw_span frame)
{
    const struct aw_protocol *protocol = wire->protocol;
    size_t length = 1;
    while (length < frame.size && frame.data[length] >= 'A' && frame.data[length] <= 'Z')
        length++;
    for (size_t i = sizeof messages / sizeof *messages; i < protocol->n_messages; i++) {
        const struct aw_message *message = &protocol->messages[i];
        if (message->dir & dir && strlen(message->word) == length - 1 &&
            memcmp(frame.data + 1, message->word, length - 1) == 0)
            return message;
    }
    return NULL;
}

static const struct aw_message *identify(const struct aw_wire *wire, enum aw_dir dir,
                                         struct aw_span frame, struct aw_error *err)
{
    /* all other messages go in both directions */
    const struct aw_message *custom = find_custom(wire, dir, frame);
    if (custom)
        return custom;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        if (!wire->protocol->messages[i].replaced && matches_message(&messages[i], frame))
            return &wire->protocol->messages[i];
    aw_fail(err, AW_MALFORMED, "not a line of this protocol (%zu bytes)", frame.size);
    return NULL;
}

/* Custom packets may use the rest of a line, between the digit with three letters and the line
 * end. */
static const struct aw_custom_packets custom_packets = {.max_size = AW_ARMCTL_LINE_MAX - 6,
                                                        .dir = AW_BOTH};

const struct aw_protocol aw_armctl_protocol = {
    .name = "armctl",
    .title = "handler arm, ASCII lines with an alternating bit",
    .messages = messages,
    .n_messages = sizeof messages / sizeof *messages,
    .variants = variants,
    .medium = AW_MEDIUM_SERIAL,
    .hid.udev_file = "/etc/udev/rules.d/70-armctl.rules",
    .frames.frame_max = AW_ARMCTL_LINE_MAX,
    .frames.ascii = true,
    .frames.identify = identify,
    .frames.next_frame = next_line,
    .custom.custom = &custom_packets,
};
