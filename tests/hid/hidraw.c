/* LD_PRELOAD library that provides hidraw nodes on a kernel without them.
 *
 * /dev/hidrawN stands for the file hidrawN in the directory $HIDRAW_DIR: a SOCK_SEQPACKET socket
 * with a simulated board at its other end. As with hidraw, messages keep their boundaries, a short
 * buffer truncates them, and poll(2) reports a closed peer. This file adds opening, the ioctls and
 * the report number before written data.
 *
 * A file without write permission (chmod 0) is refused for root, too. Files that are not sockets
 * are opened unchanged.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hidraw.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define NODE "/dev/hidraw"

/* The C library's functions that this file wraps. */
union next {
    void *symbol;
    int (*open)(const char *path, int flags, ...);
    int (*access)(const char *path, int mode);
    int (*ioctl)(int fd, unsigned long request, ...);
    ssize_t (*write)(int fd, const void *buf, size_t size);
};

static union next next(const char *name)
{
    return (union next){dlsym(RTLD_NEXT, name)};
}

/* Returns true for /dev/hidrawN, and sets address to the socket of its board. */
static bool stands_for(const char *path, struct sockaddr_un *address)
{
    const char *directory = getenv("HIDRAW_DIR");
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!directory || strncmp(path, NODE, strlen(NODE)) != 0)
        return false;
    snprintf(address->sun_path, sizeof address->sun_path, "%s%s", directory, path + strlen("/dev"));
    return true;
}

/* Checks the permission of the file; returns -1 and sets errno if it cannot be opened. */
static int look(const struct sockaddr_un *address, struct stat *file)
{
    if (stat(address->sun_path, file) != 0)
        return -1;
    errno = EACCES;
    return file->st_mode & 0222 ? 0 : -1;
}

static int open_node(const struct sockaddr_un *address, int flags)
{
    struct stat file;
    if (look(address, &file) != 0)
        return -1;
    if (!S_ISSOCK(file.st_mode))
        return next("open").open(address->sun_path, flags);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | (flags & O_CLOEXEC ? SOCK_CLOEXEC : 0), 0);
    if (connect(fd, (const struct sockaddr *)address, sizeof *address) == 0)
        return fd;
    close(fd);
    errno = ENODEV;
    return -1;
}

int open(const char *path, int flags, ...)
{
    struct sockaddr_un address;
    va_list list;
    va_start(list, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
    va_end(list);
    if (stands_for(path, &address))
        return open_node(&address, flags);
    return next("open").open(path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int access(const char *path, int mode)
{
    struct sockaddr_un address;
    struct stat file;
    if (stands_for(path, &address))
        return look(&address, &file);
    return next("access").access(path, mode);
}

static bool is_node(int fd)
{
    struct sockaddr_un peer;
    socklen_t size = sizeof peer;
    return getpeername(fd, (struct sockaddr *)&peer, &size) == 0 && peer.sun_family == AF_UNIX &&
           size > sizeof peer.sun_family && strstr(peer.sun_path, "/hidraw");
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (_IOC_TYPE(request) != 'H' || !is_node(fd))
        return next("ioctl").ioctl(fd, request, argument);
    if (request == HIDIOCGRDESCSIZE)
        *(int *)argument = 34;
    else if (request == HIDIOCGRAWINFO)
        *(struct hidraw_devinfo *)argument = (struct hidraw_devinfo){3, 0x16C0, 0x0486};
    return 0;
}

/* Does not send report number 0, like the USB driver. */
ssize_t write(int fd, const void *buf, size_t size)
{
    const char *report = buf;
    if (!is_node(fd))
        return next("write").write(fd, buf, size);
    size_t skip = size > 0 && report[0] == 0;
    ssize_t n = send(fd, report + skip, size - skip, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR)
        errno = ENODEV;
    return n < 0 ? n : n + (ssize_t)skip;
}
