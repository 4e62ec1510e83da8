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

#define AW_FRAME_MORE 256 /* max size of a message without its bytes or text */

/* Writes a frame of the named link to out. Returns the size; 0: it does not fit. */
size_t aw_frame_write(uint8_t *out, size_t size, enum aw_dir dir, const char *link,
                      struct aw_span bytes);

/* Writes a mark to out. name is the name of the program. Returns the size; 0: it does not fit. */
size_t aw_log_write(uint8_t *out, size_t size, int64_t time_ns, const char *name, const char *text);

#endif
