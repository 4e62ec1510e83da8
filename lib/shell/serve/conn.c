/* Splits received bytes into messages, and queues messages for sending. */
#include "shell/serve/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define ROOM    4096 /* size of the input buffer, unless a message is longer */
#define AT_ONCE 64   /* max messages per write */

struct aw_conn_part {
    struct aw_conn_part *next;
    size_t size;
    bool record;
    uint8_t bytes[];
};

void aw_conn_init(struct aw_conn *conn, int fd)
{
    *conn = (struct aw_conn){.fd = fd, .queue = AW_CONN_QUEUE};
}

/* ---- Receiving ---- */

/* Returns the size of the message at this offset, including its length field; 0: unknown yet. */
static size_t size_at(const struct aw_conn *conn, size_t at)
{
    if (conn->in_used - at < AW_HEAD)
        return 0;
    const uint8_t *p = conn->in + at;
    return 4 + ((size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24);
}

static bool make_room(struct aw_conn *conn)
{
    size_t held = conn->in_used - conn->in_start, next = size_at(conn, conn->in_start);
    size_t room = next > ROOM ? next : ROOM;
    if (next > AW_MESSAGE_MAX)
        return false;
    if (conn->in_start > 0)
        memmove(conn->in, conn->in + conn->in_start, held);
    conn->in_used = held;
    conn->in_start = 0;
    if (room == conn->in_room)
        return true;
    uint8_t *in = realloc(conn->in, room > held ? room : held);
    if (!in)
        return false;
    conn->in = in;
    conn->in_room = room > held ? room : held;
    return true;
}

bool aw_conn_fill(struct aw_conn *conn)
{
    if (conn->fd < 0 || conn->wrong || !make_room(conn))
        return false;
    if (conn->in_used == conn->in_room) /* a whole message is still unread */
        return true;
    ssize_t n = read(conn->fd, conn->in + conn->in_used, conn->in_room - conn->in_used);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    conn->in_used += (size_t)n;
    return n > 0;
}

enum aw_verb aw_conn_next(struct aw_conn *conn, struct aw_reader *reader)
{
    size_t held = conn->in_used - conn->in_start, size = held ? size_at(conn, conn->in_start) : 0;
    if (!held && conn->in) { /* an idle connection has no buffer */
        free(conn->in);
        conn->in = NULL;
        conn->in_used = conn->in_start = conn->in_room = 0;
    }
    conn->wrong = conn->wrong || (size && (size < AW_HEAD || size > AW_MESSAGE_MAX));
    if (!size || conn->wrong || held < size)
        return 0;
    const uint8_t *start = conn->in + conn->in_start;
    *reader = (struct aw_reader){.next = start + AW_HEAD, .end = start + size};
    conn->in_start += size;
    return (enum aw_verb)start[4];
}

bool aw_conn_take_stop(struct aw_conn *conn)
{
    size_t at = conn->in_start, size;
    while (at < conn->in_used && (size = size_at(conn, at)) >= AW_HEAD) {
        if (conn->in[at + 4] == AW_STOP) {
            conn->in[at + 4] = AW_LIFE;
            return true;
        }
        at += size;
    }
    return false;
}

/* ---- Sending ---- */

static void drop(struct aw_conn *conn, struct aw_conn_part **at)
{
    struct aw_conn_part *part = *at;
    *(part->record ? &conn->records : &conn->kept) -= part->size;
    *at = part->next;
    conn->stays = part == conn->stays ? NULL : conn->stays;
    free(part);
    if (!conn->first)
        conn->last = NULL;
}

/* Drops the oldest unsent record, but not the newest message. */
static bool lose_one(struct aw_conn *conn)
{
    if (!conn->stays && conn->sent > 0)
        conn->stays = conn->first;
    struct aw_conn_part **at = conn->stays ? &conn->stays->next : &conn->first;
    while (*at && (*at)->next && !(*at)->record) {
        conn->stays = *at;
        at = &(*at)->next;
    }
    if (!*at || !(*at)->next)
        return false;
    conn->lost++;
    drop(conn, at);
    return true;
}

static struct aw_conn_part *new_part(const uint8_t *bytes, size_t size)
{
    struct aw_conn_part *part = malloc(sizeof *part + size);
    if (part) {
        *part = (struct aw_conn_part){.size = size, .record = bytes[4] == AW_PASSED};
        memcpy(part->bytes, bytes, size);
    }
    return part;
}

/* Reports the loss at the gap: before all unsent messages. */
static void tell_loss(struct aw_conn *conn)
{
    uint8_t bytes[AW_HEAD + 4] = {5, 0, 0, 0, AW_LOST_SOME};
    if (!conn->lost || conn->sent > 0 || conn->gone)
        return;
    for (size_t i = 0; i < 4; i++)
        bytes[AW_HEAD + i] = (uint8_t)(conn->lost >> 8 * i);
    struct aw_conn_part *part = new_part(bytes, sizeof bytes);
    if (!part)
        return;
    part->next = conn->first;
    conn->first = part;
    conn->last = conn->last ? conn->last : part;
    conn->kept += part->size;
    conn->lost = 0;
}

void aw_conn_put(struct aw_conn *conn, const struct aw_writer *w)
{
    if (conn->gone || conn->shut || w->full)
        return;
    struct aw_conn_part *part = new_part(w->bytes, w->size);
    if (!part) {
        conn->gone = w->bytes[4] != AW_PASSED;
        return;
    }
    *(conn->last ? &conn->last->next : &conn->first) = part;
    conn->last = part;
    *(part->record ? &conn->records : &conn->kept) += part->size;
    while (conn->records > conn->queue && lose_one(conn))
        ;
    conn->gone = conn->kept > AW_CONN_KEPT;
}

static ssize_t send_some(struct aw_conn *conn)
{
    struct iovec parts[AT_ONCE];
    size_t n = 0;
    for (struct aw_conn_part *part = conn->first; part && n < AT_ONCE; part = part->next, n++)
        parts[n] =
            (struct iovec){part->bytes + (n ? 0 : conn->sent), part->size - (n ? 0 : conn->sent)};
    return sendmsg(conn->fd, &(struct msghdr){.msg_iov = parts, .msg_iovlen = n}, MSG_NOSIGNAL);
}

void aw_conn_flush(struct aw_conn *conn)
{
    tell_loss(conn);
    while (conn->first && !conn->gone) {
        ssize_t n = send_some(conn);
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            conn->shut = true;
            conn->sent = conn->lost = 0;
            while (conn->first)
                drop(conn, &conn->first);
            break;
        }
        conn->sent += (size_t)n;
        while (conn->first && conn->sent >= conn->first->size) {
            conn->sent -= conn->first->size;
            drop(conn, &conn->first);
        }
    }
    conn->since_ns = 0;
}

void aw_conn_free(struct aw_conn *conn)
{
    while (conn->first)
        drop(conn, &conn->first);
    free(conn->in);
    if (conn->fd >= 0)
        close(conn->fd);
    aw_conn_init(conn, -1);
}
