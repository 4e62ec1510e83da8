/* Forks the child, and what that does: it sleeps until the pipe ends or the signs of life stop. */
#include "shell/core/guard.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shell/core/crash.h"
#include "shell/core/joints.h"
#include "shell/core/stop.h"

#define LATE_NS  AW_SECOND              /* without a sign of life: it stands still */
#define HANDS_NS (100 * AW_MILLISECOND) /* the same, where hands are on the arm */
#define SIGN_NS  (20 * AW_MILLISECOND)

struct aw_guard_life {
    int64_t still_ns;
    _Atomic int64_t last_ns; /* CLOCK_MONOTONIC */
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * AW_SECOND + now.tv_nsec;
}

/* ms until the signs of life are overdue; -1: nobody waits for any. */
static int patience(const struct aw_guard_life *life)
{
    if (!life)
        return -1;
    int64_t left = atomic_load(&life->last_ns) + life->still_ns - now_ns();
    return left <= 0 ? 0 : (int)(left / AW_MILLISECOND) + 1;
}

/* A stop again and again while it stands still: whoever wakes it for a moment lets out what it was
 * about to send. Nothing is to be done where nothing moves: then there is no stop that is ready. */
static void keep_watch(int fd, const struct aw_guard_life *life)
{
    struct pollfd end = {.fd = fd, .events = POLLIN};
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "armwire-guard");
    /* First in line for a processor, where that is permitted: it sleeps until it is needed. */
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

static struct aw_guard_life *make_life(int64_t still_ns)
{
    struct aw_guard_life *life =
        mmap(NULL, sizeof *life, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (life == MAP_FAILED)
        return NULL;
    life->still_ns = still_ns;
    atomic_store(&life->last_ns, now_ns());
    return life;
}

static bool is_needed(const struct aw_session *session)
{
    return session->device.link && !session->device.link->simulated &&
           !session->device.link->recorded;
}

void aw_guard_start(struct aw_guard *guard, struct aw_session *session, int64_t still_ns,
                    void (*leave)(void *context), void *context)
{
    int ends[2];
    if (guard->pid > 0 || !is_needed(session) || !aw_crash_share() || pipe2(ends, O_CLOEXEC) != 0)
        return;
    guard->life = still_ns > 0 ? make_life(still_ns) : NULL;
    pid_t child = fork();
    if (child == 0) {
        if (leave)
            leave(context);
        close(ends[1]);
        keep_watch(ends[0], guard->life);
    }
    close(ends[0]);
    if (child < 0)
        close(ends[1]);
    if (guard->life) /* what stood still while the child was made had not begun to move */
        atomic_store(&guard->life->last_ns, now_ns());
    guard->pid = child > 0 ? child : 0;
    guard->fd = ends[1];
}

/* It was stopped meanwhile: what it was about to send next belongs to a motion that is over. */
static void end_command(struct aw_guard *guard, int64_t still_ns)
{
    struct aw_session *session = guard->session;
    if (*guard->why || !session->motion.moving)
        return;
    snprintf(guard->why, sizeof guard->why, "this program stood still for %.2g s",
             (double)still_ns / 1e9);
    aw_stop_ask(session);
}

static void give_sign(struct aw_guard *guard)
{
    if (!guard->life)
        return;
    int64_t now = now_ns(), still_ns = now - atomic_load(&guard->life->last_ns);
    if (guard->session && still_ns > guard->life->still_ns)
        end_command(guard, still_ns);
    atomic_store(&guard->life->last_ns, now);
}

const char *aw_guard_stood(struct aw_session *session)
{
    struct aw_guard *guard = session->motion.guard;
    if (!guard)
        return NULL;
    give_sign(guard);
    if (!*guard->why)
        return NULL;
    aw_stop_forget(session);
    return guard->why;
}

static void serve(struct aw_aside *aside)
{
    give_sign((struct aw_guard *)aside);
    aside->due = now_ns() + SIGN_NS;
}

/* Does what moves go on as it is while the program stands still? */
static bool goes_on(const struct aw_session *session)
{
    const struct aw_command *command = session->run.command;
    bool streams = command && (command->timed || command->group == AW_GROUP_MEASURE);
    return streams || (session->tool->joints && session->tool->joints->steer > 0);
}

void aw_guard_watch(struct aw_session *session)
{
    struct aw_guard *guard = session->motion.guard;
    bool shared = session->share.server || session->share.attached;
    if (guard)
        give_sign(guard);
    if (guard || shared || session->mode.serving || aw_flag(session, "hold") || !is_needed(session))
        return;
    guard = calloc(1, sizeof *guard);
    if (!guard)
        return; /* no child, and no motion less */
    session->motion.guard = guard;
    bool hands = session->run.command && session->run.command->hands;
    int64_t late = hands ? HANDS_NS : goes_on(session) ? LATE_NS : 0;
    aw_guard_start(guard, session, late, NULL, NULL);
    if (guard->pid <= 0 || !guard->life)
        return;
    guard->session = hands ? NULL : session;
    guard->aside = (struct aw_aside){.fd = -1, .due = now_ns(), .serve = serve};
    guard->first = &session->time.real.aside;
    aw_aside_add(guard->first, &guard->aside);
}

void aw_guard_end(struct aw_guard *guard)
{
    if (guard->first)
        aw_aside_remove(guard->first, &guard->aside);
    if (guard->pid > 0) {
        kill(guard->pid, SIGKILL);
        close(guard->fd);
        waitpid(guard->pid, NULL, 0);
    }
    if (guard->life)
        munmap(guard->life, sizeof *guard->life);
    *guard = (struct aw_guard){0};
}

void aw_guard_leave(struct aw_session *session)
{
    if (session->motion.guard)
        aw_guard_end(session->motion.guard);
    free(session->motion.guard);
    session->motion.guard = NULL;
}
