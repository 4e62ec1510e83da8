/* The safe stop of a tool that crashes: SEGV, BUS, FPE, ILL, ABRT, SYS and TRAP come to no wait,
 * and nothing of the program can be relied on in their handler. So the stop is made ready
 * beforehand: while something moves, the bytes that stop it, framed as the link frames them, and
 * the descriptor they go to, lie in memory that the handler reads. It runs on a stack of its own,
 * writes them with write(2) (sendto(2) to a UDP socket), and lets the signal do what it would have
 * done: the exit status, the core file and a sanitizer's report are the same as without it.
 *
 * That memory is the one mutable global of these programs: a handler gets no argument of ours and
 * can reach nothing else. There are two plans, of which the handler reads one while the other is
 * written.
 *
 * What ends by itself after its command has come back (AW_ONGOING_ENDING) is left to end: where it
 * is by then is not known beforehand, and a wrong place would be a motion, not a stop.
 */
#ifndef AW_SHELL_CORE_CRASH_H
#define AW_SHELL_CORE_CRASH_H

#include <stdbool.h>

struct aw_session;

/* From now on crashes are caught. */
void aw_crash_catch(void);

/* Makes the stop ready as things are now, or nothing, if nothing moves or --hold says so. Before
 * the first byte of a motion leaves, after each further one, and when it is over. */
void aw_crash_prepare(struct aw_session *session);

/* The link is about to be closed: nothing is to be written to it any more. */
void aw_crash_forget(void);

/* From now on what is made ready is seen by the children of this process, too: false if that cannot
 * be. One of them may carry it out when this process is no more. */
bool aw_crash_share(void);
void aw_crash_carry_out(void);

/* In a child that has nothing to do with what moves: nothing of that is its own any more. */
void aw_crash_leave(void);

#endif
