/* Prints to standard error without blocking a command that uses a device. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/ready.h"
#include "base/utf8.h"
#include "shell/session/session.h"
#include "view/terminal/screen.h"

#define TEXT_MAX    32768
#define PATIENCE_NS (200 * AW_MILLISECOND) /* max wait for the reader while a device is in use */

/* Returns true if write(2) can accept a line or would report an error. Without a device the write
 * may block. */
static bool has_room(struct aw_session *session)
{
    struct aw_clock *clock = &session->time.real.base;
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (session->time.real.stop_fd < 0 || poll(&fd, 1, 0) != 0)
        return true;
    return session->run.dropped_lines == 0 &&
           aw_clock_wait(clock, STDERR_FILENO, POLLOUT, aw_clock_now(clock) + PATIENCE_NS) == AW_OK;
}

static bool write_line(struct aw_session *session, const char *text, size_t size)
{
    while (size > 0) {
        if (!has_room(session))
            return false;
        ssize_t n = aw_write_ready(STDERR_FILENO, text, size);
        if (n < 0 && errno == EAGAIN && session->time.real.stop_fd >= 0)
            return false;
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return true; /* standard error is closed */
        if (n > 0) {
            text += n;
            size -= (size_t)n;
        }
    }
    return true;
}

static void write_report(struct aw_session *session, char *text)
{
    char lost[128];
    if (session->run.dropped_lines && has_room(session)) {
        int n = snprintf(lost, sizeof lost, "%s: %u lines dropped here: the reader was too slow\n",
                         session->tool->name, session->run.dropped_lines);
        session->run.dropped_lines =
            write_line(session, lost, (size_t)n) ? 0 : session->run.dropped_lines;
    }
    if (!write_line(session, text, strlen(text)))
        session->run.dropped_lines++;
}

static void report(struct aw_session *session, bool sanitize, const char *format, va_list args)
{
    char text[TEXT_MAX];
    aw_session_hide_progress(session);
    vsnprintf(text, sizeof text, format, args);
    if (sanitize)
        aw_utf8_clean_lines(text);
    aw_output_to_charset(&session->out, text, sizeof text);
    if (session->out.sink) {
        session->out.sink->write(session->out.sink, true, text, strlen(text));
        return;
    }
    if (session->mode.clear_typed)
        session->mode.clear_typed(session, true);
    write_report(session, text);
    if (session->mode.clear_typed)
        session->mode.clear_typed(session, false);
}

void aw_session_report(struct aw_session *session, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(session, true, format, args);
    va_end(args);
}

void aw_session_draw(struct aw_session *session, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(session, false, format, args);
    va_end(args);
}

/* Time between two progress lines, by the real clock. */
#define WORK_NS (100 * AW_MILLISECOND)

void aw_session_begin_progress(struct aw_session *session)
{
    bool wanted = !session->options.print.quiet && !session->mode.serving && !session->out.sink &&
                  isatty(STDERR_FILENO) && aw_screen_is_capable();
    aw_session_repeat_progress(session, NULL, NULL);
    session->run.progress = (struct aw_progress_line){.session = session, .next_ns = AW_NEVER};
    if (wanted)
        session->run.progress.next_ns = aw_clock_now(&session->time.real.base) + AW_SECOND;
}

/* Cuts a line after the last part that fits, or after the last word if too little would remain. */
static void shorten_line(char *line, size_t room)
{
    size_t clause = 0, word = 0;
    if (strlen(line) <= room)
        return;
    for (size_t i = 0; i <= room; i++) {
        clause = line[i] == ',' ? i : clause;
        word = line[i] == ' ' ? i : word;
    }
    line[clause > room / 2 ? clause : word > 0 ? word : room] = '\0';
}

void aw_session_show_progress(struct aw_session *session, const char *format, ...)
{
    struct aw_progress_line *progress = &session->run.progress;
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};
    struct winsize size = {.ws_col = 80};
    char text[256] = "\r";
    int64_t now = progress->next_ns == AW_NEVER ? 0 : aw_clock_now(&session->time.real.base);
    va_list args;
    if (progress->next_ns == AW_NEVER || now < progress->next_ns || poll(&fd, 1, 0) != 1 ||
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0)
        return;
    int room = size.ws_col > 0 && size.ws_col < 200 ? size.ws_col - 1 : 79;
    va_start(args, format);
    vsnprintf(text + 1, sizeof text - sizeof "\r\033[K", format, args);
    va_end(args);
    shorten_line(text + 1, (size_t)room);
    strcat(text, "\033[K");
    progress->next_ns = now + WORK_NS;
    progress->shown = aw_write_ready(STDERR_FILENO, text, strlen(text)) > 0;
}

void aw_session_show_share(struct aw_session *session, const char *name, int64_t start_ns,
                           uint64_t done, uint64_t total)
{
    double share = total ? (double)done / (double)total : 0;
    if (session->run.progress.next_ns == AW_NEVER)
        return;
    double seconds = (double)(aw_clock_now(&session->time.real.base) - start_ns) / 1e9;
    if (share > 0)
        aw_session_show_progress(session, "%.40s %.0f %%, %.0f s left", name, 100 * share,
                                 seconds * (1 - share) / share);
    else
        aw_session_show_progress(session, "%.40s %.1f MB", name, (double)done / 1e6);
}

static void update_progress(struct aw_background *background)
{
    struct aw_progress_line *line = (struct aw_progress_line *)background;
    line->report(line->session, line->context);
    background->due = aw_clock_now(&line->session->time.real.base) + WORK_NS;
}

void aw_session_repeat_progress(struct aw_session *session, aw_progress_fn *callback,
                                const void *context)
{
    struct aw_progress_line *line = &session->run.progress;
    aw_background_remove(&session->time.real.background, &line->background);
    line->report = callback;
    line->context = context;
    if (!callback || line->next_ns == AW_NEVER)
        return;
    line->background =
        (struct aw_background){.fd = -1, .due = line->next_ns, .serve = update_progress};
    aw_background_add(&session->time.real.background, &line->background);
}

void aw_session_hide_progress(struct aw_session *session)
{
    if (session->run.progress.shown)
        aw_write_ready(STDERR_FILENO, "\r\033[K", 4);
    session->run.progress.shown = false;
}

void aw_session_end_progress(struct aw_session *session)
{
    aw_session_repeat_progress(session, NULL, NULL);
    aw_session_hide_progress(session);
    session->run.progress.next_ns = AW_NEVER;
}

double aw_session_seconds(const struct aw_session *session)
{
    return (double)(aw_clock_now(session->clock) - session->run.started_ns) / 1e9;
}
