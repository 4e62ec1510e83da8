/* The input buffer of a file or pipe, and its lines. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "shell/session/share.h"
#include "shell/source/stream_source.h"

/* ---- Standard input and files ---- */

/* If a filter fails after some output, the input is damaged from there on. Otherwise nothing was
 * read. */
static enum aw_status end_input(struct aw_stream *s)
{
    struct aw_error why;
    enum aw_status status = aw_reading_end(&s->reading, &why);
    if (status != AW_OK && !s->started)
        return aw_fail(&s->session->err, status, "%s", why.text);
    if (status != AW_OK)
        aw_session_print_notice(s->session, "%s", why.text);
    return AW_END;
}

enum aw_status aw_stream_fill(struct aw_stream *s, int64_t deadline)
{
    struct aw_clock *clock = &s->session->time.real.base;
    memmove(s->buffer, s->buffer + s->used, s->buffered - s->used);
    s->buffered -= s->used;
    s->used = 0;
    while (!s->ended) {
        enum aw_status status = aw_clock_wait(clock, s->reading.fd, POLLIN, deadline);
        if (status != AW_OK)
            return status;
        ssize_t n = read(s->reading.fd, s->buffer + s->buffered, AW_STREAM_BLOCK - s->buffered);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return aw_file_fail(&s->session->err, NULL, s->name);
        s->buffered += (size_t)n;
        s->started = s->started || n > 0;
        if (n > 0)
            return AW_OK;
        s->ended = true;
        return end_input(s);
    }
    return AW_END;
}

enum aw_status aw_stream_line(struct aw_stream *s, int64_t deadline, char **line)
{
    for (;;) {
        char *start = s->buffer + s->used, *end = memchr(start, '\n', s->buffered - s->used);
        enum aw_status status = AW_OK;
        bool last =
            !end && s->buffered > s->used && (s->ended || s->buffered - s->used == AW_STREAM_BLOCK);
        if (end || last) {
            char *stop = end ? end : s->buffer + s->buffered;
            s->used = (size_t)(stop - s->buffer) + (end != NULL);
            *stop = '\0'; /* the buffer has one spare byte */
            if (stop > start && stop[-1] == '\r')
                stop[-1] = '\0';
            *line = start;
            s->line++;
            return AW_OK;
        }
        status = aw_stream_fill(s, deadline);
        if (status == AW_END && s->buffered > s->used)
            continue;
        if (status != AW_OK)
            return status;
    }
}

void *aw_stream_state(struct aw_stream *s, size_t size)
{
    s->state = calloc(1, size);
    if (!s->state)
        aw_no_memory(&s->session->err);
    return s->state;
}
