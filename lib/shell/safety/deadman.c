/* The dead-man of scripts: checks the time since the last line during every wait. */
#include "shell/safety/deadman.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/safety/safety.h"
#include "shell/safety/stop.h"

#define LOOKS 16 /* checks per timeout, so that input counts from its time of arrival */

static bool moves(const struct aw_session *session)
{
    return session->motion.moving || aw_session_continues(session) ||
           (session->run.command && session->run.command->safety == AW_MOTION);
}

static int64_t last_ns(const struct aw_deadman *deadman)
{
    return aw_session_virtual(deadman->session) ? deadman->model_ns : deadman->real_ns;
}

static void plan_look(struct aw_deadman *deadman)
{
    int64_t now = aw_clock_now(deadman->session->clock);
    int64_t end = last_ns(deadman) + deadman->time_ns, soon = now + deadman->time_ns / LOOKS + 1;
    deadman->aside.due = end > now ? aw_sooner(end, soon) : soon;
}

static void arm(struct aw_deadman *deadman)
{
    struct aw_session *session = deadman->session;
    if (session->motion.stopped_by == deadman->why)
        session->motion.stopped_by = NULL;
    deadman->model_ns = session->time.virtual.time_ns;
    deadman->expired = false;
}

static void note_life(struct aw_deadman *deadman)
{
    deadman->real_ns = aw_clock_now(&deadman->session->time.real.base);
    arm(deadman);
}

void aw_deadman_read(struct aw_deadman *deadman, size_t n)
{
    int waiting = 0;
    if (deadman->time_ns <= 0)
        return;
    size_t unread = ioctl(deadman->fd, FIONREAD, &waiting) == 0 ? (size_t)waiting : 0;
    if (n + unread > deadman->unread)
        note_life(deadman);
    deadman->unread = unread;
    plan_look(deadman);
}

void aw_deadman_line(struct aw_deadman *deadman)
{
    if (deadman->time_ns <= 0)
        return;
    arm(deadman);
    plan_look(deadman);
}

static void look(struct aw_aside *aside)
{
    struct aw_deadman *deadman = (struct aw_deadman *)aside;
    struct aw_session *session = deadman->session;
    aw_deadman_read(deadman, 0);
    int64_t silent_ns = aw_clock_now(session->clock) - last_ns(deadman);
    if (silent_ns < deadman->time_ns || deadman->expired || !moves(session))
        return;
    deadman->expired = true;
    snprintf(deadman->why, sizeof deadman->why, "no input for %.2g s — stopped",
             (double)silent_ns / 1e9);
    session->motion.stopped_by = deadman->why;
    session->motion.stopped_as = AW_TIMEOUT;
    aw_stop_ask(session);
}

void aw_deadman_begin(struct aw_deadman *deadman, struct aw_session *session, int fd)
{
    struct stat about;
    *deadman =
        (struct aw_deadman){.aside = {.fd = -1, .serve = look}, .session = session, .fd = fd};
    if (isatty(fd) || fstat(fd, &about) != 0 || S_ISREG(about.st_mode))
        return;
    if (!(session->options.link.deadman_s > 0))
        return;
    deadman->time_ns = (int64_t)(session->options.link.deadman_s * 1e9);
    aw_stop_catch(session);
    note_life(deadman);
    plan_look(deadman);
    aw_aside_add(&session->time.real.aside, &deadman->aside);
    aw_aside_add(&session->time.virtual.aside, &deadman->aside);
}

void aw_deadman_end(struct aw_deadman *deadman)
{
    struct aw_session *session = deadman->session;
    if (deadman->time_ns <= 0)
        return;
    aw_aside_remove(&session->time.real.aside, &deadman->aside);
    aw_aside_remove(&session->time.virtual.aside, &deadman->aside);
    session->motion.stopped_by = NULL;
}

enum aw_status aw_deadman_outcome(struct aw_deadman *deadman, enum aw_status status)
{
    struct aw_session *session = deadman->session;
    session->motion.stopped_by = NULL;
    if (status != AW_STOPPED || !deadman->expired || session->motion.stop.signal)
        return status;
    aw_stop_forget(session);
    aw_session_halt(session);
    aw_fail(&session->err, AW_TIMEOUT, "%s", deadman->why);
    return aw_session_refuse(session, AW_TIMEOUT);
}
