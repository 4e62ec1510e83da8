/* The types of protocol tables, which describe messages and fields as static const data.
 *
 * All other code and data is derived from the table: encoding, decoding, range checks, completion,
 * text, JSON and CSV output, packet drawings, Markdown, dissectors for Wireshark, and fuzz seeds.
 * The table contains no offsets. Each field starts at the end of the previous row, so the order of
 * the rows is the layout.
 *
 * Example: a report with an id, a named choice and three angles.
 *
 *     static const struct aw_name modes[] = {{0, "linear"}, {1, "sinusoidal"}, {0}};
 *     static const struct aw_field head[] = {{.name = "packet", .type = AW_CODE, .bits = 32}, {0}};
 *     static const struct aw_field move[] = {
 *         {.name = "duration", .type = AW_FLOAT, .bits = 32, .unit = "ms", .min = 0, .max = 60000},
 *         {.name = "mode", .type = AW_FLOAT, .bits = 32, .names = modes, .optional = true},
 *         {.name = "m1", .alias = "base", .type = AW_FLOAT, .bits = 32, .unit = "deg",
 *          .min = -90, .max = 90},
 *         {0},
 *     };
 *
 * Rows of bits follow each other from the least significant bit of byte 0 on, as in a CAN payload.
 * A field that starts and ends on byte boundaries has the byte order of the variant (default:
 * little-endian).
 */
#ifndef AW_WIRE_TABLE_H
#define AW_WIRE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/status.h"

/* Direction of a message as seen from the host: AW_TX to the device, AW_RX from the device. */
enum aw_dir {
    AW_TX = 1,
    AW_RX = 2,
    AW_BOTH = AW_TX | AW_RX,
};

/* Type of a row of a message. */
enum aw_type {
    AW_ROWS_END, /* end of a list of rows: {0} */
    AW_UINT,     /* unsigned integer of .bits */
    AW_SINT,     /* two's complement integer of .bits */
    AW_LONG,     /* two's complement, with the variant's long_bits (default: 32) */
    AW_FLOAT,    /* IEEE 754: binary32, .bits = 32, or binary64, .bits = 64 */
    AW_SIGNMAG,  /* 16-bit magnitude, then a sign byte: 0 negative, all others positive (sent as
                    1); .bits = 24 */
    AW_TEXT, /* NUL-padded characters, .bits / 8 of them; at most one in a message, at most 32 bytes
              */
    AW_DIGITS, /* ASCII decimal, sent zero-padded to .digits; accepts one digit if .digits is 1,
                  else a minus and 1 to 4 digits */
    AW_GROUP,  /* repeats .rows for each of .labels; its scalars are called label.row */
    /* Rows without a value of their own: */
    AW_CONST,    /* always .constant */
    AW_CODE,     /* code of the message: .code in .bits, or .word in ASCII protocols */
    AW_LENGTH,   /* number of bytes between this row and the tail */
    AW_INDEX,    /* index of the group's repetition */
    AW_CHECKSUM, /* the protocol's checksum of all preceding bytes; .bits = 8 */
    AW_PAD,      /* zeros, ignored on receipt */
};

/* A named value. A list ends with {0}. Values named "true" and "false" become booleans in JSON. */
struct aw_name {
    int32_t value;
    const char *name;
};

/* One scale of a field that depends on another field. For example, the controller determines the
 * unit of a setpoint. */
struct aw_scale {
    int32_t selector; /* value of the field that .scaled_by names */
    const char *unit;
    double scale, min, max;
};

/* A wire number with a special meaning, such as the setpoint that disables a driver. */
struct aw_special {
    double wire;
    const char *text;
};

/* Role of a value for a joint, for programs that know joints but not the protocol. */
enum aw_joint_part {
    AW_PART_NONE,
    AW_PART_POSITION,
    AW_PART_VELOCITY,
    AW_PART_EFFORT,
};

/* An inclusive range. A list ends with an entry whose max is below its min. */
struct aw_choice {
    int64_t min, max;
};

/* A row of a message: a field with a value, a group of rows, or a constant part of the frame. */
struct aw_field {
    const char *name;
    const char *alias; /* another name for input, or NULL */
    const char *help;
    const char *unit; /* unit of the value, after scaling: "deg", "mm", "Nm", …; or NULL */
    enum aw_type type;
    uint16_t bits;   /* size on the wire */
    bool has_at;     /* starts at .at, may overlap others; false: starts after the previous row */
    uint16_t at;     /* first bit, counted from the end of the head */
    bool big_endian; /* the highest bit comes first in any variant; bits and .at count from each
                       byte's highest bit */
    uint8_t digits;  /* AW_DIGITS: number of digits when sent */
    char separator;  /* AW_DIGITS: separator before it, or 0 */
    /* Role for the joint that the label, the subject, or the field "joint" names. */
    enum aw_joint_part part;
    bool is_metadata; /* describes the message, not the device; watch shows it on request only */
    bool optional;    /* may be unset; encoding then sends .fallback */
    bool lenient;     /* AW_LENGTH, AW_CONST: accepts other values on receipt */
    bool marked;   /* AW_UINT with a range, AW_PAD, lenient rows: decoding reports other values */
    bool may_omit; /* AW_DIGITS: the sender may omit it; it is then absent */
    bool has_no_data;
    int32_t no_data;          /* wire number for "no data": shown as null, sent for "none" */
    const char *no_data_with; /* name of a later field; this field has no data exactly if that field
                                 has none. .no_data is then only sent. NULL: .no_data decides */
    /* AW_CONST: value; AW_LENGTH of an envelope: number of bytes that it does not count */
    uint32_t constant;
    double fallback;
    double scale, offset; /* value = wire · scale + offset; scale 0 means 1 */
    /* holds the upper bits of a number, shifted by scale; its wire number is the whole number */
    bool upper_bits;
    double min, max; /* inclusive range of the value; both 0: the range of the wire */
    const struct aw_name *names;
    bool open_names;                  /* also allows values without a name */
    bool wire_names;                  /* the names belong to wire numbers, not to values */
    const struct aw_special *special; /* wire number that is shown and accepted as a name */
    /* the range applies even if the user lifts the limits with --force */
    bool always_limit;
    const char *chooser; /* name of an integer field; this field is present only if the wire number
                            of that field is in .choices. NULL: always present */
    const struct aw_choice *choices;
    const char *scaled_by; /* name of the field that selects one of .scales */
    const struct aw_scale *scales;
    size_t n_scales;
    /* AW_GROUP: */
    const struct aw_field *rows;
    const char *const *labels;  /* NULL-terminated */
    const char *const *aliases; /* parallel to labels, or NULL */
    const char *count; /* earlier field with the number of repetitions; NULL: all present */
};

/* A message of a protocol. Requests and answers with the same name are separate messages. */
struct aw_message {
    const char *name;
    const char *help;
    enum aw_dir dir;
    uint32_t code;
    const char *word;              /* ASCII protocols: the type, in letters */
    const struct aw_field *head;   /* replaces the variant's head; or NULL */
    const struct aw_field *fields; /* NULL: no payload */
    uint16_t size;    /* bytes of the whole frame, padded with zeros; 0: the sum of the rows */
    bool reads;       /* a request that changes nothing on the device */
    bool replaced;    /* a custom packet with the same code replaces this message */
    bool moves;       /* custom packet: starts a motion, which the file's stop ends */
    bool drives;      /* built-in packet: starts a motion; no custom packet may change that */
    double rate;      /* rate at which watch requests it, Hz; 0: the tool's rate */
    double timeout_s; /* minimum wait for its answer; 0: the tool's timeout */
    /* Arguments that send it: "-l sim: aux 0 2.0 -b lknee". The message's name is then a command,
     * unless the tool has a command of that name. NULL: no command. */
    const char *example;
};

/* A joint, and the fields that report and command it, as "message.field". Missing ones are NULL. */
#define AW_JOINT_GAINS 3                                    /* kp, ki, kd, in this order */
extern const char *const aw_gain_names[AW_JOINT_GAINS + 1]; /* NULL-terminated */
struct aw_joint_row {
    const char *name;  /* NULL: end of the list */
    const char *alias; /* or NULL */
    /* target is the setpoint as reported */
    const char *setpoint, *target, *position, *velocity, *effort;
    double max_speed; /* maximum speed, in the setpoint's unit per second; 0: unknown */
    double tolerance; /* tolerance for arrival, in the setpoint's unit; 0: the default */
    /* Fields that set and report the gains of the joint's controller. NULL: this gain does not
     * exist, or is not reported. */
    const char *gain_set[AW_JOINT_GAINS], *gain_read[AW_JOINT_GAINS];
};

/* A packet that the stop sends. */
struct aw_stop_row {
    const char *packet; /* NULL: end of the list */
    bool holds;         /* its setpoints are the measured positions */
};

/* A wire layout of the messages. The first variant of a protocol is the default. */
struct aw_variant {
    const char *name;
    const char *help;
    bool big_endian;
    uint8_t long_bits;                  /* size of AW_LONG; 0: 32 */
    const struct aw_field *head, *tail; /* rows around the payload of every message, or NULL */
    /* messages with another layout in this variant, {0}-terminated, or NULL */
    const struct aw_message *replacements;
    /* rows before the packets of one message of a stream (ezphys), or NULL */
    const struct aw_field *envelope;
    /* Known senders that have no name in the head, one bit each (canpid). Other senders without a
     * name are foreign. NULL: no sender is foreign. */
    const uint64_t *known_senders;
};

struct aw_wire;

/* State of a stream reader between two calls. Initialise with {0}. */
struct aw_framer {
    enum aw_dir dir;       /* direction of the stream; 0: AW_RX */
    uint32_t packets_left; /* remaining packets of the envelope */
    uint32_t bytes_left;   /* remaining bytes of the envelope */
    uint32_t n_packets;    /* processed packets of the envelope */
    bool unsized;          /* the envelope has no size */
    bool uncounted;        /* the envelope has no packet count */
    uint64_t n_envelopes;  /* processed envelopes, including empty and damaged ones */
    uint64_t skipped;      /* discarded bytes */
    uint64_t n_overlong;   /* lines or messages discarded because they were too long */
};

/* Finds the next frame in in. Always sets *used to the number of consumed bytes. AW_OK: *frame is
 * set. AW_MORE: there is no complete frame yet. AW_MALFORMED: *used bytes were invalid; err has the
 * reason. */
typedef enum aw_status aw_next_frame(const struct aw_wire *wire, struct aw_framer *framer,
                                     struct aw_span in, struct aw_span *frame, size_t *used,
                                     struct aw_error *err);

/* Medium of the frames, used only for captures. */
enum aw_medium {
    AW_MEDIUM_SERIAL,
    AW_MEDIUM_HID,
    AW_MEDIUM_CAN,
    AW_MEDIUM_UDP,
    AW_MEDIUM_TCP,
};

/* A board with HID reports, identified by the ids of its USB device. */
struct aw_board {
    uint16_t vendor, product;
    const char *name;
    const char *usb_name; /* product name of the USB device, for the simulator */
};

/* Format of custom packets in a protocol, see packets/packets.h. */
struct aw_custom_packets {
    const struct aw_field *head; /* rows before the fields; NULL: the variant's head */
    uint16_t size;               /* bytes of the whole frame, as in struct aw_message */
    uint16_t max_size;           /* max size of the fields, bytes */
    uint32_t min_code, max_code; /* range of valid codes */
    enum aw_dir dir;             /* direction if the packet file specifies none */
    /* Returns a description of a message that conflicts with this code, although its code is
     * different, and sets *message. NULL: there is no conflict, or no hook. */
    const char *(*find_conflict)(uint32_t code, const struct aw_message **message);
};

struct aw_link;
struct aw_link_options;
struct aw_url;

/* Opens the link hid: to one of a protocol's boards, like aw_hid_open in link/hid/hid.h. */
typedef enum aw_status aw_board_open(struct aw_link **out, const struct aw_url *url,
                                     const struct aw_link_options *options, struct aw_error *err);

/* A protocol: its messages, its wire layouts, and its medium. */
struct aw_protocol {
    const char *name;  /* name of the tool: "armctl" */
    const char *title; /* description: "handler arm, ASCII lines" */
    const struct aw_message *messages;
    size_t n_messages;
    const struct aw_variant *variants; /* {0}-terminated, at least one */
    enum aw_medium medium;
    uint16_t ports[2]; /* UDP, TCP: ports of the device (or of both ends), and of the host if
                          different */
    struct {
        /* HID: {0}-terminated; the simulator uses the first; or NULL */
        const struct aw_board *boards;
        /* HID: opens a board; or NULL. A pointer, so that only programs with such a protocol load
         * its libraries */
        aw_board_open *open_board;
        const char *udev_file; /* install path of the udev rules for its devices, or NULL */
    } hid;
    struct {
        uint16_t frame_max; /* maximum size of a frame, bytes */
        bool ascii;  /* rows are text: AW_DIGITS, AW_CODE as letters, AW_CONST as one character */
        bool is_can; /* frames are an identifier and up to 8 bytes, written 041#0102 */
        bool datagrams; /* the medium preserves the boundaries of frames */
        uint8_t (*checksum)(const uint8_t *frame,
                            size_t size); /* of a frame without its last byte */
        /* offset of the first byte in the sum, for generated code; the checksum is the complement
         * of the sum */
        uint8_t checksum_from;
        /* Identifies the message of a frame. On failure returns NULL, and err has the reason. NULL:
         * uses the AW_CODE row. */
        const struct aw_message *(*identify)(const struct aw_wire *wire, enum aw_dir dir,
                                             struct aw_span frame, struct aw_error *err);
        /* Returns true if identify does not know a frame because it is from another node on the
         * bus. NULL: there are no other nodes. */
        bool (*is_other_node)(const struct aw_wire *wire, struct aw_span frame);
        aw_next_frame *next_frame; /* NULL: every frame has frame_max bytes */
    } frames;
    /* what packet files may contain */
    struct {
        const struct aw_custom_packets *custom; /* NULL: custom packets are not supported */
        const struct aw_joint_row *joints;      /* joints of packet files, or NULL */
        const struct aw_stop_row *stops;        /* packets of the stop in packet files, or NULL */
    } custom;
};

#endif
