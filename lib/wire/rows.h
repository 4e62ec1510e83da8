/* Table look-ups that need no codec, such as the size of a message or the message of a code.
 *
 * They serve the hooks of a protocol (identify, next_frame), which have only a const struct
 * aw_wire. Pure functions on static const data, a few nanoseconds per row.
 */
#ifndef AW_WIRE_ROWS_H
#define AW_WIRE_ROWS_H

#include "wire/wire.h"

/* Returns the size of a list of rows in bits (NULL: 0), with each repetition of a group. */
size_t aw_rows_bits(const struct aw_field *rows, const struct aw_variant *variant);

/* Returns true if one of the rows has this type. */
bool aw_rows_have(const struct aw_field *rows, enum aw_type type);

/* Finds a row by name; NULL: not found. */
const struct aw_field *aw_rows_find(const struct aw_field *rows, const char *name);

/* Finds a row of a message by name; NULL: no such message or row. */
const struct aw_field *aw_message_row(const struct aw_protocol *protocol, const char *message,
                                      const char *row);

/* Returns the field that place, such as "go.m1.setpoint", names in this message; NULL: none, or
 * place is NULL. The second function returns true if it is this field. */
const char *aw_field_of(const char *place, const char *message);
bool aw_is_field(const char *place, const char *message, const char *field);

/* Returns the name of a value; NULL: no name, or names is NULL. */
const char *aw_value_name(const struct aw_name *names, double value);

/* Returns the name of a value of this row; NULL: no name. */
const char *aw_row_value_name(const struct aw_field *row, double value);

/* Returns the value of one of a row's names. */
double aw_row_named_value(const struct aw_field *row, const struct aw_name *name);

/* Return the bytes of the payload, and of the whole frame with head and tail, on this wire.
 * message: a member of wire->protocol->messages. */
size_t aw_payload_size(const struct aw_wire *wire, const struct aw_message *message);
size_t aw_frame_size(const struct aw_wire *wire, const struct aw_message *message);

/* Finds the message with this code and direction among wire->protocol->messages; NULL: not found.
 */
const struct aw_message *aw_find_code(const struct aw_wire *wire, enum aw_dir dir, uint32_t code);

/* Finds the message with this code, preferably of this direction; a frame noted without its
 * direction is still a frame. */
const struct aw_message *aw_find_code_any(const struct aw_wire *wire, enum aw_dir dir,
                                          uint32_t code);

#endif
