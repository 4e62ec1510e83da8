/* Runs a task in a detached thread. The end of a pipe tells the caller that the thread has
 * finished. */
#include "base/task.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct task {
    void (*run)(void *context);
    void (*drop)(void *context);
    void *context;
    atomic_bool left; /* the caller or the thread is done; the other one frees the task */
    int done[2];
};

static _Thread_local struct task *own; /* the task of this thread, or NULL */

bool aw_task_is_abandoned(void)
{
    return own && atomic_load(&own->left);
}

static void free_task(struct task *task)
{
    close(task->done[0]);
    free(task);
}

static void *work(void *argument)
{
    struct task *task = argument;
    int done = task->done[1];
    own = task;
    task->run(task->context);
    if (atomic_exchange(&task->left, true)) {
        task->drop(task->context);
        free_task(task);
    }
    close(done);
    return NULL;
}

/* The thread blocks all signals, so that the caller receives them. */
static bool start(struct task *task)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, NULL, work, task);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        pthread_detach(thread);
    return error == 0;
}

static struct task *new_task(void (*run)(void *), void (*drop)(void *), void *context)
{
    struct task *task = malloc(sizeof *task);
    if (!task)
        return NULL;
    *task = (struct task){.run = run, .drop = drop, .context = context};
    if (pipe2(task->done, O_CLOEXEC) != 0) {
        free(task);
        return NULL;
    }
    if (start(task))
        return task;
    close(task->done[1]);
    free_task(task);
    return NULL;
}

enum aw_status aw_task_run(struct aw_clock *clock, void (*run)(void *), void (*drop)(void *),
                           void *context)
{
    struct task *task = new_task(run, drop, context);
    char end;
    if (!task) {
        run(context);
        return AW_OK;
    }
    enum aw_status status = aw_clock_wait(clock, task->done[0], POLLIN, AW_NEVER);
    if (status != AW_STOPPED) {
        while (read(task->done[0], &end, 1) < 0 && errno == EINTR)
            ; /* virtual time advances without waiting */
        free_task(task);
        return AW_OK;
    }
    if (atomic_exchange(&task->left, true)) {
        drop(context);
        free_task(task);
    }
    return AW_STOPPED;
}
