/* One end of a connection on which lines go both ways: what a server of a device and its clients
 * say to each other. Nothing here waits: what cannot be sent at once is kept, within bounds.
 *
 * A reader that is slow loses its oldest records and is told how many: {"lost":12}. What is no
 * record (answers, text that a command printed) is never left out; who lets more of that pile up
 * than AW_CONN_KEPT is cut off.
 */
#ifndef AW_SHELL_SHARE_CONN_H
#define AW_SHELL_SHARE_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/clock.h"

#define AW_CONN_QUEUE (256 << 10) /* bytes of records that wait for one reader */
#define AW_CONN_KEPT  (8 << 20)   /* bytes of all else */

struct aw_conn_line;

struct aw_conn {
    int fd;         /* non-blocking; -1: closed */
    size_t longest; /* line that is taken */
    bool overlong;  /* one was longer: nothing more is read */
    char *in;
    size_t in_used, in_start, in_room;
    struct aw_conn_line *first, *last; /* to be sent */
    size_t sent;                       /* bytes of the first one */
    size_t records, kept;              /* bytes that wait */
    uint64_t lost;                     /* records since the reader was told */
    int64_t since_ns; /* when the oldest record came that waits for others; 0: none */
    bool shut; /* the other end takes nothing any more; what it has said is still to be read */
    bool gone; /* cut off */
};

void aw_conn_init(struct aw_conn *conn, int fd, size_t longest);
void aw_conn_free(struct aw_conn *conn); /* closes */

/* Reads what is there. False at the end, for good. */
bool aw_conn_fill(struct aw_conn *conn);

/* The next whole line, NUL-terminated, without its newline, good until the next call or fill; NULL:
 * none yet. */
char *aw_conn_next(struct aw_conn *conn);

/* Queues a line, the newline included. A record may be left out later. */
void aw_conn_put(struct aw_conn *conn, const char *text, size_t size, bool record);

/* The same with a newline behind it; the second takes the object over. */
void aw_conn_put_line(struct aw_conn *conn, const char *text, size_t size, bool record);
void aw_conn_put_json(struct aw_conn *conn, json_t *object);

/* Waits for the next line of a server, which is the first one at first, and reads it: *hello is a
 * new object, or NULL: there is none by then. AW_OK either way, or AW_STOPPED. */
enum aw_status aw_conn_hello(struct aw_conn *conn, struct aw_clock *clock, int64_t deadline,
                             json_t **hello);

/* Sends what goes. */
void aw_conn_flush(struct aw_conn *conn);

/* Is something waiting to be sent? */
static inline bool aw_conn_waiting(const struct aw_conn *conn)
{
    return conn->first != NULL || conn->lost > 0;
}

#endif
