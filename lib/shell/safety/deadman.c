/* The dead-man of scripts: checks the time since the last line during every wait. */
#include "shell/safety/deadman.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/safety/safety.h"
#include "shell/safety/stop.h"

#define CHECKS_PER_TIMEOUT 16 /* many, so that input counts from its time of arrival */

static bool is_moving(const struct aw_session *session)
{
    return session->motion.moving || aw_session_has_ongoing(session) ||
           (session->run.command && session->run.command->safety == AW_MOTION);
}

static int64_t get_last_input_ns(const struct aw_deadman *deadman)
{
    return aw_session_is_virtual(deadman->session) ? deadman->model_ns : deadman->real_ns;
}

static void schedule_check(struct aw_deadman *deadman)
{
    int64_t now = aw_clock_now(deadman->session->clock);
    int64_t end = get_last_input_ns(deadman) + deadman->limit_ns,
            next = now + deadman->limit_ns / CHECKS_PER_TIMEOUT + 1;
    deadman->background.due = end > now ? aw_min_time(end, next) : next;
}

static void reset_timeout(struct aw_deadman *deadman)
{
    struct aw_session *session = deadman->session;
    if (session->motion.stop_cause == deadman->message)
        session->motion.stop_cause = NULL;
    deadman->model_ns = session->time.virtual.time_ns;
    deadman->expired = false;
}

static void note_life(struct aw_deadman *deadman)
{
    deadman->real_ns = aw_clock_now(&deadman->session->time.real.base);
    reset_timeout(deadman);
}

void aw_deadman_note_read(struct aw_deadman *deadman, size_t n)
{
    int waiting = 0;
    if (deadman->limit_ns <= 0)
        return;
    size_t unread = ioctl(deadman->fd, FIONREAD, &waiting) == 0 ? (size_t)waiting : 0;
    if (n + unread > deadman->unread)
        note_life(deadman);
    deadman->unread = unread;
    schedule_check(deadman);
}

void aw_deadman_note_line(struct aw_deadman *deadman)
{
    if (deadman->limit_ns <= 0)
        return;
    reset_timeout(deadman);
    schedule_check(deadman);
}

static void check_input(struct aw_background *background)
{
    struct aw_deadman *deadman = (struct aw_deadman *)background;
    struct aw_session *session = deadman->session;
    aw_deadman_note_read(deadman, 0);
    int64_t silent_ns = aw_clock_now(session->clock) - get_last_input_ns(deadman);
    if (silent_ns < deadman->limit_ns || deadman->expired || !is_moving(session))
        return;
    deadman->expired = true;
    snprintf(deadman->message, sizeof deadman->message, "no input for %.2g s — stopped",
             (double)silent_ns / 1e9);
    session->motion.stop_cause = deadman->message;
    session->motion.stop_status = AW_TIMEOUT;
    aw_stop_request(session);
}

void aw_deadman_begin(struct aw_deadman *deadman, struct aw_session *session, int fd)
{
    struct stat info;
    *deadman = (struct aw_deadman){
        .background = {.fd = -1, .serve = check_input}, .session = session, .fd = fd};
    if (isatty(fd) || fstat(fd, &info) != 0 || S_ISREG(info.st_mode))
        return;
    if (!(session->options.link.deadman_s > 0))
        return;
    deadman->limit_ns = (int64_t)(session->options.link.deadman_s * 1e9);
    aw_stop_catch_signals(session);
    note_life(deadman);
    schedule_check(deadman);
    aw_background_add(&session->time.real.background, &deadman->background);
    aw_background_add(&session->time.virtual.background, &deadman->background);
}

void aw_deadman_end(struct aw_deadman *deadman)
{
    struct aw_session *session = deadman->session;
    if (deadman->limit_ns <= 0)
        return;
    aw_background_remove(&session->time.real.background, &deadman->background);
    aw_background_remove(&session->time.virtual.background, &deadman->background);
    session->motion.stop_cause = NULL;
}

enum aw_status aw_deadman_handle_end(struct aw_deadman *deadman, enum aw_status status)
{
    struct aw_session *session = deadman->session;
    session->motion.stop_cause = NULL;
    if (status != AW_STOPPED || !deadman->expired || session->motion.stop.signal)
        return status;
    aw_stop_withdraw(session);
    aw_session_halt(session);
    aw_fail(&session->err, AW_TIMEOUT, "%s", deadman->message);
    return aw_session_fail_outside_command(session, AW_TIMEOUT);
}
