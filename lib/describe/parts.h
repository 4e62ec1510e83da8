/* Internal to lib/describe: building blocks of the descriptions. */
#ifndef AW_DESCRIBE_PARTS_H
#define AW_DESCRIBE_PARTS_H

#include "describe/describe.h"

/* A short string that grows; excess text is truncated. Initialise with {0}. */
struct aw_part {
    size_t length;
    char text[512];
};

void aw_part_add(struct aw_part *part, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends the type: "f32", "u14", "u16+sign", "3 digits", "text". */
void aw_part_add_type(struct aw_part *part, const struct aw_scalar *scalar);

/* Appends the position of a scalar: "4-7", "6"; in a CAN frame "17:4", "id 10:5". Appends nothing
 * in ASCII protocols. */
void aw_part_add_position(struct aw_part *part, const struct aw_codec *codec,
                          const struct aw_scalar *scalar);

/* Appends the constant contents of a row: "1848", "FF FF", "CR", "20". Appends nothing for other
 * rows. */
void aw_part_add_constant(struct aw_part *part, const struct aw_codec *codec,
                          const struct aw_scalar *scalar);

/* Appends the range and the default: "0..180", "linear 0, sinusoidal 1", "pos -540..540 deg, lvl
 * -1.5..1.5". */
void aw_part_add_range(struct aw_part *part, const struct aw_codec *codec, int scalar);

/* Appends the message's code: "1848", "DEG". */
void aw_part_add_code(struct aw_part *part, const struct aw_codec *codec);

/* Appends the size of a frame: "64 bytes", "id and 6 bytes", "one line". */
void aw_part_add_size(struct aw_part *part, const struct aw_codec *codec);

/* Appends the shortest decimal that parses to this number. */
void aw_part_add_number(struct aw_part *part, double value);

/* Names of the media: "serial", "can". */
extern const char *const aw_media[];

/* CAN: returns the message's identifier for this board, the value of a field in the head. */
unsigned aw_can_board_id(const struct aw_codec *codec, int32_t board);

/* CAN: returns true if the message's identifier contains a board. Identifiers of custom packets do
 * not. */
bool aw_is_board_message(const struct aw_codec *codec);

/* CAN: returns true for a message of a DBC file. Its fields may have any position, and may
 * overlap. */
bool aw_is_dbc_message(const struct aw_codec *codec);

/* CAN: returns the size of the identifier before the data, in bits. */
unsigned aw_can_head_bits(const struct aw_codec *codec);

/* CAN: returns the position of bit i of a scalar in the data. Bits count from the lowest one, in a
 * scalar and in each byte; 8 is the lowest bit of byte 1. */
unsigned aw_can_bit(const struct aw_codec *codec, const struct aw_scalar *scalar, unsigned i);

/* CAN: returns the boards as named values of their field. Without such a field, the list has one
 * board, "device". */
const struct aw_name *aw_can_boards(struct aw_wire *wire);

/* Returns true if an earlier scalar has the same row, for another joint for example. Its meaning is
 * then already described. */
bool aw_is_repeated(const struct aw_codec *codec, int scalar);

/* Returns "to the device", "from the device" or "both ways". */
const char *aw_direction_text(enum aw_dir dir);

void aw_draw_packet(FILE *out, const struct aw_codec *codec, bool ascii);
void aw_describe_page(FILE *out, struct aw_wire *wire, const char *message,
                      enum aw_describe_format format);
void aw_describe_json(FILE *out, struct aw_wire *wire, const char *message);
void aw_describe_lua(FILE *out, struct aw_wire *wire);
void aw_describe_dbc(FILE *out, struct aw_wire *wire);
void aw_describe_packets(FILE *out, const struct aw_protocol *protocol);

/* Returns true if the message has this name and is not replaced. name NULL selects all messages. */
bool aw_is_wanted(const struct aw_wire *wire, size_t index, const char *name);

#endif
