/* What passed a link, byte for byte, and remarks about it, as messages of an MCAP file: the
 * channels from which a recording is read again, whatever else is in it.
 *
 *     armwire/msg/Frame        uint8 direction, string link, uint8[] bytes
 *     rcl_interfaces/msg/Log   a mark: its text is in msg
 *
 * Their channels have in their metadata the "tool", and that of frames the "medium" they passed.
 */
#ifndef AW_CAPTURE_FRAME_H
#define AW_CAPTURE_FRAME_H

#include "capture/pcapng.h"

#define AW_FRAME_TYPE "armwire/msg/Frame"
#define AW_LOG_TYPE   "rcl_interfaces/msg/Log"

extern const char aw_frame_text[], aw_log_text[]; /* of these types, in ros2msg */

/* "can": what the metadata calls it. */
const char *aw_medium_name(enum aw_medium medium);

/* How captures of others have the packets of it. */
enum aw_linktype aw_medium_linktype(enum aw_medium medium);

#define AW_FRAME_MORE 256 /* bytes of a message beside those of its frame or remark, at most */

/* The message in out, of a link with this name; 0: it does not fit. */
size_t aw_frame_write(uint8_t *out, size_t size, enum aw_dir dir, const char *link,
                      struct aw_span bytes);

/* The same with a remark. */
size_t aw_log_write(uint8_t *out, size_t size, int64_t time_ns, const char *name, const char *text);

/* A packet of such a message; passed: bytes of the stream so far, which it counts on. False: it is
 * another one, or damaged. */
bool aw_frame_read(const struct aw_mcap_message *message, uint32_t passed[AW_BOTH],
                   struct aw_packet *packet);

#endif
