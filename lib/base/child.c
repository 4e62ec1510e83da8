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

#include "base/clock.h"

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
enum { IN, OUT, ERR, EXTRA, REPORT, N_ENDS };

static const int child_fds[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, AW_CHILD_FD};

static bool install_fds(const int ends[N_ENDS])
{
    for (int i = 0; i < REPORT; i++)
        if (ends[i] >= 0 && dup2(ends[i], child_fds[i]) != child_fds[i])
            return false;
    return true;
}

/* Runs in the child. Checks getppid after requesting the parent-death signal, because the parent
 * may have exited before. */
static void run_program(const struct aw_child_plan *plan, const int ends[N_ENDS], pid_t parent)
{
    sigset_t no_signals;
    sigemptyset(&no_signals);
    sigprocmask(SIG_SETMASK, &no_signals, NULL);
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0);
    int null = plan->quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (null >= 0)
        dup2(null, STDERR_FILENO);
    if (plan->env)
        putenv(plan->env);
    if (plan->dies_with_us)
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    if ((!plan->dies_with_us || getppid() == parent) && install_fds(ends))
        execv(plan->path, plan->argv);
    int error = errno;
    if (write(ends[REPORT], &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

/* Duplicates the descriptor above AW_CHILD_FD, so that it cannot collide with the child's ends. */
static bool move_fd_up(int *fd)
{
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, AW_CHILD_FD + 1);
    close(*fd);
    *fd = moved;
    return moved >= 0;
}

/* Opens a pipe and moves the child's end above AW_CHILD_FD. child_end is 0 if the child reads from
 * it, 1 if it writes to it. */
static bool make_pipe(int child_end, int *child_fd, int *parent_fd)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *child_fd = ends[child_end];
    *parent_fd = ends[!child_end];
    return move_fd_up(child_fd);
}

void aw_child_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool make_ends(struct aw_child *child, const struct aw_child_plan *plan, int ends[N_ENDS],
                      int *report)
{
    if (plan->pipe_stdin && !make_pipe(0, &ends[IN], &child->stdin_fd))
        return false;
    if (plan->pipe_stdout && !make_pipe(1, &ends[OUT], &child->stdout_fd))
        return false;
    if (plan->pipe_stderr && !make_pipe(1, &ends[ERR], &child->stderr_fd))
        return false;
    if (plan->fd)
        ends[EXTRA] = fcntl(plan->fd, F_DUPFD_CLOEXEC, AW_CHILD_FD + 1);
    return (!plan->fd || ends[EXTRA] >= 0) && make_pipe(1, &ends[REPORT], report);
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
    int ends[N_ENDS] = {-1, -1, -1, -1, -1}, report = -1, error = 0;
    bool forked = false;
    *child = (struct aw_child){.stdin_fd = -1, .stdout_fd = -1, .stderr_fd = -1};
    if (make_ends(child, plan, ends, &report)) {
        pid_t parent = getpid(), pid = fork();
        if (pid == 0)
            run_program(plan, ends, parent);
        forked = pid > 0;
        error = forked ? 0 : errno;
        child->pid = forked ? pid : 0;
        aw_child_close(&ends[REPORT]);
        if (forked)
            error = await_start(child, report);
    } else
        error = errno;
    for (int i = 0; i < N_ENDS; i++)
        aw_child_close(&ends[i]);
    aw_child_close(&report);
    if (!error)
        return AW_OK;
    aw_child_close(&child->stdin_fd);
    aw_child_close(&child->stdout_fd);
    aw_child_close(&child->stderr_fd);
    return aw_fail(err, AW_NO_LINK, "%.100s: cannot %s: %s%s", plan->path,
                   forked ? "execute" : "start", strerror(error),
                   forked ? " — check that the file is complete and executable" : "");
}

/* ---- Ending ---------------------------------------------------------------------------------- */

static bool await_exit(pid_t pid, int timeout_ms)
{
    struct pollfd exited = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    int64_t deadline = aw_monotonic_time() / AW_MILLISECOND + timeout_ms, left = timeout_ms;
    int n = 0;
    if (exited.fd < 0)
        return false;
    do {
        n = poll(&exited, 1, (int)left);
        left = deadline - aw_monotonic_time() / AW_MILLISECOND;
        left = left > 0 ? left : 0;
    } while (n < 0 && errno == EINTR);
    close(exited.fd);
    return n > 0;
}

static void reap(struct aw_child *child)
{
    while (waitpid(child->pid, &child->wait_status, 0) < 0 && errno == EINTR)
        ;
    child->pid = 0;
}

bool aw_child_wait(struct aw_child *child, int timeout_ms)
{
    if (!child->pid)
        return true;
    if (!await_exit(child->pid, timeout_ms))
        return false;
    reap(child);
    return true;
}

int aw_child_end(struct aw_child *child, int timeout_ms)
{
    aw_child_close(&child->stdin_fd);
    aw_child_close(&child->stdout_fd);
    if (!aw_child_wait(child, timeout_ms)) {
        kill(child->pid, SIGKILL);
        reap(child);
    }
    return child->wait_status;
}

const char *aw_child_output(const struct aw_child *child, char *out, size_t size)
{
    struct pollfd ready = {.fd = child->stderr_fd, .events = POLLIN};
    size_t used = 0;
    while (child->stderr_fd >= 0 && used + 1 < size && poll(&ready, 1, 0) > 0) {
        ssize_t n = read(child->stderr_fd, out + used, size - 1 - used);
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

const char *aw_child_describe(char *out, size_t size, int wait_status)
{
    const char *name = WIFSIGNALED(wait_status) ? sigabbrev_np(WTERMSIG(wait_status)) : NULL;
    if (name)
        snprintf(out, size, "killed by SIG%s", name);
    else if (WIFSIGNALED(wait_status))
        snprintf(out, size, "killed by signal %d", WTERMSIG(wait_status));
    else
        snprintf(out, size, "exit %d", WEXITSTATUS(wait_status));
    return out;
}
