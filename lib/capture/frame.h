/* Frames and marks in an MCAP file (lib/ros/frame.h), read as packets. */
#ifndef AW_CAPTURE_FRAME_H
#define AW_CAPTURE_FRAME_H

#include "capture/pcapng.h"

/* Reads a packet from a message. passed counts the bytes of the stream in each direction. False:
 * another message, or a damaged one. */
bool aw_frame_read(const struct aw_mcap_message *message, uint32_t passed[AW_BOTH],
                   struct aw_packet *packet);

#endif
