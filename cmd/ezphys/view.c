/* view: draws the simulation on the terminal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/core/url.h"
#include "protocol/ezphys/picture.h"
#include "shell/look/view.h"
#include "shell/source/live.h"
#include "state.h"
#include "view/terminal/screen.h"

struct viewer {
    struct aw_session *session;
    struct aw_scene *scene; /* owned; NULL: shapes are unknown */
    struct aw_ezphys_picture picture;
    double speed; /* simulated seconds per second */
    double sim_s; /* time to show next */
    bool paused;
};

static void draw(void *context, struct aw_braille *canvas)
{
    struct viewer *v = context;
    const struct aw_ezphys_state *s = &ezphys_client(v->session)->state;
    char text[160];
    aw_ezphys_picture_recenter(&v->picture, s);
    aw_ezphys_picture_draw(&v->picture, s, canvas);
    snprintf(text, sizeof text,
             "%.3f s  step %lld  bodies %zu  joints %zu  contacts %zu  grid %g m%s",
             aw_ezphys_state_time(s), (long long)s->step, s->n_bodies, s->n_joints, s->n_contacts,
             v->picture.grid_m, v->paused ? "  paused" : "");
    aw_braille_draw_text(canvas, 0, 0, text, 0);
}

/* ---- Time and keys ---- */

/* Runs the simulation until the next picture, at the pace of --speed. */
static enum aw_status run_until(void *context, int64_t due_ns)
{
    struct viewer *v = context;
    struct aw_session *session = v->session;
    struct aw_ezphys *ez = ezphys_client(session);
    enum aw_status status = AW_OK;
    double now = aw_ezphys_state_time(&ez->state);
    double seconds = (double)(due_ns - aw_clock_now(session->clock)) / 1e9;
    bool was_reset = now < v->sim_s - 1;
    v->sim_s = was_reset ? now : v->sim_s + (v->paused ? 0 : v->speed * seconds);
    while (status == AW_OK && aw_clock_now(session->clock) < due_ns) {
        if (ez->lockstep.must_answer && (v->paused || aw_ezphys_state_time(&ez->state) >= v->sim_s))
            return aw_clock_sleep(session->clock, due_ns);
        status = aw_ezphys_answer(ez, &session->err);
        if (status == AW_OK)
            status = ezphys_receive(session, due_ns, EZ_RECONNECT);
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

static void handle_key(void *context, int key)
{
    static const double step = 0.1, zoom_step = 1.2;
    struct viewer *v = context;
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
        p->zoom *= zoom_step;
        break;
    case '-':
        p->zoom /= zoom_step;
        break;
    case ' ':
        v->paused = !v->paused;
        break;
    default:
        break;
    }
}

static enum aw_status load_scene(struct viewer *v)
{
    struct aw_session *session = v->session;
    struct aw_url url;
    const char *given_scene = ezphys_given(session)->scene,
               *name = given_scene ? given_scene : ezphys_find_sim_scene(session, &url);
    if (!name)
        return AW_OK;
    v->scene = calloc(1, sizeof *v->scene);
    return v->scene ? aw_scene_load(v->scene, name, &session->err) : aw_no_memory(&session->err);
}

static enum aw_status show_view(struct viewer *v)
{
    static const struct aw_view view = {.columns = 78,
                                        .rows = 24,
                                        .keys = all_keys,
                                        .draw = draw,
                                        .wait = run_until,
                                        .key = handle_key};
    struct aw_session *session = v->session;
    double seconds = session->options.run.for_s;
    enum aw_status status = load_scene(v);
    if (status == AW_OK)
        status = ezphys_begin(session);
    if (status != AW_OK)
        return status;
    v->picture = (struct aw_ezphys_picture){.scene = v->scene,
                                            .names = &ezphys_state(session)->name_sets.names};
    aw_ezphys_picture_fit(&v->picture, &ezphys_client(session)->state);
    v->sim_s = aw_ezphys_state_time(&ezphys_client(session)->state);
    if (!aw_screen_is_possible() && seconds > 0)
        status = ezphys_run_for(session, seconds, NULL, NULL);
    return status == AW_OK ? aw_view_show(session, &view, v) : status;
}

enum aw_status run_view(struct aw_session *session, const struct aw_args *args)
{
    struct viewer v = {.session = session};
    (void)args;
    v.speed = ezphys_read_given(session)->speed;
    enum aw_status status = aw_live_check_style(session);
    if (status == AW_OK)
        status = show_view(&v);
    free(v.scene);
    return status;
}
