/* Reports the state of a server to systemd. */
#ifndef AW_SHELL_SERVE_SYSTEMD_H
#define AW_SHELL_SERVE_SYSTEMD_H

#include <stdbool.h>
#include <stdint.h>

/* Sends "READY=1" and the like to the socket in $NOTIFY_SOCKET (sd_notify(3)). Does nothing if it
 * is unset. */
void aw_systemd_notify(const char *text);

/* Returns the interval at which to send "WATCHDOG=1", ns: half of $WATCHDOG_USEC. 0: systemd
 * expects none. */
int64_t aw_systemd_watchdog_ns(void);

/* Returns true if the members of the unit's group may also use a socket with this path. */
bool aw_systemd_shares(const char *path);

#endif
