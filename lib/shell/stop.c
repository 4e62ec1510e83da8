#include "shell/stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define ONE_WISH (500 * AW_MILLISECOND) /* signals that come so close together */

/* nohup(1) has SIGHUP ignored. Scripts have SIGINT ignored in what they start in the background,
 * too; but a Ctrl-C that ends the script is to stop what moves for it. */
static bool is_ignored(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

static void stop_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGQUIT);
    if (!is_ignored(SIGHUP))
        sigaddset(set, SIGHUP);
}

/* What the descriptor tells: SIGTSTP only while it is held up, or it would suspend the program and
 * wake those who wait for the descriptor, too. */
static void told_signals(sigset_t *set)
{
    sigset_t blocked;
    stop_signals(set);
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    if (sigismember(&blocked, SIGTSTP) == 1)
        sigaddset(set, SIGTSTP);
}

void aw_stop_catch(struct aw_session *session)
{
    sigset_t set;
    if (session->real_clock.stop_fd >= 0)
        return;
    stop_signals(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    told_signals(&set);
    session->real_clock.stop_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (session->real_clock.stop_fd < 0) { /* better ended by them than deaf to them */
        stop_signals(&set);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        return;
    }
    session->virtual_clock.stop_fd = session->real_clock.stop_fd;
    session->out.stop_fd = session->real_clock.stop_fd;
}

static bool is_pipe(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

void aw_stop_watch_output(struct aw_session *session, bool watch)
{
    session->real_clock.hangup_fd = watch && is_pipe(session->out.fd) ? session->out.fd : -1;
}

void aw_stop_watch_suspend(struct aw_session *session, bool watch)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    sigprocmask(watch ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
    told_signals(&set);
    if (session->real_clock.stop_fd >= 0)
        signalfd(session->real_clock.stop_fd, &set, 0);
}

bool aw_stop_is_suspend(void)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGTSTP) == 1;
}

void aw_stop_suspend(struct aw_session *session)
{
    aw_stop_watch_suspend(session, false); /* stands still here */
    aw_stop_watch_suspend(session, true);
}

void aw_stop_watch_input(struct aw_session *session)
{
    bool script = !session->one_shot && !session->interactive && is_pipe(STDIN_FILENO);
    session->real_clock.ended_fd = script ? STDIN_FILENO : -1;
}

bool aw_stop_input_ended(struct aw_session *session)
{
    struct pollfd input = {.fd = session->real_clock.ended_fd};
    session->real_clock.ended_fd = -1;
    return poll(&input, 1, 0) == 1;
}

void aw_stop_take(struct aw_session *session)
{
    struct signalfd_siginfo info;
    if (read(session->real_clock.stop_fd, &info, sizeof info) == (ssize_t)sizeof info)
        session->signal = (int)info.ssi_signo;
    else if (session->real_clock.hangup_fd >= 0)
        session->out.error = EPIPE;
    session->real_clock.hangup_fd = -1;
    if (session->interactive && !aw_stop_ends(session))
        aw_session_tell(session, "\n"); /* behind the ^C that the terminal shows */
}

bool aw_stop_ends(const struct aw_session *session)
{
    return session->signal != SIGINT && session->signal != SIGTSTP;
}

enum aw_status aw_stop_device(struct aw_session *session)
{
    struct aw_real_clock *clock = &session->real_clock;
    int stop_fd = session->virtual_clock.stop_fd;
    clock->deaf_until = aw_clock_now(&clock->base) + ONE_WISH;
    session->virtual_clock.stop_fd = -1;
    enum aw_status status = session->tool->stop(session);
    session->virtual_clock.stop_fd = stop_fd;
    clock->deaf_until = 0;
    return status;
}

void aw_stop_rearm(struct aw_session *session)
{
    session->signal = 0;
    if (session->out.error == ECANCELED)
        session->out.error = 0;
}

void aw_stop_release(struct aw_session *session)
{
    struct signalfd_siginfo info;
    sigset_t set;
    if (!session->signal)
        return;
    while (read(session->real_clock.stop_fd, &info, sizeof info) > 0)
        ; /* those that came with the first one */
    stop_signals(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}
