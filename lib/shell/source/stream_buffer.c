/* The input buffer of a file or pipe, and its lines. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "shell/source/stream_source.h"

/* ---- Standard input and files ---- */

/* If a filter fails after some output, the input is damaged from there on. Otherwise nothing was
 * read. */
static enum aw_status end_input(struct aw_stream *s)
{
    struct aw_error problem;
    enum aw_status status = aw_reading_end(&s->input.reading, &problem);
    if (status != AW_OK && !s->input.started)
        return aw_fail(&s->session->err, status, "%s", problem.text);
    if (status != AW_OK)
        aw_session_print_notice(s->session, "%s", problem.text);
    return AW_END;
}

enum aw_status aw_stream_fill(struct aw_stream *s, int64_t deadline)
{
    struct aw_clock *clock = &s->session->time.real.base;
    memmove(s->input.buffer, s->input.buffer + s->input.used, s->input.buffered - s->input.used);
    s->input.buffered -= s->input.used;
    s->input.used = 0;
    while (!s->input.ended) {
        enum aw_status status = aw_clock_wait(clock, s->input.reading.fd, POLLIN, deadline);
        if (status != AW_OK)
            return status;
        ssize_t n = read(s->input.reading.fd, s->input.buffer + s->input.buffered,
                         AW_STREAM_BLOCK - s->input.buffered);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return aw_file_fail(&s->session->err, NULL, s->input.name);
        s->input.buffered += (size_t)n;
        s->input.started = s->input.started || n > 0;
        if (n > 0)
            return AW_OK;
        s->input.ended = true;
        return end_input(s);
    }
    return AW_END;
}

enum aw_status aw_stream_line(struct aw_stream *s, int64_t deadline, char **line)
{
    for (;;) {
        char *start = s->input.buffer + s->input.used,
             *end = memchr(start, '\n', s->input.buffered - s->input.used);
        enum aw_status status = AW_OK;
        bool last = !end && s->input.buffered > s->input.used &&
                    (s->input.ended || s->input.buffered - s->input.used == AW_STREAM_BLOCK);
        if (end || last) {
            char *stop = end ? end : s->input.buffer + s->input.buffered;
            s->input.used = (size_t)(stop - s->input.buffer) + (end != NULL);
            *stop = '\0'; /* the buffer has one spare byte */
            if (stop > start && stop[-1] == '\r')
                stop[-1] = '\0';
            *line = start;
            s->input.line++;
            return AW_OK;
        }
        status = aw_stream_fill(s, deadline);
        if (status == AW_END && s->input.buffered > s->input.used)
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
