#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "link/core/spawn.h"
#include "next_helper.h"

#define LIMIT (20 * AW_SECOND)

static int fork_error; /* errno, 0 for none */

pid_t fork(void)
{
    return fork_error ? fails_with(fork_error) : NEXT(fork)();
}

/* What the next calls say instead of the kernel: errno values; 0: it is asked itself. */
static struct {
    int poll[4], polls; /* -1: nothing came in time; then how often it was called */
    int timeout;        /* of the last one */
    int wait, read;     /* once */
    int killed;         /* by this signal */
} says;

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    int what = says.polls < 4 ? says.poll[says.polls++] : 0;
    says.timeout = timeout;
    if (what == -1)
        return 0;
    return what ? fails_with(what) : NEXT(poll)(fds, n, timeout);
}

static int once(int *error)
{
    int value = *error;
    *error = 0;
    return value;
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    int error = once(&says.wait);
    assert_true(pid < 0 || options == 0); /* it has ended when it is waited for */
    return error ? fails_with(error) : NEXT(waitpid)(pid, status, options);
}

ssize_t read(int fd, void *buf, size_t size)
{
    int error = once(&says.read);
    return error ? fails_with(error) : NEXT(read)(fd, buf, size);
}

int kill(pid_t pid, int signal)
{
    says.killed = signal;
    return NEXT(kill)(pid, signal);
}

static struct aw_link *start(struct aw_real_clock *clock, const char *script)
{
    char sh[] = "sh", c[] = "-c", text[200], *const argv[] = {sh, c, text, NULL};
    struct aw_error err;
    struct aw_link *link = NULL;
    *clock = aw_real_clock(-1);
    snprintf(text, sizeof text, "%s", script);
    if (aw_spawn_open(&link, "/bin/sh", argv, &clock->base, &err) != AW_OK)
        fail_msg("%s", err.text);
    return link;
}

static void reads(struct aw_link *link, const char *expected)
{
    char text[64] = "";
    size_t used = 0, got;
    while (used < strlen(expected)) {
        enum aw_status status = aw_link_read(link, text + used, sizeof text - 1 - used, &got,
                                             aw_clock_now(link->clock) + LIMIT, NULL);
        assert_int_equal(status, AW_OK);
        used += got;
    }
    assert_string_equal(text, expected);
}

static void what_is_written_comes_back(void **state)
{
    struct aw_real_clock clock;
    struct aw_link *link = start(&clock, "cat <&3 >&3");
    (void)state;
    assert_int_equal(link->connections, 1);
    assert_int_equal(aw_link_write(link, "hello", 5, NULL), AW_OK);
    reads(link, "hello");
    aw_link_close(link);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

static void its_end_is_told(void **state)
{
    struct aw_real_clock clock;
    struct aw_error err;
    struct aw_link *link = start(&clock, "printf bye >&3");
    char text[8];
    size_t got;
    (void)state;
    reads(link, "bye");
    assert_int_equal(
        aw_link_read(link, text, sizeof text, &got, aw_clock_now(&clock.base) + LIMIT, &err),
        AW_LOST);
    assert_non_null(strstr(err.text, "sh: connection lost: the other end closed it — "));
    aw_link_close(link);
}

/* One that does not care about its end is killed. */
static void closing_ends_it(void **state)
{
    struct aw_real_clock clock;
    struct aw_link *link = start(&clock, "trap '' TERM; printf up >&3; exec sleep 1000");
    (void)state;
    reads(link, "up");
    aw_link_close(link);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void what_is_no_program(void **state)
{
    char name[] = "x", *const argv[] = {name, NULL};
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *link = NULL;
    struct aw_error err;
    (void)state;
    assert_int_equal(aw_spawn_open(&link, "/nosuch/x", argv, &clock.base, &err), AW_NO_LINK);
    assert_non_null(strstr(err.text, "/nosuch/x: No such file"));
    assert_null(link);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void limit_descriptors(rlim_t most)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = most;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* At whatever step: it is told, and no descriptor and no process is left. */
static void a_machine_that_has_run_out(void **state)
{
    char name[] = "true", *const argv[] = {name, NULL};
    struct aw_real_clock clock = aw_real_clock(-1);
    struct rlimit usual;
    struct aw_link *link = NULL;
    struct aw_error err;
    enum aw_status status = AW_NO_LINK;
    unsigned steps = 0;
    (void)state;
    int lowest = dup(0);
    close(lowest);
    fork_error = EAGAIN;
    assert_int_equal(aw_spawn_open(&link, "/bin/true", argv, &clock.base, &err), AW_NO_LINK);
    assert_non_null(strstr(err.text, "/bin/true: Resource temporarily unavailable — is it"));
    fork_error = 0;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    for (; status != AW_OK && steps < 20; steps++) {
        limit_descriptors((rlim_t)lowest + steps);
        status = aw_spawn_open(&link, "/bin/true", argv, &clock.base, &err);
        limit_descriptors(usual.rlim_cur);
        if (status == AW_OK)
            break;
        assert_int_equal(status, AW_NO_LINK);
        assert_non_null(strstr(err.text, "/bin/true: Too many open files"));
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        int now = dup(0);
        assert_int_equal(now, lowest);
        close(now);
    }
    assert_true(steps > 4 && status == AW_OK);
    aw_link_close(link);
}

static void finding(void **state)
{
    char path[256];
    (void)state;
    assert_true(aw_spawn_find("test_spawn", path, sizeof path)); /* beside itself */
    assert_non_null(strstr(path, "tests/unit/link/core/test_spawn"));
    setenv("PATH", "/nosuch:/bin", 1);
    assert_true(aw_spawn_find("sh", path, sizeof path));
    assert_string_equal(path, "/bin/sh");
    assert_false(aw_spawn_find("no-such-program", path, sizeof path));
    assert_false(aw_spawn_find("sh", path, strlen("/bin/sh"))); /* does not fit */
    assert_true(aw_spawn_find("sh", path, sizeof "/bin/sh"));
    assert_false(aw_spawn_find("shell", path, sizeof "/bin/sh")); /* nor a part of the name */
    setenv("PATH", "::/nosuch:/bin:", 1);                         /* an empty place is none */
    assert_true(aw_spawn_find("sh", path, sizeof path));
    assert_string_equal(path, "/bin/sh");
    setenv("PATH", ":", 1);
    assert_false(aw_spawn_find("Makefile", path, sizeof path));
    setenv("PATH", "/", 1);
    assert_true(aw_spawn_find("bin/sh", path, sizeof path));
    setenv("PATH", "", 1);
    assert_true(aw_spawn_find("test_spawn", path, sizeof path));
    assert_true(aw_spawn_find("test_spawn", path, strlen(path) + 1)); /* as long as it is */
    size_t size = strlen(path);
    memset(path + size, 'x', sizeof path - size);
    assert_false(aw_spawn_find("test_spawn", path, size));
    assert_int_equal(path[size], 'x'); /* nothing behind its room */
    assert_false(aw_spawn_find("sh", path, sizeof path));
}

static void the_other_side(void **state)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *link = NULL;
    struct aw_error err;
    char text[100];
    int pair[2];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(aw_spawn_parent(&link, pair[1], "fd", &clock.base, NULL), AW_OK);
    assert_int_equal(write(pair[0], "x", 1), 1);
    reads(link, "x");
    assert_string_equal(link->key, "fd");
    assert_int_equal(link->connections, 1);
    assert_true(fcntl(pair[1], F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(pair[1], F_GETFD) & FD_CLOEXEC);
    aw_link_close(link);
    assert_int_equal(read(pair[0], &(char){0}, 1), 0);
    close(pair[0]);
    assert_int_equal(pipe(pair), 0);
    assert_int_equal(aw_spawn_parent(&link, pair[0], "fd", &clock.base, &err), AW_NO_LINK);
    snprintf(text, sizeof text, "descriptor %d is no stream — it is to be one end of a socketpair",
             pair[0]);
    assert_string_equal(err.text, text);
    close(pair[0]);
    close(pair[1]);
}

/* It is killed where it has not ended within a second; a signal that comes meanwhile is no
 * answer. */
static void an_end_is_waited_for(void **state)
{
    (void)state;
    static const struct {
        int poll[4], polls, wait, killed;
    } cases[] = {{{0}, 1, 0, 0},
                 {{EINTR, EINTR, 0}, 3, 0, 0},
                 {{-1}, 1, 0, SIGKILL},
                 {{EINTR, -1}, 2, 0, SIGKILL},
                 {{EINVAL}, 1, 0, SIGKILL},
                 {{-1}, 1, EINTR, SIGKILL},
                 {{0}, 1, EINTR, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct aw_real_clock clock;
        struct aw_link *link = start(&clock, "printf up >&3; exec cat <&3");
        reads(link, "up");
        memset(&says, 0, sizeof says);
        memcpy(says.poll, cases[i].poll, sizeof says.poll);
        says.wait = cases[i].wait;
        aw_link_close(link);
        assert_int_equal(says.polls, cases[i].polls);
        assert_int_equal(says.timeout, 1000);
        assert_int_equal(says.killed, cases[i].killed);
        assert_int_equal(NEXT(waitpid)(-1, NULL, WNOHANG), -1);
    }
    memset(&says, 0, sizeof says);
}

/* A signal while the child becomes another program hides nothing of what it says. */
static void a_signal_does_not_hide_why_it_failed(void **state)
{
    (void)state;
    char name[] = "x", *const argv[] = {name, NULL};
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *link = NULL;
    struct aw_error err;
    says.read = EINTR;
    assert_int_equal(aw_spawn_open(&link, "/nosuch/x", argv, &clock.base, &err), AW_NO_LINK);
    assert_string_equal(err.text,
                        "/nosuch/x: No such file or directory — is it complete and executable?");
    assert_int_equal(says.read, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* What comes upon the stack after this finds no zeros there. */
static void dirty_stack(void)
{
    volatile unsigned char bytes[20000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = 0xFF;
}

/* Who has no standard input has its number for something else. */
static void without_standard_input(void **state)
{
    (void)state;
    char name[] = "x", *const argv[] = {name, NULL}, text[8] = "";
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_link *link = NULL;
    struct aw_error err;
    int input = fcntl(0, F_DUPFD_CLOEXEC, 100);
    assert_true(input >= 100);
    close(0);
    enum aw_status status = aw_spawn_open(&link, "/nosuch/x", argv, &clock.base, &err);
    struct aw_link *cat = start(&clock, "cat <&3 >&3");
    int lowest = aw_link_fd(cat);
    aw_link_write(cat, "hello", 5, NULL);
    while (strlen(text) < 5) {
        size_t got = 0, used = strlen(text);
        if (aw_link_read(cat, text + used, 5 - used, &got, aw_clock_now(&clock.base) + LIMIT,
                         NULL) != AW_OK)
            break;
    }
    aw_link_close(cat);
    dup2(input, 0);
    close(input);
    assert_int_equal(status, AW_NO_LINK);
    assert_non_null(strstr(err.text, "/nosuch/x: No such file"));
    assert_int_equal(lowest, 0);
    assert_string_equal(text, "hello");
}

/* A group of processes of its own, no signal blocked, and no descriptor but the four. */
static void it_begins_afresh(void **state)
{
    (void)state;
    struct aw_real_clock clock;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    dirty_stack();
    struct aw_link *link =
        start(&clock, "read -r stat </proc/$$/stat; set -- $stat; [ $5 = $$ ] && printf 'own ' >&3;"
                      "while read -r key value; do [ $key = SigBlk: ] && echo $value >&3;"
                      "done </proc/$$/status; exec cat <&3");
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    reads(link, "own 0000000000000000\n");
    assert_string_equal(link->key, "sh");
    assert_true(fcntl(aw_link_fd(link), F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(aw_link_fd(link), F_GETFD) & FD_CLOEXEC);
    aw_link_close(link);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(its_end_is_told),
        cmocka_unit_test(closing_ends_it),
        cmocka_unit_test(what_is_no_program),
        cmocka_unit_test(a_machine_that_has_run_out),
        cmocka_unit_test(an_end_is_waited_for),
        cmocka_unit_test(a_signal_does_not_hide_why_it_failed),
        cmocka_unit_test(it_begins_afresh),
        cmocka_unit_test(without_standard_input),
        cmocka_unit_test(finding),
        cmocka_unit_test(the_other_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
