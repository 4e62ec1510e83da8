/* Custom packets: a firmware's own packets, read from files.
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
 * They become rows of the same table, after the tool's own, so everything made from the table has
 * them too. docs/packets.md describes the file. An error names file, line and column, and discards
 * the whole file.
 */
#ifndef AW_PACKETS_PACKETS_H
#define AW_PACKETS_PACKETS_H

#include "base/lines.h"
#include "wire/table.h"

struct aw_packets;

/* Creates an empty set for a protocol, which must outlive it. NULL: out of memory. */
struct aw_packets *aw_packets_new(const struct aw_protocol *protocol);

/* Adds the packets of a file; closes lines, which are set up as for aw_lines_next. AW_USAGE: a
 * mistake in the file. AW_LIMIT: the table is full. AW_NO_MEMORY. After an error the caller can
 * only free packets. */
enum aw_status aw_packets_read(struct aw_packets *packets, struct aw_lines *lines,
                               struct aw_error *err);

/* Adds the supported messages of a DBC file; file NULL: opens it by its name. Writes to notice one
 * line about skipped parts, or "". Messages have the name NODE.MESSAGE and both directions.
 * AW_USAGE, with the position of a mistake, AW_NO_MEMORY: as above. */
enum aw_status aw_packets_read_dbc(struct aw_packets *packets, FILE *file, const char *name,
                                   char *notice, size_t size, struct aw_error *err);

/* Returns the protocol with the packets; valid until they are freed. */
const struct aw_protocol *aw_packets_protocol(const struct aw_packets *packets);

/* Returns the lines of all packet files, without comments, as one file. */
const char *aw_packets_text(const struct aw_packets *packets);

/* Returns the text of DBC file i as UTF-8; NULL: there is no such file. */
const char *aw_packets_dbc(const struct aw_packets *packets, size_t i);

void aw_packets_free(struct aw_packets *packets);

#endif
