/* Buffers standard output and decides when to write it. */
#include "shell/session/output.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/ready.h"
#include "base/utf8.h"
#include "view/terminal/screen.h"

#define PATIENCE_MS 200  /* max wait for a blocked reader after a stop */
#define TEXT_MAX    8192 /* max size of one printed string */
#define PAUSE_MS    10   /* retry interval if a terminal has no space for a whole character */

/* Waits for space in the output, or for a request to stop. */
static bool wait_for_space(struct aw_output *out)
{
    struct pollfd fds[] = {{.fd = out->fd, .events = POLLOUT},
                           {.fd = out->stop_fd > 0 ? out->stop_fd : -1, .events = POLLIN}};
    int n = poll(fds, 2, out->is_stalled ? PATIENCE_MS : -1);
    if (n < 0 || fds[0].revents)
        return true; /* write(2) then fails and sets errno */
    if (n == 0)
        out->error = ECANCELED;
    out->is_stalled = true;
    return false;
}

/* Waits when poll(2) reports space but write(2) finds none. */
static bool wait_again(struct aw_output *out)
{
    struct pollfd stop = {.fd = out->stop_fd, .events = POLLIN};
    if (out->stop_fd <= 0)
        return wait_for_space(out);
    if (out->is_stalled)
        out->error = ECANCELED;
    out->is_stalled = out->is_stalled || poll(&stop, 1, PAUSE_MS) > 0;
    return !out->is_stalled;
}

static void write_all(struct aw_output *out)
{
    size_t written = 0;
    if (out->sink) {
        out->sink->write(out->sink, false, out->buffer, out->used);
        out->used = 0;
    }
    while (written < out->used && !out->error) {
        if (out->stop_fd > 0 && !wait_for_space(out))
            break;
        const char *text = out->buffer + written;
        ssize_t n = out->stop_fd > 0 ? aw_write_ready(out->fd, text, out->used - written)
                                     : write(out->fd, text, out->used - written);
        if (n > 0)
            written += (size_t)n;
        else if (errno == EAGAIN && !wait_again(out))
            break;
        else if (errno != EINTR && errno != EAGAIN)
            out->error = errno;
    }
    out->used = out->error ? 0 : out->used - written;
    memmove(out->buffer, out->buffer + written, out->used);
    out->is_stalled = out->is_stalled && out->used > 0;
    out->waiting_ns = 0;
}

char *aw_output_reserve(struct aw_output *out, size_t size)
{
    if (out->used + size > sizeof out->buffer)
        write_all(out);
    if (out->used + size > sizeof out->buffer) {
        out->error = ECANCELED;
        out->used = 0;
    }
    return out->buffer + out->used;
}

void aw_output_commit(struct aw_output *out, const char *end)
{
    out->used = (size_t)(end - out->buffer);
}

void aw_output_write(struct aw_output *out, const char *text, size_t size)
{
    while (size > 0) {
        size_t part = size < AW_OUTPUT_SIZE ? size : AW_OUTPUT_SIZE;
        char *at = aw_output_reserve(out, part);
        memcpy(at, text, part);
        aw_output_commit(out, at + part);
        text += part;
        size -= part;
    }
}

bool aw_output_is_ascii(struct aw_output *out)
{
    if (out->charset == AW_CHARSET_OF_LOCALE)
        out->charset = aw_screen_is_utf8() ? AW_CHARSET_UTF8 : AW_CHARSET_ASCII;
    return out->charset == AW_CHARSET_ASCII;
}

void aw_output_to_charset(struct aw_output *out, char *text, size_t size)
{
    for (const char *at = text; *at; at++) {
        if ((unsigned char)*at > 0x7F) {
            if (aw_output_is_ascii(out))
                aw_utf8_to_ascii(text, size);
            return;
        }
    }
}

static void print(struct aw_output *out, bool sanitize, const char *format, va_list args)
{
    char *text = aw_output_reserve(out, TEXT_MAX);
    vsnprintf(text, TEXT_MAX, format, args);
    if (sanitize)
        aw_utf8_clean_lines(text);
    aw_output_to_charset(out, text, TEXT_MAX);
    aw_output_commit(out, text + strlen(text));
}

void aw_output_print(struct aw_output *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(out, true, format, args);
    va_end(args);
}

void aw_output_draw(struct aw_output *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(out, false, format, args);
    va_end(args);
}

static enum aw_status get_output_error(const struct aw_output *out, struct aw_error *err)
{
    if (out->is_stalled || out->error == ECANCELED)
        return aw_fail(err, AW_STOPPED, "standard output: the reader stalled — stopped");
    if (!out->error)
        return AW_OK;
    if (out->error == EPIPE)
        return aw_fail(err, AW_LOST, "standard output: the reader closed the pipe — stopped");
    return aw_fail(err, AW_LOST, "standard output: %s — %s", strerror(out->error),
                   out->error == ENOSPC ? "free some space or write elsewhere" : "stopped");
}

enum aw_status aw_output_flush(struct aw_output *out, struct aw_error *err)
{
    if (out->used && !out->error)
        write_all(out);
    return get_output_error(out, err);
}

enum aw_status aw_output_pace(struct aw_output *out, int64_t now, int64_t *left,
                              struct aw_error *err)
{
    enum aw_status status = AW_OK;
    if (out->used && !out->waiting_ns)
        out->waiting_ns = now;
    if (out->used > AW_OUTPUT_SIZE / 2 || (out->used && now - out->waiting_ns >= AW_OUTPUT_LATE))
        status = aw_output_flush(out, err);
    *left = out->used ? AW_OUTPUT_LATE - (now - out->waiting_ns) : AW_NEVER;
    return status;
}

enum aw_status aw_output_check(struct aw_output *out, struct aw_error *err)
{
    struct pollfd fd = {.fd = out->fd};
    if (!out->error && poll(&fd, 1, 0) > 0 && fd.revents & POLLERR)
        out->error = EPIPE;
    return get_output_error(out, err);
}
