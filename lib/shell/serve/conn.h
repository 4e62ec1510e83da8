/* One end of a connection between a server of a device and a client. Its functions never block, and
 * both directions are bounded. The input buffer holds 4096 bytes, or one longer message; reading
 * continues once there is room.
 *
 * A slow reader loses its oldest PASSED messages; a LOST_SOME message in their place gives their
 * number. All other messages stay queued; a reader with more than AW_CONN_CONTROL bytes of them is
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
    /* unsent messages; those in control_out are sent first and never dropped */
    struct aw_buffer control_out, out;
    size_t n_sent;                    /* bytes already sent of the first message */
    size_t record_size, control_size; /* queued bytes of PASSED, and of all other messages */
    size_t max_record_size;           /* max queued bytes of PASSED */
    uint32_t n_dropped;               /* dropped PASSED messages not yet reported */
    /* when the oldest PASSED message since the last flush was queued, see aw_server_now; 0: none */
    int64_t oldest_ns;
    bool is_shut; /* the peer accepts no more output, but unread input may remain */
    /* to be closed: an invalid message, too much unsent output, no memory, or replaced by a newer
     * connection */
    bool disconnected;
};

void aw_conn_init(struct aw_conn *conn, int fd); /* conn owns fd; -1: closed */
void aw_conn_free(struct aw_conn *conn);         /* closes fd and drops all messages */

/* Reads once without blocking, unless the input buffer is full. Returns false if no more input will
 * follow: the connection has ended or failed, its input is invalid, or out of memory. */
bool aw_conn_fill(struct aw_conn *conn);

/* Takes the next whole message from the input and returns its type; 0: none yet, or disconnected.
 * An invalid message sets disconnected. *m is valid until the next read from conn. */
enum aw_serve_type aw_conn_next(struct aw_conn *conn, struct aw_serve_message *m);

/* Turns the first STOP in the input into a LIFE. Returns false if the input has no STOP. */
bool aw_conn_take_stop(struct aw_conn *conn);

/* Queues a copy of a message, or drops it if the connection accepts no more output. */
void aw_conn_put(struct aw_conn *conn, const struct aw_serve_message *m);
void aw_conn_flush(struct aw_conn *conn); /* sends as much as the socket accepts */

/* Returns true if output is queued. */
static inline bool aw_conn_has_output(const struct aw_conn *conn)
{
    return conn->control_out.bytes || conn->out.bytes;
}

#endif
