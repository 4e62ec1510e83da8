/* A simulated device for other processes. */
#ifndef AW_SHELL_SERVE_H
#define AW_SHELL_SERVE_H

#include "link/device.h"
#include "shell/session.h"

/* Opens the link of --listen, says "ready: URL" on standard error, and serves the device until a
 * signal or the end of the link. The device stays the caller's. */
enum aw_status aw_session_serve(struct aw_session *session, struct aw_device *device);

#endif
