/* The watchdog process: a child process that shares this program's link. It sends the prepared stop
 * (crash.h), unconfirmed, if the program is killed, or hangs while something moves.
 *
 * Commands that move something start one in aw_session_open_link; commands that change settings
 * start it with their first motion (aw_session_start_motion). It ends with the command.
 * The watchdog stops a hanging command (SIGSTOP, a debugger, a frozen machine) that steers
 * continuously, or whose device keeps the last velocity. A board's own motion continues.
 *
 *     status = aw_watchdog_begin(session);     no watchdog, no motion
 *     aw_watchdog_stop(session);              at the end of the command or of the link
 *
 * A server has its own for as long as it has a link:
 *
 *     status = aw_watchdog_start(&watchdog, session, limit_ns, &user, &err);
 *     status = aw_watchdog_check(&watchdog, &err);     before each motion
 *
 * The program gives signs of life whenever it waits for the clock. The child repeats the stop after
 * each further limit_ns without a sign. A child that was killed is replaced within 20 ms; if that
 * fails the motion ends (AW_LOST). A simulation in this process needs no watchdog. */
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
    /* called in the child: closes descriptors that only the parent may hold; or NULL */
    void (*in_child)(void *context);
    /* called after the program hung for this time; or NULL */
    void (*on_hang)(void *context, int64_t ns);
    void (*on_failure)(void *context, const struct aw_error *err); /* the child died and cannot be
                                                                  replaced */
    /* no signs of life without motion: the owner calls aw_watchdog_check before each motion */
    bool only_in_motion;
};

/* {0}: not started. */
struct aw_watchdog {
    struct aw_background background; /* gives signs of life during waits */
    struct aw_session *session;
    struct aw_watchdog_user user;
    pid_t pid;
    int fd;                        /* closes when this process ends, which the child detects */
    struct aw_watchdog_life *life; /* shared with the child; NULL: detects only the end of this
                                      process */
    char hang[80];                 /* why the session's command ended, or "" */
};

/* Starts a watchdog process; does nothing without a real device. limit_ns: max time without a sign
 * of life, then the stop is sent; 0: stops only at the end of this process. AW_LOST with the
 * reason. */
enum aw_status aw_watchdog_start(struct aw_watchdog *watchdog, struct aw_session *session,
                                 int64_t limit_ns, const struct aw_watchdog_user *user,
                                 struct aw_error *err);

/* Gives a sign of life. Calls on_hang if the last one was too long ago, and replaces a dead
 * watchdog process. AW_LOST: no watchdog process could be started. */
enum aw_status aw_watchdog_check(struct aw_watchdog *watchdog, struct aw_error *err);

/* Gives a sign of life only while something moves, and does not check the child. */
void aw_watchdog_show_life(struct aw_watchdog *watchdog);
void aw_watchdog_end(struct aw_watchdog *watchdog);

/* Starts the session's watchdog unless it is running. Does nothing with --hold or if a server holds
 * the device. AW_LOST on failure, also in session->err. */
enum aw_status aw_watchdog_begin(struct aw_session *session);

/* Call at the end of a command. Returns a message if it hung while something moved; otherwise
 * NULL. */
const char *aw_watchdog_hang_error(struct aw_session *session);
void aw_watchdog_stop(struct aw_session *session);

#endif
