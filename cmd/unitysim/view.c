/* unitysim view: draws the arm from two sides and its joints, live on the terminal or as text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "protocol/unitysim/shape.h"
#include "shell/joints/verbs.h"
#include "shell/look/view.h"
#include "state.h"
#include "view/terminal/screen.h"

enum {
    BAR = 24,
    GAP = 2,
    FIXED_ROWS = 9, /* rows besides the pictures */
    MIN_ROWS = 3,   /* lower pictures are not readable */
    TEXT = 320,
};

struct viewer {
    struct aw_session *session;
    int last_ticks[AW_UNITYSIM_JOINTS]; /* ticks in the last drawing, for the direction */
};

/* ---- Pictures ---- */

static void copy_picture(const struct aw_unitysim_shape *shape, enum aw_unitysim_side side,
                         struct aw_braille *target, int column, int width)
{
    struct aw_braille source;
    if (!aw_braille_init(&source, width, target->rows - FIXED_ROWS))
        return;
    aw_unitysim_draw_shape(shape, side, &source);
    for (int y = 0; y < source.rows; y++)
        memcpy(&target->cells[(y + 2) * target->columns + column], &source.cells[y * width],
               (size_t)width * sizeof *source.cells);
    aw_braille_free(&source);
}

static void draw_pictures(const int ticks[AW_UNITYSIM_JOINTS], struct aw_braille *canvas)
{
    struct aw_unitysim_shape shape;
    double degrees[AW_UNITYSIM_JOINTS];
    int width = (canvas->columns - GAP) / 2;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        degrees[i] = aw_unitysim_ticks_to_deg(ticks[i]);
    aw_unitysim_shape(degrees, &shape);
    copy_picture(&shape, AW_UNITYSIM_FROM_THE_SIDE, canvas, 0, width);
    copy_picture(&shape, AW_UNITYSIM_FROM_ABOVE, canvas, width + GAP, width);
    aw_braille_draw_text(canvas, 0, 1, "from the right", 0);
    aw_braille_draw_text(canvas, width + GAP, 1, "from above", 0);
}

/* ---- Joints ---- */

/* Draws the position between the limits. */
static void print_bar(const struct aw_unitysim_limit *limit, double ticks, char *out)
{
    static const char *const signs[][4] = {{"|", "-", "o", "|"}, {"├", "─", "●", "┤"}};
    const char *const *sign = signs[aw_screen_is_utf8()];
    double fraction = (ticks - limit->min) / (limit->max - limit->min + 1e-9);
    int index = (int)lround(fmin(fmax(fraction, 0), 1) * (BAR - 1));
    for (int i = 0; i < BAR; i++)
        out += sprintf(out, "%s", sign[i == index ? 2 : i == 0 ? 0 : i == BAR - 1 ? 3 : 1]);
}

static void draw_joint(struct viewer *v, int joint, struct aw_braille *canvas, int row)
{
    const struct aw_unitysim *unity = unitysim_client(v->session);
    const struct aw_unitysim_limit *limit = &unity->options.limits.joint[joint];
    int ticks = unity->feedback.position[joint];
    int change = ticks - v->last_ticks[joint];
    int velocity = unity->feedback.velocity[joint];
    char text[TEXT], bar[BAR * 4 + 1], speed[16] = "stop";
    if (velocity != 0)
        snprintf(speed, sizeof speed, "%c%d", change > 0 ? '+' : change < 0 ? '-' : ' ', velocity);
    print_bar(limit, ticks, bar);
    snprintf(text, sizeof text, " %-12s %5d %7.1f   %-6s %5d %s %-5d",
             aw_unitysim_joint_name(joint), ticks, aw_unitysim_ticks_to_deg(ticks), speed,
             limit->min, bar, limit->max);
    aw_braille_draw_text(canvas, 0, row, text, 0);
    v->last_ticks[joint] = ticks;
}

/* ---- Page ---- */

static void draw(void *context, struct aw_braille *canvas)
{
    struct viewer *v = context;
    const struct aw_unitysim *unity = unitysim_client(v->session);
    const char *url = "";
    char text[TEXT];
    int row = 1;
    aw_session_get_url(v->session, &url);
    snprintf(text, sizeof text, "Bento Arm   %.150s%s", url,
             aw_unitysim_is_stale(unity) ? "   NO FEEDBACK" : "");
    aw_braille_draw_text(canvas, 0, 0, text, 0);
    if (canvas->rows >= FIXED_ROWS + MIN_ROWS) {
        draw_pictures(unity->feedback.position, canvas);
        row = canvas->rows - FIXED_ROWS + 2;
    }
    aw_braille_draw_text(
        canvas, 0, row++,
        " joint        ticks     deg   speed    min                            max", 0);
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        draw_joint(v, i, canvas, row++);
    snprintf(text, sizeof text, "feedback %llu, lost %llu, damaged %llu",
             (unsigned long long)unity->counters.feedback, (unsigned long long)unity->counters.lost,
             (unsigned long long)unity->counters.malformed);
    aw_braille_draw_text(canvas, 0, row, text, 0);
}

static enum aw_status wait_until(void *context, int64_t due_ns)
{
    struct viewer *v = context;
    return aw_unitysim_idle(unitysim_client(v->session), due_ns, NULL, NULL, &v->session->err);
}

enum aw_status run_view(struct aw_session *session, const struct aw_args *args)
{
    static const struct aw_view view = {
        .columns = 80, .rows = 21, .draw = draw, .wait = wait_until};
    struct viewer viewer = {.session = session};
    if (aw_session_is_formatted(session))
        return aw_run_status(session, args);
    enum aw_status status = unitysim_open_with_feedback(session);
    return status == AW_OK ? aw_view_show(session, &view, &viewer) : status;
}
