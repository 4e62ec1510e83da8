/* Settings and names of serial ports and pseudo-terminals, and the programs that use them. Also
 * finds the programs that use UDP ports. Internal to lib/link. */
#ifndef AW_LINK_CORE_PORT_H
#define AW_LINK_CORE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "link/core/url.h"

enum aw_flow { AW_FLOW_NONE, AW_FLOW_RTSCTS, AW_FLOW_XONXOFF };
enum aw_parity { AW_PARITY_NONE, AW_PARITY_EVEN, AW_PARITY_ODD };
enum aw_modem_line { AW_LINE_KEEP, AW_LINE_ON, AW_LINE_OFF };

/* Settings of a serial line. Defaults: 9600 8N1, no flow control, modem lines unchanged. */
struct aw_line_settings {
    long baud, bits, stop;         /* bit/s; data bits per character; stop bits */
    size_t parity, flow, dtr, rts; /* values of the enums above */
};

/* URL keys of the settings, terminated by NULL: baud bits parity stop flow dtr rts. */
extern const char *const aw_line_keys[];

/* Parses the settings from the keys of a URL. AW_USAGE: a value is invalid. */
enum aw_status aw_line_settings(struct aw_line_settings *settings, const struct aw_url *url,
                                struct aw_error *err);

/* Finds the key that identifies a device in saved data. It does not depend on the path's spelling:
 * the /dev/serial/by-id link, the last symlink to a pty (whose number changes with every start), or
 * the real path. */
void aw_port_find_key(const char *path, char *key, size_t size);

/* Makes the path absolute. Does not follow a symlink at its end. Returns false and sets
 * errno if the directory does not exist or the result does not fit. */
bool aw_absolute_path(const char *path, char *out, size_t size);

/* Finds the symlink that leads to a pty, which may be path itself. Returns false if there is no
 * symlink. */
bool aw_port_find_symlink(const char *path, char *out, size_t size);

/* Returns true if /sys/class/tty has an entry for this device, and copies its name ("ttyUSB0").
 * name may be NULL. */
bool aw_port_in_sysfs(const char *path, char *name, size_t size);

/* Finds and names a program that has the device open: "minicom (pid 4711)". Prefers the program
 * that locked it by flock(2). Returns false if no visible program has it open. */
bool aw_port_find_holder(const char *path, char *out, size_t size);

/* Names a process: "minicom (pid 4711)". */
void aw_port_name_process(long pid, char *out, size_t size);

/* Names another process that has the file of this descriptor open. Returns false if there is no
 * visible one. */
bool aw_port_find_sharer(int fd, char *out, size_t size);

/* Returns the inode of the socket bound to a local UDP port, or 0. */
uint64_t aw_udp_find_socket(unsigned port);

/* Names the process that has the socket of this UDP port open. Returns false if there is no visible
 * one. */
bool aw_udp_find_holder(unsigned port, char *out, size_t size);

/* Explains why a path cannot be opened, with a remedy. error is the errno of open(2) or
 * flock(2). */
void aw_port_explain(const char *path, int error, char *out, size_t size);

/* Opens a terminal device non-blocking and locks it against other programs (flock). AW_NO_LINK: it
 * cannot be opened or locked, or the path's symlink is stale (owner.h). The message explains the
 * reason and a remedy. On AW_OK the caller closes *fd; otherwise *fd is -1. */
enum aw_status aw_port_lock(const char *path, int *fd, struct aw_error *err);

#endif
