/* LD_PRELOAD library that detects leaked descriptors: names each descriptor that is open at the
 * end but not at the start of the program, and exits with 98. Does not check child processes. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 256, STATUS = 98, TRIES = 200, AGAIN_US = 10000 };

static bool given[MOST];
static pid_t self;

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

__attribute__((constructor)) static void begin(void)
{
    for (int fd = 0; fd < MOST; fd++)
        given[fd] = is_open(fd);
    self = getpid();
    unsetenv("LD_PRELOAD");
}

static void tell(int fd)
{
    char link[32], target[200];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, target, sizeof target);
    fprintf(stderr, "not ok - descriptor %d is left open: %.*s\n", fd, n > 0 ? (int)n : 0, target);
}

static bool is_left(int fd)
{
    return is_open(fd) && !given[fd];
}

/* Another thread may close a descriptor slightly later. */
static void wait_for_threads(void)
{
    for (int fd = 0, tries = 0; fd < MOST && tries < TRIES; fd++)
        for (; is_left(fd) && tries < TRIES; tries++)
            usleep(AGAIN_US);
}

__attribute__((destructor)) static void end(void)
{
    bool left = false;
    if (getpid() != self)
        return;
    wait_for_threads();
    for (int fd = 0; fd < MOST; fd++) {
        if (!is_left(fd))
            continue;
        tell(fd);
        left = true;
    }
    fflush(NULL);
    if (left)
        _exit(STATUS);
}
