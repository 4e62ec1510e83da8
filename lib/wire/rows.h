/* Looks up data in a protocol's tables without building a codec: the size of a message, or the
 * message that has a code.
 *
 * The functions serve the hooks of a protocol (identify, next_frame), which only have a const
 * struct aw_wire. They have no side effects and take a few nanoseconds per row.
 */
#ifndef AW_WIRE_ROWS_H
#define AW_WIRE_ROWS_H

#include "wire/wire.h"

/* Returns the size of a list of rows in bits, with each repetition of a group. rows NULL: 0. */
size_t aw_rows_bits(const struct aw_field *rows, const struct aw_variant *variant);

/* Returns true if one of the rows has this type. */
bool aw_rows_have(const struct aw_field *rows, enum aw_type type);

/* Finds a row by name; NULL: not found. */
const struct aw_field *aw_rows_find(const struct aw_field *rows, const char *name);

/* Finds a row of a message by name; NULL: the message or the row is not found. */
const struct aw_field *aw_message_row(const struct aw_protocol *protocol, const char *message,
                                      const char *row);

/* Return the field of this message that path ("go.m1.setpoint") names; NULL: it names another
 * message, or path is NULL. The second function returns true if path names this field. */
const char *aw_field_of(const char *path, const char *message);
bool aw_is_field(const char *path, const char *message, const char *field);

/* Returns the name of a value; NULL: the value has no name, or names is NULL. */
const char *aw_value_name(const struct aw_name *names, double value);

/* Returns the name of a value of this row; NULL: the value has no name. */
const char *aw_row_value_name(const struct aw_field *row, double value);

/* Returns the value that belongs to one of a row's names. */
double aw_row_named_value(const struct aw_field *row, const struct aw_name *name);

/* Return the size in bytes of the payload, and of the whole frame with head and tail, on this wire.
 * message must be an element of wire->protocol->messages. */
size_t aw_payload_size(const struct aw_wire *wire, const struct aw_message *message);
size_t aw_frame_size(const struct aw_wire *wire, const struct aw_message *message);

/* Finds the message with this code and direction in wire->protocol->messages; NULL: not found. */
const struct aw_message *aw_find_by_code(const struct aw_wire *wire, enum aw_dir dir,
                                         uint32_t code);

/* Finds the message with this code in this direction, or else in any direction, for frames that
 * were recorded without one. */
const struct aw_message *aw_find_by_any_code(const struct aw_wire *wire, enum aw_dir dir,
                                             uint32_t code);

#endif
