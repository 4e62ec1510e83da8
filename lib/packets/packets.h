/* Custom packets: packets of a modified firmware, described in files.
 *
 *     struct aw_packets *packets = aw_packets_new(&aw_hidmotor_protocol);
 *     struct aw_lines lines = {.name = "team.packets"};
 *     enum aw_status status = aw_packets_read(packets, &lines, &err);
 *     aw_wire_init(&wire, aw_packets_protocol(packets), NULL, false);
 *
 *     [packet status]              # in team.packets
 *     id   = 42
 *     ask  = yes
 *     repeat = m1 m2 m3
 *     position = f32 ticks scale=0.0879deg
 *     torque   = f32 Nm no_data=-1
 *
 * The packets are added to the protocol's table after the built-in messages, so all code that uses
 * the table supports them. docs/packets.md describes the format. An error message names file, line
 * and column. An error discards the whole file.
 */
#ifndef AW_PACKETS_PACKETS_H
#define AW_PACKETS_PACKETS_H

#include "base/lines.h"
#include "wire/table.h"

struct aw_packets;

/* Creates an empty set of packets for a protocol, which must outlive it. The caller frees it. NULL:
 * out of memory. */
struct aw_packets *aw_packets_new(const struct aw_protocol *protocol);

/* Adds the packets of a file: aw_packets_read those of a packet file, aw_packets_read_dbc the
 * supported messages of a DBC file, which are called NODE.MESSAGE and have both directions. Closes
 * lines, which the caller has set up as for aw_lines_next. AW_USAGE: a mistake in the file, with
 * its position. AW_LIMIT: the table is full, or a packet is too large. AW_NO_MEMORY: out of memory.
 * Also the errors of aw_lines_next. After an error, the caller must free packets. */
typedef enum aw_status aw_packets_read_fn(struct aw_packets *packets, struct aw_lines *lines,
                                          struct aw_error *err);
aw_packets_read_fn aw_packets_read, aw_packets_read_dbc;

/* Returns one line about skipped parts of the last DBC file, or "". */
const char *aw_packets_notice(const struct aw_packets *packets);

/* Returns the protocol with the custom packets. It is valid until packets is freed. */
const struct aw_protocol *aw_packets_protocol(const struct aw_packets *packets);

/* Returns the lines of all packet files without comments, as one file. packets owns the string. */
const char *aw_packets_text(const struct aw_packets *packets);

/* Returns the text of DBC file i as UTF-8, owned by packets. NULL: there is no such file. */
const char *aw_packets_dbc(const struct aw_packets *packets, size_t i);

void aw_packets_free(struct aw_packets *packets);

#endif
