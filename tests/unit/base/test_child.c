#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "descriptors_helper.h"
#include "next_helper.h"
#include "test.h"

#define TIMEOUT_MS 20000

/* Errors that the next calls return instead of calling the kernel; 0: no error. */
static struct {
    int fork;
    int poll[4], polls; /* poll: -1 times out. polls: number of calls */
    int timeout;        /* timeout of the last poll */
    int wait, read;     /* error of the next call only */
    int killed;         /* signal passed to kill */
} fake;

pid_t fork(void)
{
    return fake.fork ? fails_with(fake.fork) : NEXT(fork)();
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    int result = fake.polls < 4 ? fake.poll[fake.polls++] : 0;
    fake.timeout = timeout;
    if (result == -1)
        return 0;
    return result ? fails_with(result) : NEXT(poll)(fds, n, timeout);
}

static int once(int *error)
{
    int value = *error;
    *error = 0;
    return value;
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    int error = once(&fake.wait);
    return error ? fails_with(error) : NEXT(waitpid)(pid, status, options);
}

ssize_t read(int fd, void *buf, size_t size)
{
    int error = once(&fake.read);
    return error ? fails_with(error) : NEXT(read)(fd, buf, size);
}

int kill(pid_t pid, int signal)
{
    fake.killed = signal;
    return NEXT(kill)(pid, signal);
}

static void reset(void)
{
    memset(&fake, 0, sizeof fake);
    signal(SIGPIPE, SIG_IGN);
}

static struct aw_child start(const char *script, struct aw_child_plan plan)
{
    char sh[] = "sh", c[] = "-c", text[400], *const argv[] = {sh, c, text, NULL};
    struct aw_child child;
    struct aw_error err;
    snprintf(text, sizeof text, "%s", script);
    plan.path = "/bin/sh";
    plan.argv = argv;
    assert_ok(aw_child_start(&child, &plan, &err), &err);
    return child;
}

static void expect_text(int fd, const char *expected)
{
    char text[128] = "";
    size_t used = 0;
    while (used < strlen(expected)) {
        ssize_t n = read(fd, text + used, sizeof text - 1 - used);
        assert_true(n > 0);
        used += (size_t)n;
    }
    assert_string_equal(text, expected);
}

static void expect_no_child(void)
{
    assert_int_equal(NEXT(waitpid)(-1, NULL, WNOHANG), -1);
}

TEST_WITH(reset, NULL, child_input_and_output_are_piped)
{
    struct aw_child child =
        start("cat", (struct aw_child_plan){.pipe_stdin = true, .pipe_stdout = true});
    assert_int_equal(write(child.stdin_fd, "hello", 5), 5);
    expect_text(child.stdout_fd, "hello");
    assert_true(fcntl(child.stdin_fd, F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(child.stdout_fd, F_GETFD) & FD_CLOEXEC);
    close(child.stdin_fd);
    child.stdin_fd = -1;
    assert_int_equal(read(child.stdout_fd, &(char){0}, 1), 0);
    assert_int_equal(aw_child_end(&child, TIMEOUT_MS), 0);
    assert_int_equal(child.pid, 0);
    assert_int_equal(child.stdin_fd, -1);
    assert_int_equal(child.stdout_fd, -1);
    assert_int_equal(aw_child_end(&child, TIMEOUT_MS), 0); /* a second end has no effect */
    expect_no_child();
}

TEST_WITH(reset, NULL, first_error_line_of_the_child_is_read)
{
    static const struct text_case rows[] = {
        {"echo 'armwire-x: run.x: no space' >&2; echo more >&2", "run.x: no space"},
        {"echo 'a line: without a name' >&2", "a line: without a name"},
        {"true", ""},
    };
    char said[64];
    EACH (row, rows) {
        struct aw_child child = start(row->text, (struct aw_child_plan){.pipe_stderr = true});
        assert_true(aw_child_wait(&child, TIMEOUT_MS));
        assert_string_equal(aw_child_output(&child, said, sizeof said), row->expected);
        aw_child_close(&child.stderr_fd);
        assert_int_equal(child.stderr_fd, -1);
        assert_string_equal(aw_child_output(&child, said, sizeof said), "");
    }
    expect_no_child();
}

TEST_WITH(reset, NULL, write_to_a_dead_child_fails_with_epipe)
{
    struct aw_child child = start("exit 4", (struct aw_child_plan){.pipe_stdin = true});
    char words[40];
    assert_true(aw_child_wait(&child, TIMEOUT_MS));
    assert_int_equal(write(child.stdin_fd, "x", 1), -1);
    assert_int_equal(errno, EPIPE);
    assert_true(aw_child_wait(&child, 0));
    assert_string_equal(aw_child_describe(words, sizeof words, aw_child_end(&child, 0)), "exit 4");
}

TEST_WITH(reset, NULL, child_gets_the_given_descriptor)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    struct aw_child child =
        start("cat >&3", (struct aw_child_plan){.pipe_stdin = true, .fd = ends[1]});
    close(ends[1]);
    assert_int_equal(write(child.stdin_fd, "given", 5), 5);
    expect_text(ends[0], "given");
    assert_int_equal(aw_child_end(&child, TIMEOUT_MS), 0);
    assert_int_equal(read(ends[0], &(char){0}, 1), 0);
    close(ends[0]);
}

/* The child inherits the environment and gets this variable, too. */
TEST_WITH(reset, NULL, child_gets_its_environment_variable)
{
    char variable[] = "AW_TEST=of the child";
    setenv("AW_OTHER", "of both", 1);
    struct aw_child child = start("echo \"$AW_TEST, $AW_OTHER\"",
                                  (struct aw_child_plan){.env = variable, .pipe_stdout = true});
    expect_text(child.stdout_fd, "of the child, of both\n");
    assert_int_equal(aw_child_end(&child, TIMEOUT_MS), 0);
    assert_null(getenv("AW_TEST"));
}

TEST_WITH(reset, NULL, messages_of_a_quiet_child_are_dropped)
{
    struct aw_child child =
        start("readlink /proc/$$/fd/2", (struct aw_child_plan){.pipe_stdout = true, .quiet = true});
    expect_text(child.stdout_fd, "/dev/null\n");
    assert_int_equal(aw_child_end(&child, 5000), 0);
}

TEST_WITH(reset, NULL, child_is_killed_after_the_timeout)
{
    struct aw_child child = start("trap '' TERM; echo up; exec sleep 1000",
                                  (struct aw_child_plan){.pipe_stdout = true});
    char words[40];
    expect_text(child.stdout_fd, "up\n");
    assert_false(aw_child_wait(&child, 0));
    assert_false(aw_child_wait(&child, 5));
    assert_true(child.pid > 0);
    assert_string_equal(aw_child_describe(words, sizeof words, aw_child_end(&child, 5)),
                        "killed by SIGKILL");
    assert_int_equal(child.pid, 0);
    expect_no_child();
}

/* A child that does not end in time is killed; other signals do not interrupt the wait. */
TEST_WITH(reset, NULL, signals_do_not_interrupt_the_wait)
{
    static const struct {
        int poll[4], polls, wait, killed;
    } cases[] = {{{0}, 1, 0, 0},
                 {{EINTR, EINTR, 0}, 3, 0, 0},
                 {{-1}, 1, 0, SIGKILL},
                 {{EINTR, -1}, 2, 0, SIGKILL},
                 {{EINVAL}, 1, 0, SIGKILL},
                 {{-1}, 1, EINTR, SIGKILL},
                 {{0}, 1, EINTR, 0}};
    EACH (row, cases) {
        struct aw_child child = start("exec cat", (struct aw_child_plan){.pipe_stdin = true});
        reset();
        memcpy(fake.poll, row->poll, sizeof fake.poll);
        fake.wait = row->wait;
        aw_child_end(&child, TIMEOUT_MS);
        assert_int_equal(fake.polls, row->polls);
        assert_in_range(fake.timeout, TIMEOUT_MS / 2, TIMEOUT_MS);
        assert_int_equal(fake.killed, row->killed);
        expect_no_child();
    }
}

TEST_WITH(reset, NULL, missing_program_is_reported)
{
    char name[] = "x", *const argv[] = {name, NULL};
    struct aw_child child;
    struct aw_error err;
    int lowest = lowest_free_descriptor();
    for (int interrupted = 0; interrupted < 2; interrupted++) {
        fake.read = interrupted ? EINTR : 0;
        assert_int_equal(
            aw_child_start(
                &child,
                &(struct aw_child_plan){"/nosuch/x", argv, .pipe_stdin = true, .pipe_stdout = true},
                &err),
            AW_NO_LINK);
        assert_string_equal(err.text,
                            "/nosuch/x: cannot execute: No such file or directory — check that "
                            "the file is complete and executable");
        assert_int_equal(fake.read, 0);
        assert_int_equal(child.pid, 0);
        assert_int_equal(child.stdin_fd, -1);
        assert_int_equal(child.stdout_fd, -1);
        assert_int_equal(aw_child_end(&child, 0), 0);
        expect_no_child();
    }
    assert_int_equal(lowest_free_descriptor(), lowest);
}

/* Every step can fail for lack of descriptors; no descriptor and no process may leak. */
TEST_WITH(reset, NULL, failed_start_leaks_nothing)
{
    char name[] = "true", *const argv[] = {name, NULL};
    struct aw_child child;
    struct aw_error err;
    const struct aw_child_plan plan = {"/bin/true", argv, .pipe_stdin = true, .pipe_stdout = true,
                                       .fd = 1};
    enum aw_status status = AW_NO_LINK;
    unsigned steps = 0;
    int lowest = lowest_free_descriptor();
    fake.fork = EAGAIN;
    assert_error(aw_child_start(&child, &plan, &err), AW_NO_LINK, &err,
                 "/bin/true: cannot start: Resource temporarily unavailable");
    fake.fork = 0;
    for (; status != AW_OK && steps < 30; steps++) {
        rlim_t usual = limit_descriptors((rlim_t)lowest + steps);
        status = aw_child_start(&child, &plan, &err);
        limit_descriptors(usual);
        if (status == AW_OK)
            break;
        assert_error_has(status, AW_NO_LINK, &err, "/bin/true: cannot start: Too many open files");
        expect_no_child();
        assert_int_equal(lowest_free_descriptor(), lowest);
    }
    assert_true(steps > 6 && status == AW_OK);
    assert_int_equal(aw_child_end(&child, TIMEOUT_MS), 0);
}

TEST_WITH(reset, NULL, programs_are_found_in_path)
{
    char path[256];
    assert_true(aw_child_find("test_child", path, sizeof path)); /* in its own directory */
    assert_has(path, "tests/unit/base/test_child");
    setenv("PATH", "/nosuch:/bin", 1);
    assert_true(aw_child_find("sh", path, sizeof path));
    assert_string_equal(path, "/bin/sh");
    assert_false(aw_child_find("no-such-program", path, sizeof path));
    assert_false(aw_child_find("sh", path, strlen("/bin/sh"))); /* too long for the buffer */
    assert_true(aw_child_find("sh", path, sizeof "/bin/sh"));
    assert_false(aw_child_find("shell", path, sizeof "/bin/sh")); /* not truncated to "sh" */
    setenv("PATH", "::/nosuch:/bin:", 1);                         /* empty entries are skipped */
    assert_true(aw_child_find("sh", path, sizeof path));
    assert_string_equal(path, "/bin/sh");
    setenv("PATH", ":", 1);
    assert_false(aw_child_find("Makefile", path, sizeof path));
    setenv("PATH", "/", 1);
    assert_true(aw_child_find("bin/sh", path, sizeof path));
    setenv("PATH", "", 1);
    assert_true(aw_child_find("test_child", path, sizeof path));
    assert_true(aw_child_find("test_child", path, strlen(path) + 1)); /* fits exactly */
    size_t size = strlen(path);
    memset(path + size, 'x', sizeof path - size);
    assert_false(aw_child_find("test_child", path, size));
    assert_int_equal(path[size], 'x'); /* writes nothing beyond size */
    assert_false(aw_child_find("sh", path, sizeof path));
}

/* With closed standard input and output, the pipes get descriptors 0 and 1. */
TEST_WITH(reset, NULL, child_starts_with_closed_standard_descriptors)
{
    struct aw_child child;
    struct aw_error err;
    char cat[] = "cat", *const argv[] = {cat, NULL}, text[8] = "";
    int in = fcntl(0, F_DUPFD_CLOEXEC, 100), out = fcntl(1, F_DUPFD_CLOEXEC, 100);
    assert_true(in >= 100 && out >= 100);
    close(0);
    close(1);
    enum aw_status status = aw_child_start(
        &child, &(struct aw_child_plan){"/bin/cat", argv, .pipe_stdin = true, .pipe_stdout = true},
        &err);
    ssize_t sent = status == AW_OK ? write(child.stdin_fd, "hello", 5) : 0;
    for (size_t used = 0; status == AW_OK && used < 5;) {
        ssize_t n = read(child.stdout_fd, text + used, 5 - used);
        if (n <= 0)
            break;
        used += (size_t)n;
    }
    int how = aw_child_end(&child, TIMEOUT_MS);
    dup2(in, 0);
    dup2(out, 1);
    close(in);
    close(out);
    assert_int_equal(status, AW_OK);
    assert_int_equal(sent, 5);
    assert_string_equal(text, "hello");
    assert_int_equal(how, 0);
}

/* The child has its own process group, no blocked signal, the default SIGPIPE action and only three
 * descriptors. */
TEST_WITH(reset, NULL, child_inherits_no_signals_or_descriptors)
{
    sigset_t set;
    int open = dup(0);
    fcntl(open, F_SETFD, FD_CLOEXEC);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    struct aw_child child =
        start("read -r stat </proc/$$/stat; set -- $stat; [ $5 = $$ ] && printf 'own '; "
              "while read -r key value; do case $key in (SigBlk:) echo $value;; "
              "(SigIgn:) echo $((0x$value >> 12 & 1));; esac; done </proc/$$/status; "
              "for i in 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$i ] && echo $i; done",
              (struct aw_child_plan){.pipe_stdin = true, .pipe_stdout = true});
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    expect_text(child.stdout_fd, "own 0000000000000000\n0\n");
    assert_int_equal(read(child.stdout_fd, &(char){0}, 1), 0);
    aw_child_end(&child, TIMEOUT_MS);
    close(open);
}

/* Starts a child and is killed. The child writes expected, then closes its end of the pipe. Its
 * input reaches EOF only if it is the parent's pipe. */
static void expect_after_kill(bool dies_with_us, const char *expected)
{
    int report[2], idle[2];
    assert_int_equal(pipe2(report, O_CLOEXEC), 0);
    assert_int_equal(pipe(idle), 0); /* an endless input for a child without a pipe */
    pid_t pid = NEXT(fork)();
    if (pid == 0) {
        dup2(idle[0], 0);
        start("while read -r line; do :; done; "
              "printf 'end of input' >&3",
              (struct aw_child_plan){
                  .fd = report[1], .pipe_stdin = !dies_with_us, .dies_with_us = dies_with_us});
        NEXT(kill)(getpid(), SIGKILL);
    }
    close(report[1]);
    assert_int_equal(NEXT(waitpid)(pid, NULL, 0), pid);
    expect_text(report[0], expected);
    assert_int_equal(read(report[0], &(char){0}, 1), 0);
    close(report[0]);
    close(idle[0]);
    close(idle[1]);
}

TEST_WITH(reset, NULL, child_ends_with_its_parent_if_requested)
{
    expect_after_kill(false, "end of input");
    expect_after_kill(true, "");
}

TEST_WITH(reset, NULL, wait_status_is_explained_in_words)
{
    char words[40];
    assert_string_equal(aw_child_describe(words, sizeof words, 0), "exit 0");
    assert_string_equal(aw_child_describe(words, sizeof words, W_EXITCODE(7, 0)), "exit 7");
    assert_string_equal(aw_child_describe(words, sizeof words, W_EXITCODE(0, SIGSEGV)),
                        "killed by SIGSEGV");
    assert_string_equal(aw_child_describe(words, sizeof words, W_EXITCODE(0, SIGRTMIN + 1)),
                        "killed by signal 35");
    assert_string_equal(aw_child_describe(words, 5, 0), "exit");
}
