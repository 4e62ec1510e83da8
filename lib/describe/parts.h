/* Internal to lib/describe: texts that the descriptions are made of. */
#ifndef AW_DESCRIBE_PARTS_H
#define AW_DESCRIBE_PARTS_H

#include "describe/describe.h"

/* A short text that grows; what does not fit is cut off. Start with {0}. */
struct aw_part {
    size_t length;
    char text[512];
};

void aw_part_add(struct aw_part *part, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "f32", "u14", "u16+sign", "3 digits", "text" */
void aw_part_type(struct aw_part *part, const struct aw_scalar *scalar);

/* Where the scalar is: "4-7", "6"; of a CAN frame "17:4", "id 10:5"; nothing in ASCII protocols. */
void aw_part_place(struct aw_part *part, const struct aw_codec *codec,
                   const struct aw_scalar *scalar);

/* What a row without a value holds: "1848", "FF FF", "CR", "20"; for the others nothing. */
void aw_part_fixed(struct aw_part *part, const struct aw_codec *codec,
                   const struct aw_scalar *scalar);

/* "0..180", "linear 0, sinusoidal 1", "pos -540..540 deg, lvl -1.5..1.5", with the default. */
void aw_part_range(struct aw_part *part, const struct aw_codec *codec, int scalar);

/* "1848", "DEG": how the message is told from the others */
void aw_part_code(struct aw_part *part, const struct aw_codec *codec);

/* "64 bytes", "id + 6 bytes", "a line" */
void aw_part_size(struct aw_part *part, const struct aw_codec *codec);

/* The shortest decimal that reads back as this number. */
void aw_part_number(struct aw_part *part, double value);

/* The medium of a protocol as a word: "serial", "can" */
extern const char *const aw_media[];

/* CAN: the identifier of this message, with this value of the head's named field (the board). */
unsigned aw_can_id(const struct aw_codec *codec, int32_t board);

/* CAN: has it a board in its identifier? Those of packet files have none. */
bool aw_is_of_boards(const struct aw_codec *codec);

/* CAN: is it a message of a DBC file? Such ones lie anywhere, and over each other. */
bool aw_is_placed(const struct aw_codec *codec);

/* CAN: bits of the identifier in front of the data. */
unsigned aw_can_head_bits(const struct aw_codec *codec);

/* CAN: the number of bit i of a scalar, from its lowest, in the data: 0 is the lowest bit of byte
 * 0, 8 that of byte 1. */
unsigned aw_can_bit(const struct aw_codec *codec, const struct aw_scalar *scalar, unsigned i);

/* CAN: the named values of that field; one without a name if there is no such field. */
const struct aw_name *aw_can_boards(struct aw_wire *wire);

/* Has an earlier scalar the same row? (Another joint: what it means has been said.) */
bool aw_is_repeated(const struct aw_codec *codec, int scalar);

/* "to the device", "both ways" */
const char *aw_direction(enum aw_dir dir);

void aw_draw_packet(FILE *out, const struct aw_codec *codec, bool ascii);
void aw_describe_page(FILE *out, struct aw_wire *wire, const char *message, enum aw_describe_as as);
void aw_describe_json(FILE *out, struct aw_wire *wire, const char *message);
void aw_describe_lua(FILE *out, struct aw_wire *wire);
void aw_describe_dbc(FILE *out, struct aw_wire *wire);

/* Is this message wanted? wanted NULL: all are. */
bool aw_is_wanted(const struct aw_wire *wire, size_t index, const char *wanted);

#endif
