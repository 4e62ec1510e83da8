/* One end of a connection between a server of a device and a client. Its functions never block, and
 * both directions are bounded. Input holds one message; reading continues once that message is
 * handled.
 *
 * A slow reader loses its oldest PASSED messages; a LOST_SOME message in their place gives their
 * number. All other messages are queued; a reader with more than AW_CONN_CONTROL queued bytes is
 * disconnected. */
#ifndef AW_SHELL_SERVE_CONN_H
#define AW_SHELL_SERVE_CONN_H

#include "base/clock.h"
#include "shell/serve/message.h"

#define AW_CONN_QUEUE   (96 << 10) /* max queued bytes of PASSED for one reader */
#define AW_CONN_CONTROL (16 << 10) /* max queued bytes of all other messages */

struct aw_conn {
    int fd; /* non-blocking; -1: closed */
    struct aw_buffer in;
    /* unsent messages; those in control_out may not be dropped */
    struct aw_buffer control_out, out;
    size_t n_sent;                    /* bytes already sent of the first message */
    size_t record_size, control_size; /* queued bytes of each kind */
    size_t max_record_size;           /* max queued bytes of PASSED */
    uint32_t n_dropped;               /* dropped PASSED messages not yet reported */
    int64_t oldest_ns; /* time when the oldest delayed PASSED message arrived; 0: none */
    bool is_shut;      /* the peer accepts no more output, but unread input may remain */
    bool disconnected; /* ended: the peer sent an invalid message, or has too much unsent output */
};

void aw_conn_init(struct aw_conn *conn, int fd);
void aw_conn_free(struct aw_conn *conn); /* closes the connection */

/* Reads once without blocking. Returns false at the end of the connection. */
bool aw_conn_fill(struct aw_conn *conn);

/* Reads the next whole message and returns its type; 0: none yet. */
enum aw_serve_type aw_conn_next(struct aw_conn *conn, struct aw_serve_message *m);

/* Turns the first queued STOP into a LIFE. Returns false if no STOP is queued. */
bool aw_conn_take_stop(struct aw_conn *conn);

void aw_conn_put(struct aw_conn *conn, const struct aw_serve_message *m); /* queues a message */
void aw_conn_flush(struct aw_conn *conn); /* sends as much as the socket accepts */

/* Returns true if output is queued. */
static inline bool aw_conn_has_output(const struct aw_conn *conn)
{
    return conn->control_out.bytes || conn->out.bytes;
}

#endif
