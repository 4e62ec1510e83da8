/* Reads and writes without blocking, even on shared descriptors, which must stay blocking. */
#include "base/ready.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

ssize_t aw_read_ready(int fd, void *buf, size_t size)
{
    struct pollfd in = {.fd = fd, .events = POLLIN};
    if (poll(&in, 1, 0) == 0) { /* a background process that reads would be stopped */
        errno = EAGAIN;
        return -1;
    }
    int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    ssize_t n = read(fd, buf, size);
    int error = errno;
    fcntl(fd, F_SETFL, flags); /* other programs share the terminal */
    errno = error;
    return n;
}

/* Reopens the terminal of a descriptor. Returns -1 if it is not a terminal, or permission is
 * denied. */
static int reopen_terminal(int fd)
{
    char path[32];
    if (!isatty(fd))
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

ssize_t aw_write_ready(int fd, const void *buf, size_t size)
{
    int terminal = reopen_terminal(fd);
    ssize_t n = write(terminal >= 0 ? terminal : fd, buf, size < PIPE_BUF ? size : PIPE_BUF);
    int error = errno;
    if (terminal >= 0)
        close(terminal);
    errno = error;
    return n;
}
