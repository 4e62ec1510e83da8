/* Implements the monotonic and the virtual clock, and waits on a descriptor until a deadline. */
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

#define WAITS_PER_CHECK 16 /* virtual waits between two checks of stop_fd */
#define NAP_NS          (5 * AW_MILLISECOND)

static int64_t read_clock(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * AW_SECOND + ts.tv_nsec;
}

int64_t aw_wall_time(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t aw_monotonic_time(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static int64_t real_now(const struct aw_clock *clock)
{
    (void)clock;
    return aw_monotonic_time();
}

static struct timespec to_timespec(int64_t ns)
{
    if (ns < 0)
        ns = 0;
    return (struct timespec){.tv_sec = (time_t)(ns / AW_SECOND), .tv_nsec = (long)(ns % AW_SECOND)};
}

/* Returns the earliest of the deadline, the next background work and, if requests to stop are
 * ignored, the end of that time. */
static int64_t wake_time(const struct aw_real_clock *real, bool ignoring, int64_t deadline)
{
    int64_t until = ignoring ? aw_min_time(real->ignored_until, deadline) : deadline;
    for (const struct aw_background *work = real->background; work; work = work->next)
        until = aw_min_time(work->due, until);
    return until;
}

static void serve_background(const struct aw_real_clock *real, bool readable, bool time_only)
{
    for (struct aw_background *work = real->background; work; work = work->next) {
        work->time_only = time_only;
        if (readable || real_now(&real->base) >= work->due)
            work->serve(work);
        readable = false;
    }
}

void aw_background_add(struct aw_background **first, struct aw_background *work)
{
    while (*first && work->fd < 0)
        first = &(*first)->next;
    work->next = *first;
    *first = work;
}

void aw_background_remove(struct aw_background **first, struct aw_background *work)
{
    while (*first && *first != work)
        first = &(*first)->next;
    if (*first)
        *first = work->next;
}

/* Polls one by one: ppoll(2) refuses more entries than RLIMIT_NOFILE, which may be lowered at any
 * time. */
static void poll_each(struct pollfd *fds, size_t n, int64_t until)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    for (;;) {
        int ready = 0;
        for (size_t i = 0; i < n; i++) {
            fds[i].revents = 0;
            ready += fds[i].fd >= 0 && poll(&fds[i], 1, 0) > 0;
        }
        if (ready > 0 || aw_monotonic_time() >= until)
            return;
        nanosleep(&nap, NULL);
    }
}

static enum aw_status real_wait(struct aw_clock *clock, int fd, short events, int64_t deadline)
{
    const struct aw_real_clock *real = (const struct aw_real_clock *)clock;
    struct pollfd fds[] = {{.events = POLLIN},
                           {.fd = real->hangup_fd},
                           {.fd = real->ended_fd},
                           {.fd = fd, .events = events},
                           {.events = POLLIN}};
    for (;;) {
        int64_t now = real_now(clock);
        bool ignoring = now < real->ignored_until;
        int64_t until = wake_time(real, ignoring, deadline);
        struct timespec left = to_timespec(until - now);
        fds[0].fd = ignoring ? -1 : real->stop_fd;
        fds[4].fd = real->background ? real->background->fd : -1;
        int ready = ppoll(fds, sizeof fds / sizeof *fds, until == AW_NEVER ? NULL : &left, NULL);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready < 0)
            poll_each(fds, sizeof fds / sizeof *fds, until);
        serve_background(real, fds[4].revents, fd < 0);
        if (fds[0].revents || fds[1].revents || fds[2].revents)
            return AW_STOPPED;
        if (fds[3].revents)
            return AW_OK;
        if (real_now(clock) >= deadline)
            return AW_TIMEOUT;
    }
}

struct aw_real_clock aw_real_clock(int stop_fd)
{
    return (struct aw_real_clock){.base = {.now = real_now, .wait = real_wait},
                                  .stop_fd = stop_fd,
                                  .hangup_fd = -1,
                                  .ended_fd = -1};
}

static int64_t virtual_now(const struct aw_clock *clock)
{
    return ((const struct aw_virtual_clock *)clock)->time_ns;
}

static bool is_stop_requested(const struct aw_virtual_clock *self)
{
    struct pollfd stop = {.fd = self->stop_fd, .events = POLLIN};
    return self->stop_fd >= 0 && poll(&stop, 1, 0) > 0;
}

static enum aw_status virtual_wait(struct aw_clock *clock, int fd, short events, int64_t deadline)
{
    struct aw_virtual_clock *self = (struct aw_virtual_clock *)clock;
    struct aw_real_clock real = aw_real_clock(self->stop_fd);
    if (self->polls && fd >= 0) {
        int64_t now = real_now(&real.base), left = AW_NEVER - now;
        int64_t duration = deadline > self->time_ns ? deadline - self->time_ns : 0;
        enum aw_status status =
            real_wait(&real.base, fd, events, now + aw_min_time(duration, left));
        if (status != AW_TIMEOUT)
            return status;
    }
    if (deadline > self->time_ns)
        self->time_ns = deadline;
    bool checks_stop = self->n_waits++ % WAITS_PER_CHECK == 0;
    for (struct aw_background *work = self->background; work; work = work->next)
        if (checks_stop || self->time_ns >= work->due)
            work->serve(work);
    return checks_stop && is_stop_requested(self) ? AW_STOPPED : AW_TIMEOUT;
}

struct aw_virtual_clock aw_virtual_clock(void)
{
    return (struct aw_virtual_clock){.base = {.now = virtual_now, .wait = virtual_wait},
                                     .stop_fd = -1};
}

enum aw_status aw_clock_sleep(struct aw_clock *clock, int64_t deadline)
{
    enum aw_status status = aw_clock_wait(clock, -1, 0, deadline);
    return status == AW_TIMEOUT ? AW_OK : status;
}
