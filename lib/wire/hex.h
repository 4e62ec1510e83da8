/* Frames as hex text: "FF FF 03 FC", and "041#9A99193F0200" for CAN. */
#ifndef AW_WIRE_HEX_H
#define AW_WIRE_HEX_H

#include "wire/table.h"

/* Maximum text size of a frame of size bytes, with its NUL. */
#define AW_HEX_SIZE(size) ((size)*3 + 8)

/* Writes the frame as text, NUL-terminated. Returns its length. out holds AW_HEX_SIZE(frame.size).
 */
size_t aw_hex_print(const struct aw_protocol *protocol, struct aw_span frame, char *out);

/* Parses such a text: hex digits, blanks between bytes, CAN frames with # (recognises "044#R"
 * too). AW_MALFORMED with the column of the mistake. */
enum aw_status aw_hex_parse(const struct aw_protocol *protocol, const char *text, size_t length,
                            uint8_t *out, size_t cap, size_t *size, struct aw_error *err);

#endif
