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

struct aw_progress aw_progress(const struct aw_session *session, const char *label, bool to_stdout)
{
    bool wanted = !session->options.print.quiet && isatty(STDERR_FILENO) &&
                  !(to_stdout && isatty(STDOUT_FILENO)) && aw_screen_is_capable();
    struct aw_progress progress = {.label = label, .enabled = wanted, .start_ns = now_ns()};
    progress.next_ns = progress.start_ns + QUIET_NS;
    return progress;
}

static bool is_due(struct aw_progress *p)
{
    int64_t now = p->enabled ? now_ns() : 0;
    if (!p->enabled || now < p->next_ns)
        return false;
    p->next_ns = now + AGAIN_NS;
    p->is_shown = true;
    return true;
}

void aw_progress_show(struct aw_progress *p, const char *text)
{
    if (is_due(p))
        fprintf(stderr, "\r%s\033[K", text);
}

void aw_progress_update(struct aw_progress *p, uint64_t done, uint64_t total)
{
    if (!is_due(p))
        return;
    double share = total ? (double)done / (double)total : 0;
    double seconds = (double)(now_ns() - p->start_ns) / 1e9;
    int bar = (int)(share * BAR + 0.5);
    fprintf(stderr, "\r%.40s ", p->label);
    if (total)
        fprintf(stderr, "[%.*s%*s] %3.0f %%, %.0f s left", bar, "##############################",
                BAR - bar, "", 100 * share, share > 0 ? seconds * (1 - share) / share : 0);
    else
        fprintf(stderr, "%.1f MB", (double)done / 1e6);
    fputs("\033[K", stderr);
}

void aw_progress_end(struct aw_progress *p)
{
    if (p->is_shown)
        fputs("\r\033[K", stderr);
    p->is_shown = false;
}
