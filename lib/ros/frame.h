/* Encodes frames and marks of a link as messages of ROS 2, from which a recording can be restored.
 *
 *     armwire/msg/Frame        uint8 direction, string link, uint8[] bytes
 *     rcl_interfaces/msg/Log   a mark, with its text in msg
 */
#ifndef AW_ROS_FRAME_H
#define AW_ROS_FRAME_H

#include "base/span.h"
#include "wire/table.h"

#define AW_FRAME_TYPE "armwire/msg/Frame"
#define AW_LOG_TYPE   "rcl_interfaces/msg/Log"

extern const char aw_frame_text[], aw_log_text[]; /* these types in the format ros2msg */

/* bytes to add to the size of bytes or text, for a link or name of up to 200 bytes */
#define AW_FRAME_MORE 256

/* Writes a frame to out in CDR, little-endian. link is a NUL-terminated name: "can0". Returns the
 * size, bytes; 0: it does not fit. */
size_t aw_frame_write(uint8_t *out, size_t size, enum aw_dir dir, const char *link,
                      struct aw_span bytes);

/* Writes a mark to out. time_ns: ns since 1970. name is the name of the program. Returns the size,
 * bytes; 0: it does not fit. */
size_t aw_log_write(uint8_t *out, size_t size, int64_t time_ns, const char *name, const char *text);

#endif
