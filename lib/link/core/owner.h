/* Who made a symlink to a pseudo-terminal, and whether that program still runs. Internal to
 * lib/link.
 *
 * The number of a pseudo-terminal is given to somebody else as soon as its maker is gone, and the
 * link of one that was killed stays: who opens it then writes into a stranger's terminal. So the
 * maker keeps a file beside the link, PATH.lock, with the pty's name and its own process id, locked
 * (fcntl(2), F_OFD_SETLK) for as long as it lives: the kernel ends the lock with the process,
 * whatever ended that.
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

/* Takes the name for this process. AW_NO_LINK: somebody who lives has it, or the file cannot be
 * made. link is an absolute path. */
enum aw_status aw_owner_claim(struct aw_owner *owner, const char *link, struct aw_error *err);

/* Records whose the link is now. */
enum aw_status aw_owner_record(const struct aw_owner *owner, const char *pty, struct aw_error *err);

/* Gives the name back. */
void aw_owner_release(struct aw_owner *owner);

/* For those who open path: AW_NO_LINK where it leads over a link whose maker is gone. AW_OK for all
 * that nobody has recorded. */
enum aw_status aw_owner_check(const char *path, struct aw_error *err);

#endif
