/* The watchdog process: a child that has this program's link open. It sends the prepared stop
 * (crash.h), unconfirmed, if the program is killed, or hangs while something moves.
 *
 * Commands that move something have one from aw_session_link on; commands that change settings get
 * it with their first motion (aw_session_moves). It ends with the command. The watchdog stops a
 * hanging command (SIGSTOP, a debugger, a frozen machine) that steers continuously. It also stops
 * one whose device keeps the last velocity. A board's own motion continues.
 *
 *     status = aw_watchdog_watch(session);     no watchdog, no motion
 *     aw_watchdog_leave(session);              at the end of the command or of the link
 *
 * A server has one of its own for as long as it has a link:
 *
 *     status = aw_watchdog_start(&watchdog, session, still_ns, &user, &err);
 *     status = aw_watchdog_check(&watchdog, &err);     before each motion
 *
 * The program gives signs of life whenever it waits for the clock. The child repeats the stop
 * after each further still_ns without a sign. A child that was killed is replaced within 20 ms;
 * if that fails the motion ends (AW_LOST). A simulation of this process needs no watchdog.
 */
#ifndef AW_SHELL_SAFETY_WATCHDOG_H
#define AW_SHELL_SAFETY_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"

struct aw_watchdog_life;
struct aw_session;

struct aw_watchdog_user {
    void *context;
    void (*leave)(void *context); /* in the child: closes what must end with the parent; or NULL */
    void (*stood)(void *context, int64_t ns); /* the program hung for this time; or NULL */
    void (*failed)(void *context, const struct aw_error *err); /* the child died and cannot be
                                                                  replaced */
    bool rests; /* no signs without motion: the user calls aw_watchdog_check before each motion */
};

/* {0}: not started. */
struct aw_watchdog {
    struct aw_aside aside; /* gives signs of life during waits */
    struct aw_session *session;
    struct aw_watchdog_user user;
    pid_t pid;
    int fd;                        /* closes when this process ends; the child detects that */
    struct aw_watchdog_life *life; /* shared with the child; NULL: detects only the end of this
                                      process */
    char why[80];                  /* why the session's command ended, or "" */
};

/* Starts a watchdog process. still_ns: time without a sign of life until the stop; 0: stops only at
 * the end of this process. AW_LOST with the reason. */
enum aw_status aw_watchdog_start(struct aw_watchdog *watchdog, struct aw_session *session,
                                 int64_t still_ns, const struct aw_watchdog_user *user,
                                 struct aw_error *err);

/* Gives a sign of life, reports that the program was frozen, replaces a dead watchdog process.
 * AW_LOST: no watchdog process could be started. */
enum aw_status aw_watchdog_check(struct aw_watchdog *watchdog, struct aw_error *err);

/* Gives a sign of life only while something moves, and does not check the child. */
void aw_watchdog_look(struct aw_watchdog *watchdog);
void aw_watchdog_end(struct aw_watchdog *watchdog);

/* Starts the session's watchdog unless it runs; not with --hold, nor if a server has the device.
 * AW_LOST, also in session->err. */
enum aw_status aw_watchdog_watch(struct aw_session *session);

/* At the end of a command: returns a message that it hung while something moved; or NULL. */
const char *aw_watchdog_stood(struct aw_session *session);
void aw_watchdog_leave(struct aw_session *session);

#endif
