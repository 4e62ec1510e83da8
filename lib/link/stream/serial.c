/* The transport of serial ports, using libserialport and termios. */
#include <errno.h>
#include <libserialport.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/text.h"
#include "link/core/fd_link.h"
#include "link/core/owner.h"
#include "link/core/port.h"
#include "link/stream/ports.h"
#include "link/stream/transports.h"

struct serial_link {
    struct aw_fd_link fd; /* its descriptor belongs to port */
    struct sp_port *port;
    /* descriptor of the lock: libserialport 0.1.1 does not lock, and TIOCEXCL does not stop root */
    int lock_fd;
};

static void serial_close(struct aw_link *link)
{
    struct serial_link *self = (struct serial_link *)link;
    if (self->fd.fd >= 0)
        sp_close(self->port);
    if (self->port)
        sp_free_port(self->port);
    if (self->lock_fd >= 0)
        close(self->lock_fd);
    free(self);
}

static const struct aw_link_ops serial_ops = {
    .read = aw_fd_read,
    .write = aw_fd_write,
    .close = serial_close,
    .fd = aw_fd_get_fd,
    .raw = aw_fd_raw,
};

/* Adds /dev/ to a name such as "ttyUSB0". */
static const char *resolve_name(const char *rest, char *buf, size_t size)
{
    if (*rest && !strchr(rest, '/') && access(rest, F_OK) != 0) {
        snprintf(buf, size, "/dev/%s", rest);
        if (access(buf, F_OK) == 0)
            return buf;
    }
    return rest;
}

static enum aw_status fail_not_found(const char *path, struct aw_error *err)
{
    struct aw_port ports[6];
    char names[151] = "";
    size_t n = aw_link_list_serial(ports, 6);
    for (size_t i = 0; i < n && i < 6; i++)
        aw_append(names, sizeof names, ", ", "%.60s", ports[i].path);
    return aw_fail(err, AW_NO_LINK, "%.90s: port not found — %s%s%s", path, n ? "available: " : "",
                   names, n ? " (see 'list')" : "plug the device in, switch it on, and see 'list'");
}

static enum aw_status set_rate(struct serial_link *self, const char *path,
                               const struct aw_line_settings *line, struct aw_error *err)
{
    static const enum sp_parity parities[] = {SP_PARITY_NONE, SP_PARITY_EVEN, SP_PARITY_ODD};
    if (sp_set_baudrate(self->port, (int)line->baud) != SP_OK)
        return aw_fail(err, AW_USAGE, "%.90s: baud=%ld not supported — try 9600 or 115200", path,
                       line->baud);
    if (sp_set_bits(self->port, (int)line->bits) != SP_OK ||
        sp_set_parity(self->port, parities[line->parity]) != SP_OK ||
        sp_set_stopbits(self->port, (int)line->stop) != SP_OK)
        return aw_fail(err, AW_USAGE,
                       "%.90s: bits, parity or stop not supported — remove them from the link",
                       path);
    return AW_OK;
}

static enum aw_status set_modem_lines(struct serial_link *self, const char *path,
                                      const struct aw_line_settings *line, struct aw_error *err)
{
    static const enum sp_flowcontrol flows[] = {SP_FLOWCONTROL_NONE, SP_FLOWCONTROL_RTSCTS,
                                                SP_FLOWCONTROL_XONXOFF};
    bool ok = sp_set_flowcontrol(self->port, flows[line->flow]) == SP_OK;
    if (ok && line->dtr != AW_LINE_KEEP)
        ok = sp_set_dtr(self->port, line->dtr == AW_LINE_ON ? SP_DTR_ON : SP_DTR_OFF) == SP_OK;
    if (ok && line->rts != AW_LINE_KEEP)
        ok = sp_set_rts(self->port, line->rts == AW_LINE_ON ? SP_RTS_ON : SP_RTS_OFF) == SP_OK;
    if (!ok)
        return aw_fail(err, AW_USAGE,
                       "%.90s: flow, dtr or rts not supported — remove them from the link", path);
    return AW_OK;
}

/* Corrects two settings of libserialport 0.1.1. It sets VMIN to 0, so a read without data looks
 * like the end of the line. It sets CRTSCTS in the input modes instead of the control modes, where
 * the previous program's setting remains. */
static enum aw_status fix_modes(int fd, const char *path, const struct aw_line_settings *line,
                                struct aw_error *err)
{
    struct termios modes = {0};
    bool ok = tcgetattr(fd, &modes) == 0;
    modes.c_cc[VMIN] = 1;
    modes.c_cflag &= ~(tcflag_t)CRTSCTS;
    modes.c_cflag |= line->flow == AW_FLOW_RTSCTS ? CRTSCTS : 0;
    if (!ok || tcsetattr(fd, TCSANOW, &modes) != 0)
        return aw_fail(err, AW_NO_LINK,
                       "%.90s: cannot set the serial parameters: %s — check baud, parity and flow",
                       path, strerror(errno));
    tcflush(fd, TCIFLUSH);
    return AW_OK;
}

static enum aw_status open_port(struct serial_link *self, const char *path, struct aw_error *err)
{
    char real[PATH_MAX], problem[200];
    if (!realpath(path, real))
        snprintf(real, sizeof real, "%s", path);
    if (sp_get_port_by_name(real, &self->port) == SP_OK &&
        sp_open(self->port, SP_MODE_READ_WRITE) == SP_OK) {
        sp_get_port_handle(self->port, &self->fd.fd);
        return AW_OK;
    }
    aw_port_explain(path, sp_last_error_code(), problem, sizeof problem);
    return aw_fail(err, AW_NO_LINK, "%.90s: %s", path, problem);
}

static enum aw_status set_up(struct serial_link *self, const char *path,
                             const struct aw_line_settings *line, struct aw_error *err)
{
    enum aw_status status = open_port(self, path, err);
    if (status == AW_OK)
        status = set_rate(self, path, line, err);
    if (status == AW_OK)
        status = set_modem_lines(self, path, line, err);
    if (status == AW_OK)
        status = fix_modes(self->fd.fd, path, line, err);
    if (status == AW_OK)
        aw_port_find_key(path, self->fd.base.key, sizeof self->fd.base.key);
    return status;
}

enum aw_status aw_serial_open(struct aw_link **out, const struct aw_url *url,
                              const struct aw_link_options *options, struct aw_error *err)
{
    char buf[PATH_MAX];
    const char *path = resolve_name(url->rest, buf, sizeof buf);
    struct aw_line_settings line;
    int lock_fd = -1, bits;
    if (!*path || access(path, F_OK) != 0)
        return aw_owner_check(path, err) == AW_OK ? fail_not_found(path, err) : AW_NO_LINK;
    enum aw_status status = aw_line_settings(&line, url, err);
    if (status == AW_OK)
        status = aw_port_lock(path, &lock_fd, err);
    if (status != AW_OK)
        return status;
    /* Opens a pty by tty:, because it has no modem lines. Neither has a gadget's ttyGS0, although
     * it is in sysfs. */
    bool modem_lines = aw_port_in_sysfs(path, NULL, 0) && ioctl(lock_fd, TIOCMGET, &bits) == 0;
    if (!modem_lines) {
        close(lock_fd);
        return aw_tty_open(out, url, options, err);
    }
    struct serial_link *self = aw_fd_link_new(sizeof *self, &serial_ops, options->clock);
    if (!self) {
        close(lock_fd);
        return aw_no_memory(err);
    }
    self->lock_fd = lock_fd;
    status = set_up(self, path, &line, err);
    if (status != AW_OK)
        serial_close(&self->fd.base);
    else
        *out = &self->fd.base;
    return status;
}
