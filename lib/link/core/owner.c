/* Maintains the lock file beside a symlink to a pseudo-terminal. */
#include "link/core/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "link/core/port.h"

#define ATTEMPTS 10

static struct flock make_lock(void)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

/* Reads the lock file. Returns false if it contains no valid record. */
static bool read_record(int fd, char pty[64], long *pid)
{
    char text[96] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    /* NOLINTNEXTLINE(cert-err34-c): an invalid number is no process */
    return n > 0 && sscanf(text, "%63s %ld", pty, pid) == 2;
}

/* Returns true if the path still leads to the locked file. The previous owner may have removed it
 * before this process locked it. */
static bool is_lock_current(const struct aw_owner *owner)
{
    struct stat opened, current;
    return fstat(owner->fd, &opened) == 0 && lstat(owner->path, &current) == 0 &&
           opened.st_dev == current.st_dev && opened.st_ino == current.st_ino;
}

static enum aw_status try_claim(struct aw_owner *owner, const char *link, bool *retry,
                                struct aw_error *err)
{
    struct flock lock = make_lock();
    char pty[64], holder[96] = "another program";
    long pid;
    owner->fd = open(owner->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    if (owner->fd < 0)
        return aw_fail(err, AW_NO_LINK, "pty:%.100s: cannot create %.120s: %s — use another path",
                       link, owner->path, strerror(errno));
    if (fcntl(owner->fd, F_OFD_SETLK, &lock) != 0) {
        if (read_record(owner->fd, pty, &pid))
            aw_port_name_process(pid, holder, sizeof holder);
        return aw_fail(err, AW_NO_LINK,
                       "pty:%.100s: busy: in use by %s — end that program, or choose another path",
                       link, holder);
    }
    *retry = !is_lock_current(owner);
    return AW_OK;
}

enum aw_status aw_owner_claim(struct aw_owner *owner, const char *link, struct aw_error *err)
{
    long pid;
    bool retry = true;
    enum aw_status status = AW_OK;
    *owner = (struct aw_owner){.fd = -1};
    snprintf(owner->path, sizeof owner->path, "%.128s.lock", link);
    for (int i = 0; i < ATTEMPTS && status == AW_OK && retry; i++) {
        if (owner->fd >= 0)
            close(owner->fd);
        status = try_claim(owner, link, &retry, err);
    }
    if (status == AW_OK && retry)
        status = aw_fail(err, AW_NO_LINK,
                         "pty:%.100s: busy: another program is opening it — try again", link);
    if (status == AW_OK && !read_record(owner->fd, owner->pty, &pid))
        owner->pty[0] = '\0';
    if (status != AW_OK && owner->fd >= 0) {
        close(owner->fd);
        owner->fd = -1;
    }
    return status;
}

enum aw_status aw_owner_record(const struct aw_owner *owner, const char *pty, struct aw_error *err)
{
    char text[96];
    int size = snprintf(text, sizeof text, "%s %ld\n", pty, (long)getpid());
    if (ftruncate(owner->fd, 0) == 0 && pwrite(owner->fd, text, (size_t)size, 0) == size)
        return AW_OK;
    return aw_fail(err, AW_NO_LINK, "%.120s: cannot write: %s — choose another path", owner->path,
                   strerror(errno));
}

void aw_owner_release(struct aw_owner *owner)
{
    if (owner->fd < 0)
        return;
    if (is_lock_current(owner))
        unlink(owner->path);
    close(owner->fd);
    owner->fd = -1;
}

/* Opens the lock file of a symlink. Returns -1 if it does not exist. Does not follow links or open
 * pipes, because another user may have created them. */
static int open_record(const char *link)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s.lock", link);
    return open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

enum aw_status aw_owner_check(const char *path, struct aw_error *err)
{
    char link[PATH_MAX], target[64], pty[64];
    struct flock lock = make_lock();
    long pid;
    if (!aw_port_find_symlink(path, link, sizeof link))
        return AW_OK;
    ssize_t n = readlink(link, target, sizeof target - 1);
    int fd = n > 0 ? open_record(link) : -1;
    if (fd < 0)
        return AW_OK;
    target[n] = '\0';
    bool stale = read_record(fd, pty, &pid) && strcmp(pty, target) == 0 &&
                 fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
    close(fd);
    if (!stale)
        return AW_OK;
    return aw_fail(err, AW_NO_LINK,
                   "%.100s: the simulator (pid %ld) exited, and %s may belong to another program — "
                   "restart the simulator",
                   path, pid, target);
}
