#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "next_helper.h"
#include "test.h"

static int ends[2], stop[2]; /* pipes of a test */

static void open_pipes(void)
{
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pipe(stop), 0);
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_pipes(void)
{
    for (int i = 0; i < 2; i++) {
        close_end(&ends[i]);
        close_end(&stop[i]);
    }
}

static void write_byte(int fd)
{
    assert_int_equal(write(fd, "x", 1), 1);
}

TEST(virtual_time_jumps_to_deadlines)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    assert_int_equal(aw_clock_now(&clock.base), 0);
    assert_int_equal(aw_clock_sleep(&clock.base, 3600 * AW_SECOND), AW_OK);
    assert_true(aw_clock_now(&clock.base) == 3600 * AW_SECOND);
    assert_int_equal(aw_clock_wait(&clock.base, -1, 0, 5), AW_TIMEOUT);
    assert_true(aw_clock_now(&clock.base) == 3600 * AW_SECOND);
}

TEST(real_time_never_goes_back)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    int64_t before = aw_clock_now(&clock.base);
    for (int i = 0; i < 1000; i++) {
        int64_t now = aw_clock_now(&clock.base);
        assert_true(now >= before);
        before = now;
    }
    assert_int_equal(aw_clock_wait(&clock.base, -1, 0, before), AW_TIMEOUT);
    int64_t deadline = before + 2 * AW_MILLISECOND;
    assert_int_equal(aw_clock_sleep(&clock.base, deadline), AW_OK);
    assert_true(aw_clock_now(&clock.base) >= deadline);
    assert_true(aw_wall_time() > 1600000000 * AW_SECOND);
}

TEST_WITH(open_pipes, close_pipes, wait_ends_when_data_is_readable)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    assert_int_equal(aw_clock_wait(&clock.base, ends[0], POLLIN, 0), AW_TIMEOUT);
    write_byte(ends[1]);
    assert_int_equal(aw_clock_wait(&clock.base, ends[0], POLLIN, AW_NEVER), AW_OK);
}

TEST_WITH(open_pipes, close_pipes, stop_request_takes_precedence_over_data)
{
    struct aw_real_clock clock = aw_real_clock(stop[0]);
    write_byte(stop[1]);
    write_byte(ends[1]);
    assert_int_equal(aw_clock_wait(&clock.base, ends[0], POLLIN, AW_NEVER), AW_STOPPED);
    assert_int_equal(aw_clock_sleep(&clock.base, AW_NEVER), AW_STOPPED);
}

TEST_WITH(open_pipes, close_pipes, stop_request_is_delayed_while_ignored)
{
    struct aw_real_clock clock = aw_real_clock(stop[0]);
    write_byte(stop[1]);
    int64_t end = aw_clock_now(&clock.base) + 20 * AW_MILLISECOND;
    clock.ignored_until = end;
    assert_int_equal(aw_clock_wait(&clock.base, stop[1], POLLOUT, AW_NEVER), AW_OK);
    assert_int_equal(aw_clock_sleep(&clock.base, end - 10 * AW_MILLISECOND), AW_OK);
    assert_int_equal(aw_clock_sleep(&clock.base, AW_NEVER), AW_STOPPED);
    assert_true(aw_clock_now(&clock.base) >= end);
}

/* Serves when its descriptor is readable or its time is due; returns when to call it next. */
struct helper {
    struct aw_background aside;
    int calls, writes_to; /* -1: writes nothing */
    int64_t next;
};

/* Number of polls with a zero timeout. */
static int looks;

int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    looks += n == 1 && timeout_ms == 0;
    return NEXT(poll)(fds, n, timeout_ms);
}

static void serve(struct aw_background *aside)
{
    struct helper *self = (struct helper *)aside;
    char byte;
    self->calls++;
    self->aside.due = self->next;
    if (self->aside.fd >= 0 && poll(&(struct pollfd){.fd = self->aside.fd, .events = POLLIN}, 1, 0))
        assert_int_equal(read(self->aside.fd, &byte, 1), 1);
    if (self->writes_to >= 0)
        assert_int_equal(write(self->writes_to, "x", 1), 1);
}

static struct helper helper(int fd, int64_t due)
{
    return (struct helper){
        .aside = {.fd = fd, .due = due, .serve = serve}, .next = AW_NEVER, .writes_to = -1};
}

TEST(tasks_with_a_descriptor_run_first)
{
    struct aw_background *first = NULL;
    struct helper a = helper(-1, 0), b = helper(-1, 0), c = helper(3, 0), d = helper(-1, 0);
    aw_background_add(&first, &a.aside);
    aw_background_add(&first, &b.aside);
    aw_background_add(&first, &c.aside);
    assert_ptr_equal(first, &c.aside);
    aw_background_remove(&first, &d.aside); /* not in the list */
    aw_background_remove(&first, &b.aside);
    assert_true(first == &c.aside && c.aside.next == &a.aside && !a.aside.next);
    aw_background_remove(&first, &c.aside);
    aw_background_remove(&first, &a.aside);
    assert_null(first);
}

TEST_WITH(open_pipes, close_pipes, tasks_are_served_during_a_wait)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    int64_t begin = aw_clock_now(&clock.base), soon = begin + 5 * AW_MILLISECOND;
    struct helper reader = helper(ends[0], AW_NEVER), timer = helper(-1, soon);
    aw_background_add(&clock.background, &timer.aside);
    aw_background_add(&clock.background, &reader.aside);
    assert_int_equal(write(ends[1], "xx", 2), 2);
    assert_int_equal(aw_clock_sleep(&clock.base, begin), AW_OK);
    assert_int_equal(reader.calls, 1);
    assert_int_equal(timer.calls, aw_clock_now(&clock.base) >= soon);
    assert_int_equal(aw_clock_sleep(&clock.base, soon + AW_MILLISECOND), AW_OK);
    assert_int_equal(reader.calls, 2);
    assert_int_equal(timer.calls, 1); /* wakes up for the task, then continues to wait */
    assert_true(reader.aside.time_only && timer.aside.time_only);
    assert_int_equal(aw_clock_wait(&clock.base, stop[1], POLLOUT, AW_NEVER), AW_OK);
    assert_false(reader.aside.time_only || timer.aside.time_only);
}

static void on_alarm(int number)
{
    (void)number;
}

/* Neither other signals nor a low descriptor limit end a wait. */
TEST(interrupted_wait_continues)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    struct itimerval soon = {.it_value = {.tv_usec = 2000}};
    struct sigaction before, action = {.sa_handler = on_alarm};
    struct rlimit limit, few;
    int request = eventfd(1, 0);
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    int64_t deadline = aw_clock_now(&clock.base) + 20 * AW_MILLISECOND;
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    assert_int_equal(aw_clock_sleep(&clock.base, deadline), AW_OK);
    assert_true(aw_clock_now(&clock.base) >= deadline);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    few = (struct rlimit){.rlim_cur = 4, .rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    deadline = aw_clock_now(&clock.base) + 20 * AW_MILLISECOND;
    enum aw_status status = aw_clock_sleep(&clock.base, deadline);
    int64_t after = aw_clock_now(&clock.base);
    clock.stop_fd = request;
    enum aw_status stopped = aw_clock_sleep(&clock.base, AW_NEVER);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(status, AW_OK);
    assert_true(after >= deadline);
    assert_int_equal(stopped, AW_STOPPED);
    close(request);
}

TEST(tasks_are_served_in_virtual_time)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    struct helper timer = helper(-1, 10);
    timer.next = 20;
    aw_background_add(&clock.background, &timer.aside);
    assert_int_equal(aw_clock_sleep(&clock.base, 5), AW_OK); /* the first wait polls */
    assert_int_equal(timer.calls, 1);
    timer.calls = 0;
    timer.aside.due = 10;
    aw_clock_sleep(&clock.base, 9);
    assert_int_equal(timer.calls, 0);
    aw_clock_sleep(&clock.base, 10);
    assert_int_equal(timer.calls, 1);
    aw_clock_sleep(&clock.base, 19);
    assert_int_equal(timer.calls, 1);
    aw_clock_sleep(&clock.base, 25);
    assert_int_equal(timer.calls, 2);
    timer.aside.due = timer.next = AW_NEVER;
    for (int i = 0; i < 160; i++)
        aw_clock_sleep(&clock.base, 30);
    assert_int_equal(timer.calls, 12); /* the clock polls every few waits */
}

/* A task may cause the event that ends the wait. */
TEST_WITH(open_pipes, close_pipes, wait_wakes_up_for_due_tasks)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    int64_t now = aw_clock_now(&clock.base);
    struct helper timer = helper(-1, now + AW_MILLISECOND);
    timer.writes_to = ends[1];
    aw_background_add(&clock.background, &timer.aside);
    assert_int_equal(aw_clock_wait(&clock.base, ends[0], POLLIN, now + 2 * AW_SECOND), AW_OK);
    assert_int_equal(timer.calls, 1);
}

/* Descriptor 0 is valid in all three roles: event, stop request and task. */
TEST_WITH(open_pipes, close_pipes, descriptor_0_is_accepted)
{
    int before = dup(0);
    struct aw_background *first = NULL;
    struct helper a = helper(-1, AW_NEVER), b = helper(0, AW_NEVER);
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_virtual_clock virtual = aw_virtual_clock();
    assert_int_equal(dup2(ends[0], 0), 0);
    write_byte(ends[1]);
    aw_background_add(&first, &a.aside);
    clock.background = first;
    assert_int_equal(aw_clock_wait(&clock.base, 0, POLLIN, AW_NEVER), AW_OK);
    assert_int_equal(aw_clock_wait(&clock.base, 0, POLLIN, 0), AW_OK);
    assert_false(a.aside.time_only);
    virtual.stop_fd = 0;
    looks = 0;
    assert_int_equal(aw_clock_sleep(&virtual.base, 1), AW_STOPPED);
    assert_int_equal(looks, 1);
    aw_background_add(&first, &b.aside);
    assert_ptr_equal(first, &b.aside);
    assert_int_equal(dup2(before, 0), 0);
    close(before);
}

/* The stop descriptor is polled only every few waits. */
TEST_WITH(open_pipes, close_pipes, virtual_clock_notices_a_stop_request)
{
    struct aw_virtual_clock clock = aw_virtual_clock();
    int waits = 1;
    clock.stop_fd = stop[0];
    for (int i = 0; i < 100; i++)
        assert_int_equal(aw_clock_sleep(&clock.base, i), AW_OK);
    write_byte(stop[1]);
    while (aw_clock_sleep(&clock.base, 100 + waits) == AW_OK && waits < 1000)
        waits++;
    assert_in_range(waits, 1, 16);
    for (int i = 0; i < 15; i++) /* but not in each wait */
        assert_int_equal(aw_clock_sleep(&clock.base, 0), AW_OK);
    assert_int_equal(aw_clock_sleep(&clock.base, 0), AW_STOPPED);
}

TEST_WITH(open_pipes, close_pipes, wait_ends_if_the_other_end_closes)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    clock.hangup_fd = ends[1];
    assert_int_equal(aw_clock_sleep(&clock.base, 0), AW_OK);
    close_end(&ends[0]);
    assert_int_equal(aw_clock_sleep(&clock.base, AW_NEVER), AW_STOPPED);
    clock.hangup_fd = -1;
    clock.ended_fd = stop[0];
    assert_int_equal(aw_clock_sleep(&clock.base, 0), AW_OK);
    close_end(&stop[1]);
    assert_int_equal(aw_clock_sleep(&clock.base, AW_NEVER), AW_STOPPED);
}

TEST(deadlines_out_of_range_become_never)
{
    assert_true(aw_time_after(5, 2) == 5 + 2 * AW_SECOND);
    assert_true(aw_time_after(5, 0) == 5);
    assert_true(aw_time_after(5, -1e300) == 5);
    assert_true(aw_time_after(5, 1e300) == AW_NEVER);
    assert_true(aw_time_after(0, 0x1p63 / 1e9) == AW_NEVER);
    assert_true(aw_time_after(AW_NEVER, 1) == AW_NEVER);
    assert_true(aw_time_after(AW_NEVER - 1, 1e-9) >= AW_NEVER - 1);
}
