/* The arm's geometry from its angles, and its two projections as lines. */
#include "protocol/unitysim/shape.h"

#include <math.h>

/* Distances along the arm, joint to joint, mm. */
static const double shoulder_x = -100.6, shoulder_y = 218.0;
static const double upper_forward = 30.6, upper_down = 93.7;
static const double forearm = 153.3, wrist = 40.6, palm = 83.8;
static const double finger = 105.2, grasp = 73.3;
static const double closed_deg = -10.546875; /* 1928 ticks */

/* The position and orientation of a body. */
struct frame {
    struct aw_unitysim_point at, forward, y_range, right;
};

static struct aw_unitysim_point combine_points(struct aw_unitysim_point a, double ka,
                                               struct aw_unitysim_point b, double kb)
{
    return (struct aw_unitysim_point){a.x * ka + b.x * kb, a.y * ka + b.y * kb,
                                      a.z * ka + b.z * kb};
}

/* Rotates the axis "from" towards "to", and "to" away from "from". */
static void rotate_axes(struct aw_unitysim_point *from, struct aw_unitysim_point *to, double deg)
{
    double s = sin(deg * M_PI / 180), c = cos(deg * M_PI / 180);
    struct aw_unitysim_point rotated = combine_points(*from, c, *to, s);
    *to = combine_points(*to, c, *from, -s);
    *from = rotated;
}

static void advance(struct frame *f, double mm)
{
    f->at = combine_points(f->at, 1, f->forward, mm);
}

void aw_unitysim_shape(const double degrees[AW_UNITYSIM_JOINTS], struct aw_unitysim_shape *shape)
{
    struct aw_unitysim_point *points = shape->points;
    struct frame f = {{shoulder_x, shoulder_y, 0}, {-1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    points[AW_UNITYSIM_AT_FOOT] = (struct aw_unitysim_point){shoulder_x, AW_UNITYSIM_TABLE_Y, 0};
    points[AW_UNITYSIM_AT_SHOULDER] = f.at;
    rotate_axes(&f.forward, &f.right, degrees[AW_UNITYSIM_SHOULDER]);
    advance(&f, upper_forward);
    points[AW_UNITYSIM_AT_UPPER_ARM] = f.at;
    f.at = combine_points(f.at, 1, f.y_range, -upper_down);
    points[AW_UNITYSIM_AT_ELBOW] = f.at;
    rotate_axes(&f.forward, &f.y_range, degrees[AW_UNITYSIM_ELBOW]);
    advance(&f, forearm);
    points[AW_UNITYSIM_AT_WRIST_ROTATE] = f.at;
    rotate_axes(&f.y_range, &f.right, degrees[AW_UNITYSIM_WRIST_ROTATE]);
    advance(&f, wrist);
    points[AW_UNITYSIM_AT_WRIST_FLEX] = f.at;
    rotate_axes(&f.forward, &f.y_range, degrees[AW_UNITYSIM_WRIST_FLEX]);
    advance(&f, palm);
    points[AW_UNITYSIM_AT_HAND] = f.at;
    points[AW_UNITYSIM_AT_FINGER] = combine_points(f.at, 1, f.forward, finger);
    points[AW_UNITYSIM_AT_GRASP] = combine_points(f.at, 1, f.forward, grasp);
    rotate_axes(&f.forward, &f.right, closed_deg - degrees[AW_UNITYSIM_HAND]);
    points[AW_UNITYSIM_AT_THUMB] = combine_points(f.at, 1, f.forward, finger);
}

/* ---- Drawing ---- */

/* The visible region, in mm: right is forward (-x), up is y or the arm's left (-z). */
struct window {
    double left, right, bottom, top;
};

static const struct window windows[] = {
    [AW_UNITYSIM_FROM_THE_SIDE] = {20, 540, -70, 470},
    [AW_UNITYSIM_FROM_ABOVE] = {20, 540, -420, 420},
};

/* A drawing from one side. The scale is in dots per mm, the origin in dots on the canvas. */
struct picture {
    struct aw_braille *canvas;
    enum aw_unitysim_side side;
    double scale, origin_x, origin_y;
};

struct canvas_point {
    double x, y;
};

static struct picture make_picture(struct aw_braille *canvas, enum aw_unitysim_side side)
{
    const struct window *w = &windows[side];
    double width = canvas->columns * 2, height = canvas->rows * 4;
    double across = width / (w->right - w->left), upright = height / (w->top - w->bottom);
    double scale = across < upright ? across : upright;
    return (struct picture){canvas, side, scale, width / 2 - scale * (w->left + w->right) / 2,
                            height / 2 + scale * (w->bottom + w->top) / 2};
}

static struct canvas_point project(const struct picture *p, struct aw_unitysim_point at)
{
    double up = p->side == AW_UNITYSIM_FROM_ABOVE ? -at.z : at.y;
    return (struct canvas_point){p->origin_x - at.x * p->scale, p->origin_y - up * p->scale};
}

/* Draws a joint as a small square around its axis. */
static void draw_joint(const struct picture *p, struct aw_unitysim_point at, int color)
{
    struct canvas_point s = project(p, at);
    for (int dx = -1; dx <= 1; dx++)
        for (int dy = -1; dy <= 1; dy++)
            aw_braille_draw_dot(p->canvas, (int)lround(s.x) + dx, (int)lround(s.y) + dy, color);
}

void aw_unitysim_draw_shape(const struct aw_unitysim_shape *shape, enum aw_unitysim_side side,
                            struct aw_braille *canvas)
{
    enum { ARM = 1, HAND = 2 };
    static const struct {
        uint8_t from, to, color;
    } bones[] = {
        {AW_UNITYSIM_AT_FOOT, AW_UNITYSIM_AT_SHOULDER, 0},
        {AW_UNITYSIM_AT_SHOULDER, AW_UNITYSIM_AT_UPPER_ARM, ARM},
        {AW_UNITYSIM_AT_UPPER_ARM, AW_UNITYSIM_AT_ELBOW, ARM},
        {AW_UNITYSIM_AT_ELBOW, AW_UNITYSIM_AT_WRIST_ROTATE, ARM},
        {AW_UNITYSIM_AT_WRIST_ROTATE, AW_UNITYSIM_AT_WRIST_FLEX, ARM},
        {AW_UNITYSIM_AT_WRIST_FLEX, AW_UNITYSIM_AT_HAND, ARM},
        {AW_UNITYSIM_AT_HAND, AW_UNITYSIM_AT_FINGER, HAND},
        {AW_UNITYSIM_AT_HAND, AW_UNITYSIM_AT_THUMB, HAND},
    };
    static const uint8_t joints[] = {AW_UNITYSIM_AT_SHOULDER, AW_UNITYSIM_AT_ELBOW,
                                     AW_UNITYSIM_AT_WRIST_FLEX, AW_UNITYSIM_AT_HAND};
    struct picture p = make_picture(canvas, side);
    const struct window *w = &windows[p.side];
    struct canvas_point a =
        project(&p, (struct aw_unitysim_point){-w->left, AW_UNITYSIM_TABLE_Y, 0});
    struct canvas_point b =
        project(&p, (struct aw_unitysim_point){-w->right, AW_UNITYSIM_TABLE_Y, 0});
    if (p.side == AW_UNITYSIM_FROM_THE_SIDE)
        aw_braille_draw_line(p.canvas, a.x, a.y, b.x, b.y, 0);
    for (size_t i = 0; i < sizeof bones / sizeof *bones; i++) {
        a = project(&p, shape->points[bones[i].from]);
        b = project(&p, shape->points[bones[i].to]);
        aw_braille_draw_line(canvas, a.x, a.y, b.x, b.y, bones[i].color);
    }
    for (size_t i = 0; i < sizeof joints; i++)
        draw_joint(&p, shape->points[joints[i]], ARM);
}
