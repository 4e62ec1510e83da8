/* A calculation in a thread of its own, while the caller waits by a clock: signs of life go out,
 * and a request to stop ends the wait. */
#ifndef AW_BASE_TASK_H
#define AW_BASE_TASK_H

#include "base/clock.h"

/* Calls run(context) in a thread that takes no signals; in the caller's, if none can be created.
 * AW_OK: run has returned. AW_STOPPED: the clock asked to stop. run may then go on, and context
 * belongs to the thread, which calls drop(context) at the end. */
enum aw_status aw_task_run(struct aw_clock *clock, void (*run)(void *context),
                           void (*drop)(void *context), void *context);

#endif
