/* The safe stop of a tool that crashes (SEGV, BUS, FPE, ILL, ABRT, SYS and TRAP). A crashed program
 * never reaches a wait, and its handler cannot rely on the program's state. So the stop is prepared
 * in advance. While something moves, memory holds the framed stop bytes and the descriptor of the
 * link. The handler runs on its own stack and writes the bytes with write(2) (sendto(2) for a UDP
 * socket). Then the signal has its usual effect: exit status, core file and sanitizer report stay
 * the same.
 *
 * That memory is the only mutable global of these programs, because a signal handler gets no
 * argument. It holds two plans: the handler reads one while the program writes the other.
 *
 * A motion that ends by itself after its command returned (AW_ONGOING_ENDING) moves the hold
 * position. So the plan is renewed every 10 ms while the program waits.
 */
#ifndef AW_SHELL_SAFETY_CRASH_H
#define AW_SHELL_SAFETY_CRASH_H

#include <stdbool.h>

struct aw_session;

/* Installs the crash handlers. */
void aw_crash_install(void);

/* Prepares the stop for the current state; prepares none if nothing moves or --hold is given. Call
 * before the first byte of a motion, after each further byte, and at the end of the motion. */
void aw_crash_prepare(struct aw_session *session);

/* Drops the plan, so that the handler writes nothing. Call before the link closes. */
void aw_crash_drop(void);

/* Shares the plans with child processes, so that a child can send the stop after this process has
 * died. Returns false on failure. */
bool aw_crash_share(void);
void aw_crash_send_stop(void); /* sends the prepared stop, if any, like the crash handler */

/* For a child that must not stop the device: drops the plan in this process. */
void aw_crash_detach(void);

#endif
