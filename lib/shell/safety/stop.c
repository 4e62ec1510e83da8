/* Turns signals, the end of the parent process and a closed pipe into a single request to stop. */
#include "shell/safety/stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shell/safety/crash.h"

#define TOGETHER_NS (500 * AW_MILLISECOND) /* signals within this time count as one */

static const int numbers[] = {SIGHUP,  SIGALRM,   SIGUSR1, SIGUSR2, SIGXCPU,  SIGXFSZ,
                              SIGPROF, SIGVTALRM, SIGIO,   SIGPWR,  SIGSTKFLT};

/* Returns true if the signal still has its default effect. nohup(1) ignores SIGHUP; a profiler
 * handles some others. */
static bool is_free(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
}

/* Includes SIGINT even if it is ignored. Shells ignore it in background jobs, but Ctrl-C in a
 * script must stop its motion. */
static void fill_stop_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGQUIT);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is_free(numbers[i]))
            sigaddset(set, numbers[i]);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        if (is_free(number))
            sigaddset(set, number);
}

/* Returns the signals that the descriptor reads. Includes SIGTSTP only while it is blocked;
 * otherwise it would suspend the program and also wake waits for the descriptor. */
static sigset_t get_watched_signals(const struct aw_stop *stop)
{
    sigset_t blocked, set = stop->caught;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    if (sigismember(&blocked, SIGTSTP) == 1)
        sigaddset(&set, SIGTSTP);
    return set;
}

static sigset_t make_signal_set(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
}

static bool watch(int all_fd, int fd, bool on)
{
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(all_fd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &event) == 0;
}

/* Opens a descriptor that becomes readable when the parent process ends; -1: do not watch. If the
 * parent has already ended, the new parent is init or a subreaper in another session, and the
 * descriptor is readable at once. */
static int open_parent(void)
{
    struct sigaction hangup;
    pid_t parent = getppid();
    bool ignored = sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN;
    if (parent == 0 || ignored || getsid(0) == getpid())
        return -1;
    int fd = (int)syscall(SYS_pidfd_open, parent, 0);
    if (getppid() == parent && getsid(parent) == getsid(0))
        return fd;
    if (fd >= 0)
        close(fd);
    return eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
}

static void close_all(struct aw_stop *stop)
{
    int *const fds[] = {&stop->signal_fd, &stop->request_fd, &stop->all_fd, &stop->parent_fd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
        if (*fds[i] >= 0)
            close(*fds[i]);
        *fds[i] = -1;
    }
}

/* Opens one descriptor for all sources; returns false on failure. */
static bool open_all(struct aw_stop *stop, bool with_parent)
{
    sigset_t set = get_watched_signals(stop);
    stop->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    stop->request_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    stop->all_fd = epoll_create1(EPOLL_CLOEXEC);
    stop->parent_fd = with_parent ? open_parent() : -1;
    if (watch(stop->all_fd, stop->signal_fd, true) && watch(stop->all_fd, stop->request_fd, true))
        return true;
    close_all(stop);
    return false;
}

void aw_stop_catch_signals(struct aw_session *session)
{
    struct aw_stop *stop = &session->motion.stop;
    if (session->time.real.stop_fd >= 0)
        return;
    fill_stop_signals(&stop->caught);
    sigprocmask(SIG_BLOCK, &stop->caught, NULL);
    /* A server moves for its clients, so the end of its shell does not matter. */
    if (!open_all(stop, !session->share.server)) { /* signals keep their default effect */
        sigprocmask(SIG_UNBLOCK, &stop->caught, NULL);
        return;
    }
    aw_crash_install();
    session->time.real.stop_fd = stop->all_fd;
    session->time.virtual.stop_fd = stop->all_fd;
    session->out.stop_fd = stop->all_fd;
    bool moves = stop->watches_parent;
    stop->watches_parent = false;
    aw_stop_watch_parent(session, moves);
}

void aw_stop_watch_parent(struct aw_session *session, bool on)
{
    struct aw_stop *stop = &session->motion.stop;
    bool caught = session->time.real.stop_fd >= 0;
    if (on != stop->watches_parent && caught && stop->parent_fd >= 0)
        watch(stop->all_fd, stop->parent_fd, on);
    stop->watches_parent = on;
}

bool aw_stop_is_parent_gone(const struct aw_session *session)
{
    const struct aw_stop *stop = &session->motion.stop;
    struct pollfd parent = {.fd = stop->parent_fd, .events = POLLIN};
    bool watched = session->time.real.stop_fd >= 0 && stop->watches_parent && stop->parent_fd >= 0;
    return watched && poll(&parent, 1, 0) > 0;
}

bool aw_stop_is_pipe(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

void aw_stop_watch_output(struct aw_session *session, bool watch)
{
    session->time.real.hangup_fd = watch && aw_stop_is_pipe(session->out.fd) ? session->out.fd : -1;
}

void aw_stop_watch_suspend(struct aw_session *session, bool watch)
{
    sigset_t set = make_signal_set(SIGTSTP);
    sigprocmask(watch ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
    if (session->time.real.stop_fd < 0)
        return;
    set = get_watched_signals(&session->motion.stop);
    signalfd(session->motion.stop.signal_fd, &set, 0);
}

bool aw_stop_was_ctrl_z(void)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGTSTP) == 1;
}

void aw_stop_suspend(struct aw_session *session)
{
    aw_stop_watch_suspend(session, false); /* suspends here */
    aw_stop_watch_suspend(session, true);
}

void aw_stop_watch_input(struct aw_session *session)
{
    bool is_script =
        !session->mode.one_shot && !session->mode.interactive && aw_stop_is_pipe(STDIN_FILENO);
    session->time.real.ended_fd = is_script ? STDIN_FILENO : -1;
}

bool aw_stop_has_input_ended(struct aw_session *session)
{
    struct pollfd input = {.fd = session->time.real.ended_fd};
    session->time.real.ended_fd = -1;
    return poll(&input, 1, 0) == 1;
}

/* Consumes SIGXFSZ: a write beyond the file size limit also sets errno. */
static void forget_size_limit(void)
{
    sigset_t set = make_signal_set(SIGXFSZ);
    sigtimedwait(&set, NULL, &(struct timespec){0});
}

void aw_stop_request(struct aw_session *session)
{
    uint64_t one = 1;
    forget_size_limit();
    if (session->time.real.stop_fd >= 0 &&
        write(session->motion.stop.request_fd, &one, sizeof one) < 0)
        session->out.error = ECANCELED; /* unreachable: the counter never overflows */
}

void aw_stop_withdraw(struct aw_session *session)
{
    uint64_t requests;
    if (session->time.real.stop_fd >= 0 &&
        read(session->motion.stop.request_fd, &requests, sizeof requests) < 0)
        return; /* no request to stop */
}

const char *aw_stop_read_cause(struct aw_session *session)
{
    struct signalfd_siginfo info;
    uint64_t requests;
    const char *why = AW_STOP_BY_SIGNAL;
    bool caught = session->time.real.stop_fd >= 0;
    if (session->out.error == EFBIG)
        forget_size_limit();
    if (caught &&
        read(session->motion.stop.signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        session->motion.stop.signal = (int)info.ssi_signo;
    } else if (caught && read(session->motion.stop.request_fd, &requests, sizeof requests) ==
                             (ssize_t)sizeof requests) {
        why = session->motion.stop.signal ? why : NULL;
    } else if (aw_stop_is_parent_gone(session)) {
        session->motion.stop.signal = SIGHUP;
        why = "the parent process ended — stopped; use nohup, setsid or --hold to keep moving";
    } else if (session->time.real.hangup_fd >= 0) {
        session->out.error = EPIPE;
    }
    session->time.real.hangup_fd = -1;
    if (session->mode.interactive && !aw_stop_ends_prompt(session))
        aw_session_report(session, "\n"); /* after the ^C that the terminal shows */
    return why;
}

bool aw_stop_consume_interrupt(struct aw_session *session)
{
    struct pollfd request = {.fd = session->motion.stop.request_fd, .events = POLLIN};
    sigset_t pending, set = make_signal_set(SIGINT);
    bool caught = session->time.real.stop_fd >= 0;
    if (!caught || session->out.error || poll(&request, 1, 0) > 0 ||
        aw_stop_is_parent_gone(session) || sigpending(&pending) != 0 ||
        !sigismember(&pending, SIGINT))
        return false;
    sigdelset(&pending, SIGINT);
    sigandset(&pending, &pending, &session->motion.stop.caught);
    if (!sigisemptyset(&pending) || sigtimedwait(&set, NULL, &(struct timespec){0}) != SIGINT)
        return false;
    if (session->mode.interactive)
        aw_session_report(session, "\n"); /* after the ^C that the terminal shows */
    return true;
}

bool aw_stop_ends_prompt(const struct aw_session *session)
{
    if (!session->motion.stop.signal)
        return session->out.error == EPIPE;
    return session->motion.stop.signal != SIGINT && session->motion.stop.signal != SIGTSTP;
}

void aw_stop_set_effect(struct aw_session *session, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(session->motion.stop.effect, sizeof session->motion.stop.effect, format, args);
    va_end(args);
}

enum aw_status aw_stop_device(struct aw_session *session)
{
    struct aw_real_clock *clock = &session->time.real;
    int stop_fd = session->time.virtual.stop_fd;
    clock->ignored_until = aw_clock_now(&clock->base) + TOGETHER_NS;
    session->time.virtual.stop_fd = -1;
    *session->motion.stop.effect = '\0';
    session->motion.streamed.n = 0;
    enum aw_status status = session->tool->safety.stop(session);
    session->time.virtual.stop_fd = stop_fd;
    clock->ignored_until = 0;
    return status;
}

void aw_stop_rearm(struct aw_session *session)
{
    session->motion.stop.signal = 0;
    forget_size_limit();
    if (session->out.error == ECANCELED)
        session->out.error = 0;
}

void aw_stop_release(struct aw_session *session)
{
    struct signalfd_siginfo info;
    if (!session->motion.stop.signal)
        return;
    while (read(session->motion.stop.signal_fd, &info, sizeof info) > 0)
        ; /* signals that came with the first one */
    sigprocmask(SIG_UNBLOCK, &session->motion.stop.caught, NULL);
}

void aw_stop_close(struct aw_session *session)
{
    session->time.real.stop_fd = session->time.virtual.stop_fd = -1;
    session->out.stop_fd = 0;
    close_all(&session->motion.stop);
}
