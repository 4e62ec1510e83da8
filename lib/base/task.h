/* Runs a calculation in its own thread while the caller waits on a clock. Background work such as
 * keep-alives continues, and a request to stop ends the wait. */
#ifndef AW_BASE_TASK_H
#define AW_BASE_TASK_H

#include <stdbool.h>

#include "base/clock.h"

/* Calls run(context) in a thread that blocks all signals, or in the caller's thread if no other can
 * be created. AW_OK: run has returned. AW_STOPPED: the clock requested a stop, and run may
 * continue. The task then owns context, and calls drop(context) when run has returned. A long run
 * polls aw_task_is_abandoned. */
enum aw_status aw_task_run(struct aw_clock *clock, void (*run)(void *context),
                           void (*drop)(void *context), void *context);

/* Returns true in the thread of a task whose caller no longer waits for the result. */
bool aw_task_is_abandoned(void);

#endif
