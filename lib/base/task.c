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
    atomic_bool one_done; /* the caller or the thread is done; the other one frees the task */
    int done_pipe[2];
};

static _Thread_local struct task *current_task; /* the task of this thread, or NULL */

bool aw_task_is_abandoned(void)
{
    return current_task && atomic_load(&current_task->one_done);
}

static void free_task(struct task *task)
{
    close(task->done_pipe[0]);
    free(task);
}

static void *run_task(void *argument)
{
    struct task *task = argument;
    int done_fd = task->done_pipe[1];
    current_task = task;
    task->run(task->context);
    if (atomic_exchange(&task->one_done, true)) {
        task->drop(task->context);
        free_task(task);
    }
    close(done_fd);
    return NULL;
}

/* The thread blocks all signals, so that the caller receives them. */
static bool start_thread(struct task *task)
{
    pthread_t thread;
    sigset_t all_signals, old_mask;
    sigfillset(&all_signals);
    pthread_sigmask(SIG_SETMASK, &all_signals, &old_mask);
    int error = pthread_create(&thread, NULL, run_task, task);
    pthread_sigmask(SIG_SETMASK, &old_mask, NULL);
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
    if (pipe2(task->done_pipe, O_CLOEXEC) != 0) {
        free(task);
        return NULL;
    }
    if (start_thread(task))
        return task;
    close(task->done_pipe[1]);
    free_task(task);
    return NULL;
}

enum aw_status aw_task_run(struct aw_clock *clock, void (*run)(void *), void (*drop)(void *),
                           void *context)
{
    struct task *task = new_task(run, drop, context);
    char byte;
    if (!task) {
        run(context);
        return AW_OK;
    }
    enum aw_status status = aw_clock_wait(clock, task->done_pipe[0], POLLIN, AW_NEVER);
    if (status != AW_STOPPED) {
        while (read(task->done_pipe[0], &byte, 1) < 0 && errno == EINTR)
            ; /* virtual time advances without waiting */
        free_task(task);
        return AW_OK;
    }
    if (atomic_exchange(&task->one_done, true)) {
        drop(context);
        free_task(task);
    }
    return AW_STOPPED;
}
