/* One end of a connection between a server of a device and a client. Nothing here waits, and both
 * directions are bounded: input is one message at most, read when the last one was handled.
 *
 * A slow reader loses its oldest PASSED messages and is told how many (LOST_SOME, where the gap
 * is). All others are kept; a reader that lets more than AW_CONN_KEPT bytes of them pile up is cut
 * off.
 */
#ifndef AW_SHELL_SERVE_CONN_H
#define AW_SHELL_SERVE_CONN_H

#include "base/clock.h"
#include "shell/serve/message.h"

#define AW_CONN_QUEUE (96 << 10) /* bytes of PASSED that wait for one reader at most */
#define AW_CONN_KEPT  (16 << 10) /* bytes of all else */

struct aw_conn_part;

struct aw_conn {
    int fd;      /* non-blocking; -1: closed */
    uint8_t *in; /* NULL: nothing is held */
    size_t in_used, in_start, in_room;
    struct aw_conn_part *first, *last; /* to be sent */
    struct aw_conn_part *stays;        /* NULL, or up to here nothing can be dropped */
    size_t sent;                       /* bytes of the first one */
    size_t records, kept;              /* bytes that wait */
    size_t queue;                      /* records at most */
    uint32_t lost;                     /* PASSED since the reader was told */
    int64_t since_ns; /* when the oldest PASSED came that waits for others; 0: none */
    bool wrong;       /* no message: nothing more is read */
    bool shut;        /* the other end takes nothing more, but may have said something */
    bool gone;        /* cut off */
};

void aw_conn_init(struct aw_conn *conn, int fd);
void aw_conn_free(struct aw_conn *conn); /* closes */

/* Reads once what is there. False at the end, for good. */
bool aw_conn_fill(struct aw_conn *conn);

/* The next whole message, good until the next fill; 0: none yet. */
enum aw_verb aw_conn_next(struct aw_conn *conn, struct aw_reader *reader);

/* Turns the first queued STOP into a LIFE; false: no STOP is queued. */
bool aw_conn_take_stop(struct aw_conn *conn);

void aw_conn_put(struct aw_conn *conn, const struct aw_writer *w); /* queues it */
void aw_conn_flush(struct aw_conn *conn);                          /* sends what goes */

/* Is something waiting to be sent? */
static inline bool aw_conn_waiting(const struct aw_conn *conn)
{
    return conn->first != NULL || conn->lost > 0;
}

#endif
