/* Lines for people on standard error, which never block a command that something waits for. */
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
#include "shell/core/session.h"

#define TEXT_MAX 32768
#define PATIENCE (200 * AW_MILLISECOND) /* with a reader of standard error, beside a device */

/* Is there room for a line, or an error that write(2) reports? Without a device a reader has all
 * the time it wants. */
static bool is_room(struct aw_session *session)
{
    struct aw_clock *clock = &session->real_clock.base;
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (session->real_clock.stop_fd < 0 || poll(&fd, 1, 0) != 0)
        return true;
    return session->unreported == 0 &&
           aw_clock_wait(clock, STDERR_FILENO, POLLOUT, aw_clock_now(clock) + PATIENCE) == AW_OK;
}

static bool write_line(struct aw_session *session, const char *text, size_t size)
{
    while (size > 0) {
        if (!is_room(session))
            return false;
        ssize_t n = aw_write_ready(STDERR_FILENO, text, size);
        if (n < 0 && errno == EAGAIN && session->real_clock.stop_fd >= 0)
            return false;
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return true; /* there is nobody to report to */
        text += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void report(struct aw_session *session, bool clean, const char *format, va_list args)
{
    char text[TEXT_MAX], lost[128];
    aw_session_work_end(session);
    vsnprintf(text, sizeof text, format, args);
    if (clean)
        aw_utf8_clean_lines(text);
    if (session->out.ascii)
        aw_utf8_to_ascii(text, sizeof text);
    if (session->out.sink) {
        session->out.sink->put(session->out.sink, true, text, strlen(text));
        return;
    }
    if (session->unreported && is_room(session)) {
        int n = snprintf(lost, sizeof lost, "%s: %u lines are missing here: nobody read them\n",
                         session->tool->name, session->unreported);
        session->unreported = write_line(session, lost, (size_t)n) ? 0 : session->unreported;
    }
    if (!write_line(session, text, strlen(text)))
        session->unreported++;
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

void aw_session_work_begin(struct aw_session *session)
{
    const char *term = getenv("TERM");
    bool wanted = !aw_flag(session, "quiet") && !session->serving && !session->out.sink &&
                  isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
    session->work_shown = false;
    session->work_ns =
        wanted ? aw_clock_now(&session->real_clock.base) + AW_SECOND : (int64_t)AW_NEVER;
}

void aw_session_work(struct aw_session *session, const char *format, ...)
{
    struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};
    struct winsize size = {.ws_col = 80};
    char text[256] = "\r";
    int64_t now = session->work_ns == AW_NEVER ? 0 : aw_clock_now(&session->real_clock.base);
    va_list args;
    if (session->work_ns == AW_NEVER || now < session->work_ns || poll(&fd, 1, 0) != 1 ||
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0)
        return;
    int room = size.ws_col > 0 && size.ws_col < 200 ? size.ws_col - 1 : 79;
    va_start(args, format);
    vsnprintf(text + 1, (size_t)room + 1, format, args);
    va_end(args);
    strcat(text, "\033[K");
    session->work_ns = now + 100 * AW_MILLISECOND;
    session->work_shown = aw_write_ready(STDERR_FILENO, text, strlen(text)) > 0;
}

void aw_session_work_end(struct aw_session *session)
{
    if (session->work_shown)
        aw_write_ready(STDERR_FILENO, "\r\033[K", 4);
    session->work_shown = false;
}
