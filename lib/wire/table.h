/* The types of a protocol table: messages and fields as plain static const data.
 *
 * Everything is derived from the table: encode, decode, range checks, completion and hints, text,
 * JSON and CSV, packet drawings, Markdown, Wireshark's Lua, fuzz seeds. The table has no offsets: a
 * field starts at the end of the row before it, so the order of the rows is the layout.
 *
 * Example: a report with an id, a named choice and three angles.
 *
 *     static const struct aw_name modes[] = {{0, "linear"}, {1, "sinusoidal"}, {0}};
 *     static const struct aw_field head[] = {{.name = "packet", .type = AW_CODE, .bits = 32}, {0}};
 *     static const struct aw_field move[] = {
 *         {.name = "duration", .type = AW_FLOAT, .bits = 32, .unit = "ms", .min = 0, .max = 60000},
 *         {.name = "mode", .type = AW_FLOAT, .bits = 32, .names = modes, .optional = true},
 *         {.name = "m1", .alias = "base", .type = AW_FLOAT, .bits = 32, .unit = "deg", .min = -90,
 * .max = 90}, {0},
 *     };
 *
 * Bit rows follow each other from the least significant bit of byte 0 on (as in a CAN payload). A
 * field that starts and ends on byte boundaries has the byte order of the variant (default:
 * little-endian).
 */
#ifndef AW_WIRE_TABLE_H
#define AW_WIRE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/status.h"

/* The direction of a message, seen from the host: AW_TX to the device, AW_RX from it. */
enum aw_dir {
    AW_TX = 1,
    AW_RX = 2,
    AW_BOTH = AW_TX | AW_RX,
};

enum aw_type {
    AW_ROWS_END, /* ends a list of rows: {0} */
    AW_UINT,     /* unsigned integer of .bits */
    AW_SINT,     /* two's complement integer of .bits */
    AW_LONG,     /* two's complement, with the variant's long_bits (default: 32) */
    AW_FLOAT,    /* IEEE 754: binary32, .bits = 32, or binary64, .bits = 64 */
    AW_SIGNMAG,  /* 16-bit magnitude, then a sign byte: 0 negative, all others positive (sent as
                    1); .bits = 24 */
    AW_TEXT, /* NUL-padded characters, .bits / 8 of them; at most one in a message, at most 32 bytes
              */
    AW_DIGITS, /* ASCII decimal, sent zero-padded to .digits; accepts 1 to 4 digits and a sign */
    AW_GROUP,  /* .rows once for each of .labels; its scalars are named label.row */
    /* rows without a value of their own */
    AW_CONST,    /* always .constant */
    AW_CODE,     /* the code of the message: .code in .bits, or .word in ASCII protocols */
    AW_LENGTH,   /* number of bytes from here to the tail */
    AW_INDEX,    /* number of the group repetition, from 0 */
    AW_CHECKSUM, /* the protocol's checksum of all bytes before it; .bits = 8 */
    AW_PAD,      /* zeros, ignored on receipt */
};

/* A named value. A list of them ends with {0}. Values named "true" and "false" become booleans in
 * JSON. */
struct aw_name {
    int32_t value;
    const char *name;
};

/* The scale of a field that depends on another field (the controller determines a setpoint's
 * unit). */
struct aw_scale {
    int32_t when; /* the value of the field named by .by */
    const char *unit;
    double scale, min, max;
};

/* A number with a name, such as the setpoint that disables a driver. */
struct aw_special {
    double wire;
    const char *text;
};

/* The meaning of a value for a joint, for programs that know joints but not the protocol. */
enum aw_joint_part {
    AW_PART_NONE,
    AW_PART_POSITION,
    AW_PART_VELOCITY,
    AW_PART_EFFORT,
};

/* A range from least to most, inclusive. A list ends with an entry whose most is below its least.
 */
struct aw_choice {
    int64_t least, most;
};

struct aw_field {
    const char *name;
    const char *alias; /* another name accepted on input, or NULL */
    const char *help;
    const char *unit; /* of the value, after scaling: "deg", "mm", "Nm", … or NULL */
    enum aw_type type;
    uint16_t bits;   /* width on the wire */
    bool placed;     /* .at is its first bit, and fields may overlap; else it starts at the end of
                      the row before */
    uint16_t at;     /* offset after the head, bits */
    bool big_endian; /* the highest bit comes first in any variant; bits and .at count from each
                       byte's highest bit */
    uint8_t digits;  /* AW_DIGITS: width when sent */
    char before;     /* AW_DIGITS: the preceding separator, or 0 */
    /* The joint is the label, the subject, or the field "joint". */
    enum aw_joint_part part;
    bool formal;   /* describes the message, not the device: watch shows it only by name */
    bool optional; /* encoding without it sends .fallback */
    bool lenient;  /* AW_LENGTH, AW_CONST: accepts other values on receipt */
    bool marked;   /* AW_UINT with a range, AW_PAD, lenient rows: other values are reported */
    bool may_miss; /* AW_DIGITS: the sender may omit it (then not shown) */
    bool has_no_data;
    int32_t no_data;          /* wire value for "no data": shown as null, sent for "none" */
    const char *no_data_with; /* a later field of the message; this field has no data exactly if
                                 that field has none. .no_data is then only sent. NULL: see above */
    uint32_t constant;        /* AW_CONST; AW_LENGTH of an envelope: bytes that it excludes */
    double fallback;
    double scale, offset; /* value = wire · scale + offset; scale 0 means 1 */
    bool upper;      /* upper bits of a number, shifted by scale; a wire number is the whole number,
                   not these bits alone */
    double min, max; /* of the value, inclusive; both 0: the range of the wire */
    const struct aw_name *names;
    bool open_names;                  /* allows values without a name too */
    bool wire_names;                  /* the names belong to wire numbers, not to values */
    const struct aw_special *special; /* a value that is shown and accepted as a name */
    bool always;                      /* the range applies even if limits are forced */
    const char *chooser; /* name of an integer field: this field is present if that one's wire
                            number is in .choices; NULL: always */
    const struct aw_choice *choices;
    const char *by; /* name of the field that selects one of .scales */
    const struct aw_scale *scales;
    size_t n_scales;
    /* AW_GROUP */
    const struct aw_field *rows;
    const char *const *labels;  /* NULL-terminated */
    const char *const *aliases; /* parallel to labels, or NULL */
    const char *count; /* name of an earlier field with the number of repetitions, or NULL: all are
                   present */
};

struct aw_message {
    const char *name;
    const char *help;
    enum aw_dir dir;
    uint32_t code;
    const char *word;              /* ASCII protocols: the type in letters */
    const struct aw_field *head;   /* instead of the variant's, or NULL */
    const struct aw_field *fields; /* NULL: no payload */
    uint16_t size;    /* bytes of the whole frame, padded with zeros; 0: the sum of the rows */
    bool reads;       /* a request that changes nothing on the device */
    bool replaced;    /* not used: a custom packet replaces it and has its code */
    bool moves;       /* custom packet: a motion, which the file's stop ends */
    bool drives;      /* tool's packet: a motion, which a custom packet must not reclassify */
    double rate;      /* watch's request rate, Hz; 0: the tool's */
    double timeout_s; /* minimum wait for its answer; 0: the tool's timeout */
    /* A line that sends it: "-l sim: aux 0 2.0 -b lknee". Its name is then a command unless the
     * tool has a command of that name. NULL: no command. */
    const char *example;
};

/* The fields that report and command a joint, as "message.field"; or NULL. */
#define AW_JOINT_GAINS 3                                    /* kp, ki, kd, in this order */
extern const char *const aw_gain_names[AW_JOINT_GAINS + 1]; /* NULL ends them */
struct aw_joint_row {
    const char *name;  /* NULL ends the list */
    const char *alias; /* or NULL */
    /* target: the setpoint as reported */
    const char *setpoint, *target, *position, *velocity, *effort;
    double speed; /* maximum speed, in the setpoint's unit per second; 0: not known */
    double near;  /* tolerance for arrival, in that unit; 0: the default */
    /* Gains of its controller: the fields that set and report them; NULL: no such gain, or not
     * reported. Control period, s; 0: not known. */
    const char *gain_set[AW_JOINT_GAINS], *gain_told[AW_JOINT_GAINS];
    double tick_s;
};

/* A packet of the stop. */
struct aw_stop_row {
    const char *packet; /* NULL ends the list */
    bool hold;          /* its setpoints are the measured positions */
};

/* A wire layout of the messages. The first variant of a protocol is the default. */
struct aw_variant {
    const char *name;
    const char *help;
    bool big_endian;
    uint8_t long_bits;                  /* 0: 32 */
    const struct aw_field *head, *tail; /* rows around the payload of every message, or NULL */
    const struct aw_message
        *instead; /* messages that differ in this variant, {0}-terminated, or NULL */
    const struct aw_field
        *envelope; /* rows before the packets of one stream message (ezphys), or NULL */
    /* Known senders without a name in the head, a bit each (canpid); other senders without a name
     * are foreign. NULL: no sender is foreign. */
    const uint64_t *known;
};

struct aw_wire;

/* State of a stream reader between two calls. Start with {0}. */
struct aw_framer {
    enum aw_dir dir;   /* direction of the stream; 0 means AW_RX */
    uint32_t left;     /* packets left of the current envelope */
    uint32_t bytes;    /* bytes left of the current envelope */
    uint32_t done;     /* handled packets of the envelope */
    bool unsized;      /* the envelope has no size */
    bool uncounted;    /* the envelope has no packet count */
    uint64_t messages; /* handled envelopes, including empty and damaged ones */
    uint64_t skipped;  /* discarded bytes */
    uint64_t overlong; /* lines or messages discarded as too long */
};

/* Finds one frame in in. Sets *used to the number of consumed bytes, whatever the result. AW_OK:
 * *frame is set. AW_MORE: no complete frame yet. AW_MALFORMED: *used bytes were invalid; err has
 * the reason. */
typedef enum aw_status aw_next_frame(const struct aw_wire *wire, struct aw_framer *framer,
                                     struct aw_span in, struct aw_span *frame, size_t *used,
                                     struct aw_error *err);

/* The medium of the frames; used for captures only. */
enum aw_medium {
    AW_MEDIUM_SERIAL,
    AW_MEDIUM_HID,
    AW_MEDIUM_CAN,
    AW_MEDIUM_UDP,
    AW_MEDIUM_TCP,
};

/* A board with HID reports, by the ids of its USB device. */
struct aw_board {
    uint16_t vendor, product;
    const char *name;
    const char *calls_itself; /* name reported by the USB device, used by the simulator */
};

/* The form of custom packets in a protocol, see packets/packets.h. */
struct aw_custom_packets {
    const struct aw_field *head; /* before their fields; NULL: the variant's */
    uint16_t size;               /* of the whole frame, as in struct aw_message */
    uint16_t room;               /* maximum size of their fields, bytes */
    uint32_t least, most;        /* valid codes */
    enum aw_dir dir;             /* direction if the file gives none */
    /* Returns a description of what occupies this code, apart from equal codes, and its message.
     * NULL: the code is free. Without this hook only equal codes conflict. */
    const char *(*taken)(uint32_t code, const struct aw_message **message);
};

struct aw_link;
struct aw_link_options;
struct aw_url;

/* Opens the link hid: to one of a protocol's boards, as aw_hid_open of link/hid/hid.h. */
typedef enum aw_status aw_board_open(struct aw_link **out, const struct aw_url *url,
                                     const struct aw_link_options *options, struct aw_error *err);

struct aw_protocol {
    const char *name;  /* of the tool: "armctl" */
    const char *title; /* "handler arm, ASCII lines" */
    const struct aw_message *messages;
    size_t n_messages;
    const struct aw_variant *variants; /* {0}-terminated, at least one */
    enum aw_medium medium;
    uint16_t ports[2]; /* UDP, TCP: to the device (or both directions), and to the host if
                          different */
    const struct aw_board *boards; /* HID: {0}-terminated; the simulator uses the first; or NULL */
    aw_board_open *open_board;     /* HID, or NULL. A pointer, so that only programs with such a
                                  protocol load its libraries */
    const char *udev_file;         /* install path of its devices' udev rules, or NULL */
    uint16_t frame_max;            /* longest frame in bytes */
    bool ascii;     /* rows are text: AW_DIGITS, AW_CODE as letters, AW_CONST as one character */
    bool can;       /* frames are a 16-bit id and up to 8 bytes, written 041#0102 */
    bool datagrams; /* the medium keeps the boundaries of frames */
    uint8_t (*checksum)(const uint8_t *frame, size_t size); /* of a frame without its last byte */
    uint8_t checksum_from; /* first byte of the sum, for code of the other end; the checksum is
                              the complement of the sum */
    /* Identifies the message of a frame. NULL: uses the AW_CODE row. On failure err has the
     * reason. */
    const struct aw_message *(*identify)(const struct aw_wire *wire, enum aw_dir dir,
                                         struct aw_span frame, struct aw_error *err);
    /* Returns true if another node on the bus sends this frame, which identify does not know.
     * NULL: no other nodes. */
    bool (*is_other)(const struct aw_wire *wire, struct aw_span frame);
    aw_next_frame *next_frame;           /* NULL: every frame has frame_max bytes */
    const struct aw_custom_packets *own; /* NULL: does not support custom packets */
    const struct aw_joint_row *joints;   /* of packet files, or NULL */
    const struct aw_stop_row *stops;     /* of packet files, or NULL */
};

#endif
