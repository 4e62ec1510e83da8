/* Reports the state of a server to systemd. */
#ifndef AW_SHELL_SERVE_SYSTEMD_H
#define AW_SHELL_SERVE_SYSTEMD_H

#include <stdbool.h>
#include <stdint.h>

/* Sends "READY=1" and the like to the socket that $NOTIFY_SOCKET names (sd_notify(3)); without one
 * nothing. */
void aw_systemd_tell(const char *text);

/* How often it expects "WATCHDOG=1": half of $WATCHDOG_USEC; 0: never. */
int64_t aw_systemd_watchdog_ns(void);

/* Is a socket with this path for the members of the unit's group, too? */
bool aw_systemd_shares(const char *path);

#endif
