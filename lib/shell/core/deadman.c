/* The dead-man of scripts: looks at the time since the last line while anything is waited for. */
#include "shell/core/deadman.h"

#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/core/stop.h"

#define LOOK_NS (5 * AW_MILLISECOND) /* while nothing moves yet */

static bool moves(const struct aw_session *session)
{
    return session->moving || session->ongoing == AW_ONGOING_RUNNING ||
           (session->command && session->command->safety == AW_MOTION);
}

static void look(struct aw_aside *aside)
{
    struct aw_deadman *deadman = (struct aw_deadman *)aside;
    struct aw_session *session = deadman->session;
    struct pollfd input = {.fd = deadman->fd, .events = POLLIN};
    int64_t now = aw_clock_now(session->clock);
    if (poll(&input, 1, 0) == 1)
        aw_deadman_fed(deadman);
    int64_t last = aw_session_virtual(session) ? deadman->model_ns : deadman->real_ns;
    aside->due = last + deadman->time_ns;
    if (now < aside->due || deadman->expired)
        return;
    aside->due = now + LOOK_NS;
    if (!moves(session))
        return;
    aside->due = AW_NEVER;
    deadman->expired = true;
    snprintf(deadman->why, sizeof deadman->why, "no line came for %.2g s — stopped",
             (double)(now - last) / 1e9);
    session->stopped_by = deadman->why;
    session->stopped_as = AW_TIMEOUT;
    aw_stop_ask(session);
}

void aw_deadman_begin(struct aw_deadman *deadman, struct aw_session *session, int fd)
{
    struct stat about;
    *deadman =
        (struct aw_deadman){.aside = {.fd = -1, .serve = look}, .session = session, .fd = fd};
    if (isatty(fd) || fstat(fd, &about) != 0 || S_ISREG(about.st_mode))
        return;
    deadman->time_ns = (int64_t)(aw_option_number(session, "deadman") * 1e9);
    if (deadman->time_ns <= 0)
        return;
    aw_stop_catch(session);
    aw_deadman_fed(deadman);
    aw_aside_add(&session->real_clock.aside, &deadman->aside);
    aw_aside_add(&session->virtual_clock.aside, &deadman->aside);
}

void aw_deadman_fed(struct aw_deadman *deadman)
{
    struct aw_session *session = deadman->session;
    deadman->real_ns = aw_clock_now(&session->real_clock.base);
    deadman->model_ns = session->virtual_clock.time_ns;
    deadman->aside.due = aw_clock_now(session->clock) + deadman->time_ns;
    deadman->expired = false;
}

void aw_deadman_end(struct aw_deadman *deadman)
{
    struct aw_session *session = deadman->session;
    if (deadman->time_ns <= 0)
        return;
    aw_aside_remove(&session->real_clock.aside, &deadman->aside);
    aw_aside_remove(&session->virtual_clock.aside, &deadman->aside);
    session->stopped_by = NULL;
}

enum aw_status aw_deadman_outcome(struct aw_deadman *deadman, enum aw_status status)
{
    struct aw_session *session = deadman->session;
    session->stopped_by = NULL;
    if (status != AW_STOPPED || !deadman->expired || session->stop.signal)
        return status;
    aw_stop_forget(session);
    aw_session_halt(session);
    aw_fail(&session->err, AW_TIMEOUT, "%s", deadman->why);
    return aw_session_refuse(session, AW_TIMEOUT);
}
