/* Tests all sources of stop requests: signals, the program itself, and the end of its parent,
 * reader or script. */
#include "session_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "shell/safety/stop.h"

static void start(void)
{
    start_session();
    collect_output();
    aw_stop_catch_signals(session);
}

/* Ends the session, discards pending signals and unblocks all signals. */
static void stop(void)
{
    sigset_t all;
    session->motion.stop.signal = 0;
    end_session();
    sigfillset(&all);
    while (sigtimedwait(&all, NULL, &(struct timespec){0}) > 0)
        ;
    sigemptyset(&all);
    assert_int_equal(sigprocmask(SIG_SETMASK, &all, NULL), 0);
}

static bool is_blocked(int number)
{
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, number) == 1;
}

static bool is_asked(void)
{
    struct pollfd fd = {.fd = session->time.real.stop_fd, .events = POLLIN};
    return poll(&fd, 1, 0) == 1;
}

static const int stopping[] = {SIGINT,  SIGTERM, SIGQUIT, SIGHUP,    SIGALRM, SIGUSR1, SIGUSR2,
                               SIGXCPU, SIGXFSZ, SIGPROF, SIGVTALRM, SIGIO,   SIGPWR,  SIGSTKFLT};

TEST_WITH(start, stop, each_signal_requests_a_stop)
{
    assert_true(session->time.real.stop_fd >= 0);
    assert_int_equal(session->time.virtual.stop_fd, session->time.real.stop_fd);
    assert_int_equal(session->out.stop_fd, session->time.real.stop_fd);
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++) {
        int number = stopping[i];
        assert_true(is_blocked(number));
        assert_false(is_asked());
        raise(number);
        assert_true(is_asked());
        assert_string_equal(aw_stop_read_cause(session), "stopped by a signal");
        assert_int_equal(session->motion.stop.signal, number);
        assert_int_equal(aw_session_exit_code(session, AW_STOPPED), 128 + number);
        assert_int_equal(aw_stop_ends_prompt(session), number != SIGINT);
        assert_string_equal(printed, "");
        assert_false(is_asked());
    }
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        assert_true(is_blocked(number));
    for (int number = 1; number < SIGRTMIN; number++) {
        size_t i = 0;
        while (i < sizeof stopping / sizeof *stopping && stopping[i] != number)
            i++;
        if (number < 32)
            assert_int_equal(is_blocked(number), i < sizeof stopping / sizeof *stopping);
    }
}

/* Signals that are ignored or have a handler stay unchanged, except for Ctrl-C. */
TEST_WITH(start, stop, foreign_signal_handlers_are_kept)
{
    stop();
    signal(SIGUSR1, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    start();
    assert_false(is_blocked(SIGUSR1));
    assert_false(is_blocked(SIGHUP));
    assert_true(is_blocked(SIGUSR2));
    assert_true(is_blocked(SIGINT));
    assert_int_equal(session->motion.stop.parent_fd, -1);
    signal(SIGUSR1, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    int fd = session->motion.stop.all_fd;
    aw_stop_catch_signals(session); /* a second call has no effect */
    assert_int_equal(session->motion.stop.all_fd, fd);
}

TEST_WITH(start, stop, prompt_continues_after_ctrl_c)
{
    session->mode.interactive = true;
    raise(SIGINT);
    aw_stop_read_cause(session);
    assert_string_equal(printed, "! \n");
    session->out.error = ECANCELED;
    aw_stop_rearm(session);
    assert_int_equal(session->motion.stop.signal, 0);
    assert_int_equal(session->out.error, 0);
    session->out.error = EPIPE;
    aw_stop_rearm(session);
    assert_int_equal(session->out.error, EPIPE);
    *printed = '\0';
    raise(SIGTERM);
    aw_stop_read_cause(session);
    assert_string_equal(printed, "");
}

TEST_WITH(start, stop, ctrl_z_requests_a_stop_while_suspends_are_watched)
{
    assert_false(is_blocked(SIGTSTP));
    assert_false(aw_stop_was_ctrl_z());
    aw_stop_watch_suspend(session, true);
    assert_true(is_blocked(SIGTSTP));
    raise(SIGTSTP);
    assert_true(is_asked());
    assert_true(aw_stop_was_ctrl_z());
    assert_string_equal(aw_stop_read_cause(session), "stopped by a signal");
    assert_int_equal(session->motion.stop.signal, SIGTSTP);
    assert_false(aw_stop_ends_prompt(session));
    assert_int_equal(aw_session_exit_code(session, AW_STOPPED), 128 + SIGTSTP);
    assert_false(aw_stop_was_ctrl_z());
    aw_stop_watch_suspend(session, false);
    assert_false(is_blocked(SIGTSTP));
    raise(SIGUSR1); /* other signals still work */
    assert_true(is_asked());
}

TEST_WITH(start, stop, program_may_request_a_stop)
{
    aw_stop_request(session);
    aw_stop_request(session);
    assert_true(is_asked());
    assert_null(aw_stop_read_cause(session));
    assert_int_equal(session->motion.stop.signal, 0);
    assert_int_equal(aw_session_exit_code(session, AW_STOPPED), 130);
    assert_false(is_asked());
    aw_stop_request(session);
    aw_stop_withdraw(session);
    assert_false(is_asked());
    aw_stop_withdraw(session);
    assert_string_equal(aw_stop_read_cause(session),
                        "stopped by a signal"); /* the signal is not known */
    session->motion.stop.signal = SIGTERM;
    aw_stop_request(session);
    assert_string_equal(aw_stop_read_cause(session), "stopped by a signal");
}

/* Exceeding the file size limit raises a signal, too; it is not a second request. */
TEST_WITH(start, stop, file_size_limit_requests_no_second_stop)
{
    raise(SIGXFSZ);
    session->out.error = EFBIG;
    aw_stop_read_cause(session);
    assert_int_equal(session->motion.stop.signal, 0);
    raise(SIGXFSZ);
    aw_stop_request(session);
    assert_null(aw_stop_read_cause(session));
    raise(SIGXFSZ);
    aw_stop_rearm(session);
    assert_false(is_asked());
}

TEST_WITH(start, stop, closed_reader_requests_a_stop)
{
    int ends[2];
    for (int kind = 0; kind < 3; kind++) {
        assert_int_equal(kind == 1 ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends), 0);
        session->out.fd = kind == 2 ? open("/dev/null", O_WRONLY) : ends[1];
        session->out.error = 0;
        aw_stop_watch_output(session, true);
        assert_int_equal(session->time.real.hangup_fd, kind == 2 ? -1 : ends[1]);
        aw_stop_read_cause(session);
        assert_int_equal(session->out.error, kind == 2 ? 0 : EPIPE);
        assert_int_equal(session->time.real.hangup_fd, -1);
        assert_int_equal(aw_stop_ends_prompt(session), kind != 2);
        assert_int_equal(aw_session_exit_code(session, AW_STOPPED), kind == 2 ? 130 : 141);
        aw_stop_watch_output(session, true);
        aw_stop_watch_output(session, false);
        assert_int_equal(session->time.real.hangup_fd, -1);
        if (kind == 2)
            close(session->out.fd);
        close(ends[0]);
        close(ends[1]);
    }
    session->out.fd = -1;
}

TEST_WITH(start, stop, end_of_the_script_requests_a_stop)
{
    int ends[2], usual = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[0], STDIN_FILENO);
    aw_stop_watch_input(session);
    assert_int_equal(session->time.real.ended_fd, STDIN_FILENO);
    assert_false(aw_stop_has_input_ended(session));
    assert_int_equal(session->time.real.ended_fd, -1);
    session->mode.one_shot = true;
    aw_stop_watch_input(session);
    assert_int_equal(session->time.real.ended_fd, -1);
    session->mode.one_shot = false;
    session->mode.interactive = true;
    aw_stop_watch_input(session);
    assert_int_equal(session->time.real.ended_fd, -1);
    session->mode.interactive = false;
    aw_stop_watch_input(session);
    close(ends[1]);
    assert_true(aw_stop_has_input_ended(session));
    int file = open("/dev/null", O_RDONLY);
    dup2(file, STDIN_FILENO);
    aw_stop_watch_input(session);
    assert_int_equal(session->time.real.ended_fd, -1);
    dup2(usual, STDIN_FILENO);
    close(file);
    close(usual);
    close(ends[0]);
}

static enum aw_status stop_it(struct aw_session *s)
{
    int64_t left = s->time.real.ignored_until - aw_clock_now(&s->time.real.base);
    assert_true(left > 0 && left <= 500 * AW_MILLISECOND);
    assert_int_equal(s->time.virtual.stop_fd, -1);
    assert_string_equal(s->motion.stop.effect, "");
    aw_stop_set_effect(s, "%s %d", "holds", 5);
    return AW_TIMEOUT;
}

TEST_WITH(start, stop, device_stop_is_not_interrupted)
{
    tool.safety.stop = stop_it;
    aw_stop_set_effect(session, "something before");
    assert_int_equal(aw_stop_device(session), AW_TIMEOUT);
    assert_string_equal(session->motion.stop.effect, "holds 5");
    assert_int_equal(session->time.real.ignored_until, 0);
    assert_int_equal(session->time.virtual.stop_fd, session->motion.stop.all_fd);
}

TEST_WITH(start, stop, released_stop_unblocks_the_signals)
{
    int fds[] = {session->motion.stop.all_fd, session->motion.stop.signal_fd,
                 session->motion.stop.request_fd};
    aw_stop_release(session);
    assert_true(is_blocked(SIGTERM)); /* no signal was handled */
    raise(SIGTERM);
    aw_stop_read_cause(session);
    raise(SIGTERM);
    raise(SIGHUP);
    aw_stop_release(session);
    assert_false(is_blocked(SIGTERM));
    assert_false(is_blocked(SIGHUP));
    aw_stop_close(session);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(fcntl(fds[i], F_GETFD), -1);
    assert_int_equal(session->motion.stop.all_fd, -1);
    assert_int_equal(session->motion.stop.signal_fd, -1);
    assert_int_equal(session->motion.stop.request_fd, -1);
    assert_int_equal(session->time.real.stop_fd, -1);
    assert_int_equal(session->time.virtual.stop_fd, -1);
    assert_int_equal(session->out.stop_fd, 0);
    session->motion.stop.signal = 0;
    aw_stop_request(session); /* the descriptor is no longer used */
    aw_stop_withdraw(session);
    assert_false(aw_stop_is_parent_gone(session));
}

/* How the program treats its parent. nohup and setsid disable the watch. */
enum way { UNWATCHED, WATCHED, NOHUP, SETSID };

/* Runs in a grandchild whose parent ends on request. Writes its findings as letters. */
static void look_after_parent(int told_fd, int out_fd, enum way way)
{
    char found[16] = "", byte;
    start_session();
    collect_output();
    signal(SIGHUP, way == NOHUP ? SIG_IGN : SIG_DFL);
    if (way == SETSID)
        setsid();
    aw_stop_watch_parent(session, way != UNWATCHED); /* even before a device is open */
    aw_stop_catch_signals(session);
    strcat(found, session->motion.stop.parent_fd >= 0 ? "p" : "-");
    strcat(found, aw_stop_is_parent_gone(session) ? "g" : "-");
    strcat(found, is_asked() ? "a" : "-");
    if (write(out_fd, "", 1) != 1 || read(told_fd, &byte, 1) != 0)
        _exit(1);
    struct pollfd gone = {.fd = session->motion.stop.parent_fd, .events = POLLIN};
    poll(&gone, session->motion.stop.parent_fd >= 0,
         session->motion.stop.parent_fd >= 0 ? 5000 : 0);
    strcat(found, is_asked() ? "A" : "-");
    strcat(found, aw_stop_is_parent_gone(session) ? "G" : "-");
    const char *why = aw_stop_read_cause(session);
    strcat(found, session->motion.stop.signal == SIGHUP ? "H" : "-");
    strcat(found, why && strncmp(why, "the parent process ended", 24) == 0 ? "w" : "-");
    aw_stop_watch_parent(session, false);
    strcat(found, is_asked() ? "A" : "-");
    aw_stop_watch_parent(session, true);
    strcat(found, is_asked() ? "A" : "-");
    _exit(write(out_fd, found, strlen(found)) < 0);
}

TEST_WITH(start, stop, end_of_the_parent_requests_a_stop)
{
    static const char *const found[] = {"p-------A", "p--AGHw-A", "---------", "---------"};
    for (enum way way = UNWATCHED; way <= SETSID; way++) {
        char text[32] = "", byte;
        int in[2], result[2];
        assert_int_equal(pipe(in), 0);
        assert_int_equal(pipe(result), 0);
        pid_t parent = fork();
        if (parent == 0) {
            pid_t child = fork();
            if (child == 0) {
                close(in[1]);
                close(result[0]);
                look_after_parent(in[0], result[1], way);
            }
            close(in[1]);
            close(result[1]);
            _exit(read(in[0], &byte, 1) < 0);
        }
        close(in[0]);
        close(result[1]);
        assert_int_equal(read(result[0], &byte, 1),
                         1); /* the child has checked, so its parent may end */
        close(in[1]);
        waitpid(parent, NULL, 0);
        size_t used = 0;
        for (ssize_t n; (n = read(result[0], text + used, sizeof text - 1 - used)) > 0;)
            used += (size_t)n;
        close(result[0]);
        assert_string_equal(text, found[way]);
    }
}

/* A parent such as nohup may ignore the signals. */
static void stop_on_signals(void)
{
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++)
        signal(stopping[i], SIG_DFL);
}

ALL_TESTS_WITH(stop_on_signals, NULL);
