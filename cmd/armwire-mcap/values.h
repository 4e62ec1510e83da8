/* Values of messages of ROS 2 as NDJSON:
 *
 *     {"t":1700000000.123456789,"arm.joint_states.position.0":0.5,"arm.joint_states.name.0":"m1"}
 */
#ifndef ARMWIRE_MCAP_VALUES_H
#define ARMWIRE_MCAP_VALUES_H

#include "input.h"

#define VALUES_LINE 60000 /* the tools read lines of up to 64 KiB */

/* Writes all messages to standard output, except those on armwire's own topics. Omits values that
 * would make a line longer than max_size bytes; 0: unlimited. AW_USAGE: unsupported encoding. Also
 * the errors of input_next. */
enum aw_status values_copy(struct input *in, size_t max_size, struct aw_error *err);

#endif
