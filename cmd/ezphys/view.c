/* view: the bodies in outline, on the terminal. Shapes are not on the wire: with --scene they are
 * drawn as they are, else each body is the cross of its axes. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ezphys/scene.h"
#include "state.h"
#include "view/screen.h"

#define FPS     20
#define COLUMNS 78 /* where there is no terminal */
#define ROWS    24
#define AXIS_M  0.15 /* half of a cross, where sizes are not known */

struct viewer {
    struct aw_session *session;
    struct aw_scene *scene;    /* NULL: shapes are not known */
    double azimuth, elevation; /* rad, of the eye */
    double center[3], radius;  /* of what is seen, m */
    double zoom, speed;
    bool paused;
};

/* ---- From the world to the canvas --------------------------------------------------------------
 */

/* v' = q v q*, for a unit quaternion w x y z. */
static void turn(const double q[4], const double v[3], double out[3])
{
    const double *u = q + 1;
    double t[3] = {2 * (u[1] * v[2] - u[2] * v[1]), 2 * (u[2] * v[0] - u[0] * v[2]),
                   2 * (u[0] * v[1] - u[1] * v[0])};
    out[0] = v[0] + q[0] * t[0] + u[1] * t[2] - u[2] * t[1];
    out[1] = v[1] + q[0] * t[1] + u[2] * t[0] - u[0] * t[2];
    out[2] = v[2] + q[0] * t[2] + u[0] * t[1] - u[1] * t[0];
}

static void project(const struct viewer *v, const struct aw_braille *canvas, const double p[3],
                    double *x, double *y)
{
    double d[3] = {p[0] - v->center[0], p[1] - v->center[1], p[2] - v->center[2]};
    double ca = cos(v->azimuth), sa = sin(v->azimuth);
    double right = -sa * d[0] + ca * d[1], away = ca * d[0] + sa * d[1];
    double up = d[2] * cos(v->elevation) - away * sin(v->elevation);
    double width = canvas->columns * 2.0, height = canvas->rows * 4.0;
    double scale = v->zoom * 0.45 * fmin(width, height) / v->radius;
    *x = width / 2 + right * scale;
    *y = height / 2 - up * scale;
}

static void line(const struct viewer *v, struct aw_braille *canvas, const double a[3],
                 const double b[3], int color)
{
    double x0, y0, x1, y1;
    project(v, canvas, a, &x0, &y0);
    project(v, canvas, b, &x1, &y1);
    aw_braille_line(canvas, x0, y0, x1, y1, color);
}

/* ---- Bodies ------------------------------------------------------------------------------------
 */

static void place(const struct aw_ez_body *body, const double local[3], double out[3])
{
    turn(body->rotation, local, out);
    for (int i = 0; i < 3; i++)
        out[i] += body->position[i];
}

static void edge(const struct viewer *v, struct aw_braille *canvas, const struct aw_ez_body *body,
                 const double a[3], const double b[3], int color)
{
    double p[3], q[3];
    place(body, a, p);
    place(body, b, q);
    line(v, canvas, p, q, color);
}

static void draw_box(const struct viewer *v, struct aw_braille *canvas,
                     const struct aw_ez_body *body, const double half[3], int color)
{
    for (int corner = 0; corner < 8; corner++)
        for (int axis = 0; axis < 3; axis++) {
            double a[3], b[3];
            if (corner >> axis & 1)
                continue;
            for (int i = 0; i < 3; i++)
                a[i] = b[i] = corner >> i & 1 ? half[i] : -half[i];
            b[axis] = half[axis];
            edge(v, canvas, body, a, b, color);
        }
}

/* A circle about axis, at a height on it. */
static void draw_circle(const struct viewer *v, struct aw_braille *canvas,
                        const struct aw_ez_body *body, int axis, double radius, double height,
                        int color)
{
    enum { PIECES = 24 };
    for (int i = 0; i < PIECES; i++) {
        double a[3], b[3], *ends[] = {a, b};
        for (int k = 0; k < 2; k++) {
            double angle = 2 * 3.14159265358979323846 * (i + k) / PIECES;
            ends[k][axis] = height;
            ends[k][(axis + 1) % 3] = radius * cos(angle);
            ends[k][(axis + 2) % 3] = radius * sin(angle);
        }
        edge(v, canvas, body, a, b, color);
    }
}

static void draw_tube(const struct viewer *v, struct aw_braille *canvas,
                      const struct aw_ez_body *body, const double size[3], int color)
{
    for (int end = -1; end <= 1; end += 2)
        draw_circle(v, canvas, body, 2, size[0], end * size[1] / 2, color);
    for (int i = 0; i < 4; i++) {
        double x = i % 2 ? 0 : (i - 1) * size[0], y = i % 2 ? (i - 2) * size[0] : 0;
        edge(v, canvas, body, (const double[]){x, y, -size[1] / 2},
             (const double[]){x, y, size[1] / 2}, color);
    }
}

static void draw_cross(const struct viewer *v, struct aw_braille *canvas,
                       const struct aw_ez_body *body, int color)
{
    for (int axis = 0; axis < 3; axis++) {
        double a[3] = {0}, b[3] = {0};
        a[axis] = -AXIS_M;
        b[axis] = AXIS_M;
        edge(v, canvas, body, a, b, color);
    }
}

static const struct aw_scene_body *shape_of(const struct viewer *v, const struct aw_ez_body *body)
{
    for (size_t i = 0; v->scene && i < v->scene->n_bodies; i++)
        if (strcmp(v->scene->bodies[i].name, body->object.name) == 0)
            return &v->scene->bodies[i];
    return NULL;
}

static void draw_body(const struct viewer *v, struct aw_braille *canvas,
                      const struct aw_ez_body *body, int color)
{
    const struct aw_scene_body *shape = shape_of(v, body);
    if (!shape) {
        draw_cross(v, canvas, body, color);
    } else if (shape->shape == AW_SCENE_BOX) {
        const double *s = shape->size_m, half[3] = {s[0] / 2, s[1] / 2, s[2] / 2};
        draw_box(v, canvas, body, half, color);
    } else if (shape->shape == AW_SCENE_SPHERE) {
        for (int axis = 0; axis < 3; axis++)
            draw_circle(v, canvas, body, axis, shape->size_m[0], 0, color);
    } else {
        draw_tube(v, canvas, body, shape->size_m, color);
    }
}

/* ---- The picture -------------------------------------------------------------------------------
 */

static const struct aw_ez_body *body_of(const struct viewer *v, const char *name)
{
    return *name ? aw_ez_state_body(&ez_of(v->session)->state, name) : NULL;
}

/* Limbs: from body to body, where names tell which ones a joint holds together. */
static void draw_joints(const struct viewer *v, struct aw_braille *canvas)
{
    const struct aw_ez_names *names = &ez_state(v->session)->names;
    for (size_t i = 0; i < names->n; i++) {
        const struct aw_ez_name *joint = &names->list[i];
        const struct aw_ez_body *a = body_of(v, joint->bodies[0]),
                                *b = body_of(v, joint->bodies[1]);
        if (joint->kind == AW_EZ_JOINT && a && b)
            line(v, canvas, a->position, b->position, 3);
    }
}

static void draw_ground(const struct viewer *v, struct aw_braille *canvas)
{
    enum { LINES = 4 };
    double step = v->radius / LINES, x0 = v->center[0], y0 = v->center[1];
    for (int i = -LINES; i <= LINES; i++) {
        line(v, canvas, (const double[]){x0 + i * step, y0 - v->radius, 0},
             (const double[]){x0 + i * step, y0 + v->radius, 0}, 6);
        line(v, canvas, (const double[]){x0 - v->radius, y0 + i * step, 0},
             (const double[]){x0 + v->radius, y0 + i * step, 0}, 6);
    }
}

/* All of the first picture fits; later the eye stays. */
static void aim(struct viewer *v)
{
    const struct aw_ez_state *s = &ez_of(v->session)->state;
    v->radius = 0.5;
    for (int i = 0; i < 3; i++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t b = 0; b < s->n_bodies; b++) {
            low = fmin(low, s->bodies[b].position[i]);
            high = fmax(high, s->bodies[b].position[i]);
        }
        v->center[i] = s->n_bodies ? (low + high) / 2 : 0;
        v->radius = s->n_bodies ? fmax(v->radius, 0.3 + 0.6 * (high - low)) : v->radius;
    }
    if (s->n_bodies == 1) /* it will swing or fall */
        v->radius = 1.5;
}

static void draw(const struct viewer *v, struct aw_braille *canvas)
{
    const struct aw_ez_state *s = &ez_of(v->session)->state;
    char text[120];
    if (v->scene && v->scene->ground)
        draw_ground(v, canvas);
    draw_joints(v, canvas);
    for (size_t i = 0; i < s->n_bodies; i++)
        draw_body(v, canvas, &s->bodies[i], 1);
    for (size_t i = 0; i < s->n_contacts; i++) {
        double x, y;
        project(v, canvas, s->contacts[i].point, &x, &y);
        for (int k = -1; k <= 1; k++)
            aw_braille_dot(canvas, (int)x + k, (int)y, 2);
    }
    snprintf(text, sizeof text, "%.3f s  step %lld  %zu bodies  %zu joints  %zu contacts%s",
             aw_ez_state_time(s), (long long)s->step, s->n_bodies, s->n_joints, s->n_contacts,
             v->paused ? "  paused" : "");
    aw_braille_text(canvas, 0, 0, text, 0);
}

/* ---- Time and keys -----------------------------------------------------------------------------
 */

/* Goes on with the simulation until this picture is due, at the pace of --speed. */
static enum aw_status run_until(struct viewer *v, int64_t due, double sim_end)
{
    struct aw_session *session = v->session;
    struct aw_ez *ez = ez_of(session);
    enum aw_status status = AW_OK;
    while (status == AW_OK && aw_clock_now(session->clock) < due) {
        if (ez->owed && (v->paused || aw_ez_state_time(&ez->state) >= sim_end))
            return aw_clock_sleep(session->clock, due);
        status = aw_ez_answer(ez, &session->err);
        if (status == AW_OK)
            status = ez_receive(session, due, EZ_AGAIN);
    }
    return status == AW_TIMEOUT ? AW_OK : status;
}

static bool take_key(struct viewer *v, int key)
{
    static const double step = 0.1;
    switch (key) {
    case AW_KEY_LEFT:
        v->azimuth -= step;
        break;
    case AW_KEY_RIGHT:
        v->azimuth += step;
        break;
    case AW_KEY_UP:
        v->elevation = fmin(v->elevation + step, 1.5);
        break;
    case AW_KEY_DOWN:
        v->elevation = fmax(v->elevation - step, -1.5);
        break;
    case '+':
        v->zoom *= 1.2;
        break;
    case '-':
        v->zoom /= 1.2;
        break;
    case ' ':
        v->paused = !v->paused;
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
    double sim = aw_ez_state_time(&ez_of(session)->state);
    while (status == AW_OK && !leave && aw_clock_now(session->clock) < deadline) {
        int64_t due = aw_clock_now(session->clock) + AW_SECOND / FPS;
        double now = aw_ez_state_time(&ez_of(session)->state);
        sim =
            now < sim - 1 ? now : sim + (v->paused ? 0 : v->speed / FPS); /* after a reset: anew */
        status = run_until(v, due, sim);
        for (int key; (key = aw_screen_key(screen)) != AW_KEY_NONE;)
            leave = take_key(v, key) || leave;
        struct aw_braille *canvas = aw_screen_canvas(screen);
        if (canvas)
            draw(v, canvas);
        aw_screen_show(screen);
    }
    return status;
}

/* One picture as text. */
static enum aw_status print_picture(struct viewer *v)
{
    struct aw_braille canvas;
    char row[COLUMNS * AW_BRAILLE_ROW];
    struct aw_output *out = &v->session->out;
    if (!aw_braille_init(&canvas, COLUMNS, ROWS))
        return aw_fail(&v->session->err, AW_NO_LINK, "out of memory");
    draw(v, &canvas);
    for (int i = 0; i < ROWS; i++) {
        aw_braille_row(&canvas, i, aw_screen_utf8() ? AW_BRAILLE_UTF8 : 0, row, sizeof row);
        aw_output_print(out, "%s\n", row);
    }
    aw_braille_free(&canvas);
    return AW_OK;
}

static enum aw_status load_scene(struct viewer *v)
{
    struct aw_session *session = v->session;
    const char *name = aw_option(session, "scene"), *url;
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
    return v->scene ? aw_scene_load(v->scene, name, &session->err)
                    : aw_fail(&session->err, AW_NO_LINK, "out of memory");
}

static enum aw_status show(struct viewer *v)
{
    struct aw_session *session = v->session;
    double seconds = aw_option_number(session, "for");
    enum aw_status status = load_scene(v);
    if (status == AW_OK)
        status = ez_begin(session);
    if (status != AW_OK)
        return status;
    aim(v);
    if (!aw_screen_possible())
        return seconds > 0 && (status = ez_go_on(session, seconds, NULL, NULL)) != AW_OK
                   ? status
                   : print_picture(v);
    aw_options_set(&session->options, "quiet", "1", AW_FROM_COMMAND_LINE, NULL);
    struct aw_screen *screen = aw_screen_open(session->out.color, &session->err);
    if (!screen)
        return session->err.status;
    int64_t now = aw_clock_now(session->clock);
    status = animate(v, screen, seconds > 0 ? now + (int64_t)(seconds * 1e9) : AW_NEVER);
    aw_screen_close(screen);
    return status;
}

enum aw_status run_view(struct aw_session *session, const struct aw_args *args)
{
    struct viewer v = {.session = session, .azimuth = 0.6, .elevation = 0.25, .zoom = 1};
    (void)args;
    v.speed = aw_option_number(session, "speed");
    enum aw_status status = show(&v);
    free(v.scene);
    return status;
}
