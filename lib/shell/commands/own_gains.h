/* Gains of joints that packet files describe: a file of gains as what is known, for tune. */
#ifndef AW_SHELL_COMMANDS_OWN_GAINS_H
#define AW_SHELL_COMMANDS_OWN_GAINS_H

#include "shell/core/session.h"

/* Those that the file names ("m1 pid kp 0.1", one a line) count as what the device has. AW_USAGE,
 * AW_LIMIT: as aw_gain_file_read. */
enum aw_status aw_own_load_gains(struct aw_session *session, const char *path);

#endif
