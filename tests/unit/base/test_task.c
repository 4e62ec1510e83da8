#include <stdatomic.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/task.h"
#include "test.h"

static atomic_bool may_end, dropped;
static int ran;

static void run(void *context)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    while (!may_end)
        nanosleep(&nap, NULL);
    *(int *)context += 1;
}

static void drop(void *context)
{
    (void)context;
    dropped = true;
}

TEST(task_returns_its_result)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_virtual_clock virtual = aw_virtual_clock();
    may_end = true;
    assert_int_equal(aw_task_run(&clock.base, run, drop, &ran), AW_OK);
    assert_int_equal(ran, 1);
    assert_int_equal(aw_task_run(&virtual.base, run, drop, &ran), AW_OK);
    assert_int_equal(ran, 2);
    assert_false(dropped);
}

static void let_end(struct aw_background *aside)
{
    aside->due = AW_NEVER;
    may_end = true;
}

TEST(clock_serves_tasks_while_a_thread_runs)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    struct aw_background aside = {.fd = -1, .serve = let_end};
    may_end = false;
    aw_background_add(&clock.background, &aside);
    assert_int_equal(aw_task_run(&clock.base, run, drop, &ran), AW_OK);
    assert_int_equal(ran, 3);
}

TEST(stop_request_returns_before_the_task_ends)
{
    int stop = eventfd(1, EFD_CLOEXEC);
    struct aw_real_clock clock = aw_real_clock(stop);
    const struct timespec nap = {.tv_nsec = 1000000};
    may_end = false;
    assert_int_equal(aw_task_run(&clock.base, run, drop, &ran), AW_STOPPED);
    assert_false(dropped);
    may_end = true;
    for (int i = 0; i < 5000 && !dropped; i++)
        nanosleep(&nap, NULL);
    assert_true(dropped);
    assert_int_equal(ran, 4);
    close(stop);
}
