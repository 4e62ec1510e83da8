#include "shell/output.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void write_all(struct aw_output *out)
{
    size_t done = 0;
    while (done < out->used && !out->error) {
        ssize_t n = write(out->fd, out->buffer + done, out->used - done);
        if (n > 0)
            done += (size_t)n;
        else if (errno == EAGAIN)
            poll(&(struct pollfd){.fd = out->fd, .events = POLLOUT}, 1, -1);
        else if (errno != EINTR)
            out->error = errno;
    }
    out->used = 0;
}

char *aw_output_reserve(struct aw_output *out, size_t size)
{
    if (out->used + size > sizeof out->buffer)
        write_all(out);
    return out->buffer + out->used;
}

void aw_output_done(struct aw_output *out, const char *end)
{
    out->used = (size_t)(end - out->buffer);
}

void aw_output_write(struct aw_output *out, const char *text, size_t size)
{
    while (size > 0) {
        size_t part = size < AW_OUTPUT_SIZE ? size : AW_OUTPUT_SIZE;
        char *at = aw_output_reserve(out, part);
        memcpy(at, text, part);
        aw_output_done(out, at + part);
        text += part;
        size -= part;
    }
}

void aw_output_print(struct aw_output *out, const char *format, ...)
{
    char text[8192];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    aw_output_write(out, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

static enum aw_status output_error(const struct aw_output *out, struct aw_error *err)
{
    if (!out->error)
        return AW_OK;
    if (out->error == EPIPE)
        return aw_fail(err, AW_LOST, "standard output: its reader has closed the pipe — stopped");
    return aw_fail(err, AW_LOST, "standard output: %s — %s", strerror(out->error),
                   out->error == ENOSPC ? "free some space or write elsewhere" : "stopped");
}

enum aw_status aw_output_flush(struct aw_output *out, struct aw_error *err)
{
    if (out->used && !out->error)
        write_all(out);
    return output_error(out, err);
}

enum aw_status aw_output_check(struct aw_output *out, struct aw_error *err)
{
    struct pollfd fd = {.fd = out->fd};
    if (!out->error && poll(&fd, 1, 0) > 0 && fd.revents & POLLERR)
        out->error = EPIPE;
    return output_error(out, err);
}
