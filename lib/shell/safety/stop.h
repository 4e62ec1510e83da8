/* Requests to stop while something moves, and how each leads to the tool's safe stop.
 *
 * Signals that end a program by default, except KILL and STOP, are read from a signalfd instead of
 * being handled: INT, QUIT (Ctrl-\), TERM, HUP, ALRM, USR1, USR2, XCPU, XFSZ, VTALRM, PROF, IO,
 * PWR, STKFLT and the real-time ones; TSTP (Ctrl-Z) while something moves. So no stop is lost
 * between a check and a wait, and no code runs in a handler. A signal that is ignored at the start,
 * or already has a handler (a profiler's), stays as it is. INT and QUIT are exceptions, because
 * shells ignore them in background jobs. The program stops what moves and exits with 128 + the
 * signal's number.
 *
 * If the parent process dies, motion stops as after a hangup (129). A pidfd watches the parent,
 * only while something moves or continues. If the parent is gone before the first motion, no motion
 * begins. To let the tool outlive its parent use nohup (HUP is ignored), --hold, or setsid. With
 * setsid the tool leads its own session, as under systemd, in a terminal window or behind ssh.
 *
 * Other causes have the same effect. They are a closed reader of the output (141), the end of a
 * script from a pipe, and a failed output or recorder (--record) (7).
 *
 * Each request makes one descriptor readable, the clock's stop_fd, which every wait watches. For a
 * crash, which reaches no wait, see crash.h.
 */
#ifndef AW_SHELL_SAFETY_STOP_H
#define AW_SHELL_SAFETY_STOP_H

#include "shell/session/session.h"

/* From this call on, signals end waits (AW_STOPPED) instead of the program. Called when the session
 * uses a device. */
void aw_stop_catch_signals(struct aw_session *session);

/* Returns true for a pipe or a socket, whose reader may go away. */
bool aw_stop_is_pipe(int fd);

/* Watches the reader of the output during a motion; its end is a request to stop. */
void aw_stop_watch_output(struct aw_session *session, bool watch);

/* Watches the parent during a motion or a continuing activity; its end is a request to stop.
 * aw_stop_is_parent_gone returns true if the watched parent is gone. */
void aw_stop_watch_parent(struct aw_session *session, bool watch);
bool aw_stop_is_parent_gone(const struct aw_session *session);

/* Turns Ctrl-Z into a request to stop while watch is set. A suspended program cannot supervise a
 * moving device. */
void aw_stop_watch_suspend(struct aw_session *session, bool watch);

/* For programs that must restore the terminal before Ctrl-Z suspends them. aw_stop_was_ctrl_z
 * returns true if Ctrl-Z ended a wait. aw_stop_suspend then suspends the program and returns in the
 * foreground. */
bool aw_stop_was_ctrl_z(void);
void aw_stop_suspend(struct aw_session *session);

/* Makes the end of a piped script stop an endless motion, because no later line can.
 * aw_stop_has_input_ended returns true if the input has ended, and stops watching it. */
void aw_stop_watch_input(struct aw_session *session);
bool aw_stop_has_input_ended(struct aw_session *session);

/* Requests a stop from inside the program. The reason is in session->motion.stop_cause, or in
 * session->device.tee_error if the recorder or the watchdog failed. Also ends a wait of a server,
 * which then withdraws the request. */
void aw_stop_request(struct aw_session *session);

/* Withdraws that request before it takes effect. */
void aw_stop_withdraw(struct aw_session *session);

/* Reads the cause that ended a wait, and stores it: the signal in session->motion.stop.signal, or
 * EPIPE in session->out.error. Returns a text that describes the cause; NULL: an error stored
 * elsewhere does, such as session->device.tee_error. */
const char *aw_stop_read_cause(struct aw_session *session);

/* For commands that Ctrl-C ends normally: returns true if only Ctrl-C ended a wait, and consumes
 * it. */
bool aw_stop_consume_interrupt(struct aw_session *session);

/* Returns true if the cause also ends the prompt. Ctrl-C, Ctrl-Z and a failed recorder do not. */
bool aw_stop_ends_prompt(const struct aw_session *session);

/* Sends the tool's safe stop. For half a second further signals have no effect, because a closed
 * terminal, timeout(1) and many scripts send two. After that, a signal ends the stop without
 * waiting for the device. */
enum aw_status aw_stop_device(struct aw_session *session);

/* For the tool's stop: describes what the device does now, "holding 0.0 45.0 -30.0 deg". The shell
 * prints it after "stopped: ", in the line that reports the command's end. */
void aw_stop_set_effect(struct aw_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define AW_STOP_BY_SIGNAL "stopped by a signal"

/* Enables new stop requests after a stop at the prompt. */
void aw_stop_rearm(struct aw_session *session);

/* Call at the end, before the link closes. If a signal was received, the next one ends the program
 * at once. */
void aw_stop_release(struct aw_session *session);

/* Closes the descriptors, after aw_stop_release. */
void aw_stop_close(struct aw_session *session);

#endif
