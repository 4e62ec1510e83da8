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

#define TEXT_MAX 32768
#define PATIENCE (200 * AW_MILLISECOND) /* max wait for the reader while a device is in use */

/* Returns true if write(2) can accept a line or would report an error. Without a device the write
 * may block. */
static bool is_room(struct aw_session *session)
{
    struct aw_clock *clock = &session->time.real.base;
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (session->time.real.stop_fd < 0 || poll(&fd, 1, 0) != 0)
        return true;
    return session->run.unreported == 0 &&
           aw_clock_wait(clock, STDERR_FILENO, POLLOUT, aw_clock_now(clock) + PATIENCE) == AW_OK;
}

static bool write_line(struct aw_session *session, const char *text, size_t size)
{
    while (size > 0) {
        if (!is_room(session))
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
    if (session->run.unreported && is_room(session)) {
        int n = snprintf(lost, sizeof lost, "%s: %u lines dropped here: the reader was too slow\n",
                         session->tool->name, session->run.unreported);
        session->run.unreported =
            write_line(session, lost, (size_t)n) ? 0 : session->run.unreported;
    }
    if (!write_line(session, text, strlen(text)))
        session->run.unreported++;
}

static void report(struct aw_session *session, bool clean, const char *format, va_list args)
{
    char text[TEXT_MAX];
    aw_session_work_hide(session);
    vsnprintf(text, sizeof text, format, args);
    if (clean)
        aw_utf8_clean_lines(text);
    aw_output_spell(&session->out, text, sizeof text);
    if (session->out.sink) {
        session->out.sink->put(session->out.sink, true, text, strlen(text));
        return;
    }
    if (session->mode.make_room)
        session->mode.make_room(session, true);
    write_report(session, text);
    if (session->mode.make_room)
        session->mode.make_room(session, false);
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

void aw_session_work_begin(struct aw_session *session)
{
    bool wanted = !session->options.print.quiet && !session->mode.serving && !session->out.sink &&
                  isatty(STDERR_FILENO) && aw_screen_moves();
    aw_session_work_while(session, NULL, NULL);
    session->run.work = (struct aw_work){.session = session, .next_ns = AW_NEVER};
    if (wanted)
        session->run.work.next_ns = aw_clock_now(&session->time.real.base) + AW_SECOND;
}

/* Cuts a line after the last part that fits, or after the last word if too little would remain. */
static void cut(char *line, size_t room)
{
    size_t part = 0, word = 0;
    if (strlen(line) <= room)
        return;
    for (size_t i = 0; i <= room; i++) {
        part = line[i] == ',' ? i : part;
        word = line[i] == ' ' ? i : word;
    }
    line[part > room / 2 ? part : word > 0 ? word : room] = '\0';
}

void aw_session_work(struct aw_session *session, const char *format, ...)
{
    struct aw_work *work = &session->run.work;
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};
    struct winsize size = {.ws_col = 80};
    char text[256] = "\r";
    int64_t now = work->next_ns == AW_NEVER ? 0 : aw_clock_now(&session->time.real.base);
    va_list args;
    if (work->next_ns == AW_NEVER || now < work->next_ns || poll(&fd, 1, 0) != 1 ||
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0)
        return;
    int room = size.ws_col > 0 && size.ws_col < 200 ? size.ws_col - 1 : 79;
    va_start(args, format);
    vsnprintf(text + 1, sizeof text - sizeof "\r\033[K", format, args);
    va_end(args);
    cut(text + 1, (size_t)room);
    strcat(text, "\033[K");
    work->next_ns = now + WORK_NS;
    work->shown = aw_write_ready(STDERR_FILENO, text, strlen(text)) > 0;
}

static void tell(struct aw_aside *aside)
{
    struct aw_work *work = (struct aw_work *)aside;
    work->tell(work->session, work->context);
    aside->due = aw_clock_now(&work->session->time.real.base) + WORK_NS;
}

void aw_session_work_while(struct aw_session *session, aw_work_fn *fn, const void *context)
{
    struct aw_work *work = &session->run.work;
    aw_aside_remove(&session->time.real.aside, &work->aside);
    work->tell = fn;
    work->context = context;
    if (!fn || work->next_ns == AW_NEVER)
        return;
    work->aside = (struct aw_aside){.fd = -1, .due = work->next_ns, .serve = tell};
    aw_aside_add(&session->time.real.aside, &work->aside);
}

void aw_session_work_hide(struct aw_session *session)
{
    if (session->run.work.shown)
        aw_write_ready(STDERR_FILENO, "\r\033[K", 4);
    session->run.work.shown = false;
}

void aw_session_work_end(struct aw_session *session)
{
    aw_session_work_while(session, NULL, NULL);
    aw_session_work_hide(session);
    session->run.work.next_ns = AW_NEVER;
}

double aw_session_seconds(const struct aw_session *session)
{
    return (double)(aw_clock_now(session->clock) - session->run.started) / 1e9;
}
