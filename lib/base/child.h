/* Runs child processes whose standard streams the caller can connect to pipes.
 *
 *     char path[256], words[40];
 *     struct aw_child child;
 *     if (!aw_child_find("armwire-mcap", path, sizeof path))
 *         return aw_fail(err, AW_USAGE, "armwire-mcap not found — install its package");
 *     char *const argv[] = {"armwire-mcap", "write", "run.mcap", NULL};
 *     struct aw_child_plan plan = {path, argv, .pipe_stdin = true};
 *     status = aw_child_start(&child, &plan, err);
 *     …
 *     write(child.stdin_fd, bytes, size);
 *     …
 *     int end = aw_child_end(&child, 5000);
 *     if (end != 0)                              "exit 1", "killed by SIGSEGV"
 *         aw_fail(err, AW_LOST, "armwire-mcap: %s", aw_child_describe(words, sizeof words, end));
 *
 * Each child runs in its own process group, so Ctrl-C at the terminal reaches the parent only. It
 * starts with no signal blocked and the default action for SIGPIPE. It inherits standard input,
 * output and error unless the plan replaces them by pipes; other close-on-exec descriptors are
 * closed. The caller must ignore SIGPIPE, so that writing to a dead child fails with EPIPE.
 */
#ifndef AW_BASE_CHILD_H
#define AW_BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"

#define AW_CHILD_FD      3
#define AW_CHILD_FD_TEXT "3"

struct aw_child_plan {
    const char *path;  /* program file to execute */
    char *const *argv; /* ends with NULL */
    char *env;         /* NAME=VALUE, added to its environment; NULL: none */
    bool pipe_stdin;   /* its standard input is a pipe that the caller writes to */
    bool pipe_stdout;  /* its standard output is a pipe that the caller reads from */
    bool pipe_stderr;  /* its standard error is a pipe, for aw_child_output */
    int fd;            /* descriptor that the child gets as AW_CHILD_FD; the caller still owns it;
                          0: none */
    bool quiet;        /* its standard error is /dev/null */
    bool dies_with_us; /* the kernel sends it SIGTERM when the thread that started it ends */
};

/* The caller may close the three descriptors itself, and then sets them to -1. They are
 * close-on-exec and blocking unless the caller changes that. */
struct aw_child {
    pid_t pid;       /* 0 once it has been reaped */
    int stdin_fd;    /* its standard input; -1: not a pipe */
    int stdout_fd;   /* its standard output; -1: not a pipe */
    int stderr_fd;   /* its standard error; -1: not a pipe */
    int wait_status; /* wait status of waitpid(2), valid once it has been reaped */
};

/* Looks for a program in the folder of the running one, then in PATH. Returns false if the program
 * is not found or its path does not fit into size bytes. */
bool aw_child_find(const char *program, char *path, size_t size);

/* Starts the program and returns when it is running. On failure, returns AW_NO_LINK with the reason
 * and leaves nothing open; aw_child_end then does nothing. */
enum aw_status aw_child_start(struct aw_child *child, const struct aw_child_plan *plan,
                              struct aw_error *err);

/* Waits up to timeout_ms for the child to exit, and reaps it. A timeout of 0 only checks. Returns
 * false if the child is still running, and true if it was reaped now or before. */
bool aw_child_wait(struct aw_child *child, int timeout_ms);

/* Closes the pipes to standard input and from standard output, waits up to timeout_ms for the child
 * to exit, and kills it if it is still running. Returns its wait status, which is 0 after exit
 * status 0. Leaves stderr_fd open: the caller closes it. */
int aw_child_end(struct aw_child *child, int timeout_ms);

/* Reads the available standard error of the child without blocking, and copies its first line to
 * out, without a prefix such as "armwire-mcap: ". Copies "" if nothing is available. Returns
 * out. */
const char *aw_child_output(const struct aw_child *child, char *out, size_t size);

/* Closes one end of a pipe and sets *fd to -1. */
void aw_child_close(int *fd);

/* Describes a wait status: "exit 1", "killed by SIGKILL". Returns out. */
const char *aw_child_describe(char *out, size_t size, int wait_status);

#endif
