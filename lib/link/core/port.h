/* What serial ports and pseudo-terminals have in common: their settings, who has them open, and
 * what they are called. Internal to lib/link.
 */
#ifndef AW_LINK_CORE_PORT_H
#define AW_LINK_CORE_PORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "link/core/url.h"

enum aw_flow { AW_FLOW_NONE, AW_FLOW_RTSCTS, AW_FLOW_XONXOFF };
enum aw_parity { AW_PARITY_NONE, AW_PARITY_EVEN, AW_PARITY_ODD };
enum aw_modem_line { AW_LINE_KEEP, AW_LINE_ON, AW_LINE_OFF };

/* Settings of a line, from URL keys; 9600 8N1, no flow control, modem lines as they are. */
struct aw_line_settings {
    long baud, bits, stop;
    size_t parity, flow, dtr, rts; /* the enums above */
};

/* The keys, NULL-terminated: baud bits parity stop flow dtr rts. */
extern const char *const aw_line_keys[];

enum aw_status aw_line_settings(struct aw_line_settings *settings, const struct aw_url *url,
                                struct aw_error *err);

/* The name that stays the same however the path is spelled: the /dev/serial/by-id link, the last
 * symlink on the way to a pty (whose own number changes with every start), or the real path. */
void aw_port_key(const char *path, char *key, size_t size);

/* The path made absolute without following it if it is itself a symlink. False if its directory is
 * not there or the result does not fit. */
bool aw_absolute_path(const char *path, char *out, size_t size);

/* The symlink that points to a pty, where path leads over one. It may be path itself. False: it
 * does not. */
bool aw_port_symlink(const char *path, char *out, size_t size);

/* Is there a /sys/class/tty entry for this device? name ("ttyUSB0") may be NULL. */
bool aw_port_in_sysfs(const char *path, char *name, size_t size);

/* Names a program that has the device open: "minicom (pid 4711)". Prefers the one that locked it by
 * flock(2). Returns false if no visible program has it open. */
bool aw_port_holder(const char *path, char *out, size_t size);

/* "minicom (pid 4711)" */
void aw_port_process(long pid, char *out, size_t size);

/* Another process that has the same file open as this descriptor, as above. */
bool aw_port_sharer(int fd, char *out, size_t size);

/* The inode of the socket that is bound to a UDP port of this machine, 0 if none is. */
unsigned long aw_udp_socket(unsigned port);

/* Who has that socket open, as above. */
bool aw_udp_holder(unsigned port, char *out, size_t size);

/* Why a path cannot be opened and what to do, for errno of open(2) or flock(2). */
void aw_port_problem(const char *path, int error, char *out, size_t size);

/* Opens a terminal device non-blocking and locks it against others (flock). AW_NO_LINK with
 * aw_port_problem's text, or because the path leads to what is not its maker's any more (owner.h):
 * nothing has been done to that then. */
enum aw_status aw_port_lock(const char *path, int *fd, struct aw_error *err);

#endif
