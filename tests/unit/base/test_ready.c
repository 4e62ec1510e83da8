#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "base/ready.h"
#include "next_helper.h"
#include "test.h"

/* Counts polls and reads. Cleanup changes errno. */
static int looks, reads, read_error;

int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    assert_int_equal(n, 1);
    assert_int_equal(timeout_ms, 0);
    looks++;
    return NEXT(poll)(fds, n, timeout_ms);
}

ssize_t read(int fd, void *out, size_t size)
{
    reads += (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0;
    return read_error ? fails_with(read_error) : NEXT(read)(fd, out, size);
}

int fcntl(int fd, int what, ...)
{
    va_list list;
    va_start(list, what);
    int result = NEXT64(fcntl)(fd, what, va_arg(list, int));
    va_end(list);
    if (what == F_SETFL)
        errno = EDOM;
    return result;
}

int close(int fd)
{
    int result = NEXT(close)(fd);
    if (result == 0)
        errno = EDOM;
    return result;
}

TEST(read_never_blocks)
{
    char bytes[8] = "";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    errno = 0;
    assert_int_equal(aw_read_ready(ends[0], bytes, sizeof bytes), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(write(ends[1], "key", 3), 3);
    assert_int_equal(aw_read_ready(ends[0], bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "key", 3);
    assert_int_equal(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0); /* shared by other processes */
    close(ends[1]);
    assert_int_equal(aw_read_ready(ends[0], bytes, sizeof bytes), 0);
    close(ends[0]);
    errno = 0;
    assert_int_equal(aw_read_ready(ends[0], bytes, sizeof bytes), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(looks, 4);
    assert_int_equal(reads, 3); /* every read has a non-blocking descriptor */
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "key", 3), 3);
    read_error = EIO;
    assert_int_equal(aw_read_ready(ends[0], bytes, sizeof bytes), -1);
    assert_int_equal(errno, EIO);
    read_error = 0;
    close(ends[0]);
    close(ends[1]);
}

/* A pipe accepts at once what fits. A terminal is written through a new file description. */
TEST(write_never_blocks)
{
    static char much[2 * PIPE_BUF], back[2 * PIPE_BUF];
    int ends[2];
    memset(much, 'x', sizeof much);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(aw_write_ready(ends[1], "key", 3), 3);
    assert_int_equal(read(ends[0], back, sizeof back), 3);
    assert_int_equal(aw_write_ready(ends[1], much, sizeof much), PIPE_BUF);
    assert_int_equal(read(ends[0], back, sizeof back), PIPE_BUF);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    while (aw_write_ready(ends[1], much, PIPE_BUF) > 0)
        ;
    assert_int_equal(errno, EAGAIN);
    close(ends[0]);
    close(ends[1]);
    errno = 0;
    assert_int_equal(aw_write_ready(ends[1], "x", 1), -1);
    assert_int_equal(errno, EBADF);

    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    for (int rest = 0; rest < 5; rest++) { /* the kernel frees more space gradually */
        usleep(rest ? 20000 : 0);
        for (int i = 0; i < 1000 && aw_write_ready(terminal, much, PIPE_BUF) > 0; i++)
            ;
    }
    assert_int_equal(errno, EAGAIN); /* the terminal has no reader */
    int next = dup(terminal), before = dup(0);
    close(next);
    close(0); /* the function may get descriptor 0 */
    assert_int_equal(aw_write_ready(terminal, much, PIPE_BUF), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(aw_write_ready(terminal, much, PIPE_BUF), -1);
    assert_int_equal(dup2(before, 0), 0);
    close(before);
    assert_int_equal(dup(terminal), next); /* no descriptor leaked */
    close(next);
    /* Non-blocking mode would affect other processes that write to it. */
    assert_int_equal(fcntl(terminal, F_GETFL) & O_NONBLOCK, 0);
    close(terminal);
    close(master);
}
