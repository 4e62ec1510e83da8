/* Implements the monotonic and the virtual clock, and waits on a descriptor until a deadline. */
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

#define STOP_LOOK 16 /* virtual waits between two checks of stop_fd */
#define NAP_NS    (5 * AW_MILLISECOND)

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

static int64_t real_now(const struct aw_clock *clock)
{
    (void)clock;
    return read_clock(CLOCK_MONOTONIC);
}

static struct timespec timespec_of(int64_t ns)
{
    if (ns < 0)
        ns = 0;
    return (struct timespec){.tv_sec = (time_t)(ns / AW_SECOND), .tv_nsec = (long)(ns % AW_SECOND)};
}

/* Returns the latest time at which the wait must end. */
static int64_t wake_time(const struct aw_real_clock *real, bool ignoring, int64_t deadline)
{
    int64_t until = ignoring ? aw_sooner(real->ignored_until, deadline) : deadline;
    for (const struct aw_aside *aside = real->aside; aside; aside = aside->next)
        until = aw_sooner(aside->due, until);
    return until;
}

static void look_aside(const struct aw_real_clock *real, bool readable, bool rests)
{
    for (struct aw_aside *aside = real->aside; aside; aside = aside->next) {
        aside->rests = rests;
        if (readable || real_now(&real->base) >= aside->due)
            aside->serve(aside);
        readable = false;
    }
}

void aw_aside_add(struct aw_aside **first, struct aw_aside *aside)
{
    while (*first && aside->fd < 0)
        first = &(*first)->next;
    aside->next = *first;
    *first = aside;
}

void aw_aside_remove(struct aw_aside **first, struct aw_aside *aside)
{
    while (*first && *first != aside)
        first = &(*first)->next;
    if (*first)
        *first = aside->next;
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
        if (ready > 0 || read_clock(CLOCK_MONOTONIC) >= until)
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
        struct timespec left = timespec_of(until - now);
        fds[0].fd = ignoring ? -1 : real->stop_fd;
        fds[4].fd = real->aside ? real->aside->fd : -1;
        int ready = ppoll(fds, sizeof fds / sizeof *fds, until == AW_NEVER ? NULL : &left, NULL);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready < 0)
            poll_each(fds, sizeof fds / sizeof *fds, until);
        look_aside(real, fds[4].revents, fd < 0);
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

static bool asked_to_stop(const struct aw_virtual_clock *self)
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
        int64_t wanted = deadline > self->time_ns ? deadline - self->time_ns : 0;
        enum aw_status status = real_wait(&real.base, fd, events, now + aw_sooner(wanted, left));
        if (status != AW_TIMEOUT)
            return status;
    }
    if (deadline > self->time_ns)
        self->time_ns = deadline;
    bool look = self->waits++ % STOP_LOOK == 0;
    for (struct aw_aside *aside = self->aside; aside; aside = aside->next)
        if (look || self->time_ns >= aside->due)
            aside->serve(aside);
    return look && asked_to_stop(self) ? AW_STOPPED : AW_TIMEOUT;
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
