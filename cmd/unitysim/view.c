/* unitysim view and status: the arm live on the terminal, or where it is now as a table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol/unitysim/shape.h"
#include "screen.h"

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
    enum aw_status status = unity_ready(session);
    if (status == AW_OK)
        status = unity_feedback(session);
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

/* Where things are held, in mm. */
static struct aw_unitysim_point grasp_point(struct aw_session *session)
{
    double degrees[AW_UNITYSIM_JOINTS];
    struct aw_unitysim_shape shape;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        degrees[i] = aw_unitysim_degrees(unity_of(session)->feedback.position[i]);
    aw_unitysim_shape(degrees, &shape);
    return shape.at[AW_UNITYSIM_AT_GRASP];
}

static void print_table(struct aw_session *session)
{
    const struct aw_unitysim_feedback *feedback = &unity_of(session)->feedback;
    const struct aw_unitysim_point grasp = grasp_point(session);
    struct aw_output *out = &session->out;
    const char *bold = out->color ? "\033[1m" : "", *plain = out->color ? "\033[0m" : "";
    aw_output_draw(out, "%s%-12s %10s %10s %10s%s\n", bold, "joint", "position", "", "velocity",
                   plain);
    aw_output_print(out, "%-12s %10s %10s\n", "", "ticks", "deg");
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        aw_output_print(out, "%-12s %10d %10.2f %10d\n", aw_unitysim_joint_name(i),
                        feedback->position[i], aw_unitysim_degrees(feedback->position[i]),
                        feedback->velocity[i]);
    aw_output_print(out, "grasp at x %.1f y %.1f z %.1f mm\n", grasp.x, grasp.y, grasp.z);
}

enum aw_status run_status(struct aw_session *session, const struct aw_args *args)
{
    (void)args;
    enum aw_status status = unity_ready(session);
    if (status == AW_OK)
        status = unity_feedback(session);
    if (status != AW_OK)
        return status;
    if (aw_session_text(session)) {
        print_table(session);
        return AW_OK;
    }
    aw_object_start(&session->result, "status");
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++) {
        char key[48];
        snprintf(key, sizeof key, "%s_velocity", aw_unitysim_joint_name(i));
        unity_report_joint(session, i);
        aw_object_number(&session->result, key, unity_of(session)->feedback.velocity[i], 0, NULL);
    }
    const struct aw_unitysim_point grasp = grasp_point(session);
    aw_object_number(&session->result, "grasp_x", grasp.x, 1, "mm");
    aw_object_number(&session->result, "grasp_y", grasp.y, 1, "mm");
    aw_object_number(&session->result, "grasp_z", grasp.z, 1, "mm");
    return AW_OK;
}
