/* Starts child processes and waits for them to exit. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Finding --------------------------------------------------------------------------------- */

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

bool aw_child_find(const char *program, char *path, size_t size)
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

/* ---- Starting -------------------------------------------------------------------------------- */

/* Descriptors used while starting a child; -1: not used. The first four become 0, 1, 2 and
 * AW_CHILD_FD of the child. REPORT tells the parent why exec failed. */
enum { IN, OUT, ERR, GIVEN, REPORT, OURS };

static const int places[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, AW_CHILD_FD};

static bool take_places(const int ends[OURS])
{
    for (int i = 0; i < REPORT; i++)
        if (ends[i] >= 0 && dup2(ends[i], places[i]) != places[i])
            return false;
    return true;
}

/* Runs in the child. Checks getppid after requesting the parent-death signal, because the parent
 * may have exited before. */
static void become(const struct aw_child_plan *plan, const int ends[OURS], pid_t starter)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0);
    int null = plan->quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (null >= 0)
        dup2(null, STDERR_FILENO);
    if (plan->env)
        putenv(plan->env);
    if (plan->dies_with_us)
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    if ((!plan->dies_with_us || getppid() == starter) && take_places(ends))
        execv(plan->path, plan->argv);
    int error = errno;
    if (write(ends[REPORT], &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

/* Duplicates the descriptor above AW_CHILD_FD, so that it cannot collide with the child's ends. */
static bool move_up(int *fd)
{
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, AW_CHILD_FD + 1);
    close(*fd);
    *fd = moved;
    return moved >= 0;
}

/* Opens a pipe and moves the child's end above AW_CHILD_FD. child_end is 0 if the child reads from
 * it, 1 if it writes to it. */
static bool make_pipe(int which, int *theirs, int *ours)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *theirs = ends[which];
    *ours = ends[!which];
    return move_up(theirs);
}

void aw_child_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool make_ends(struct aw_child *child, const struct aw_child_plan *plan, int ends[OURS],
                      int *report)
{
    if (plan->write && !make_pipe(0, &ends[IN], &child->to))
        return false;
    if (plan->read && !make_pipe(1, &ends[OUT], &child->from))
        return false;
    if (plan->errors && !make_pipe(1, &ends[ERR], &child->err))
        return false;
    if (plan->fd)
        ends[GIVEN] = fcntl(plan->fd, F_DUPFD_CLOEXEC, AW_CHILD_FD + 1);
    return (!plan->fd || ends[GIVEN] >= 0) && make_pipe(1, &ends[REPORT], report);
}

/* Waits until the child executes the program or reports the errno of its failure. */
static int await_start(struct aw_child *child, int report)
{
    int error = 0;
    ssize_t n;
    do
        n = read(report, &error, sizeof error);
    while (n < 0 && errno == EINTR);
    if (n != sizeof error)
        return 0;
    waitpid(child->pid, NULL, 0);
    child->pid = 0;
    return error;
}

enum aw_status aw_child_start(struct aw_child *child, const struct aw_child_plan *plan,
                              struct aw_error *err)
{
    int ends[OURS] = {-1, -1, -1, -1, -1}, report = -1, error = 0;
    *child = (struct aw_child){.to = -1, .from = -1, .err = -1};
    if (make_ends(child, plan, ends, &report)) {
        pid_t starter = getpid(), pid = fork();
        if (pid == 0)
            become(plan, ends, starter);
        error = pid < 0 ? errno : 0;
        child->pid = pid < 0 ? 0 : pid;
        aw_child_close(&ends[REPORT]);
        if (!error)
            error = await_start(child, report);
    } else
        error = errno;
    for (int i = 0; i < OURS; i++)
        aw_child_close(&ends[i]);
    aw_child_close(&report);
    if (!error)
        return AW_OK;
    aw_child_close(&child->to);
    aw_child_close(&child->from);
    aw_child_close(&child->err);
    return aw_fail(err, AW_NO_LINK, "%.100s: %s — is it complete and executable?", plan->path,
                   strerror(error));
}

/* ---- Ending ---------------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool await_end(pid_t pid, int timeout_ms)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    int64_t deadline = now_ms() + timeout_ms, left = timeout_ms;
    int n = 0;
    if (end.fd < 0)
        return false;
    do {
        n = poll(&end, 1, (int)left);
        left = deadline - now_ms();
        left = left > 0 ? left : 0;
    } while (n < 0 && errno == EINTR);
    close(end.fd);
    return n > 0;
}

static void reap(struct aw_child *child)
{
    while (waitpid(child->pid, &child->how, 0) < 0 && errno == EINTR)
        ;
    child->pid = 0;
}

bool aw_child_wait(struct aw_child *child, int timeout_ms)
{
    if (!child->pid)
        return true;
    if (!await_end(child->pid, timeout_ms))
        return false;
    reap(child);
    return true;
}

int aw_child_end(struct aw_child *child, int timeout_ms)
{
    aw_child_close(&child->to);
    aw_child_close(&child->from);
    if (!aw_child_wait(child, timeout_ms)) {
        kill(child->pid, SIGKILL);
        reap(child);
    }
    return child->how;
}

const char *aw_child_output(const struct aw_child *child, char *out, size_t size)
{
    struct pollfd ready = {.fd = child->err, .events = POLLIN};
    size_t used = 0;
    while (child->err >= 0 && used + 1 < size && poll(&ready, 1, 0) > 0) {
        ssize_t n = read(child->err, out + used, size - 1 - used);
        if (n <= 0)
            break;
        used += (size_t)n;
    }
    out[used] = '\0';
    out[strcspn(out, "\n")] = '\0';
    char *text = strstr(out, ": ");
    if (text && !memchr(out, ' ', (size_t)(text - out)))
        memmove(out, text + 2, strlen(text + 2) + 1);
    return out;
}

const char *aw_child_words(char *out, size_t size, int how)
{
    const char *name = WIFSIGNALED(how) ? sigabbrev_np(WTERMSIG(how)) : NULL;
    if (name)
        snprintf(out, size, "killed by SIG%s", name);
    else if (WIFSIGNALED(how))
        snprintf(out, size, "killed by signal %d", WTERMSIG(how));
    else
        snprintf(out, size, "exit %d", WEXITSTATUS(how));
    return out;
}
