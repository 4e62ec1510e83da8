/* Questions about a table that need no codec: how long is a message, which one has this code.
 *
 * For the hooks of a protocol (identify, next_frame), which see only a const struct aw_wire. Pure
 * functions over static const data, a few nanoseconds per row.
 */
#ifndef AW_WIRE_ROWS_H
#define AW_WIRE_ROWS_H

#include "wire/wire.h"

/* Bits of a list of rows (NULL: 0); a group counts as often as it has labels. */
size_t aw_rows_bits(const struct aw_field *rows, const struct aw_variant *variant);

/* Is one of the rows of this type? */
bool aw_rows_have(const struct aw_field *rows, enum aw_type type);

/* Finds a row by name; NULL: not found. */
const struct aw_field *aw_rows_find(const struct aw_field *rows, const char *name);

/* The same among the rows of a message; NULL, too, if there is no such message. */
const struct aw_field *aw_message_row(const struct aw_protocol *protocol, const char *message,
                                      const char *row);

/* The name of a value; NULL: it has none, or there are no names (NULL). */
const char *aw_value_name(const struct aw_name *names, double value);

/* The name of a value of this row; NULL: as above. */
const char *aw_row_value_name(const struct aw_field *row, double value);

/* The value that one of the names of a row stands for. */
double aw_row_named_value(const struct aw_field *row, const struct aw_name *name);

/* Bytes of the payload, and of the whole frame with head and tail, as this wire has the message.
 * message: a member of wire->protocol->messages. */
size_t aw_payload_size(const struct aw_wire *wire, const struct aw_message *message);
size_t aw_frame_size(const struct aw_wire *wire, const struct aw_message *message);

/* Finds the message with this code and direction among wire->protocol->messages; NULL: not found.
 */
const struct aw_message *aw_find_code(const struct aw_wire *wire, enum aw_dir dir, uint32_t code);

/* The same, but if only the other direction knows the code, that message (a frame written down
 * without its direction is still a frame). */
const struct aw_message *aw_find_code_any(const struct aw_wire *wire, enum aw_dir dir,
                                          uint32_t code);

#endif
