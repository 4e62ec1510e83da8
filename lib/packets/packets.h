/* Packets that the table of a tool does not have, read from files: a firmware's own.
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

/* None yet, for a protocol that lives as long. NULL: out of memory. */
struct aw_packets *aw_packets_new(const struct aw_protocol *protocol);

/* Adds those of a file; lines: as aw_lines_next wants them, closed then. AW_USAGE: a mistake in it.
 * AW_LIMIT: more than the table has room for. AW_NO_MEMORY. After an error all there is to do is to
 * free them. */
enum aw_status aw_packets_read(struct aw_packets *packets, struct aw_lines *lines,
                               struct aw_error *err);

/* Adds the messages of a DBC file, as far as they can be had; file NULL: it is opened by its name.
 * notice: what is left out, in a line; "" if nothing is. Messages are called NODE.MESSAGE, and go
 * both ways. AW_USAGE, with the place of a mistake, AW_NO_MEMORY: as above. */
enum aw_status aw_packets_read_dbc(struct aw_packets *packets, FILE *file, const char *name,
                                   char *notice, size_t size, struct aw_error *err);

/* The protocol with them; valid until they are freed. */
const struct aw_protocol *aw_packets_protocol(const struct aw_packets *packets);

/* The lines of all files that were read, without remarks, as one file. */
const char *aw_packets_text(const struct aw_packets *packets);

/* The text of DBC file i that was read, as UTF-8; NULL: there were not so many. */
const char *aw_packets_dbc(const struct aw_packets *packets, size_t i);

void aw_packets_free(struct aw_packets *packets);

#endif
