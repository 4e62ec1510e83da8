/* Describes a protocol for people and programs: the wire layout of each message and the meaning of
 * its fields.
 *
 *     aw_describe(stdout, &wire, "control", AW_DESCRIBE_TEXT);
 *
 * TEXT has at most 80 columns: a drawing of the packet with eight bytes per row, then one line per
 * field. (A CAN payload has 16 bits per row, the highest one on the left.) ASCII is the same
 * without box characters. JSON is the table as one object, with everything that a program needs to
 * build frames; message selects its messages. MD is a page of documentation. LUA is a dissector for
 * Wireshark, and DBC a database for CAN tools. PACKETS is an example of a packet file. LUA, DBC and
 * PACKETS always cover the whole protocol. */
#ifndef AW_DESCRIBE_DESCRIBE_H
#define AW_DESCRIBE_DESCRIBE_H

#include <stdio.h>

#include "wire/wire.h"

enum aw_describe_format {
    AW_DESCRIBE_TEXT,
    AW_DESCRIBE_ASCII,
    AW_DESCRIBE_JSON,
    AW_DESCRIBE_MD,
    AW_DESCRIBE_LUA,
    AW_DESCRIBE_DBC,
    AW_DESCRIBE_PACKETS,
};

/* Describes one message in each of its directions, in the variant of wire; message NULL: the whole
 * protocol. Returns the number of messages that match. Returns 0 without any output if no message
 * has this name, or if the protocol does not support this format (DBC is for CAN only). */
size_t aw_describe(FILE *out, struct aw_wire *wire, const char *message,
                   enum aw_describe_format format);

#endif
