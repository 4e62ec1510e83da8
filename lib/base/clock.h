/* Clocks as a vtable: the same code runs in real time, or in virtual time for tests. Virtual time
 * never sleeps.
 *
 * Times are int64_t nanoseconds of a monotonic clock. Every wait goes through the clock, because
 * only the clock detects a request to stop (stop_fd, a signalfd of the shell).
 *
 *     struct aw_real_clock clock = aw_real_clock(-1);
 *     int64_t deadline = aw_clock_now(&clock.base) + 2 * AW_SECOND;
 *     if (aw_clock_wait(&clock.base, fd, POLLIN, deadline) == AW_TIMEOUT) …
 */
#ifndef AW_BASE_CLOCK_H
#define AW_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* Units of time, in ns, and the time of events that never occur. */
#define AW_MICROSECOND INT64_C(1000)
#define AW_MILLISECOND INT64_C(1000000)
#define AW_SECOND      INT64_C(1000000000)
#define AW_NEVER       INT64_MAX

/* Functions of a clock; see aw_clock_now and aw_clock_wait. Clocks begin with this struct. */
struct aw_clock {
    int64_t (*now)(const struct aw_clock *clock);
    enum aw_status (*wait)(struct aw_clock *clock, int fd, short events, int64_t deadline);
};

/* Background work during a wait. The clock calls serve when fd is readable, and at the time due (ns
 * of the clock). serve sets due to the time of its next call (AW_NEVER: none). It must not
 * block. */
struct aw_background {
    struct aw_background *next;
    int fd; /* descriptor, or -1; only the first entry's is polled */
    int64_t due;
    /* set while serve runs if the clock waits for a deadline only, not for a descriptor */
    bool time_only;
    void (*serve)(struct aw_background *work);
};

/* Add an entry to a clock's list, or remove it. The list begins at *first and owns no entry. An
 * entry with a descriptor goes to the front. */
void aw_background_add(struct aw_background **first, struct aw_background *work);
void aw_background_remove(struct aw_background **first, struct aw_background *work);

/* A clock on CLOCK_MONOTONIC and poll(2). A readable stop_fd ends every wait, except before
 * ignored_until. So does a hang-up at the other end of hangup_fd (a pipe that the caller writes) or
 * ended_fd (a pipe that it reads). The descriptors may be -1. The clock owns none of them. */
struct aw_real_clock {
    struct aw_clock base;
    int64_t ignored_until; /* monotonic ns; starts at 0 */
    int stop_fd;
    int hangup_fd;
    int ended_fd;
    struct aw_background *background; /* background work; NULL: none */
};

/* A clock that starts at 0 (or at the caller's time_ns) and jumps to each deadline. It checks
 * stop_fd at every 16th wait only, because thousands of virtual waits take a millisecond. Unless
 * polls is set, it ignores descriptors. */
struct aw_virtual_clock {
    struct aw_clock base;
    int64_t time_ns;
    int stop_fd;
    unsigned n_waits;
    bool polls; /* waits in real time for a descriptor, because its program does not run in virtual
                   time */
    /* background work, served when due and at every check of stop_fd; NULL: none */
    struct aw_background *background;
};

/* Return initialised clocks. The descriptors that are not given start as -1. The caller may set
 * hangup_fd, ended_fd, and the stop_fd of a virtual clock. */
struct aw_real_clock aw_real_clock(int stop_fd);
struct aw_virtual_clock aw_virtual_clock(void);

/* Returns the clock's time, ns. */
static inline int64_t aw_clock_now(const struct aw_clock *clock)
{
    return clock->now(clock);
}

/* Returns the earlier of two times. */
static inline int64_t aw_min_time(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Returns time_ns (0 or more) plus seconds. Returns AW_NEVER if the sum is too large, and time_ns
 * if seconds is not positive. */
static inline int64_t aw_time_after(int64_t time_ns, double seconds)
{
    double ns = seconds * 1e9;
    if (!(ns > 0))
        return time_ns;
    return ns < (double)(AW_NEVER - time_ns) ? time_ns + (int64_t)ns : AW_NEVER;
}

/* Waits for one of the poll(2) events on fd (-1: none), the deadline, or a request to stop. Returns
 * AW_OK, AW_TIMEOUT or AW_STOPPED. AW_OK means ready, hung up or in error: the next read or write
 * tells which. */
static inline enum aw_status aw_clock_wait(struct aw_clock *clock, int fd, short events,
                                           int64_t deadline)
{
    return clock->wait(clock, fd, events, deadline);
}

/* Sleeps until the deadline. Returns AW_OK or AW_STOPPED. */
enum aw_status aw_clock_sleep(struct aw_clock *clock, int64_t deadline);

/* Returns the wall clock, ns since 1970, for timestamps in records. */
int64_t aw_wall_time(void);

/* Returns CLOCK_MONOTONIC in ns, for code without a struct aw_clock: watchdog process, filters. */
int64_t aw_monotonic_time(void);

#endif
