/* A child that holds the link of this program: when the program is killed, or stands still while
 * something moves, the child sends the stop that was made ready last (crash.h). The first is for
 * whoever serves a device; the second for whoever drives one by hand, where SIGSTOP, a debugger or
 * a machine that hangs would leave the last velocity in force.
 *
 *     struct aw_guard guard = {0};
 *     aw_guard_start(&guard, session, 100 * AW_MILLISECOND, NULL, NULL);
 *     …    aw_guard_alive(&guard) in each turn: later than that, and the stop is out
 *     aw_guard_end(&guard);
 *
 * It needs a link that is open and no simulation of this process; else nothing is started. What it
 * has sent is not confirmed: the program does that when it goes on, and has to find out itself that
 * it stood still.
 */
#ifndef AW_SHELL_CORE_GUARD_H
#define AW_SHELL_CORE_GUARD_H

#include <stdint.h>
#include <sys/types.h>

#include "shell/core/session.h"

struct aw_guard_life;

/* {0}: there is none. */
struct aw_guard {
    pid_t pid;
    int fd;                     /* closed by the end of this process, which the child sees */
    struct aw_guard_life *life; /* shared with the child; NULL: only its end counts */
};

/* still_ns: without a sign of life for so long it is stopped, and after each further one again; 0:
 * only at its end. leave is called in the child, to close what must not outlive this process there;
 * NULL: nothing has to. */
void aw_guard_start(struct aw_guard *guard, struct aw_session *session, int64_t still_ns,
                    void (*leave)(void *context), void *context);
void aw_guard_alive(struct aw_guard *guard);
void aw_guard_end(struct aw_guard *guard);

#endif
