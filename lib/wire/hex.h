/* Prints and parses frames as hexadecimal text: "FF FF 03 FC", and "041#9A99193F0200" for CAN. */
#ifndef AW_WIRE_HEX_H
#define AW_WIRE_HEX_H

#include "wire/table.h"

/* Maximum size of the text of a frame, with its NUL. */
#define AW_HEX_SIZE(size) ((size)*3 + 8)

/* Prints a frame as NUL-terminated text. Returns its length. out holds AW_HEX_SIZE(frame.size)
 * bytes. */
size_t aw_hex_print(const struct aw_protocol *protocol, struct aw_span frame, char *out);

/* Parses a frame: hex digits with optional blanks between bytes, or an identifier and # for CAN.
 * AW_MALFORMED: a mistake (with its column), more bytes than cap or a CAN frame hold, or a remote
 * frame ("044#R"). cap is at least AW_CAN_HEAD_MAX for CAN. */
enum aw_status aw_hex_parse(const struct aw_protocol *protocol, const char *text, size_t length,
                            uint8_t *out, size_t cap, size_t *size, struct aw_error *err);

#endif
