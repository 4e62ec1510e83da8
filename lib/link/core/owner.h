/* Records which program created a symlink to a pseudo-terminal, and whether it is still running.
 * Internal to lib/link.
 *
 * The kernel reuses the number of a pseudo-terminal as soon as its owner exits. The symlink of a
 * killed program remains and may then lead to another program's terminal. So the owner creates a
 * file beside the link, PATH.lock, with the pty's name and its own process id. It locks the file
 * (fcntl(2), F_OFD_SETLK) while it runs; the kernel releases the lock when the process ends.
 */
#ifndef AW_LINK_CORE_OWNER_H
#define AW_LINK_CORE_OWNER_H

#include <stdbool.h>

#include "base/status.h"

struct aw_owner {
    int fd;         /* descriptor of the lock file; -1: none */
    char path[136]; /* path of the lock file */
    char pty[64];   /* pty of the previous owner, "/dev/pts/7", or "" */
};

/* Claims the symlink for this process. link is an absolute path. AW_NO_LINK: a running program owns
 * it, or the lock file cannot be created. */
enum aw_status aw_owner_claim(struct aw_owner *owner, const char *link, struct aw_error *err);

/* Records the pty that the symlink leads to. */
enum aw_status aw_owner_record(const struct aw_owner *owner, const char *pty, struct aw_error *err);

/* Releases the symlink and removes its lock file. */
void aw_owner_release(struct aw_owner *owner);

/* AW_NO_LINK: path leads through a symlink whose owner has exited. AW_OK: also for paths without a
 * record. To open path, open it first: the number of its pty cannot be reused while it is open. */
enum aw_status aw_owner_check(const char *path, struct aw_error *err);

#endif
