/* Splits received bytes into messages, and queues messages for sending. */
#include "shell/serve/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROOM  4096 /* size of the input buffer, unless a message is longer */
#define SPARE 1024 /* min free bytes in an output buffer that grows */

void aw_conn_init(struct aw_conn *conn, int fd)
{
    *conn = (struct aw_conn){.fd = fd, .queue = AW_CONN_QUEUE};
}

/* ---- Messages in a row ---- */

static size_t held(const struct aw_buffer *buffer)
{
    return buffer->end - buffer->start;
}

static void clear(struct aw_buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct aw_buffer){.bytes = NULL};
}

/* Reads the head of the message at this offset: only its size, or nothing (0), if incomplete. */
static size_t size_at(const struct aw_buffer *buffer, size_t at, struct aw_mail *head)
{
    size_t there = buffer->end - at;
    *head = (struct aw_mail){.size = 0};
    if (there >= sizeof head->size)
        memcpy(head, buffer->bytes + at, there < AW_HEAD ? sizeof head->size : AW_HEAD);
    return head->size;
}

static bool make_room(struct aw_buffer *buffer, size_t more, size_t spare)
{
    size_t size = held(buffer), room = size + more + spare;
    if (buffer->room - buffer->end >= more)
        return true;
    uint8_t *bytes = malloc(room);
    if (!bytes)
        return false;
    if (size)
        memcpy(bytes, buffer->bytes + buffer->start, size);
    free(buffer->bytes);
    *buffer = (struct aw_buffer){.bytes = bytes, .end = size, .room = room};
    return true;
}

/* Appends a message; false: out of memory. */
static bool add(struct aw_buffer *buffer, const struct aw_mail *m)
{
    const struct aw_span parts[] = {{(const uint8_t *)m, AW_HEAD}, m->memory, m->body};
    if (!make_room(buffer, m->size, SPARE + held(buffer) / 4))
        return false;
    for (size_t i = 0; i < 3; i++)
        if (parts[i].size) {
            memcpy(buffer->bytes + buffer->end, parts[i].data, parts[i].size);
            buffer->end += parts[i].size;
        }
    return true;
}

/* Removes the first message; size is that of its head. */
static void pop(struct aw_buffer *buffer, size_t size)
{
    buffer->start += size;
    if (!held(buffer))
        clear(buffer);
}

/* ---- Receiving ---- */

bool aw_conn_fill(struct aw_conn *conn)
{
    struct aw_buffer *in = &conn->in;
    struct aw_mail head;
    size_t next = size_at(in, in->start, &head), room = next > ROOM ? next : ROOM;
    if (conn->fd < 0 || conn->wrong || next > AW_MESSAGE_MAX)
        return false;
    if (held(in) >= room) /* a whole message is still unread */
        return true;
    if (!make_room(in, room - held(in), 0))
        return false;
    ssize_t n = read(conn->fd, in->bytes + in->end, room - held(in));
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    in->end += (size_t)n;
    return n > 0;
}

enum aw_verb aw_conn_next(struct aw_conn *conn, struct aw_mail *m)
{
    struct aw_buffer *in = &conn->in;
    size_t size = size_at(in, in->start, m), there = held(in);
    if (!there) /* an idle connection has no buffer */
        clear(in);
    conn->wrong = conn->wrong ||
                  (there >= sizeof m->size && (size < AW_HEAD || size > AW_MESSAGE_MAX)) ||
                  (there >= AW_HEAD && (!m->type || m->kept > size - AW_HEAD));
    if (conn->wrong || there < AW_HEAD || there < size)
        return 0;
    const uint8_t *rest = in->bytes + in->start + AW_HEAD;
    m->memory = (struct aw_span){rest, m->kept};
    m->body = (struct aw_span){rest + m->kept, size - AW_HEAD - m->kept};
    in->start += size;
    return (enum aw_verb)m->type;
}

bool aw_conn_take_stop(struct aw_conn *conn)
{
    struct aw_mail head;
    size_t size;
    for (size_t at = conn->in.start;
         at < conn->in.end && (size = size_at(&conn->in, at, &head)) >= AW_HEAD; at += size) {
        if (head.type != AW_STOP)
            continue;
        head.type = AW_LIFE;
        memcpy(conn->in.bytes + at, &head, AW_HEAD);
        return true;
    }
    return false;
}

/* ---- Sending ---- */

static size_t *queued(struct aw_conn *conn, const struct aw_mail *head)
{
    return head->type == AW_PASSED ? &conn->records : &conn->kept;
}

/* Reports the loss at the gap: after the messages that stay. */
static bool tell_loss(struct aw_conn *conn)
{
    struct aw_mail lost = {.size = AW_HEAD, .type = AW_LOST_SOME, .number = conn->lost};
    if (!conn->lost)
        return true;
    if (!add(&conn->stays, &lost))
        return false;
    conn->kept += AW_HEAD;
    conn->lost = 0;
    return true;
}

/* Drops the oldest record, but not one of which a part was sent. The messages before it stay. */
static bool lose_one(struct aw_conn *conn)
{
    struct aw_mail m;
    size_t size = size_at(&conn->out, conn->out.start, &m);
    if (size == held(&conn->out)) /* the newest message */
        return false;
    if (m.type == AW_PASSED && (!conn->sent || conn->stays.bytes)) {
        conn->records -= size;
        conn->lost++;
    } else {
        m.body = (struct aw_span){conn->out.bytes + conn->out.start + AW_HEAD, size - AW_HEAD};
        if (!tell_loss(conn) || !add(&conn->stays, &m))
            return false;
    }
    pop(&conn->out, size);
    return true;
}

void aw_conn_put(struct aw_conn *conn, const struct aw_mail *m)
{
    struct aw_mail mail = *m;
    size_t size = AW_HEAD + m->memory.size + m->body.size;
    if (conn->gone || conn->shut || size > AW_MESSAGE_MAX)
        return;
    mail.size = (uint32_t)size;
    mail.kept = (uint32_t)m->memory.size;
    if (!add(&conn->out, &mail)) {
        conn->gone = m->type != AW_PASSED;
        return;
    }
    *queued(conn, m) += size;
    while (conn->records > conn->queue && lose_one(conn))
        ;
    conn->gone = conn->kept > AW_CONN_KEPT;
}

static void note_sent(struct aw_conn *conn, struct aw_buffer *from, size_t n)
{
    struct aw_mail head;
    conn->sent += n;
    while (from->bytes && conn->sent >= size_at(from, from->start, &head)) {
        conn->sent -= head.size;
        *queued(conn, &head) -= head.size;
        pop(from, head.size);
    }
}

void aw_conn_flush(struct aw_conn *conn)
{
    while (aw_conn_waiting(conn) && !conn->gone) {
        if (!conn->stays.bytes)
            tell_loss(conn);
        struct aw_buffer *from = conn->stays.bytes ? &conn->stays : &conn->out;
        ssize_t n = send(conn->fd, from->bytes + from->start + conn->sent, held(from) - conn->sent,
                         MSG_NOSIGNAL);
        if (n >= 0)
            note_sent(conn, from, (size_t)n);
        else if (errno == EAGAIN)
            break;
        else if (errno != EINTR) {
            conn->shut = true;
            conn->sent = conn->records = conn->kept = conn->lost = 0;
            clear(&conn->stays);
            clear(&conn->out);
        }
    }
    conn->since_ns = 0;
}

void aw_conn_free(struct aw_conn *conn)
{
    clear(&conn->in);
    clear(&conn->stays);
    clear(&conn->out);
    if (conn->fd >= 0)
        close(conn->fd);
    aw_conn_init(conn, -1);
}
