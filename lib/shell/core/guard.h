/* A child that holds the link of this program: when the program is killed, or stands still while
 * something moves, the child sends the stop that was made ready last (crash.h).
 *
 * Commands need not ask for it: when the first motion of one begins (aw_session_moves), the child
 * is there, and it goes when the command has ended. Its end counts for all of them; that it stands
 * still (SIGSTOP, a debugger, a machine that hangs) for those that move as long as they run,
 * experiments too, and where a device goes on with its last velocity: a move that a board makes by
 * itself goes on. The signs of life are what is waited for: a program that waits for nothing in 1 s
 * (with hands on the arm: 0.1 s) stands still.
 *
 *     aw_guard_watch(session);             in aw_session_moves
 *     aw_guard_leave(session);             when it has ended, or the link has
 *
 * A server has one of its own, with what must not outlive it, for as long as it serves:
 *
 *     aw_guard_start(&guard, session, 0, close_fds, server);
 *
 * It needs a link that is open and no simulation of this process; else nothing is started. What it
 * has sent is not confirmed: the program does that when it goes on. A command that finds that it
 * stood still while something moved ends with that reason (AW_LIMIT), and its stop; those with
 * hands on the arm see to it themselves (control/teleop.h, control/follow.h).
 */
#ifndef AW_SHELL_CORE_GUARD_H
#define AW_SHELL_CORE_GUARD_H

#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"

struct aw_guard_life;
struct aw_session;

/* {0}: there is none. */
struct aw_guard {
    struct aw_aside aside;   /* signs of life, while anything is waited for */
    struct aw_aside **first; /* of the list where that is; NULL: it is in none */
    pid_t pid;
    int fd;                     /* closed by the end of this process, which the child sees */
    struct aw_guard_life *life; /* shared with the child; NULL: only its end counts */
    struct aw_session *session; /* that is told when it has stood still; NULL: it sees to that */
    char why[80];
};

/* still_ns: without a sign of life for so long it is stopped, and after each further one again; 0:
 * only at its end. leave is called in the child, to close what must not outlive this process there;
 * NULL: nothing has to. */
void aw_guard_start(struct aw_guard *guard, struct aw_session *session, int64_t still_ns,
                    void (*leave)(void *context), void *context);

/* Starts that of this session, unless it is there; not with --hold, nor where a server looks after
 * the device. */
void aw_guard_watch(struct aw_session *session);

/* At the end of a command: that it stood still while something moved, in words; NULL: it did not.
 */
const char *aw_guard_stood(struct aw_session *session);
void aw_guard_leave(struct aw_session *session);
void aw_guard_end(struct aw_guard *guard);

#endif
