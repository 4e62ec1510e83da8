/* The types of a protocol table: messages and fields as plain static const data.
 *
 * Everything is derived from the table: encode, decode, range checks, completion and hints, text,
 * JSON and CSV, packet drawings, Markdown, Wireshark's Lua, fuzz seeds. Offsets are not written: a
 * field starts where the row before it ends, so the order of the rows is the layout.
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
 * Rows of bits follow each other from the least significant bit of byte 0 on (as in a CAN payload);
 * a field that starts and ends on byte boundaries has the byte order of the variant (little-endian
 * unless it says otherwise).
 */
#ifndef AW_WIRE_TABLE_H
#define AW_WIRE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/status.h"

/* Which way a message goes, seen from the host: AW_TX to the device, AW_RX from it. */
enum aw_dir {
    AW_TX = 1,
    AW_RX = 2,
    AW_BOTH = AW_TX | AW_RX,
};

enum aw_type {
    AW_ROWS_END, /* ends a list of rows: {0} */
    AW_UINT,     /* unsigned integer of .bits */
    AW_SINT,     /* two's complement integer of .bits */
    AW_LONG,     /* two's complement; as many bits as the variant's long_bits (32 unless it says
                    otherwise) */
    AW_FLOAT,    /* IEEE 754: binary32, .bits = 32, or binary64, .bits = 64 */
    AW_SIGNMAG,  /* 16-bit magnitude, then a sign byte: 0 negative, anything else positive (sent as
                    1); .bits = 24 */
    AW_TEXT, /* NUL-padded characters, .bits / 8 of them; at most one in a message, at most 32 bytes
              */
    AW_DIGITS, /* ASCII decimal, sent zero-padded to .digits; 1 to 4 digits and a sign are read */
    AW_GROUP,  /* .rows once for each of .labels; its scalars are named label.row */
    /* rows that hold no value of their own */
    AW_CONST,    /* .constant, always */
    AW_CODE,     /* the code of the message: .code in .bits, or .word in ASCII protocols */
    AW_LENGTH,   /* number of bytes between here and the tail */
    AW_INDEX,    /* number of the group repetition, from 0 */
    AW_CHECKSUM, /* the protocol's checksum over all before it; .bits = 8 */
    AW_PAD,      /* zeros, ignored on receipt */
};

/* A named value. A list of them ends with {0}. Values named "true" and "false" are truth values in
 * JSON. */
struct aw_name {
    int32_t value;
    const char *name;
};

/* Scale of a field that depends on another field (the controller decides the unit of a setpoint).
 */
struct aw_scale {
    int32_t when; /* the value of the field named by .by */
    const char *unit;
    double scale, min, max;
};

/* A number with a word of its own, such as the setpoint that disables a driver. */
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

/* Numbers from least to most, both included. A list of them ends with one whose most is below. */
struct aw_choice {
    int64_t least, most;
};

struct aw_field {
    const char *name;
    const char *alias; /* other name accepted on input, or NULL */
    const char *help;
    const char *unit; /* of the value, after scaling: "deg", "mm", "Nm", … or NULL */
    enum aw_type type;
    uint16_t bits; /* width on the wire */
    bool placed;   /* .at is its first bit, and other fields may overlap it; else it begins where
                       the row before it ends */
    uint16_t at;   /* the bit behind the head */
    bool
        big_endian; /* the highest bit comes first, whatever the variant: bits, and .at, are counted
                        from the highest one of each byte */
    uint8_t digits; /* AW_DIGITS: width when sent */
    char before;    /* AW_DIGITS: the separator that stands before it, or 0 */
    /* The joint is the label, the subject, or the field "joint". */
    enum aw_joint_part part;
    bool formal;   /* describes the message, not the device: watch shows it only if it is named */
    bool optional; /* encode without it sends .fallback */
    bool lenient;  /* AW_LENGTH, AW_CONST: other values are accepted on receipt */
    bool marked;   /* AW_UINT with a range, AW_PAD, lenient rows: other values are reported */
    bool may_miss; /* AW_DIGITS: may be left out by the sender (not shown then) */
    bool has_no_data;
    int32_t no_data;          /* wire value that means "no data": shown as null, sent for "none" */
    const char *no_data_with; /* a later field of the message: this one has no data exactly if
                                 that one has none; .no_data is then only sent. NULL: see above */
    uint32_t constant;        /* AW_CONST; AW_LENGTH of an envelope: bytes it leaves out */
    double fallback;
    double scale, offset; /* value = wire · scale + offset; scale 0 stands for 1 */
    bool upper; /* these are the upper bits of a number, and scale shifts them; a wire number is
                   the whole number, not these bits alone */
    double min, max; /* of the value, inclusive; both 0: whatever the wire can carry */
    const struct aw_name *names;
    bool open_names;                  /* values without a name are allowed too */
    bool wire_names;                  /* the names are of numbers on the wire, not of values */
    const struct aw_special *special; /* one value that is shown and accepted as a word */
    bool always;                      /* the range holds even where limits are forced */
    const char *chooser; /* name of an integer field: this one is present if the wire number of
                            that one is in .choices; NULL: always */
    const struct aw_choice *choices;
    const char *by; /* name of the field that chooses one of .scales */
    const struct aw_scale *scales;
    size_t n_scales;
    /* AW_GROUP */
    const struct aw_field *rows;
    const char *const *labels;  /* NULL-terminated */
    const char *const *aliases; /* parallel to labels, or NULL */
    const char
        *count; /* name of an earlier field with the number of repetitions present, or NULL: all */
};

struct aw_message {
    const char *name;
    const char *help;
    enum aw_dir dir;
    uint32_t code;
    const char *word;              /* ASCII protocols: the type in letters */
    const struct aw_field *head;   /* instead of the variant's, or NULL */
    const struct aw_field *fields; /* NULL: no payload */
    uint16_t size; /* bytes of the whole frame, filled with zeros; 0: the sum of the rows */
    bool reads;    /* a question, which changes nothing on the device */
    bool replaced; /* a packet file has another one with its code: it is not used */
    bool moves;    /* of a packet file: a motion, which the stop of the file ends */
    bool drives;   /* of the tool: a motion, which no packet file may make less of */
    double rate;   /* Hz, at which watch asks for it; 0: the tool's */
    double
        timeout_s; /* how long its answer is waited for, at least; 0: as long as the tool waits */
};

/* The fields that report and command a joint, as "message.field"; or NULL. */
#define AW_JOINT_GAINS 3 /* kp, ki, kd, in this order */
struct aw_joint_row {
    const char *name;                                             /* NULL ends the list */
    const char *alias;                                            /* or NULL */
    const char *setpoint, *target, *position, *velocity, *effort; /* target: the setpoint as told */
    double speed; /* its maximum speed, in the setpoint's unit per second; 0: not known */
    double near;  /* the distance at which it counts as arrived, in that unit; 0: the usual one */
    /* Of its control law: where it is set, and where the device tells it; NULL: it has none, it is
     * not told. How often the law runs, s; 0: not known. */
    const char *gain_set[AW_JOINT_GAINS], *gain_told[AW_JOINT_GAINS];
    double tick_s;
};

/* A packet that is sent so that nothing moves on. */
struct aw_stop_row {
    const char *packet; /* NULL ends the list */
    bool hold;          /* the setpoints in it are the measured positions */
};

/* A layout of the messages on the wire. The first variant of a protocol is the default. */
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
    /* Senders without a name in the head that are known, a bit each (canpid); all others without
     * one are strangers. NULL: there are no strangers. */
    const uint64_t *known;
};

struct aw_wire;

/* State of a reader of a byte stream between two calls. Start with {0}. */
struct aw_framer {
    enum aw_dir dir;   /* which way the stream goes; 0 stands for AW_RX */
    uint32_t left;     /* packets left of the current envelope */
    uint32_t bytes;    /* bytes left of the current envelope */
    uint32_t done;     /* packets of it that are done with */
    bool unsized;      /* the envelope has no size, */
    bool uncounted;    /* or the number of its packets */
    uint64_t messages; /* envelopes that are done with so far, empty and damaged ones too */
    uint64_t skipped;  /* bytes thrown away so far */
    uint64_t overlong; /* lines or messages thrown away because they were too long */
};

/* Finds one frame in in. *used says how many bytes are done with, whatever the result.
 * AW_OK: *frame is set. AW_MORE: nothing whole yet. AW_MALFORMED: *used bytes were no frame, err
 * says why. */
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
    const char *calls_itself; /* the name that the USB device gives, where one is simulated */
};

/* How a protocol carries custom packets, see packets/packets.h. */
struct aw_custom_packets {
    const struct aw_field *head; /* before their fields; NULL: the variant's */
    uint16_t size;               /* of the whole frame, as in struct aw_message */
    uint16_t room;               /* bytes that their fields may take */
    uint32_t least, most;        /* codes they may have */
    enum aw_dir dir;             /* the direction, if the file does not give it */
    /* Returns what takes this code beyond equal codes, and its message; NULL: the code is free. No
     * such hook: only equal codes are taken. */
    const char *(*taken)(uint32_t code, const struct aw_message **message);
};

struct aw_link;
struct aw_link_options;
struct aw_url;

/* Opens the link hid: to one of a protocol's boards: aw_hid_open of link/hid/hid.h. */
typedef enum aw_status aw_board_open(struct aw_link **out, const struct aw_url *url,
                                     const struct aw_link_options *options, struct aw_error *err);

struct aw_protocol {
    const char *name;  /* of the tool: "armctl" */
    const char *title; /* "handler arm, ASCII lines" */
    const struct aw_message *messages;
    size_t n_messages;
    const struct aw_variant *variants; /* {0}-terminated, at least one */
    enum aw_medium medium;
    uint16_t ports[2]; /* UDP, TCP: to the device (or either way), and to the host if another one */
    const struct aw_board
        *boards;               /* HID: {0}-terminated; the first is what is simulated; or NULL */
    aw_board_open *open_board; /* HID: the libraries that this takes are loaded by programs with
                                  such a protocol only; or NULL */
    const char *udev_file;     /* where the udev rules of its devices go, or NULL */
    uint16_t frame_max;        /* longest frame in bytes */
    bool ascii;     /* rows are text: AW_DIGITS, AW_CODE as letters, AW_CONST as one character */
    bool can;       /* frames are a 16-bit id and up to 8 bytes, written 041#0102 */
    bool datagrams; /* the medium keeps the boundaries of frames */
    uint8_t (*checksum)(const uint8_t *frame, size_t size); /* over a frame without its last byte */
    uint8_t checksum_from; /* the first byte of the sum, for code at the other end; the checksum
                              is the complement of the sum */
    /* Says which message a frame is. NULL: the message whose AW_CODE row agrees. On failure err
     * explains. */
    const struct aw_message *(*identify)(const struct aw_wire *wire, enum aw_dir dir,
                                         struct aw_span frame, struct aw_error *err);
    /* Says of a frame that identify does not know whether another node on the bus sends it.
     * NULL: no other nodes. */
    bool (*is_other)(const struct aw_wire *wire, struct aw_span frame);
    aw_next_frame *next_frame;           /* NULL: every frame has frame_max bytes */
    const struct aw_custom_packets *own; /* NULL: it can have no packets but those of the table */
    const struct aw_joint_row *joints;   /* of packet files; NULL: they describe none */
    const struct aw_stop_row *stops;     /* of packet files; NULL: they say none */
};

#endif
