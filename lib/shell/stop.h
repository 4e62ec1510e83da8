/* Requests to stop: SIGINT, SIGTERM and SIGHUP are not handled, they are read from a signalfd that
 * every wait watches. So a stop is never lost between a check and a wait, and nothing runs in a
 * handler.
 */
#ifndef AW_SHELL_STOP_H
#define AW_SHELL_STOP_H

#include "shell/session.h"

/* From now on signals end waits (AW_STOPPED) instead of the program. Done once a device is in play.
 */
void aw_stop_catch(struct aw_session *session);

/* Ctrl-Z suspends the program, except between watch and no watch: then it is a request to stop like
 * the others. A program that stands still looks after no device that moves. */
void aw_stop_watch_suspend(struct aw_session *session, bool watch);

/* For those who watch and give the terminal back first: was it Ctrl-Z that ended a wait? Then
 * suspend takes it and returns with the program in the foreground again. */
bool aw_stop_is_suspend(void);
void aw_stop_suspend(struct aw_session *session);

/* Was it a signal after which the prompt goes on? */
bool aw_stop_stays(const struct aw_session *session);

/* While something moves, the end of the reader of our output is a request to stop as well. */
void aw_stop_watch_output(struct aw_session *session, bool watch);

/* While something moves that has no end of its own, the end of a script that comes through a pipe
 * ends it: nobody is left who could. ended tells whether that has happened, and watches no longer.
 */
void aw_stop_watch_input(struct aw_session *session);
bool aw_stop_input_ended(struct aw_session *session);

/* Takes what ended a wait (session->signal, or EPIPE in session->out.error), and gives a second
 * signal its usual meaning: it ends the program at once. */
void aw_stop_take(struct aw_session *session);

/* After a stop in the REPL: watch again. */
void aw_stop_rearm(struct aw_session *session);

#endif
