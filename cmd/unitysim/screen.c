/* Lays out the arm on a terminal of any size: two pictures, the table of joints, messages. */
#include "screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "protocol/unitysim/shape.h"
#include "shell/safety/ask.h"
#include "shell/safety/stop.h"
#include "view/terminal/screen.h"

enum {
    BAR = 24,
    GAP = 2,
    FIXED_LINES = 9 + SCREEN_LINES, /* other lines than the pictures */
    USUAL_ROWS = 12,
    LEAST_ROWS = 3, /* lower pictures are unreadable */
    WIDEST = 400,
    WITH_BARS = 74, /* columns of a joint with its bar */
};

struct page {
    struct aw_session *session;
    const struct unitysim_screen *screen;
    bool live, utf8;
    int columns, rows;
    int left; /* lines left on the terminal */
};

bool unitysim_screen_live(void)
{
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

enum aw_status unitysim_screen_show(struct aw_session *session, unitysim_pages *pages,
                                    void *context)
{
    enum aw_status status;
    bool suspended;
    aw_stop_watch_suspend(session, true);
    do {
        struct termios before;
        bool keys = aw_terminal_keys(&before);
        aw_output_draw(&session->out, "\033[?1049h\033[?25l\033[2J");
        aw_output_flush(&session->out, NULL);
        status = pages(context, keys);
        aw_output_draw(&session->out, "\033[?25h\033[?1049l");
        aw_output_flush(&session->out, NULL);
        if (keys)
            tcsetattr(STDIN_FILENO, TCSANOW, &before);
        suspended = status == AW_STOPPED && aw_stop_is_suspend();
        if (suspended)
            aw_stop_suspend(session);
    } while (suspended);
    aw_stop_watch_suspend(session, false);
    return status;
}

static struct page page_for(struct aw_session *session, const struct unitysim_screen *screen,
                            bool live)
{
    struct winsize size = {.ws_col = 80, .ws_row = 24};
    struct page page = {session, screen, live, aw_screen_utf8(), 80, 24, 0};
    if (live && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        page.columns = size.ws_col < WIDEST ? size.ws_col : WIDEST;
        page.rows = size.ws_row;
    }
    page.left = page.rows - 1;
    return page;
}

/* On a terminal, erases the rest of the old line and truncates long text. */
static void line(struct page *page, const char *text)
{
    struct aw_output *out = &page->session->out;
    if (!page->live)
        aw_output_draw(out, "%s\n", text);
    else if (page->left-- > 0)
        aw_output_draw(out, "%s\033[K\r\n", text);
}

static void cut(const struct page *page, char *text)
{
    int width = 0;
    for (; page->live && *text; text++) {
        bool starts = ((unsigned char)*text & 0xC0) != 0x80;
        if (starts && ++width > page->columns - 1)
            *text-- = '\0';
    }
}

static void cut_line(struct page *page, const char *text)
{
    char fitting[SCREEN_LINE];
    snprintf(fitting, sizeof fitting, "%s", text);
    cut(page, fitting);
    line(page, fitting);
}

/* ---- Pictures ---- */

static bool copy_picture(const struct aw_unitysim_shape *shape, enum aw_unitysim_side side,
                         struct aw_braille *to, int column, int width)
{
    struct aw_braille from;
    if (!aw_braille_init(&from, width, to->rows - 1))
        return false;
    aw_unitysim_draw(shape, side, &from);
    for (int y = 0; y < from.rows; y++)
        memcpy(&to->cells[(y + 1) * to->columns + column], &from.cells[y * width],
               (size_t)width * sizeof *from.cells);
    aw_braille_free(&from);
    return true;
}

static bool pictures(struct page *page)
{
    struct aw_unitysim_shape shape;
    struct aw_braille canvas;
    double degrees[AW_UNITYSIM_JOINTS];
    int rows = page->live ? page->rows - FIXED_LINES : USUAL_ROWS;
    int width = (page->columns - GAP) / 2;
    if (rows < LEAST_ROWS || width < 1)
        return true;
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        degrees[i] = aw_unitysim_degrees(page->screen->ticks[i]);
    aw_unitysim_shape(degrees, &shape);
    if (!aw_braille_init(&canvas, width * 2 + GAP, rows + 1))
        return false;
    bool drawn = copy_picture(&shape, AW_UNITYSIM_FROM_THE_SIDE, &canvas, 0, width) &&
                 copy_picture(&shape, AW_UNITYSIM_FROM_ABOVE, &canvas, width + GAP, width);
    aw_braille_text(&canvas, 0, 0, "from its right", 0);
    aw_braille_text(&canvas, width + GAP, 0, "from above", 0);
    unsigned how =
        (page->utf8 ? AW_BRAILLE_UTF8 : 0) | (page->session->out.color ? AW_BRAILLE_COLOR : 0);
    for (int y = 0; drawn && y < canvas.rows; y++) {
        char text[WIDEST * AW_BRAILLE_ROW + 1];
        aw_braille_row(&canvas, y, how, text, sizeof text);
        line(page, text);
    }
    aw_braille_free(&canvas);
    return drawn;
}

/* ---- Joints ---- */

/* Draws the joint's position between its limits. */
static void bar(const struct page *page, int joint, char *out)
{
    static const char *const signs[][4] = {{"|", "-", "o", "|"}, {"├", "─", "●", "┤"}};
    const char *const *sign = signs[page->utf8];
    const struct aw_unitysim_limit *limit = &page->screen->limits.joint[joint];
    double share = (page->screen->ticks[joint] - limit->min) / (limit->max - limit->min + 1e-9);
    int at = (int)lround(share * (BAR - 1));
    at = at < 0 ? 0 : at >= BAR ? BAR - 1 : at;
    for (int i = 0; i < BAR; i++) {
        const char *text = i == at ? sign[2] : i == 0 ? sign[0] : i == BAR - 1 ? sign[3] : sign[1];
        out += sprintf(out, "%s", text);
    }
}

static void joint_row(struct page *page, int joint)
{
    const struct unitysim_screen *screen = page->screen;
    const struct aw_unitysim_limit *limit = &screen->limits.joint[joint];
    char text[320], scale[BAR * 4 + 1], how[16];
    bar(page, joint, scale);
    int velocity = screen->velocity[joint];
    snprintf(how, sizeof how, "%c%d", "- +"[screen->way[joint] + 1], velocity);
    int n = snprintf(text, sizeof text, " %-12s %5.0f %7.1f   %-6s", aw_unitysim_joint_name(joint),
                     screen->ticks[joint], aw_unitysim_degrees(screen->ticks[joint]),
                     velocity == 0 ? "stop" : how);
    if (page->columns >= WITH_BARS)
        snprintf(text + n, sizeof text - (size_t)n, " %5d %s %-5d", limit->min, scale, limit->max);
    cut_line(page, text);
}

enum aw_status unitysim_screen_draw(struct aw_session *session,
                                    const struct unitysim_screen *screen, bool live)
{
    struct page page = page_for(session, screen, live);
    if (live)
        aw_output_draw(&session->out, "\033[H");
    cut_line(&page, screen->title);
    if (!pictures(&page))
        return aw_no_memory(&session->err);
    cut_line(&page,
             page.columns >= WITH_BARS
                 ? " joint        ticks     deg   speed    min                            max"
                 : " joint        ticks     deg   speed");
    for (int i = 0; i < AW_UNITYSIM_JOINTS; i++)
        joint_row(&page, i);
    for (int i = 0; i < SCREEN_LINES; i++)
        if (*screen->lines[i])
            cut_line(&page, screen->lines[i]);
    if (live)
        aw_output_draw(&session->out, "\033[J");
    return aw_output_flush(&session->out, &session->err);
}
