/* Records which program made a symlink to a pseudo-terminal, and whether it still runs. Internal to
 * lib/link.
 *
 * The kernel reuses the number of a pseudo-terminal as soon as its maker is gone. The symlink of a
 * killed program stays and may then lead to another program's terminal. So the maker holds a file
 * beside the link, PATH.lock, with the pty's name and its own process id. It locks the file
 * (fcntl(2), F_OFD_SETLK) while it lives; the kernel releases the lock when the process ends.
 */
#ifndef AW_LINK_CORE_OWNER_H
#define AW_LINK_CORE_OWNER_H

#include <stdbool.h>

#include "base/status.h"

struct aw_owner {
    int fd;         /* of the lock; -1: none */
    char path[136]; /* of it */
    char pty[64];   /* "/dev/pts/7" that the one before had recorded, or "" */
};

/* Claims the name for this process. AW_NO_LINK: a running program owns it, or the file cannot be
 * created. link is an absolute path. */
enum aw_status aw_owner_claim(struct aw_owner *owner, const char *link, struct aw_error *err);

/* Records whose the link is now. */
enum aw_status aw_owner_record(const struct aw_owner *owner, const char *pty, struct aw_error *err);

/* Gives the name back. */
void aw_owner_release(struct aw_owner *owner);

/* Call before opening path. AW_NO_LINK: path goes through a symlink whose maker is gone. AW_OK for
 * paths without a record. */
enum aw_status aw_owner_check(const char *path, struct aw_error *err);

#endif
