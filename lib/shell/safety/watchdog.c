/* Forks the watchdog process, which sleeps until the pipe closes or the signs of life stop. */
#include "shell/safety/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shell/safety/crash.h"
#include "shell/safety/stop.h"

#define LATE_NS  AW_SECOND              /* max time without a sign of life */
#define HANDS_NS (100 * AW_MILLISECOND) /* the same for a command that a user steers by hand */
#define SIGN_NS  (20 * AW_MILLISECOND)

struct aw_watchdog_life {
    int64_t still_ns;
    _Atomic int64_t last_ns; /* CLOCK_MONOTONIC; AW_NEVER: nothing moves */
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * AW_SECOND + now.tv_nsec;
}

/* ---- The child ---- */

/* Returns the ms until the next sign of life is overdue; -1: none is expected. */
static int patience(const struct aw_watchdog_life *life)
{
    if (!life)
        return -1;
    int64_t last = atomic_load(&life->last_ns);
    int64_t left = last == AW_NEVER ? life->still_ns : last + life->still_ns - now_ns();
    return left <= 0 ? 0 : (int)(left / AW_MILLISECOND) + 1;
}

/* Sends the stop repeatedly, because a resumed program may still send a pending command. Without a
 * motion no stop is prepared. */
static void watch(int fd, const struct aw_watchdog_life *life)
{
    struct pollfd end = {.fd = fd, .events = POLLIN};
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "armwire-watch");
    /* Uses real-time priority if permitted; the process sleeps until it is needed. */
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
    for (;;) {
        int wait = patience(life);
        bool stands = wait == 0;
        if (stands)
            aw_crash_carry_out();
        if (poll(&end, 1, stands ? (int)(life->still_ns / AW_MILLISECOND) + 1 : wait) > 0)
            break;
    }
    aw_crash_carry_out();
    _exit(0);
}

/* ---- The parent ---- */

static enum aw_status fail(struct aw_error *err)
{
    return aw_fail(err, AW_LOST, "cannot start the watchdog process (%s) — %s", strerror(errno),
                   errno == EMFILE   ? "raise ulimit -n"
                   : errno == EAGAIN ? "raise ulimit -u"
                                     : "without it nothing moves");
}

static struct aw_watchdog_life *make_life(int64_t still_ns)
{
    struct aw_watchdog_life *life =
        mmap(NULL, sizeof *life, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (life == MAP_FAILED)
        return NULL;
    life->still_ns = still_ns;
    atomic_store(&life->last_ns, AW_NEVER);
    return life;
}

static bool is_needed(const struct aw_session *session)
{
    return session->device.link && !session->device.link->simulated &&
           !session->device.link->recorded;
}

static enum aw_status fork_child(struct aw_watchdog *watchdog, struct aw_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail(err);
    pid_t child = fork();
    int error = errno;
    if (child == 0) {
        if (watchdog->user.leave)
            watchdog->user.leave(watchdog->user.context);
        close(ends[1]);
        watch(ends[0], watchdog->life);
    }
    close(ends[0]);
    if (child < 0)
        close(ends[1]);
    errno = error;
    if (child < 0)
        return fail(err);
    watchdog->pid = child;
    watchdog->fd = ends[1];
    return AW_OK;
}

static void show_life(struct aw_watchdog *watchdog)
{
    struct aw_watchdog_life *life = watchdog->life;
    if (!life)
        return;
    int64_t now = now_ns(), last = atomic_exchange(&life->last_ns, now);
    if (last != AW_NEVER && now - last > life->still_ns && watchdog->user.stood)
        watchdog->user.stood(watchdog->user.context, now - last);
}

void aw_watchdog_alive(struct aw_watchdog *watchdog)
{
    if (watchdog->life && atomic_load(&watchdog->life->last_ns) != AW_NEVER)
        show_life(watchdog);
}

enum aw_status aw_watchdog_check(struct aw_watchdog *watchdog, struct aw_error *err)
{
    if (!watchdog->session)
        return AW_OK;
    show_life(watchdog);
    watchdog->aside.due = aw_sooner(watchdog->aside.due, now_ns() + SIGN_NS);
    if (watchdog->pid > 0 && waitpid(watchdog->pid, NULL, WNOHANG) == 0)
        return AW_OK;
    if (watchdog->pid > 0)
        close(watchdog->fd);
    watchdog->pid = 0;
    enum aw_status status = fork_child(watchdog, err);
    show_life(watchdog); /* a fork takes time */
    return status;
}

static void serve(struct aw_aside *aside)
{
    struct aw_watchdog *watchdog = (struct aw_watchdog *)aside;
    struct aw_session *session = watchdog->session;
    struct aw_error err;
    bool moves = session->motion.moving || aw_session_continues(session);
    if (watchdog->user.rests && !moves) {
        if (watchdog->life)
            atomic_store(&watchdog->life->last_ns, AW_NEVER);
        aside->due = AW_NEVER;
        return;
    }
    aside->due = now_ns() + SIGN_NS;
    if (aw_watchdog_check(watchdog, &err) == AW_OK)
        return;
    aside->due = AW_NEVER;
    watchdog->user.failed(watchdog->user.context, &err);
}

enum aw_status aw_watchdog_start(struct aw_watchdog *watchdog, struct aw_session *session,
                                 int64_t still_ns, const struct aw_watchdog_user *user,
                                 struct aw_error *err)
{
    if (watchdog->session || !is_needed(session))
        return AW_OK;
    *watchdog = (struct aw_watchdog){.user = *user};
    if (!aw_crash_share() || (still_ns > 0 && !(watchdog->life = make_life(still_ns))))
        return fail(err);
    enum aw_status status = fork_child(watchdog, err);
    if (status != AW_OK && !user->rests) {
        aw_watchdog_end(watchdog);
        return status;
    }
    watchdog->session = session;
    watchdog->aside = (struct aw_aside){
        .fd = -1, .serve = serve, .due = user->rests ? AW_NEVER : now_ns() + SIGN_NS};
    aw_aside_add(&session->time.real.aside, &watchdog->aside);
    if (!user->rests)
        show_life(watchdog);
    return status;
}

void aw_watchdog_end(struct aw_watchdog *watchdog)
{
    if (watchdog->session)
        aw_aside_remove(&watchdog->session->time.real.aside, &watchdog->aside);
    if (watchdog->pid > 0) {
        kill(watchdog->pid, SIGKILL);
        close(watchdog->fd);
        waitpid(watchdog->pid, NULL, 0);
    }
    if (watchdog->life)
        munmap(watchdog->life, sizeof *watchdog->life);
    *watchdog = (struct aw_watchdog){0};
}

/* ---- Watchdog of a session ---- */

/* Ends the command: the watchdog stopped its motion, so its next message is obsolete. */
static void end_command(void *context, int64_t ns)
{
    struct aw_session *session = context;
    struct aw_watchdog *watchdog = session->motion.watchdog;
    if (*watchdog->why || !session->motion.moving)
        return;
    snprintf(watchdog->why, sizeof watchdog->why, "this program was held up for %.2g s",
             (double)ns / 1e9);
    aw_stop_ask(session);
}

static void end_motion(void *context, const struct aw_error *err)
{
    struct aw_session *session = context;
    session->device.tee_lost = *err;
    aw_stop_ask(session);
}

const char *aw_watchdog_hang(struct aw_session *session)
{
    struct aw_watchdog *watchdog = session->motion.watchdog;
    if (!watchdog)
        return NULL;
    show_life(watchdog);
    if (!*watchdog->why)
        return NULL;
    aw_stop_forget(session);
    return watchdog->why;
}

/* Returns true if the motion depends on this program, so that a hang has to stop it. */
static bool depends_on_host(const struct aw_session *session)
{
    const struct aw_command *command = session->run.command;
    bool streams = command && (command->timed || command->group == AW_GROUP_MEASURE);
    return streams || session->tool->steer > 0;
}

enum aw_status aw_watchdog_watch(struct aw_session *session)
{
    bool shared = session->share.server || session->share.attached;
    if (session->motion.watchdog)
        return aw_watchdog_check(session->motion.watchdog, &session->err);
    if (shared || session->mode.serving || session->options.run.hold || !is_needed(session))
        return AW_OK;
    struct aw_watchdog *watchdog = calloc(1, sizeof *watchdog);
    if (!watchdog)
        return aw_no_memory(&session->err);
    bool hands = session->run.command && session->run.command->hands;
    struct aw_watchdog_user user = {
        .context = session, .stood = hands ? NULL : end_command, .failed = end_motion};
    int64_t late = hands ? HANDS_NS : depends_on_host(session) ? LATE_NS : 0;
    enum aw_status status = aw_watchdog_start(watchdog, session, late, &user, &session->err);
    session->motion.watchdog = status == AW_OK ? watchdog : NULL;
    if (status != AW_OK)
        free(watchdog);
    return status;
}

void aw_watchdog_leave(struct aw_session *session)
{
    if (session->motion.watchdog)
        aw_watchdog_end(session->motion.watchdog);
    free(session->motion.watchdog);
    session->motion.watchdog = NULL;
}
