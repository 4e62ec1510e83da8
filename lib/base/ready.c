#include "base/ready.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

ssize_t aw_read_ready(int fd, void *buf, size_t size)
{
    struct pollfd in = {.fd = fd, .events = POLLIN};
    if (poll(&in, 1, 0) == 0) { /* a read in the background would be stopped by the terminal */
        errno = EAGAIN;
        return -1;
    }
    int flags = fcntl(fd, F_GETFL);
    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    ssize_t n = read(fd, buf, size);
    int error = errno;
    fcntl(fd, F_SETFL, flags); /* others have the terminal too */
    errno = error;
    return n;
}
