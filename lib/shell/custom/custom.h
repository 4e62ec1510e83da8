/* The commands for custom packets and custom joints. */
#ifndef AW_SHELL_CUSTOM_CUSTOM_H
#define AW_SHELL_CUSTOM_CUSTOM_H

#include "shell/session/session.h"

/* Returns the custom packet to the device with this name, or NULL. */
const struct aw_codec *aw_find_custom_packet(struct aw_session *session, const char *name);
/* Sends a custom packet with the fields of the arguments and prints its reply; with --dry-run only
 * shows its bytes. */
enum aw_status aw_send_custom_packet(struct aw_session *session, const struct aw_args *args,
                                     const struct aw_codec *codec);
/* aw_run_send runs the command send, whose argument "message" names a custom packet.
 * aw_send_only_reads returns true if that packet only reads. */
enum aw_status aw_run_send(struct aw_session *session, const struct aw_args *args);
bool aw_send_only_reads(struct aw_session *session, const struct aw_args *args);
extern const struct aw_command aw_custom_gains_command, aw_custom_stop_command, aw_send_command;

#endif
