/* Starts a program on one end of a socket pair, and ends it with the link. */
#include "link/core/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link/core/fd_link.h"

#define END_TIMEOUT_MS 1000

struct child_link {
    struct aw_fd_link fd;
    pid_t pid;
};

static bool is_program(const char *path)
{
    return access(path, X_OK) == 0;
}

static bool find_beside(const char *program, char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n < 0)
        return false;
    path[n] = '\0';
    char *slash = strrchr(path, '/');
    size_t room = slash ? size - (size_t)(slash + 1 - path) : 0;
    return room && (size_t)snprintf(slash + 1, room, "%s", program) < room && is_program(path);
}

bool aw_spawn_find(const char *program, char *path, size_t size)
{
    if (find_beside(program, path, size))
        return true;
    const char *dir = getenv("PATH");
    while (dir && *dir) {
        size_t n = strcspn(dir, ":");
        int length = snprintf(path, size, "%.*s/%s", (int)n, dir, program);
        if (n > 0 && (size_t)length < size && is_program(path))
            return true;
        dir += n + (dir[n] == ':');
    }
    return false;
}

/* The kernel ends a child that outlives us; that has to be set before we may have ended. */
static void become(const char *path, char *const argv[], int fd, int report, pid_t starter)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == starter && dup2(fd, AW_SPAWN_FD) == AW_SPAWN_FD)
        execv(path, argv);
    int error = errno;
    if (write(report, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

/* Above the descriptor the child gets, so that putting its end there closes neither. */
static bool move_up(int *fd)
{
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, AW_SPAWN_FD + 1);
    close(*fd);
    *fd = moved;
    return moved >= 0;
}

static void close_all(const int fds[2])
{
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static int start(const char *path, char *const argv[], const int stream[2], int report[2],
                 pid_t *pid)
{
    pid_t starter = getpid();
    *pid = fork();
    if (*pid < 0)
        return errno;
    if (*pid == 0)
        become(path, argv, stream[1], report[1], starter);
    close(report[1]);
    report[1] = -1;
    /* Waits until the child is another program, or says why it could not become one. */
    int error = 0;
    ssize_t n;
    do
        n = read(report[0], &error, sizeof error);
    while (n < 0 && errno == EINTR);
    if (n != sizeof error)
        return 0;
    waitpid(*pid, NULL, 0);
    return error;
}

static void child_close(struct aw_link *link)
{
    pid_t pid = ((struct child_link *)link)->pid;
    aw_fd_close(link);
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    int n = 0;
    if (end.fd >= 0) {
        do
            n = poll(&end, 1, END_TIMEOUT_MS);
        while (n < 0 && errno == EINTR);
        close(end.fd);
    }
    if (n <= 0) /* it does not end by itself */
        kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static const struct aw_link_ops child_ops = {
    .read = aw_fd_read,
    .write = aw_fd_write,
    .close = child_close,
    .fd = aw_fd_fd,
    .raw = aw_fd_raw,
};

enum aw_status aw_spawn_open(struct aw_link **out, const char *path, char *const argv[],
                             struct aw_clock *clock, struct aw_error *err)
{
    int stream[2] = {-1, -1}, report[2] = {-1, -1};
    struct child_link *self = aw_fd_link_new(sizeof *self, &child_ops, clock);
    if (!self)
        return aw_no_memory(err);
    bool open = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream) == 0 &&
                pipe2(report, O_CLOEXEC) == 0 && move_up(&stream[1]) && move_up(&report[1]) &&
                fcntl(stream[0], F_SETFL, O_NONBLOCK) == 0;
    int error = open ? 0 : errno;
    if (!error)
        error = start(path, argv, stream, report, &self->pid);
    close_all(report);
    close_all((int[]){stream[1], error ? stream[0] : -1});
    if (error) {
        free(self);
        return aw_fail(err, AW_NO_LINK, "%.100s: %s — is it complete and executable?", path,
                       strerror(error));
    }
    self->fd.fd = stream[0];
    self->fd.socket = true;
    self->fd.base.connections = 1;
    snprintf(self->fd.base.key, sizeof self->fd.base.key, "%.100s", argv[0]);
    *out = &self->fd.base;
    return AW_OK;
}

enum aw_status aw_spawn_parent(struct aw_link **out, int fd, const char *key,
                               struct aw_clock *clock, struct aw_error *err)
{
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM)
        return aw_fail(err, AW_NO_LINK,
                       "descriptor %d is no stream — it is to be one end of a socketpair", fd);
    struct aw_fd_link *self = aw_fd_link_new(sizeof *self, &aw_fd_ops, clock);
    if (!self)
        return aw_no_memory(err);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    self->fd = fd;
    self->socket = true;
    self->base.connections = 1;
    snprintf(self->base.key, sizeof self->base.key, "%.100s", key);
    *out = &self->base;
    return AW_OK;
}
