/* The verbs of armwire-mcap. */
#ifndef ARMWIRE_MCAP_VERBS_H
#define ARMWIRE_MCAP_VERBS_H

#include "input.h"

#define VALUES_LINE 60000 /* the tools read lines of up to 64 KiB */

/* Converts pcapng on standard input to an MCAP file, "-": standard output. Writes the index at the
 * end of input. */
enum aw_status run_write(const char *path, struct aw_error *err);

/* Writes the frames of an armwire MCAP file as pcapng; for other files the values, like run_cat. */
enum aw_status run_read(const char *path, struct aw_error *err);

/* Writes the values of an MCAP file as NDJSON, one object per message:
 *
 *     {"t":1700000000.123456789,"arm.joint_states.position.0":0.5,"arm.joint_states.name.0":"m1"}
 */
enum aw_status run_cat(const char *path, struct aw_error *err);

/* Writes all messages in this form to standard output, except those on armwire's own topics. Omits
 * values that would make a line longer than max_size bytes; 0: unlimited. AW_USAGE: unsupported
 * encoding. Also the errors of input_next. */
enum aw_status values_copy(struct input *in, size_t max_size, struct aw_error *err);

#endif
