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

#define LATE_NS         AW_SECOND              /* max time without a sign of life */
#define BY_HAND_NS      (100 * AW_MILLISECOND) /* the same while a user steers by hand */
#define SIGN_OF_LIFE_NS (20 * AW_MILLISECOND)

struct aw_watchdog_life {
    int64_t limit_ns;
    _Atomic int64_t last_ns; /* CLOCK_MONOTONIC; AW_NEVER: nothing moves */
};

/* ---- The child ---- */

/* Returns the ms until the next sign of life is overdue; -1: none is expected. */
static int wait_ms(const struct aw_watchdog_life *life)
{
    if (!life)
        return -1;
    int64_t last_ns = atomic_load(&life->last_ns);
    int64_t left_ns =
        last_ns == AW_NEVER ? life->limit_ns : last_ns + life->limit_ns - aw_monotonic_time();
    return left_ns <= 0 ? 0 : (int)(left_ns / AW_MILLISECOND) + 1;
}

/* Sends the stop repeatedly, because a resumed program may still send a pending command. Without a
 * motion no stop is prepared. */
static void run_child(int fd, const struct aw_watchdog_life *life)
{
    struct pollfd pipe = {.fd = fd, .events = POLLIN};
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "armwire-watch");
    /* Uses real-time priority if permitted; the process sleeps until it is needed. */
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
    for (;;) {
        int wait = wait_ms(life);
        bool hangs = wait == 0;
        if (hangs)
            aw_crash_send_stop();
        if (poll(&pipe, 1, hangs ? (int)(life->limit_ns / AW_MILLISECOND) + 1 : wait) > 0)
            break;
    }
    aw_crash_send_stop();
    _exit(0);
}

/* ---- The parent ---- */

static enum aw_status fail_start(struct aw_error *err)
{
    return aw_fail(err, AW_LOST, "cannot start the watchdog process (%s)%s", strerror(errno),
                   errno == EMFILE   ? " — raise ulimit -n"
                   : errno == EAGAIN ? " — raise ulimit -u"
                                     : ": nothing moves without it");
}

static struct aw_watchdog_life *make_life(int64_t limit_ns)
{
    struct aw_watchdog_life *life =
        mmap(NULL, sizeof *life, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (life == MAP_FAILED)
        return NULL;
    life->limit_ns = limit_ns;
    atomic_store(&life->last_ns, AW_NEVER);
    return life;
}

static bool is_needed(const struct aw_session *session)
{
    return session->device.link && !session->device.link->is_simulated &&
           !session->device.link->is_recording;
}

static enum aw_status fork_child(struct aw_watchdog *watchdog, struct aw_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_start(err);
    pid_t child = fork();
    int error = errno;
    if (child == 0) {
        if (watchdog->user.in_child)
            watchdog->user.in_child(watchdog->user.context);
        close(ends[1]);
        run_child(ends[0], watchdog->life);
    }
    close(ends[0]);
    if (child < 0)
        close(ends[1]);
    errno = error;
    if (child < 0)
        return fail_start(err);
    watchdog->pid = child;
    watchdog->fd = ends[1];
    return AW_OK;
}

static void show_life(struct aw_watchdog *watchdog)
{
    struct aw_watchdog_life *life = watchdog->life;
    if (!life)
        return;
    int64_t now = aw_monotonic_time(), last = atomic_exchange(&life->last_ns, now);
    if (last != AW_NEVER && now - last > life->limit_ns && watchdog->user.on_hang)
        watchdog->user.on_hang(watchdog->user.context, now - last);
}

void aw_watchdog_show_life(struct aw_watchdog *watchdog)
{
    if (watchdog->life && atomic_load(&watchdog->life->last_ns) != AW_NEVER)
        show_life(watchdog);
}

enum aw_status aw_watchdog_check(struct aw_watchdog *watchdog, struct aw_error *err)
{
    if (!watchdog->session)
        return AW_OK;
    show_life(watchdog);
    watchdog->background.due =
        aw_min_time(watchdog->background.due, aw_monotonic_time() + SIGN_OF_LIFE_NS);
    if (watchdog->pid > 0 && waitpid(watchdog->pid, NULL, WNOHANG) == 0)
        return AW_OK;
    if (watchdog->pid > 0)
        close(watchdog->fd);
    watchdog->pid = 0;
    enum aw_status status = fork_child(watchdog, err);
    show_life(watchdog); /* a fork takes time */
    return status;
}

static void give_sign(struct aw_background *background)
{
    struct aw_watchdog *watchdog = (struct aw_watchdog *)background;
    struct aw_session *session = watchdog->session;
    struct aw_error err;
    bool moves = session->motion.moving || aw_session_has_ongoing(session);
    if (watchdog->user.only_in_motion && !moves) {
        if (watchdog->life)
            atomic_store(&watchdog->life->last_ns, AW_NEVER);
        background->due = AW_NEVER;
        return;
    }
    background->due = aw_monotonic_time() + SIGN_OF_LIFE_NS;
    if (aw_watchdog_check(watchdog, &err) == AW_OK)
        return;
    background->due = AW_NEVER;
    watchdog->user.on_failure(watchdog->user.context, &err);
}

enum aw_status aw_watchdog_start(struct aw_watchdog *watchdog, struct aw_session *session,
                                 int64_t limit_ns, const struct aw_watchdog_user *user,
                                 struct aw_error *err)
{
    if (watchdog->session || !is_needed(session))
        return AW_OK;
    *watchdog = (struct aw_watchdog){.user = *user};
    if (!aw_crash_share() || (limit_ns > 0 && !(watchdog->life = make_life(limit_ns))))
        return fail_start(err);
    enum aw_status status = fork_child(watchdog, err);
    if (status != AW_OK && !user->only_in_motion) {
        aw_watchdog_end(watchdog);
        return status;
    }
    watchdog->session = session;
    watchdog->background = (struct aw_background){
        .fd = -1,
        .serve = give_sign,
        .due = user->only_in_motion ? AW_NEVER : aw_monotonic_time() + SIGN_OF_LIFE_NS};
    aw_background_add(&session->time.real.background, &watchdog->background);
    if (!user->only_in_motion)
        show_life(watchdog);
    return status;
}

void aw_watchdog_end(struct aw_watchdog *watchdog)
{
    if (watchdog->session)
        aw_background_remove(&watchdog->session->time.real.background, &watchdog->background);
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
    if (*watchdog->hang || !session->motion.moving)
        return;
    snprintf(watchdog->hang, sizeof watchdog->hang, "this program stalled for %.2g s",
             (double)ns / 1e9);
    aw_stop_request(session);
}

static void end_motion(void *context, const struct aw_error *err)
{
    struct aw_session *session = context;
    session->device.tee_error = *err;
    aw_stop_request(session);
}

const char *aw_watchdog_hang_error(struct aw_session *session)
{
    struct aw_watchdog *watchdog = session->motion.watchdog;
    if (!watchdog)
        return NULL;
    show_life(watchdog);
    if (!*watchdog->hang)
        return NULL;
    aw_stop_withdraw(session);
    return watchdog->hang;
}

/* Returns true if the motion depends on this program, so that a hang has to stop it. */
static bool depends_on_host(const struct aw_session *session)
{
    const struct aw_command *command = session->run.command;
    bool streams = command && (command->timed || command->group == AW_GROUP_MEASURE);
    return streams || session->tool->motion.steer_gain > 0;
}

enum aw_status aw_watchdog_begin(struct aw_session *session)
{
    bool is_shared = session->share.server || session->share.attached;
    if (session->motion.watchdog)
        return aw_watchdog_check(session->motion.watchdog, &session->err);
    if (is_shared || session->mode.serving || session->options.run.hold || !is_needed(session))
        return AW_OK;
    struct aw_watchdog *watchdog = calloc(1, sizeof *watchdog);
    if (!watchdog)
        return aw_no_memory(&session->err);
    bool by_hand = session->run.command && session->run.command->needs_maps;
    struct aw_watchdog_user user = {
        .context = session, .on_hang = by_hand ? NULL : end_command, .on_failure = end_motion};
    int64_t limit_ns = by_hand ? BY_HAND_NS : depends_on_host(session) ? LATE_NS : 0;
    enum aw_status status = aw_watchdog_start(watchdog, session, limit_ns, &user, &session->err);
    session->motion.watchdog = status == AW_OK ? watchdog : NULL;
    if (status != AW_OK)
        free(watchdog);
    return status;
}

void aw_watchdog_stop(struct aw_session *session)
{
    if (session->motion.watchdog)
        aw_watchdog_end(session->motion.watchdog);
    free(session->motion.watchdog);
    session->motion.watchdog = NULL;
}
