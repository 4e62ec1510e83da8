/* Terminals that are not serial ports: pseudo-terminals, socat bridges, rfcomm and USB gadgets.
 * libserialport 0.1.1 cannot open them: it requires an entry in /sys/class/tty, and modem lines. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "link/core/fd_link.h"
#include "link/core/port.h"
#include "link/stream/transports.h"

static bool is_pty(const char *path)
{
    char real[PATH_MAX];
    return realpath(path, real) && strncmp(real, "/dev/pts/", 9) == 0;
}

static void set_flags(tcflag_t *flags, tcflag_t mask, tcflag_t value)
{
    *flags = (*flags & ~mask) | value;
}

static enum aw_status apply_modes(int fd, const char *path, const struct aw_line_settings *line,
                                  struct aw_error *err)
{
    struct termios modes;
    if (tcgetattr(fd, &modes) != 0)
        return aw_fail(err, AW_NO_LINK,
                       "%s: not a terminal or serial port — give its path, see 'list'", path);
    static const tcflag_t sizes[] = {CS5, CS6, CS7, CS8};
    static const tcflag_t parities[] = {0, PARENB, PARENB | PARODD};
    cfmakeraw(&modes);
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    set_flags(&modes.c_cflag, HUPCL, CLOCAL | CREAD);
    set_flags(&modes.c_cflag, CSIZE, sizes[line->bits - 5]);
    set_flags(&modes.c_cflag, CSTOPB, line->stop == 2 ? CSTOPB : 0);
    set_flags(&modes.c_cflag, PARENB | PARODD, parities[line->parity]);
    set_flags(&modes.c_cflag, CRTSCTS, line->flow == AW_FLOW_RTSCTS ? CRTSCTS : 0);
    set_flags(&modes.c_iflag, IXON | IXOFF, line->flow == AW_FLOW_XONXOFF ? IXON | IXOFF : 0);
    if (cfsetspeed(&modes, (speed_t)line->baud) != 0)
        return aw_fail(err, AW_USAGE, "%s: baud=%ld not supported — try 9600 or 115200", path,
                       line->baud);
    if (tcsetattr(fd, TCSANOW, &modes) != 0)
        return aw_fail(err, AW_NO_LINK,
                       "%s: cannot set the serial parameters: %s — check baud, parity and flow",
                       path, strerror(errno));
    return AW_OK;
}

static enum aw_status set_modem_line(int fd, const char *path, const char *key, size_t state,
                                     int bit, struct aw_error *err)
{
    if (state == AW_LINE_KEEP ||
        ioctl(fd, state == AW_LINE_ON ? (unsigned long)TIOCMBIS : (unsigned long)TIOCMBIC, &bit) ==
            0)
        return AW_OK;
    return aw_fail(err, AW_USAGE, "%s: %s line not supported — remove %s=", path, key, key);
}

static enum aw_status set_up(int fd, const char *path, const struct aw_line_settings *line,
                             struct aw_error *err)
{
    enum aw_status status = apply_modes(fd, path, line, err);
    if (status == AW_OK)
        status = set_modem_line(fd, path, "dtr", line->dtr, TIOCM_DTR, err);
    if (status == AW_OK)
        status = set_modem_line(fd, path, "rts", line->rts, TIOCM_RTS, err);
    if (status != AW_OK)
        return status;
    /* Not for a pty, whose exclusive mode would remain as long as the other end is open. */
    if (!is_pty(path))
        ioctl(fd, TIOCEXCL);
    /* Discards answers to the previous program. */
    tcflush(fd, TCIFLUSH);
    return AW_OK;
}

enum aw_status aw_tty_open(struct aw_link **out, const struct aw_url *url,
                           const struct aw_link_options *options, struct aw_error *err)
{
    struct aw_line_settings line;
    enum aw_status status = aw_line_settings(&line, url, err);
    if (status != AW_OK)
        return status;
    struct aw_fd_link *self = aw_fd_link_new(sizeof *self, &aw_fd_ops, options->clock);
    if (!self)
        return aw_no_memory(err);
    status = aw_port_lock(url->rest, &self->fd, err);
    if (status == AW_OK)
        status = set_up(self->fd, url->rest, &line, err);
    if (status != AW_OK) {
        aw_fd_close(&self->base);
        return status;
    }
    aw_port_find_key(url->rest, self->base.key, sizeof self->base.key);
    *out = &self->base;
    return AW_OK;
}
