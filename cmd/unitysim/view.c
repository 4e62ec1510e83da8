/* unitysim view: draws the arm live on the terminal, or one picture of it. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/ready.h"
#include "screen.h"
#include "shell/joints/status.h"

static struct unitysim_screen page(struct aw_session *session)
{
    const struct aw_unitysim *unity = unitysim_of(session);
    const struct aw_unitysim_feedback *feedback = &unity->feedback;
    const char *url = "";
    struct unitysim_screen screen = {.limits = unity->options.limits};
    aw_session_url(session, &url);
    snprintf(screen.title, sizeof screen.title, "Bento Arm   %.150s%s", url,
             aw_unitysim_stale(unity) ? "   NO FEEDBACK" : "");
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        screen.ticks[i] = feedback->position[i];
        screen.velocity[i] = feedback->velocity[i];
    }
    snprintf(screen.lines[0], SCREEN_LINE, "feedback %llu, lost %llu, damaged %llu",
             (unsigned long long)unity->counters.feedback, (unsigned long long)unity->counters.lost,
             (unsigned long long)unity->counters.malformed);
    return screen;
}

struct viewing {
    struct aw_session *session;
    int64_t deadline;
};

/* Returns true after q, or if the terminal is gone. */
static bool is_left(void)
{
    char key = 0;
    ssize_t n = 1;
    while (n == 1 && key != 'q')
        n = aw_read_ready(STDIN_FILENO, &key, 1);
    return n >= 0 || errno != EAGAIN;
}

static enum aw_status live_view(void *context, bool keys)
{
    const struct viewing *viewing = context;
    struct aw_session *session = viewing->session;
    static const int64_t page_ns = 50 * AW_MILLISECOND;
    uint64_t count = (uint64_t)session->options.run.count;
    struct unitysim_screen before = page(session);
    enum aw_status status = AW_OK;
    for (uint64_t n = 0; status == AW_OK && !(count && n >= count); n++) {
        struct unitysim_screen screen = page(session);
        /* The direction of a joint follows from two pages. */
        for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
            double change = screen.velocity[i] ? screen.ticks[i] - before.ticks[i] : 0;
            screen.way[i] = (change > 0) - (change < 0);
        }
        snprintf(screen.lines[1], SCREEN_LINE, "q quit");
        status = unitysim_screen_draw(session, &screen, true);
        before = screen;
        int64_t now = aw_clock_now(session->clock);
        if (status == AW_OK)
            status =
                aw_unitysim_idle(unitysim_of(session), now + page_ns, NULL, NULL, &session->err);
        if (now >= viewing->deadline || (keys && is_left()))
            break;
    }
    return status;
}

enum aw_status run_view(struct aw_session *session, const struct aw_args *args)
{
    if (aw_session_formatted(session))
        return aw_run_status(session, args);
    enum aw_status status = unitysim_ready_with_feedback(session);
    if (status != AW_OK)
        return status;
    if (unitysim_screen_live())
        return unitysim_screen_show(session, live_view,
                                    &(struct viewing){session, aw_session_end(session)});
    struct unitysim_screen screen = page(session);
    return unitysim_screen_draw(session, &screen, false);
}
