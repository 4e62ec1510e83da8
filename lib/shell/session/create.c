/* Opens the files that commands write: /dev/null under --dry-run, and pipes that may have no
 * reader. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "shell/session/session.h"

#define PATIENCE_MS 200                   /* max wait for a blocked reader, ms */
#define POLL_NS     (20 * AW_MILLISECOND) /* interval between checks for a reader */

/* A pipe whose reader may be slow, or stop reading. */
struct pipe_end {
    int fd;
    bool given_up;
};

static bool has_room(struct pipe_end *to)
{
    struct pollfd fd = {.fd = to->fd, .events = POLLOUT};
    to->given_up = to->given_up || poll(&fd, 1, PATIENCE_MS) == 0;
    errno = ETIMEDOUT;
    return !to->given_up;
}

static ssize_t write_pipe(void *cookie, const char *text, size_t size)
{
    struct pipe_end *to = cookie;
    size_t written = 0;
    while (written < size && has_room(to)) {
        ssize_t n = write(to->fd, text + written, size - written);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            break;
        written += n > 0 ? (size_t)n : 0;
    }
    return written == size ? (ssize_t)size : 0;
}

static int close_pipe(void *cookie)
{
    struct pipe_end *to = cookie;
    int result = close(to->fd);
    free(to);
    return result;
}

static FILE *open_pipe(int fd)
{
    struct pipe_end *to = calloc(1, sizeof *to);
    FILE *file =
        to ? fopencookie(to, "w", (cookie_io_functions_t){.write = write_pipe, .close = close_pipe})
           : 0;
    if (!file) {
        free(to);
        return NULL;
    }
    to->fd = fd;
    return file;
}

enum aw_status aw_session_create_file(struct aw_session *session, const char *prefix,
                                      const char *path, FILE **file)
{
    struct aw_clock *clock = &session->time.real.base;
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct stat info = {0};
    int fd;
    if (session->options.run.dry_run)
        path = "/dev/null"; /* a dry run creates no file */
    while ((fd = open(path, flags, 0666)) < 0 && errno == ENXIO && stat(path, &info) == 0 &&
           S_ISFIFO(info.st_mode))
        if (aw_clock_sleep(clock, aw_clock_now(clock) + POLL_NS) != AW_OK)
            return aw_fail(&session->err, AW_STOPPED, "%.200s: stopped before a reader opened it",
                           path);
    if (fd < 0)
        return aw_file_fail(&session->err, prefix, path);
    *file = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? fdopen(fd, "w") : open_pipe(fd);
    if (*file)
        return AW_OK;
    close(fd);
    return aw_no_memory(&session->err);
}
