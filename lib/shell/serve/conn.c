/* Splits received bytes into messages, and queues messages for sending. */
#include "shell/serve/conn.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROOM 4096 /* size of the input buffer, unless a message is longer */

void aw_conn_init(struct aw_conn *conn, int fd)
{
    *conn = (struct aw_conn){.fd = fd, .max_record_size = AW_CONN_QUEUE};
}

/* ---- Receiving ---- */

bool aw_conn_fill(struct aw_conn *conn)
{
    struct aw_buffer *in = &conn->in;
    struct aw_serve_message head;
    aw_buffer_read_head(in, in->start, &head);
    size_t held = in->end - in->start, room = head.size > ROOM ? head.size : ROOM;
    if (conn->fd < 0 || conn->disconnected || head.size > AW_MESSAGE_MAX)
        return false;
    if (held >= room) /* a whole message is still unread */
        return true;
    if (!aw_buffer_reserve(in, room - held, 0))
        return false;
    ssize_t n = read(conn->fd, in->bytes + in->end, room - held);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    in->end += (size_t)n;
    return n > 0;
}

enum aw_serve_type aw_conn_next(struct aw_conn *conn, struct aw_serve_message *m)
{
    size_t held = conn->in.end - conn->in.start, size = aw_buffer_read_first(&conn->in, m);
    if (!held) /* an idle connection has no buffer */
        aw_buffer_clear(&conn->in);
    conn->disconnected =
        conn->disconnected ||
        (held >= sizeof m->size && (m->size < AW_HEAD || m->size > AW_MESSAGE_MAX)) ||
        (held >= AW_HEAD && (!m->type || m->memory_size > m->size - AW_HEAD));
    if (conn->disconnected || !size)
        return 0;
    conn->in.start += size;
    return (enum aw_serve_type)m->type;
}

bool aw_conn_take_stop(struct aw_conn *conn)
{
    struct aw_serve_message head;
    for (size_t at = conn->in.start; at < conn->in.end; at += head.size) {
        aw_buffer_read_head(&conn->in, at, &head);
        if (head.size < AW_HEAD)
            break;
        if (head.type != AW_STOP)
            continue;
        head.type = AW_LIFE;
        memcpy(conn->in.bytes + at, &head, AW_HEAD);
        return true;
    }
    return false;
}

/* ---- Sending ---- */

static size_t *queued(struct aw_conn *conn, const struct aw_serve_message *head)
{
    return head->type == AW_PASSED ? &conn->record_size : &conn->control_size;
}

/* Queues a LOST_SOME in place of the dropped messages, if there are any. Returns false if out of
 * memory. */
static bool report_loss(struct aw_conn *conn)
{
    if (!conn->n_dropped)
        return true;
    if (!aw_buffer_add(&conn->control_out,
                       &(struct aw_serve_message){.type = AW_LOST_SOME, .number = conn->n_dropped}))
        return false;
    conn->control_size += AW_HEAD;
    conn->n_dropped = 0;
    return true;
}

/* Removes the first message from out: drops a PASSED that is entirely unsent, and moves any other
 * message to control_out. Returns false if it is the only one, or out of memory. */
static bool drop_oldest(struct aw_conn *conn)
{
    struct aw_serve_message m;
    size_t size = aw_buffer_read_first(&conn->out, &m);
    if (size == conn->out.end - conn->out.start) /* the newest message stays */
        return false;
    if (m.type == AW_PASSED && (!conn->n_sent || conn->control_out.bytes)) {
        conn->record_size -= size;
        conn->n_dropped++;
    } else if (!report_loss(conn) || !aw_buffer_add(&conn->control_out, &m)) {
        return false;
    }
    aw_buffer_pop(&conn->out);
    return true;
}

void aw_conn_put(struct aw_conn *conn, const struct aw_serve_message *m)
{
    size_t size = AW_HEAD + m->memory.size + m->body.size;
    if (conn->disconnected || conn->is_shut || size > AW_MESSAGE_MAX)
        return;
    if (!aw_buffer_add(&conn->out, m)) {
        conn->disconnected = m->type != AW_PASSED;
        return;
    }
    *queued(conn, m) += size;
    while (conn->record_size > conn->max_record_size && drop_oldest(conn))
        ;
    conn->disconnected = conn->control_size > AW_CONN_CONTROL;
}

static void note_sent(struct aw_conn *conn, struct aw_buffer *from, size_t n)
{
    struct aw_serve_message m;
    conn->n_sent += n;
    while (from->bytes && conn->n_sent >= aw_buffer_read_first(from, &m)) {
        conn->n_sent -= m.size;
        *queued(conn, &m) -= m.size;
        aw_buffer_pop(from);
    }
}

void aw_conn_flush(struct aw_conn *conn)
{
    while (aw_conn_has_output(conn) && !conn->disconnected) {
        if (!conn->control_out.bytes)
            report_loss(conn);
        struct aw_buffer *from = conn->control_out.bytes ? &conn->control_out : &conn->out;
        size_t at = from->start + conn->n_sent;
        ssize_t n = send(conn->fd, from->bytes + at, from->end - at, MSG_NOSIGNAL);
        if (n >= 0)
            note_sent(conn, from, (size_t)n);
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR) {
            conn->is_shut = true;
            conn->n_sent = conn->record_size = conn->control_size = conn->n_dropped = 0;
            aw_buffer_clear(&conn->control_out);
            aw_buffer_clear(&conn->out);
        }
    }
    conn->oldest_ns = 0;
}

void aw_conn_free(struct aw_conn *conn)
{
    aw_buffer_clear(&conn->in);
    aw_buffer_clear(&conn->control_out);
    aw_buffer_clear(&conn->out);
    if (conn->fd >= 0)
        close(conn->fd);
    aw_conn_init(conn, -1);
}
