/* Requests to stop: SIGINT, SIGQUIT (Ctrl-\), SIGTERM and SIGHUP (unless started with nohup) are
 * not handled, they are read from a signalfd that every wait watches. So a stop is never lost
 * between a check and a wait, and nothing runs in a handler.
 */
#ifndef AW_SHELL_STOP_H
#define AW_SHELL_STOP_H

#include "shell/session.h"

/* From now on signals end waits (AW_STOPPED) instead of the program. Done once a device is in play.
 */
void aw_stop_catch(struct aw_session *session);

/* While something moves, the end of the reader of our output is a request to stop as well. */
void aw_stop_watch_output(struct aw_session *session, bool watch);

/* Ctrl-Z suspends the program, except between watch and no watch: then it is a request to stop like
 * the others. A program that stands still looks after no device that moves. */
void aw_stop_watch_suspend(struct aw_session *session, bool watch);

/* For those who watch and give the terminal back first: was it Ctrl-Z that ended a wait? Then
 * suspend takes it and returns with the program in the foreground again. */
bool aw_stop_is_suspend(void);
void aw_stop_suspend(struct aw_session *session);

/* While something moves that has no end of its own, the end of a script that comes through a pipe
 * ends it: nobody is left who could. ended tells whether that has happened, and watches no longer.
 */
void aw_stop_watch_input(struct aw_session *session);
bool aw_stop_input_ended(struct aw_session *session);

/* Takes what ended a wait: session->signal, or EPIPE in session->out.error. */
void aw_stop_take(struct aw_session *session);

/* Does what was taken end the prompt, too? Not Ctrl-C and Ctrl-Z. */
bool aw_stop_ends(const struct aw_session *session);

/* The tool's safe stop. For half a second signals do not end it: whoever closes a terminal sends
 * two, and so do timeout(1) and many a script. After that the next one does, without waiting for
 * what the device says. */
enum aw_status aw_stop_device(struct aw_session *session);

/* After a stop in the REPL: the prompt goes on. */
void aw_stop_rearm(struct aw_session *session);

/* At the end, when nothing is left to do but to close the link: after a signal that was taken the
 * next one ends the program at once. */
void aw_stop_release(struct aw_session *session);

#endif
