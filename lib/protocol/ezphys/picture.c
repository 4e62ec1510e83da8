/* Projects bodies, joints, contacts and the ground, and draws their outlines in braille dots. */
#include "protocol/ezphys/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ticks.h"

#define CROSS_M         0.15 /* half the size of the cross drawn for bodies of unknown size */
#define MIN_SWING_ANGLE 0.35 /* angle between the view and the plane of a swing, rad */
#define GRID_LINES      2    /* grid lines on each side of the centre */
#define FRAME           0.45 /* radius of the view, as a fraction of the canvas */
#define JOINT_COLOR     3

/* ---- From the world to the canvas ---- */

/* Rotates v by a unit quaternion w x y z: v' = q v q*. */
static void rotate(const double q[4], const double v[3], double out[3])
{
    const double *u = q + 1;
    double t[3] = {2 * (u[1] * v[2] - u[2] * v[1]), 2 * (u[2] * v[0] - u[0] * v[2]),
                   2 * (u[0] * v[1] - u[1] * v[0])};
    out[0] = v[0] + q[0] * t[0] + u[1] * t[2] - u[2] * t[1];
    out[1] = v[1] + q[0] * t[1] + u[2] * t[0] - u[0] * t[2];
    out[2] = v[2] + q[0] * t[2] + u[0] * t[1] - u[1] * t[0];
}

void aw_ezphys_picture_project(const struct aw_ezphys_picture *p, const struct aw_braille *canvas,
                               const double point[3], double *x, double *y)
{
    double d[3] = {point[0] - p->center[0], point[1] - p->center[1], point[2] - p->center[2]};
    double ca = cos(p->azimuth), sa = sin(p->azimuth);
    double right = -sa * d[0] + ca * d[1], depth = ca * d[0] + sa * d[1];
    double up = d[2] * cos(p->elevation) - depth * sin(p->elevation);
    double width = canvas->columns * 2.0, height = canvas->rows * 4.0;
    double scale = p->zoom * FRAME * fmin(width, height) / p->radius_m;
    *x = width / 2 + right * scale;
    *y = height / 2 - up * scale;
}

/* A picture in progress. */
struct drawing {
    const struct aw_ezphys_picture *picture;
    const struct aw_ezphys_state *state;
    struct aw_braille *canvas;
};

static void draw_line(const struct drawing *d, const double a[3], const double b[3], int color)
{
    double x0, y0, x1, y1;
    aw_ezphys_picture_project(d->picture, d->canvas, a, &x0, &y0);
    aw_ezphys_picture_project(d->picture, d->canvas, b, &x1, &y1);
    aw_braille_draw_line(d->canvas, x0, y0, x1, y1, color);
}

/* ---- Bodies ---- */

static void to_world(const struct aw_ezphys_body *body, const double local[3], double out[3])
{
    rotate(body->rotation, local, out);
    for (int i = 0; i < 3; i++)
        out[i] += body->position[i];
}

static void draw_edge(const struct drawing *d, const struct aw_ezphys_body *body, const double a[3],
                      const double b[3])
{
    double p[3], q[3];
    to_world(body, a, p);
    to_world(body, b, q);
    draw_line(d, p, q, 1);
}

static void draw_box(const struct drawing *d, const struct aw_ezphys_body *body,
                     const double size[3])
{
    for (int corner = 0; corner < 8; corner++)
        for (int axis = 0; axis < 3; axis++) {
            double a[3], b[3];
            if (corner >> axis & 1)
                continue;
            for (int i = 0; i < 3; i++)
                a[i] = b[i] = (corner >> i & 1 ? size[i] : -size[i]) / 2;
            b[axis] = size[axis] / 2;
            draw_edge(d, body, a, b);
        }
}

/* Draws a circle around axis, at a height on it. */
static void draw_circle(const struct drawing *d, const struct aw_ezphys_body *body, int axis,
                        double radius, double height)
{
    enum { PIECES = 24 };
    for (int i = 0; i < PIECES; i++) {
        double a[3], b[3], *ends[] = {a, b};
        for (int k = 0; k < 2; k++) {
            double angle = 2 * M_PI * (i + k) / PIECES;
            ends[k][axis] = height;
            ends[k][(axis + 1) % 3] = radius * cos(angle);
            ends[k][(axis + 2) % 3] = radius * sin(angle);
        }
        draw_edge(d, body, a, b);
    }
}

static void draw_tube(const struct drawing *d, const struct aw_ezphys_body *body,
                      const double size[3])
{
    for (int end = -1; end <= 1; end += 2)
        draw_circle(d, body, 2, size[0], end * size[1] / 2);
    for (int i = 0; i < 4; i++) {
        double x = i % 2 ? 0 : (i - 1) * size[0], y = i % 2 ? (i - 2) * size[0] : 0;
        draw_edge(d, body, (const double[]){x, y, -size[1] / 2},
                  (const double[]){x, y, size[1] / 2});
    }
}

static void draw_ball(const struct drawing *d, const struct aw_ezphys_body *body,
                      const double size[3])
{
    for (int axis = 0; axis < 3; axis++)
        draw_circle(d, body, axis, size[0], 0);
}

static const struct aw_scene_body *find_shape(const struct aw_scene *scene,
                                              const struct aw_ezphys_body *body)
{
    for (size_t i = 0; scene && i < scene->n_bodies; i++)
        if (strcmp(scene->bodies[i].name, body->object.name) == 0)
            return &scene->bodies[i];
    return NULL;
}

static void draw_body(const struct drawing *d, const struct aw_ezphys_body *body)
{
    static void (*const shapes[])(const struct drawing *, const struct aw_ezphys_body *,
                                  const double[3]) = {
        [AW_SCENE_BOX] = draw_box,
        [AW_SCENE_SPHERE] = draw_ball,
        [AW_SCENE_CAPSULE] = draw_tube,
        [AW_SCENE_CYLINDER] = draw_tube,
    };
    const struct aw_scene_body *shape = find_shape(d->picture->scene, body);
    if (shape)
        shapes[shape->shape](d, body, shape->size_m);
    else {
        for (int axis = 0; axis < 3; axis++) {
            double a[3] = {0}, b[3] = {0};
            a[axis] = -CROSS_M;
            b[axis] = CROSS_M;
            draw_edge(d, body, a, b);
        }
    }
}

/* ---- Joints ---- */

static const struct aw_ezphys_body *find_joint_body(const struct aw_scene *scene,
                                                    const struct aw_scene_joint *joint,
                                                    const struct aw_ezphys_state *state, int side)
{
    int index = joint->body[side];
    return index == AW_SCENE_WORLD ? NULL
                                   : aw_ezphys_state_find_body(state, scene->bodies[index].name);
}

/* Sliders and fixed joints have no pivot: uses the position of their first body. */
bool aw_ezphys_find_pivot(const struct aw_scene *scene, const struct aw_scene_joint *joint,
                          const struct aw_ezphys_state *state, double out[3])
{
    const struct aw_scene_body *first = &scene->bodies[joint->body[0]];
    const struct aw_ezphys_body *body = find_joint_body(scene, joint, state, 0);
    const double *anchor = joint->anchor_m, *at = first->position_m, *q = first->rotation;
    if (!body)
        return false;
    if (joint->kind == AW_SCENE_SLIDER || joint->kind == AW_SCENE_FIXED) {
        memcpy(out, body->position, sizeof body->position);
        return true;
    }
    memcpy(out, anchor, sizeof joint->anchor_m);
    if (joint->body[1] == AW_SCENE_WORLD)
        return true;
    double local[3];
    rotate((double[]){q[0], -q[1], -q[2], -q[3]},
           (double[]){anchor[0] - at[0], anchor[1] - at[1], anchor[2] - at[2]}, local);
    to_world(body, local, out);
    return true;
}

static void draw_along(const struct drawing *d, const double pivot[3], const double axis[3],
                       double half_length)
{
    double a[3], b[3];
    for (int i = 0; i < 3; i++) {
        a[i] = pivot[i] - axis[i] * half_length;
        b[i] = pivot[i] + axis[i] * half_length;
    }
    draw_line(d, a, b, JOINT_COLOR);
}

/* Draws the fixed part of a joint: a hatched ceiling above its pivot, or a slider's path. */
static void draw_anchor(const struct drawing *d, const struct aw_scene_joint *joint,
                        const double pivot[3])
{
    double unit = d->picture->radius_m / 12;
    double ca = cos(d->picture->azimuth), sa = sin(d->picture->azimuth);
    double right[3] = {-sa, ca, 0}, top[3] = {pivot[0], pivot[1], pivot[2] + unit};
    if (joint->kind == AW_SCENE_SLIDER) {
        draw_along(d, pivot, joint->axis[0], 4 * unit);
        return;
    }
    if (joint->kind == AW_SCENE_FIXED)
        return;
    draw_along(d, pivot, joint->axis[0], unit);
    draw_along(d, top, right, 2 * unit);
    for (int side = -1; side <= 1; side += 2)
        draw_line(
            d, pivot,
            (double[]){top[0] + side * right[0] * unit, top[1] + side * right[1] * unit, top[2]},
            JOINT_COLOR);
    for (int i = -2; i < 2; i++)
        draw_line(d, (double[]){top[0] + i * right[0] * unit, top[1] + i * right[1] * unit, top[2]},
                  (double[]){top[0] + (i + 1) * right[0] * unit, top[1] + (i + 1) * right[1] * unit,
                             top[2] + unit},
                  JOINT_COLOR);
}

static void draw_scene_joints(const struct drawing *d)
{
    const struct aw_scene *scene = d->picture->scene;
    for (size_t i = 0; i < scene->n_joints; i++) {
        const struct aw_scene_joint *joint = &scene->joints[i];
        double pivot[3];
        if (!aw_ezphys_find_pivot(scene, joint, d->state, pivot))
            continue;
        for (int k = 0; k < 2; k++) {
            const struct aw_ezphys_body *body = find_joint_body(scene, joint, d->state, k);
            if (body)
                draw_line(d, body->position, pivot, JOINT_COLOR);
        }
        if (joint->body[1] == AW_SCENE_WORLD)
            draw_anchor(d, joint, pivot);
    }
}

static const struct aw_ezphys_body *find_body(const struct aw_ezphys_state *state, const char *name)
{
    return *name ? aw_ezphys_state_find_body(state, name) : NULL;
}

/* ---- Picture ---- */

void aw_ezphys_picture_draw(const struct aw_ezphys_picture *picture,
                            const struct aw_ezphys_state *state, struct aw_braille *canvas)
{
    const struct drawing drawing = {picture, state, canvas}, *d = &drawing;
    const struct aw_ezphys_picture *p = d->picture;
    double step = p->grid_m, z = p->floor_m, reach = GRID_LINES * step;
    double x0 = round(p->center[0] / step) * step, y0 = round(p->center[1] / step) * step;
    for (int i = -GRID_LINES; i <= GRID_LINES; i++) {
        double x = x0 + i * step, y = y0 + i * step;
        draw_line(d, (double[]){x, y0 - reach, z}, (double[]){x, y0 + reach, z}, AW_BRAILLE_DIM);
        draw_line(d, (double[]){x0 - reach, y, z}, (double[]){x0 + reach, y, z}, AW_BRAILLE_DIM);
    }
    if (picture->scene)
        draw_scene_joints(d);
    else {
        const struct aw_ezphys_names *names = d->picture->names;
        for (size_t i = 0; names && i < names->n; i++) {
            const struct aw_ezphys_name *joint = &names->list[i];
            const struct aw_ezphys_body *a = find_body(d->state, joint->bodies[0]);
            const struct aw_ezphys_body *b = find_body(d->state, joint->bodies[1]);
            if (joint->kind == AW_EZPHYS_JOINT && a && b)
                draw_line(d, a->position, b->position, JOINT_COLOR);
        }
    }
    for (size_t i = 0; i < state->n_bodies; i++)
        draw_body(d, &state->bodies[i]);
    for (size_t i = 0; i < state->n_contacts; i++) {
        double x, y;
        aw_ezphys_picture_project(d->picture, d->canvas, state->contacts[i].point, &x, &y);
        aw_braille_draw_line(d->canvas, x - 1, y, x + 1, y, 2);
    }
}

/* ---- Camera ---- */

struct bounds {
    double low[3], high[3];
};

static void extend_bounds(struct bounds *b, const double point[3], double margin)
{
    for (int i = 0; i < 3; i++) {
        b->low[i] = fmin(b->low[i], point[i] - margin);
        b->high[i] = fmax(b->high[i], point[i] + margin);
    }
}

static double get_size(const struct aw_scene *scene, const struct aw_ezphys_body *body)
{
    const struct aw_scene_body *shape = find_shape(scene, body);
    if (!shape)
        return CROSS_M;
    const double *s = shape->size_m;
    return shape->shape == AW_SCENE_SPHERE ? s[0]
           : shape->shape == AW_SCENE_BOX  ? fmax(s[0], fmax(s[1], s[2])) / 2
                                           : fmax(s[0], s[1] / 2);
}

/* Returns true if the body may swing from the world on a turning joint whose axis is not nearly
 * vertical. It may swing in any direction, but with gravity never higher than its start. */
static bool can_swing(const struct aw_scene_joint *joint)
{
    return joint->body[1] == AW_SCENE_WORLD && joint->kind != AW_SCENE_SLIDER &&
           joint->kind != AW_SCENE_FIXED && fabs(joint->axis[0][2]) < 0.7;
}

static void include_swing(struct bounds *b, const struct aw_ezphys_state *s, const double pivot[3],
                          double gravity)
{
    double reach = 0, top = b->high[2];
    for (size_t i = 0; i < s->n_bodies; i++) {
        const double *at = s->bodies[i].position;
        reach = fmax(reach, hypot(hypot(at[0] - pivot[0], at[1] - pivot[1]), at[2] - pivot[2]));
    }
    extend_bounds(b, pivot, reach);
    if (gravity < 0)
        b->high[2] = fmax(top, pivot[2]);
}

static void fit_view(struct aw_ezphys_picture *p, const struct bounds *b)
{
    double ca = fabs(cos(p->azimuth)), sa = fabs(sin(p->azimuth));
    double extent[3];
    for (int i = 0; i < 3; i++) {
        p->center[i] = (b->low[i] + b->high[i]) / 2;
        extent[i] = (b->high[i] - b->low[i]) / 2;
    }
    double right = sa * extent[0] + ca * extent[1], depth = ca * extent[0] + sa * extent[1];
    double up = cos(p->elevation) * extent[2] + sin(p->elevation) * depth;
    /* terminals are wider than they are high */
    p->radius_m = fmax(0.5, 1.05 * fmax(up, right / 1.6));
    p->grid_m = aw_nice_step(p->radius_m / 3);
}

void aw_ezphys_picture_fit(struct aw_ezphys_picture *p, const struct aw_ezphys_state *s)
{
    struct bounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const struct aw_scene *scene = p->scene;
    double pivot[3];
    p->azimuth = 0.6;
    p->elevation = 0.25;
    p->zoom = 1;
    for (size_t i = 0; i < s->n_bodies; i++)
        extend_bounds(&b, s->bodies[i].position, get_size(scene, &s->bodies[i]));
    for (size_t i = 0; scene && i < scene->n_joints; i++)
        if (can_swing(&scene->joints[i]) &&
            aw_ezphys_find_pivot(scene, &scene->joints[i], s, pivot)) {
            include_swing(&b, s, pivot, scene->gravity_m_s2[2]);
            /* Looks almost along the axis of a swinging joint, so that x goes to the right;
             * otherwise from a corner. */
            double front = atan2(scene->joints[i].axis[0][1], scene->joints[i].axis[0][0]);
            p->azimuth = (sin(front) > 0 ? front - M_PI : front) + MIN_SWING_ANGLE;
        }
    if (s->n_bodies == 0)
        extend_bounds(&b, (const double[]){0, 0, 0}, 0.5);
    bool has_ground = scene && scene->has_ground;
    double height = b.high[2] - b.low[2];
    p->floor_m = has_ground ? scene->ground_offset_m : fmin(0, b.low[2] - height / 10);
    if (b.low[2] - p->floor_m < height) /* the floor is close enough to be shown */
        b.low[2] = fmin(b.low[2], p->floor_m);
    fit_view(p, &b);
}

void aw_ezphys_picture_recenter(struct aw_ezphys_picture *p, const struct aw_ezphys_state *s)
{
    double mean[3] = {0}, distance = 0;
    for (size_t i = 0; i < s->n_bodies; i++)
        for (int k = 0; k < 3; k++)
            mean[k] += s->bodies[i].position[k] / (double)s->n_bodies;
    for (int k = 0; k < 3; k++)
        distance = fmax(distance, fabs(mean[k] - p->center[k]));
    if (s->n_bodies > 0 && distance > p->radius_m)
        memcpy(p->center, mean, sizeof mean);
}
