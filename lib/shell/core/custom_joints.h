/* Joints that packet files describe: [joint NAME] and [stop]. With them the session's tool is a
 * copy of itself whose joints, stop and last stop are made of the files' packets, so that every
 * command that knows joints and no protocol works on that firmware: status, limits, move, jog,
 * home, play, teleop.
 *
 *     status = aw_custom_joints_begin(session);      session->tool->from_file is true then
 *
 * Until the packets of the files are forgotten (aw_session_free_packets, and where a line names
 * others): then the tool is itself again.
 *
 * What a tool adds is how a packet is answered: its hook exchange (tool.h). What is told of a joint
 * is asked for, where its packet says ask = yes, else waited for. A target is gone to along a
 * sinusoidal way of setpoints, which the firmware follows; hold sends the measured positions.
 */
#ifndef AW_SHELL_CORE_OWN_JOINTS_H
#define AW_SHELL_CORE_OWN_JOINTS_H

#include "shell/core/joints.h"

/* By the wire of the session, which has its packet files. Nothing happens where they describe no
 * joint. AW_NO_MEMORY. */
enum aw_status aw_custom_joints_begin(struct aw_session *session);

/* May this packet of a file go out as far as stopping it goes? AW_USAGE: it moves, and no joints of
 * --packets are known, whose places could be held. */
enum aw_status aw_custom_check_stop(struct aw_session *session, const struct aw_message *message);

/* What has come for a packet; codec of the record NULL: nothing has. */
struct aw_custom_answer {
    struct aw_record record;
    uint8_t bytes[256];
    size_t size;
};

/* Writes a packet of a file on the link, which is open, and waits for its answer, if it has one. It
 * goes out whatever the ranges of its fields. AW_TIMEOUT: none came. */
enum aw_status aw_custom_send(struct aw_session *session, const struct aw_record *packet,
                              struct aw_custom_answer *answer);

#endif
