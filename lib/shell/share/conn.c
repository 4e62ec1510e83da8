/* Lines over a socket: cut out of what is read, and queued until they can be sent. */
#include "shell/share/conn.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/grow.h"

#define READ_SIZE 65536
#define AT_ONCE   64 /* lines in one write */

struct aw_conn_line {
    struct aw_conn_line *next;
    size_t size;
    bool record;
    char text[];
};

void aw_conn_init(struct aw_conn *conn, int fd, size_t longest)
{
    *conn = (struct aw_conn){.fd = fd, .longest = longest};
}

/* ---- Coming in ---------------------------------------------------------------------------------
 */

static bool make_room(struct aw_conn *conn)
{
    if (conn->in_start > 0)
        memmove(conn->in, conn->in + conn->in_start, conn->in_used - conn->in_start);
    conn->in_used -= conn->in_start;
    conn->in_start = 0;
    char *in = aw_grow(conn->in, &conn->in_room, conn->in_used + READ_SIZE / 2 + 1, 1);
    conn->in = in ? in : conn->in;
    return in;
}

bool aw_conn_fill(struct aw_conn *conn)
{
    if (conn->fd < 0 || conn->overlong || !make_room(conn))
        return false;
    ssize_t n = read(conn->fd, conn->in + conn->in_used, conn->in_room - conn->in_used);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    conn->in_used += (size_t)n;
    return n > 0;
}

char *aw_conn_next(struct aw_conn *conn)
{
    size_t held = conn->in_used - conn->in_start;
    char *line = held ? conn->in + conn->in_start : NULL;
    char *end = held ? memchr(line, '\n', held) : NULL;
    conn->overlong = (end ? (size_t)(end - line) : held) > conn->longest;
    if (!end || conn->overlong)
        return NULL;
    *end = '\0';
    conn->in_start += (size_t)(end - line) + 1;
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    return line;
}

/* ---- Going out ---------------------------------------------------------------------------------
 */

static void drop(struct aw_conn *conn, struct aw_conn_line **at)
{
    struct aw_conn_line *line = *at;
    *(line->record ? &conn->records : &conn->kept) -= line->size;
    *at = line->next;
    free(line);
    if (!conn->first)
        conn->last = NULL;
}

/* The oldest record of which nothing has been sent; it is not the last line, which has just come.
 */
static void lose_one(struct aw_conn *conn)
{
    struct aw_conn_line **at = &conn->first;
    if (*at && conn->sent > 0)
        at = &(*at)->next;
    while (*at && (*at)->next && !(*at)->record)
        at = &(*at)->next;
    if (!*at || !(*at)->next)
        return;
    conn->lost++;
    drop(conn, at);
}

static struct aw_conn_line *new_line(const char *text, size_t size, bool record)
{
    struct aw_conn_line *line = malloc(sizeof *line + size);
    if (line) {
        *line = (struct aw_conn_line){.size = size, .record = record};
        memcpy(line->text, text, size);
    }
    return line;
}

/* Said where the gap is: in front of all that is still to be sent. */
static void tell_loss(struct aw_conn *conn)
{
    char text[48];
    if (!conn->lost || conn->sent > 0 || conn->gone)
        return;
    int size = snprintf(text, sizeof text, "{\"lost\":%llu}\n", (unsigned long long)conn->lost);
    struct aw_conn_line *line = new_line(text, (size_t)size, false);
    if (!line)
        return;
    line->next = conn->first;
    conn->first = line;
    conn->last = conn->last ? conn->last : line;
    conn->kept += line->size;
    conn->lost = 0;
}

void aw_conn_put(struct aw_conn *conn, const char *text, size_t size, bool record)
{
    if (conn->gone || conn->shut)
        return;
    struct aw_conn_line *line = new_line(text, size, record);
    if (!line) {
        conn->gone = !record;
        return;
    }
    *(conn->last ? &conn->last->next : &conn->first) = line;
    conn->last = line;
    *(line->record ? &conn->records : &conn->kept) += line->size;
    size_t before;
    do {
        before = conn->records;
        if (conn->records > AW_CONN_QUEUE)
            lose_one(conn);
    } while (conn->records < before);
    conn->gone = conn->kept > AW_CONN_KEPT;
}

void aw_conn_put_line(struct aw_conn *conn, const char *text, size_t size, bool record)
{
    char *line = malloc(size + 1);
    if (!line)
        return;
    memcpy(line, text, size);
    line[size] = '\n';
    aw_conn_put(conn, line, size + 1, record);
    free(line);
}

void aw_conn_put_json(struct aw_conn *conn, json_t *object)
{
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(object);
    if (text)
        aw_conn_put_line(conn, text, strlen(text), false);
    free(text);
}

enum aw_status aw_conn_hello(struct aw_conn *conn, struct aw_clock *clock, int64_t deadline,
                             json_t **hello)
{
    const char *line;
    enum aw_status status = AW_OK;
    while (!(line = aw_conn_next(conn)) &&
           (status = aw_clock_wait(clock, conn->fd, POLLIN, deadline)) == AW_OK &&
           aw_conn_fill(conn))
        ;
    *hello = line ? json_loads(line, JSON_REJECT_DUPLICATES, NULL) : NULL;
    return status == AW_STOPPED ? status : AW_OK;
}

static ssize_t send_some(struct aw_conn *conn)
{
    struct iovec parts[AT_ONCE];
    size_t n = 0;
    for (struct aw_conn_line *line = conn->first; line && n < AT_ONCE; line = line->next, n++)
        parts[n] =
            (struct iovec){line->text + (n ? 0 : conn->sent), line->size - (n ? 0 : conn->sent)};
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
            conn->sent = 0;
            conn->lost = 0;
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
    aw_conn_init(conn, -1, 0);
}
