/* Shows live drawings of the device on the terminal, or prints one as text. */
#include "shell/look/view.h"

#include <string.h>

#include "view/terminal/cells.h"
#include "view/terminal/screen.h"

#define FRAME_NS (50 * AW_MILLISECOND)

enum aw_status aw_view_print(struct aw_session *session, const struct aw_braille *canvas)
{
    struct aw_output *out = &session->out;
    unsigned how =
        (aw_screen_is_utf8() ? AW_BRAILLE_UTF8 : 0) | (out->color ? AW_BRAILLE_COLOR : 0);
    size_t room = (size_t)canvas->columns * AW_BRAILLE_ROW;
    for (int y = 0; y < canvas->rows; y++) {
        char *at = aw_output_reserve(out, room + 1);
        at += aw_braille_print_row(canvas, y, how, at, room);
        *at++ = '\n';
        aw_output_commit(out, at);
    }
    return aw_output_flush(out, &session->err);
}

static enum aw_status print_once(struct aw_session *session, const struct aw_view *view,
                                 void *context)
{
    struct aw_braille canvas;
    if (!aw_braille_init(&canvas, view->columns, view->rows))
        return aw_no_memory(&session->err);
    view->draw(context, &canvas);
    enum aw_status status = aw_view_print(session, &canvas);
    aw_braille_free(&canvas);
    return status;
}

static enum aw_status animate(struct aw_session *session, const struct aw_view *view, void *context,
                              struct aw_screen *screen)
{
    int64_t deadline = aw_session_end_time(session);
    uint64_t count = (uint64_t)session->options.run.count;
    enum aw_status status = AW_OK;
    bool is_left = false, shows_help = false;
    for (uint64_t n = 0; status == AW_OK && !is_left && !(count && n >= count) &&
                         aw_clock_now(session->clock) < deadline;
         n++) {
        struct aw_braille *canvas = aw_screen_get_canvas(screen);
        if (canvas) {
            view->draw(context, canvas);
            if (shows_help)
                aw_cell_draw_keys(canvas, view->keys);
            const char *text = view->keys ? " q quit  ? keys" : " q quit";
            aw_braille_draw_text(canvas, canvas->columns - (int)strlen(text) - 1, canvas->rows - 1,
                                 text, AW_BRAILLE_DIM);
            aw_screen_show(screen);
        }
        status = view->wait(context, aw_clock_now(session->clock) + FRAME_NS);
        for (int key; (key = aw_screen_read_key(screen)) != AW_KEY_NONE;) {
            is_left = is_left || key == 'q' || key == AW_KEY_ESCAPE;
            shows_help = key == '?' ? view->keys && !shows_help : shows_help;
            if (view->key)
                view->key(context, key);
        }
    }
    return status;
}

enum aw_status aw_view_show(struct aw_session *session, const struct aw_view *view, void *context)
{
    if (!aw_screen_is_possible())
        return print_once(session, view, context);
    aw_options_set(&session->options, "quiet", "1", AW_FROM_COMMAND_LINE, NULL);
    struct aw_screen *screen = aw_screen_open(session->out.color, &session->err);
    if (!screen)
        return session->err.status;
    enum aw_status status = animate(session, view, context, screen);
    aw_screen_close(screen);
    return status;
}
