/* Joints that packet files describe: [joint NAME] and [stop]. With them the session uses a copy of
 * its tool whose joints, stop and crash stop use the files' packets. So all joint commands work
 * with that firmware: status, limits, move, jog, home, play, teleop.
 *
 *     status = aw_custom_joints_begin(session);      sets tool->motion.custom_joints
 *
 * The copy stays until aw_session_free_packets, or until a command line names other packet files;
 * then the session uses the original tool again.
 *
 * A tool adds only the exchange of a packet (transmit.h). Packets with ask = yes are polled for
 * joint values; others arrive by themselves. A motion is a sinusoidal path of setpoints, which the
 * firmware follows; hold sends the measured positions. */
#ifndef AW_SHELL_CUSTOM_CUSTOM_JOINTS_H
#define AW_SHELL_CUSTOM_CUSTOM_JOINTS_H

#include "shell/joints/joints.h"
#include "shell/safety/transmit.h"

/* Sets up the custom joints from the session's wire and its packet files. Does nothing if the files
 * describe no joint. AW_NO_MEMORY: out of memory. */
enum aw_status aw_custom_joints_begin(struct aw_session *session);

/* Checks that a custom packet can be stopped. AW_USAGE: the packet moves something, and --packets
 * has no joints to hold. */
enum aw_status aw_custom_check_stop(struct aw_session *session, const struct aw_message *message);

/* Hooks of struct aw_transmit for tools whose custom packets are only written to the link.
 * aw_custom_send writes one and waits for its answer. aw_custom_await only waits for the answer, if
 * the packet has one. AW_TIMEOUT: no answer. */
enum aw_status aw_custom_send(struct aw_session *session, const struct aw_record *packet,
                              struct aw_answer *answer);
enum aw_status aw_custom_await(struct aw_session *session, const struct aw_record *packet,
                               struct aw_answer *answer);

#endif
