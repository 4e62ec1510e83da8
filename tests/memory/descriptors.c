/* For LD_PRELOAD: a program that ends with a descriptor open that it was not started with says so
 * in the file that DESCRIPTORS_LEFT names, one line each: what it was called with, and what is
 * open. Children are left alone. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 256 };

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

/* Its words, with blanks between. */
static size_t command_line(char *out, size_t size)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = read(fd, out, size);
    close(fd);
    for (ssize_t i = 0; i < n; i++)
        out[i] = out[i] ? out[i] : ' ';
    return n > 0 ? (size_t)n : 0;
}

static void tell(const char *path, int left)
{
    char line[1200], link[32];
    size_t used = command_line(line, 900);
    snprintf(link, sizeof link, "/proc/self/fd/%d", left);
    used += (size_t)snprintf(line + used, sizeof line - used, "leaves %d open: ", left);
    ssize_t n = readlink(link, line + used, sizeof line - used - 1);
    used += n > 0 ? (size_t)n : 0;
    line[used++] = '\n';
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (write(fd, line, used) < 0)
        abort();
    close(fd);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("DESCRIPTORS_LEFT");
    for (int fd = 0; path && fd < MOST && getpid() == self; fd++)
        if (is_open(fd) && !given[fd])
            tell(path, fd);
}
