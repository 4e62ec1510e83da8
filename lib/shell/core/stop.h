/* Ways out while something moves, and how each of them leads to the tool's safe stop.
 *
 * Signals that end a program by default, except KILL and STOP, are not handled but read from a
 * signalfd: INT, QUIT (Ctrl-\), TERM, HUP, ALRM, USR1, USR2, XCPU, XFSZ,
 * VTALRM, PROF, IO, PWR, STKFLT and the real-time ones; TSTP (Ctrl-Z) while something moves. So a
 * stop is never lost between a check and a wait, and nothing runs in a handler. One that is ignored
 * when the program starts, or has a handler already (a profiler's), stays as it is; INT and QUIT do
 * not, because scripts have them ignored in what they start in the background. The program stops
 * what moves and ends with 128 + the signal's number.
 *
 * The program that started this one drives it: what was driven by a program that is gone stops, as
 * if that had been a hangup (129). It is the parent that is watched, by a pidfd and only while
 * something moves or goes on; if it is gone before the first motion, no motion begins. To let the
 * tool outlive its starter use nohup (HUP is ignored), setsid (the tool leads a session of its own,
 * as it does under systemd, in a terminal window or behind ssh), or --hold.
 *
 * The same end have a reader of the output that goes away (141), the end of a script that comes
 * through a pipe, and an output or a recorder (--record) that cannot be written any more (7).
 *
 * All of it makes one descriptor readable, the clock's stop_fd, that every wait watches. For a
 * crash, which comes to no wait any more, see crash.h.
 */
#ifndef AW_SHELL_CORE_STOP_H
#define AW_SHELL_CORE_STOP_H

#include "shell/core/session.h"

/* From now on signals end waits (AW_STOPPED) instead of the program. Done once a device is in play.
 */
void aw_stop_catch(struct aw_session *session);

/* A pipe or a socket, whose reader may end before us. */
bool aw_stop_is_pipe(int fd);

/* While something moves, the end of the reader of our output is a request to stop as well. */
void aw_stop_watch_output(struct aw_session *session, bool watch);

/* While something moves or goes on, so is the end of the program that started this one. gone:
 * it is watched, and gone. */
void aw_stop_watch_parent(struct aw_session *session, bool watch);
bool aw_stop_parent_gone(const struct aw_session *session);

/* Ctrl-Z suspends the program, except between watch and no watch: then it is a request to stop like
 * the others. A program that stands still looks after no device that moves. */
void aw_stop_watch_suspend(struct aw_session *session, bool watch);

/* For those who watch and give the terminal back first: was it Ctrl-Z that ended a wait? Then
 * suspend takes it and returns with the program in the foreground again. */
bool aw_stop_is_suspend(void);
void aw_stop_suspend(struct aw_session *session);

/* Lets the end of a script from a pipe stop an endless motion: no later line can stop it. ended
 * returns whether the input has ended, and stops watching. */
void aw_stop_watch_input(struct aw_session *session);
bool aw_stop_input_ended(struct aw_session *session);

/* Asks to stop from within: the recorder is lost, session->device.tee_lost says why. */
void aw_stop_ask(struct aw_session *session);

/* The same taken back, before anything is done for it. */
void aw_stop_forget(struct aw_session *session);

/* Takes what ended a wait: session->motion.stop.signal, or EPIPE in session->out.error, or neither:
 * then session->device.tee_lost is set. Returns words for it where nothing else says them, or NULL.
 */
const char *aw_stop_read(struct aw_session *session);

/* Is it Ctrl-C alone that ended a wait? Then it is taken: for a command whose usual end that is. */
bool aw_stop_take_interrupt(struct aw_session *session);

/* Does what was taken end the prompt, too? Not Ctrl-C and Ctrl-Z, and not a lost recorder. */
bool aw_stop_ends(const struct aw_session *session);

/* Sends the tool's safe stop. For half a second signals do not end it, because a closed terminal,
 * timeout(1) and many scripts send two. After that the next signal ends it without waiting for the
 * device. */
enum aw_status aw_stop_device(struct aw_session *session);

/* For the tool's stop: what the device does now, "holding 0.0 45.0 -30.0 deg". The shell says it
 * behind "stopped: ", in the one line that tells how the command ended. */
void aw_stop_did(struct aw_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define AW_STOP_BY_SIGNAL "stopped by a signal"

/* After a stop in the REPL: the prompt goes on. */
void aw_stop_rearm(struct aw_session *session);

/* At the end, when nothing is left to do but to close the link: after a signal that was taken the
 * next one ends the program at once. */
void aw_stop_release(struct aw_session *session);

/* After that: gives the descriptors back. */
void aw_stop_end(struct aw_session *session);

#endif
