/* Draws the progress bar, and removes it before anything else is printed. */
#include "shell/session/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/terminal/screen.h"

#define QUIET_NS (500 * AW_MILLISECOND)
#define AGAIN_NS (100 * AW_MILLISECOND)
#define BAR      30

static int64_t now_ns(void)
{
    struct aw_real_clock clock = aw_real_clock(-1);
    return aw_clock_now(&clock.base);
}

struct aw_progress aw_progress(const struct aw_session *session, const char *what, bool prints)
{
    bool wanted = !session->options.print.quiet && isatty(STDERR_FILENO) &&
                  !(prints && isatty(STDOUT_FILENO)) && aw_screen_moves();
    struct aw_progress progress = {.what = what, .wanted = wanted, .start_ns = now_ns()};
    progress.next_ns = progress.start_ns + QUIET_NS;
    return progress;
}

static bool is_time(struct aw_progress *p)
{
    int64_t now = p->wanted ? now_ns() : 0;
    if (!p->wanted || now < p->next_ns)
        return false;
    p->next_ns = now + AGAIN_NS;
    p->shown = true;
    return true;
}

void aw_progress_show(struct aw_progress *p, const char *text)
{
    if (is_time(p))
        fprintf(stderr, "\r%s\033[K", text);
}

void aw_progress_at(struct aw_progress *p, uint64_t done, uint64_t all)
{
    if (!is_time(p))
        return;
    double share = all ? (double)done / (double)all : 0;
    double seconds = (double)(now_ns() - p->start_ns) / 1e9;
    int bar = (int)(share * BAR + 0.5);
    fprintf(stderr, "\r%.40s ", p->what);
    if (all)
        fprintf(stderr, "[%.*s%*s] %3.0f %%, %.0f s left", bar, "##############################",
                BAR - bar, "", 100 * share, share > 0 ? seconds * (1 - share) / share : 0);
    else
        fprintf(stderr, "%.1f MB", (double)done / 1e6);
    fputs("\033[K", stderr);
}

void aw_progress_end(struct aw_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
