/* Screen, keys, frame rate and reconnecting for watch and plot on a terminal. */
#include "shell/source/live.h"

#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell/run/run.h"
#include "shell/safety/stop.h"

#define NOTE_NS (8 * AW_SECOND) /* how long a message is shown */

bool aw_live_is_wanted(const struct aw_session *session)
{
    return aw_screen_is_possible() && aw_session_is_text(session);
}

/* ---- Standard error ---- */

/* Messages would spoil the picture, so they are shown in its last line. A pipe also captures output
 * of libraries and the trace. A full pipe drops text and never blocks. */
static void redirect_stderr(struct aw_live *live)
{
    int ends[2];
    live->stderr_fd = live->pipe_fd = -1;
    if (!isatty(STDERR_FILENO) || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    live->stderr_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    live->pipe_fd = ends[0];
    if (live->stderr_fd >= 0)
        dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
}

/* Stores the last line of the text, without the tool's name. */
static void store_note(struct aw_live *live, char *text, size_t n)
{
    const char *tool = live->session->tool->name;
    size_t length = strlen(tool);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    text[n] = '\0';
    const char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    if (strncmp(line, tool, length) == 0 && strncmp(line + length, ": ", 2) == 0)
        line += length + 2;
    snprintf(live->note, sizeof live->note, "%.150s", line);
    live->noted_ns = aw_clock_now(&live->session->time.real.base);
}

static void read_notes(struct aw_live *live)
{
    char text[4096];
    /* Reads all available text, and keeps the end of it. */
    size_t size = sizeof text;
    size_t n_kept = 0, max_kept = size / 2;
    for (ssize_t n;
         live->pipe_fd >= 0 && (n = read(live->pipe_fd, text + n_kept, size - 1 - n_kept)) > 0;) {
        size_t n_total = n_kept + (size_t)n;
        n_kept = n_total < max_kept ? n_total : max_kept;
        memmove(text, text + n_total - n_kept, n_kept);
    }
    if (n_kept > 0)
        store_note(live, text, n_kept);
}

const char *aw_live_last_note(struct aw_live *live)
{
    int64_t now = aw_clock_now(&live->session->time.real.base);
    read_notes(live);
    return *live->note && now - live->noted_ns < NOTE_NS ? live->note : NULL;
}

/* ---- The stop ---- */

struct answer {
    struct aw_sink sink;
    char text[400];
    size_t n;
};

static void collect_answer(struct aw_sink *sink, bool is_error, const char *text, size_t size)
{
    struct answer *answer = (struct answer *)((char *)sink - offsetof(struct answer, sink));
    size_t room = sizeof answer->text - 1 - answer->n;
    (void)is_error;
    size = size < room ? size : room;
    memcpy(answer->text + answer->n, text, size);
    answer->n += size;
}

bool aw_live_can_stop(const struct aw_live *live)
{
    return !live->ended && live->session->tool->safety.stop && aw_stream_has_link(live->stream) &&
           aw_stream_is_live(live->stream);
}

void aw_live_stop(struct aw_live *live)
{
    struct aw_session *session = live->session;
    struct aw_printing printing = session->run.printing;
    struct aw_tokens *tokens = aw_live_can_stop(live) ? malloc(sizeof *tokens) : NULL;
    struct answer answer = {.sink.write = collect_answer};
    if (!tokens)
        return;
    session->out.sink = &answer.sink;
    session->run.printing = (struct aw_printing){.wire = printing.wire};
    if (aw_tokens_split(tokens, "stop", &session->err) == AW_OK)
        aw_dispatch(session, tokens, NULL);
    aw_output_flush(&session->out, NULL);
    session->out.sink = NULL;
    session->run.printing = printing;
    read_notes(live); /* makes the reply the latest message */
    store_note(live, answer.text, answer.n);
    free(tokens);
}

/* ---- Opening and closing ---- */

enum aw_status aw_live_open(struct aw_live *live, struct aw_session *session,
                            struct aw_stream *stream, double fps)
{
    *live = (struct aw_live){.session = session,
                             .stream = stream,
                             .frame_ns = (int64_t)(1e9 / fps),
                             .stderr_fd = -1,
                             .pipe_fd = -1};
    if (stream)
        aw_stream_reconnect(stream, true);
    aw_stop_catch_signals(session);
    aw_output_flush(&session->out, NULL);
    live->screen = aw_screen_open(session->out.color, &session->err);
    if (!live->screen)
        return session->err.status;
    redirect_stderr(live);
    return AW_OK;
}

void aw_live_close(struct aw_live *live)
{
    aw_screen_close(live->screen);
    live->screen = NULL;
    if (live->session) {
        if (live->stderr_fd >= 0) {
            fflush(stderr);
            dup2(live->stderr_fd, STDERR_FILENO);
            close(live->stderr_fd);
        }
        if (live->pipe_fd >= 0)
            close(live->pipe_fd);
        live->stderr_fd = live->pipe_fd = -1;
    }
}

/* ---- Waiting ---- */

bool aw_live_is_due(struct aw_live *live)
{
    int64_t now = aw_clock_now(&live->session->time.real.base);
    if (now < live->due_ns)
        return false;
    live->due_ns = now + live->frame_ns;
    return true;
}

/* Waits for keys and for the next frame. */
static enum aw_status wait_for_keys(struct aw_live *live, int64_t deadline)
{
    int64_t until = aw_min_time(live->due_ns, deadline);
    enum aw_status status =
        aw_clock_wait(&live->session->time.real.base, aw_screen_fd(live->screen), POLLIN, until);
    if (status == AW_STOPPED || status == AW_LOST)
        return status;
    return aw_clock_now(&live->session->time.real.base) >= deadline ? AW_ENOUGH : AW_TIMEOUT;
}

const char *aw_live_link_problem(const struct aw_live *live)
{
    return aw_stream_is_waiting(live->stream) ? "link lost — reconnecting" : NULL;
}

enum aw_status aw_live_next(struct aw_live *live, int64_t deadline, struct aw_item *item)
{
    struct aw_session *session = live->session;
    int64_t now = aw_clock_now(&session->time.real.base);
    if (live->ended)
        return wait_for_keys(live, deadline);
    if (now >= deadline)
        return AW_ENOUGH;
    /* A virtual clock never waits, so this checks the stop descriptor and the keys. */
    if (aw_session_is_virtual(session) && wait_for_keys(live, now) == AW_STOPPED)
        return AW_STOPPED;
    int64_t until = aw_min_time(live->due_ns, deadline);
    if (aw_session_is_virtual(session))
        until = aw_clock_now(session->clock) + live->frame_ns;
    enum aw_status status = aw_stream_next(live->stream, until, item);
    live->ended = status == AW_END;
    if (live->ended || status == AW_MALFORMED)
        return AW_TIMEOUT;
    return status;
}

enum aw_status aw_live_check_style(struct aw_session *session)
{
    enum aw_style style = aw_session_style(session);
    if (style == AW_STYLE_TEXT || !session->mode.one_shot || session->options.run.dry_run)
        return AW_OK;
    return aw_fail(&session->err, AW_USAGE, "%s prints a drawing, not records — remove --%s",
                   session->run.command->name, aw_style_option(style));
}
