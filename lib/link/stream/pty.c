/* The device's end of a pseudo-terminal, which other programs open by a symlink. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "link/core/fd_link.h"
#include "link/core/owner.h"
#include "link/core/port.h"
#include "link/stream/transports.h"

struct pty_link {
    struct aw_fd_link fd; /* the master */
    /* the slave, which stays open: otherwise reads of the master would fail, and settings and
     * pending bytes would be lost between clients */
    int slave;
    char name[64];
    char symlink[128]; /* path of the symlink; "": none */
    struct aw_owner owner;
};

static bool points_to(const char *path, const char *wanted)
{
    char target[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof target - 1);
    return n > 0 && (size_t)n == strlen(wanted) && memcmp(target, wanted, (size_t)n) == 0;
}

static enum aw_status pty_write(struct aw_link *link, const void *buf, size_t size,
                                struct aw_error *err)
{
    struct pty_link *self = (struct pty_link *)link;
    char holder[96];
    enum aw_status status = aw_fd_write_queued(link, buf, size, err);
    if (status != AW_TIMEOUT)
        return status;
    if (aw_port_find_sharer(self->slave, holder, sizeof holder))
        return AW_OK; /* the client may read again later */
    /* No client reads: discard the output, so that the next client does not receive old or partial
     * messages. */
    tcflush(self->slave, TCIFLUSH);
    aw_fd_clear_output(&self->fd);
    return status;
}

static void pty_close(struct aw_link *link)
{
    struct pty_link *self = (struct pty_link *)link;
    if (self->symlink[0] && points_to(self->symlink, self->name))
        unlink(self->symlink);
    aw_owner_release(&self->owner);
    if (self->slave >= 0)
        close(self->slave);
    aw_fd_close(link);
}

static const struct aw_link_ops pty_ops = {
    .read = aw_fd_read,
    .write = pty_write,
    .close = pty_close,
    .fd = aw_fd_get_fd,
    .raw = aw_fd_raw,
};

/* Removes a stale symlink of an earlier pty. A symlink is stale if it points to our terminal or to
 * the recorded one, or if no program has its target open. */
static enum aw_status remove_stale(const struct pty_link *self, const char *path,
                                   struct aw_error *err)
{
    struct stat file;
    char holder[96];
    if (lstat(path, &file) != 0)
        return AW_OK;
    if (!S_ISLNK(file.st_mode))
        return aw_fail(err, AW_NO_LINK, "pty:%s: file exists — choose another path", path);
    bool stale = points_to(path, self->name) || points_to(path, self->owner.pty);
    if (!stale && aw_port_find_holder(path, holder, sizeof holder))
        return aw_fail(err, AW_NO_LINK,
                       "pty:%s: busy: in use by %s — end that program, or choose another path",
                       path, holder);
    unlink(path);
    return AW_OK;
}

static enum aw_status make_symlink(struct pty_link *self, const char *path, struct aw_error *err)
{
    char absolute[sizeof self->symlink];
    if (!aw_absolute_path(path, absolute, sizeof absolute))
        return aw_fail(err, AW_NO_LINK,
                       "pty:%.100s: %s — use a path in an existing directory, up to %zu bytes",
                       path, strerror(errno), sizeof absolute - 1);
    enum aw_status status = aw_owner_claim(&self->owner, absolute, err);
    if (status == AW_OK)
        status = remove_stale(self, absolute, err);
    if (status == AW_OK)
        status = aw_owner_record(&self->owner, self->name, err);
    if (status != AW_OK)
        return status;
    if (symlink(self->name, absolute) != 0)
        return aw_fail(err, AW_NO_LINK,
                       "pty:%.100s: cannot create the symlink: %s — choose another path", path,
                       strerror(errno));
    memcpy(self->symlink, absolute, sizeof absolute);
    return AW_OK;
}

static enum aw_status make_pty(struct pty_link *self, struct aw_error *err)
{
    if (openpty(&self->fd.fd, &self->slave, self->name, NULL, NULL) != 0)
        return aw_fail(err, AW_NO_LINK, "pty: cannot create a pty: %s", strerror(errno));
    struct termios modes;
    tcgetattr(self->slave, &modes);
    cfmakeraw(&modes);
    tcsetattr(self->slave, TCSANOW, &modes);
    fcntl(self->fd.fd, F_SETFL, O_RDWR | O_NONBLOCK);
    fcntl(self->fd.fd, F_SETFD, FD_CLOEXEC);
    fcntl(self->slave, F_SETFD, FD_CLOEXEC);
    return AW_OK;
}

enum aw_status aw_pty_open(struct aw_link **out, const struct aw_url *url,
                           const struct aw_link_options *options, struct aw_error *err)
{
    struct pty_link *self = aw_fd_link_new(sizeof *self, &pty_ops, options->clock);
    if (!self)
        return aw_no_memory(err);
    self->slave = self->owner.fd = -1;
    enum aw_status status = make_pty(self, err);
    if (status == AW_OK && *url->rest)
        status = make_symlink(self, url->rest, err);
    if (status != AW_OK) {
        pty_close(&self->fd.base);
        return status;
    }
    const char *client = *self->symlink ? self->symlink : self->name;
    snprintf(self->fd.base.key, sizeof self->fd.base.key, "%s", client);
    snprintf(self->fd.base.client_url, sizeof self->fd.base.client_url, "tty:%s", client);
    *out = &self->fd.base;
    return AW_OK;
}
