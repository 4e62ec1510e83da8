/* --realtime: what streams goes out on time beside other programs that are busy.
 *
 * Memory is locked, so that no page has to be read, and the process is scheduled by SCHED_FIFO with
 * the priority of the option. What is not permitted is said once, with how to permit it, and the
 * command goes on without.
 */
#ifndef AW_SHELL_CORE_REALTIME_H
#define AW_SHELL_CORE_REALTIME_H

#include "shell/core/session.h"

/* Before a command, if the option is given. */
void aw_realtime_begin(struct aw_session *session);

#endif
