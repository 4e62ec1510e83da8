/* A simulated device for other processes.
 *
 *     enum aw_status run_sim(struct aw_session *session, const struct aw_args *args)
 *     {
 *         return aw_session_serve(session, aw_canpid_device(&options), print_counters);
 *     }
 */
#ifndef AW_SHELL_COMMANDS_SERVE_H
#define AW_SHELL_COMMANDS_SERVE_H

#include "link/core/device.h"
#include "shell/core/session.h"

/* One line about what the device has seen. */
typedef void aw_notice_fn(struct aw_session *session, struct aw_device *device);

/* Opens the link of --listen, says "ready: URL" on standard error, and serves the device until a
 * signal or the end of the link; then calls say. Takes the device over. A device of NULL was not
 * made for want of memory: AW_NO_MEMORY. */
enum aw_status aw_session_serve(struct aw_session *session, struct aw_device *device,
                                aw_notice_fn *report);

#endif
