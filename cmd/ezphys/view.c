/* view: draws the simulation on the terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/ezphys/picture.h"
#include "shell/source/live.h"
#include "state.h"
#include "view/terminal/cells.h"
#include "view/terminal/screen.h"

#define FPS     20
#define COLUMNS 78 /* without a terminal */
#define ROWS    24

struct viewer {
    struct aw_session *session;
    struct aw_scene *scene; /* owned; NULL: shapes are unknown */
    struct aw_ezphys_picture picture;
    double speed;
    bool paused, keys;
};

static void draw(struct viewer *v, struct aw_braille *canvas)
{
    const struct aw_ezphys_state *s = &ezphys_of(v->session)->state;
    char text[160];
    aw_ezphys_picture_follow(&v->picture, s);
    aw_ezphys_picture_draw(&v->picture, s, canvas);
    snprintf(text, sizeof text,
             "%.3f s  step %lld  bodies %zu  joints %zu  contacts %zu  grid %g m%s",
             aw_ezphys_state_time(s), (long long)s->step, s->n_bodies, s->n_joints, s->n_contacts,
             v->picture.grid_m, v->paused ? "  paused" : "");
    aw_braille_text(canvas, 0, 0, text, 0);
}

/* ---- Time and keys ---- */

/* Runs the simulation until the next picture, at the pace of --speed. */
static enum aw_status run_until(struct viewer *v, int64_t due, double sim_end)
{
    struct aw_session *session = v->session;
    struct aw_ezphys *ez = ezphys_of(session);
    enum aw_status status = AW_OK;
    while (status == AW_OK && aw_clock_now(session->clock) < due) {
        if (ez->owed && (v->paused || aw_ezphys_state_time(&ez->state) >= sim_end))
            return aw_clock_sleep(session->clock, due);
        status = aw_ezphys_answer(ez, &session->err);
        if (status == AW_OK)
            status = ezphys_receive(session, due, EZ_AGAIN);
    }
    return status == AW_TIMEOUT ? AW_OK : status;
}

/* clang-format off */
static const char *const all_keys[] = {
    "arrows", "rotate the view",
    "+ -", "zoom in, zoom out",
    "space", "pause, resume",
    "q", "leave",
    "?", "show or hide this help",
    NULL,
};
/* clang-format on */

static bool handle_key(struct viewer *v, int key)
{
    static const double step = 0.1, closer = 1.2;
    struct aw_ezphys_picture *p = &v->picture;
    switch (key) {
    case AW_KEY_LEFT:
        p->azimuth -= step;
        break;
    case AW_KEY_RIGHT:
        p->azimuth += step;
        break;
    case AW_KEY_UP:
        p->elevation = fmin(p->elevation + step, 1.5);
        break;
    case AW_KEY_DOWN:
        p->elevation = fmax(p->elevation - step, -1.5);
        break;
    case '+':
        p->zoom *= closer;
        break;
    case '-':
        p->zoom /= closer;
        break;
    case ' ':
        v->paused = !v->paused;
        break;
    case '?':
        v->keys = !v->keys;
        break;
    default:
        return key == 'q' || key == AW_KEY_ESCAPE;
    }
    return false;
}

static enum aw_status animate(struct viewer *v, struct aw_screen *screen, int64_t deadline)
{
    struct aw_session *session = v->session;
    enum aw_status status = AW_OK;
    bool leave = false;
    double sim = aw_ezphys_state_time(&ezphys_of(session)->state);
    while (status == AW_OK && !leave && aw_clock_now(session->clock) < deadline) {
        int64_t due = aw_clock_now(session->clock) + AW_SECOND / FPS;
        double now = aw_ezphys_state_time(&ezphys_of(session)->state);
        sim = now < sim - 1 ? now
                            : sim + (v->paused ? 0 : v->speed / FPS); /* restarts after a reset */
        status = run_until(v, due, sim);
        for (int key; (key = aw_screen_key(screen)) != AW_KEY_NONE;)
            leave = handle_key(v, key) || leave;
        struct aw_braille *canvas = aw_screen_canvas(screen);
        if (canvas)
            draw(v, canvas);
        if (canvas && v->keys)
            aw_cell_keys(canvas, all_keys);
        if (canvas)
            aw_braille_text(canvas, 0, canvas->rows - 1, "q quit  ? keys", AW_BRAILLE_DIM);
        aw_screen_show(screen);
    }
    return status;
}

/* Prints one picture as text. */
static enum aw_status print_picture(struct viewer *v)
{
    struct aw_braille canvas;
    char row[COLUMNS * AW_BRAILLE_ROW];
    struct aw_output *out = &v->session->out;
    if (!aw_braille_init(&canvas, COLUMNS, ROWS))
        return aw_no_memory(&v->session->err);
    draw(v, &canvas);
    for (int i = 0; i < ROWS; i++) {
        aw_braille_row(&canvas, i, aw_screen_utf8() ? AW_BRAILLE_UTF8 : 0, row, sizeof row);
        aw_output_draw(out, "%s\n", row);
    }
    aw_braille_free(&canvas);
    return AW_OK;
}

static enum aw_status load_scene(struct viewer *v)
{
    struct aw_session *session = v->session;
    const char *name = ezphys_given(session)->scene, *url;
    char shipped[64] = "";
    if (!name && aw_session_url(session, &url) == AW_OK && strncmp(url, "sim:", 4) == 0) {
        const char *scene = strstr(url, "scene=");
        const char *from = scene ? scene + 6 : url + 4;
        snprintf(shipped, sizeof shipped, "%.*s", (int)strcspn(from, "?&"), from);
        name = *shipped ? shipped : "pendulum";
    }
    if (!name)
        return AW_OK;
    v->scene = calloc(1, sizeof *v->scene);
    return v->scene ? aw_scene_load(v->scene, name, &session->err) : aw_no_memory(&session->err);
}

static enum aw_status show(struct viewer *v)
{
    struct aw_session *session = v->session;
    double seconds = session->options.run.for_s;
    enum aw_status status = load_scene(v);
    if (status == AW_OK)
        status = ezphys_begin(session);
    if (status != AW_OK)
        return status;
    v->picture =
        (struct aw_ezphys_picture){.scene = v->scene, .names = &ezphys_state(session)->names};
    aw_ezphys_picture_aim(&v->picture, &ezphys_of(session)->state);
    if (!aw_screen_possible())
        return seconds > 0 && (status = ezphys_go_on(session, seconds, NULL, NULL)) != AW_OK
                   ? status
                   : print_picture(v);
    aw_options_set(&session->options, "quiet", "1", AW_FROM_COMMAND_LINE, NULL);
    struct aw_screen *screen = aw_screen_open(session->out.color, &session->err);
    if (!screen)
        return session->err.status;
    status = animate(v, screen, aw_session_end(session));
    aw_screen_close(screen);
    return status;
}

enum aw_status run_view(struct aw_session *session, const struct aw_args *args)
{
    struct viewer v = {.session = session};
    (void)args;
    v.speed = ezphys_read_given(session)->speed;
    enum aw_status status = aw_live_check_form(session);
    if (status == AW_OK)
        status = show(&v);
    free(v.scene);
    return status;
}
