/* unitysim view and status: the arm live on the terminal, or where it is now as a table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol/unitysim/shape.h"
#include "screen.h"
#include "shell/commands/status.h"

static struct unity_screen page(struct aw_session *session)
{
    const struct aw_unitysim *unity = unity_of(session);
    const struct aw_unitysim_feedback *feedback = &unity->feedback;
    const char *url = "";
    struct unity_screen screen = {.limits = unity->options.limits, .selected = -1};
    aw_session_url(session, &url);
    snprintf(screen.title, sizeof screen.title, "Bento Arm   %.150s%s", url,
             aw_unitysim_stale(unity) ? "   FEEDBACK IS SILENT" : "");
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

static enum aw_status live_view(void *context, bool keys)
{
    const struct viewing *viewing = context;
    struct aw_session *session = viewing->session;
    static const int64_t page_ns = 50 * AW_MILLISECOND;
    char text[8];
    uint64_t count = (uint64_t)aw_option_number(session, "count");
    struct unity_screen before = page(session);
    enum aw_status status = AW_OK;
    for (uint64_t n = 0; status == AW_OK && !(count && n >= count); n++) {
        struct unity_screen screen = page(session);
        /* Which way a joint goes shows between two pages. */
        for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
            double change = screen.velocity[i] ? screen.ticks[i] - before.ticks[i] : 0;
            screen.way[i] = (change > 0) - (change < 0);
        }
        snprintf(screen.lines[1], SCREEN_LINE, "q quit");
        status = unity_screen_draw(session, &screen, true);
        before = screen;
        int64_t now = aw_clock_now(session->clock);
        if (status == AW_OK)
            status = aw_unitysim_idle(unity_of(session), now + page_ns, NULL, NULL, &session->err);
        const char *key = keys ? unity_key(text) : NULL;
        if (now >= viewing->deadline || (key && strcmp(key, "q") == 0))
            break;
    }
    return status;
}

enum aw_status run_view(struct aw_session *session, const struct aw_args *args)
{
    if (aw_session_formatted(session))
        return run_status(session, args);
    enum aw_status status = unity_ready_with_feedback(session);
    if (status != AW_OK)
        return status;
    if (unity_screen_live())
        return unity_screen_show(session, live_view,
                                 &(struct viewing){session, aw_session_end(session)});
    struct unity_screen screen = page(session);
    return unity_screen_draw(session, &screen, false);
}

/* ---- status ------------------------------------------------------------------------------------
 */

enum aw_status run_status(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    enum aw_status status = unity_ready_with_feedback(session);
    if (status != AW_OK)
        return status;
    const struct aw_unitysim_feedback *feedback = &unity_of(session)->feedback;
    double age_s = (double)aw_unitysim_age_ns(unity_of(session)) / 1e9;
    aw_status_begin(session, (const char *const[]){"ticks", "velocity", NULL});
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        const struct aw_status_value more[] = {{"ticks", feedback->position[i], 0, NULL},
                                               {"velocity", feedback->velocity[i], 0, NULL},
                                               {0}};
        aw_status_joint(session,
                        &(struct aw_status_joint){
                            .name = aw_unitysim_joint_name(i),
                            .target = NAN, /* the simulator is told velocities, and tells none */
                            .actual = aw_unitysim_degrees(feedback->position[i]),
                            .decimals = 2,
                            .unit = "deg",
                            .age_s = age_s,
                            .more = more});
    }
    /* Where things are held, in mm. */
    double degrees[AW_UNITYSIM_JOINTS];
    struct aw_unitysim_shape shape;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        degrees[i] = aw_unitysim_degrees(unity_of(session)->feedback.position[i]);
    aw_unitysim_shape(degrees, &shape);
    const struct aw_unitysim_point grasp = shape.at[AW_UNITYSIM_AT_GRASP];
    if (aw_session_text(session)) {
        aw_output_print(&session->out, "grasp x=%.1fmm y=%.1fmm z=%.1fmm\n", grasp.x, grasp.y,
                        grasp.z);
        return AW_OK;
    }
    aw_object_number(&session->result, "grasp.x", grasp.x, 1, "mm");
    aw_object_number(&session->result, "grasp.y", grasp.y, 1, "mm");
    aw_object_number(&session->result, "grasp.z", grasp.z, 1, "mm");
    return AW_OK;
}
