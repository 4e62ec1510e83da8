/* Piecewise polynomials through waypoints: calculates coefficients, position and velocity. */
#include "control/trajectory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DEGREE (AW_PATH_ORDER - 1)

/* Velocity and acceleration of one channel at a point. */
struct knot {
    double v, a;
};

/* Waypoints of one channel. */
struct channel_points {
    const double *t_s, *points; /* every channels-th number of points belongs to this channel */
    size_t n, channels;
};

static double get_segment_time(const struct channel_points *c, size_t segment)
{
    return c->t_s[segment + 1] - c->t_s[segment];
}

static double get_segment_rise(const struct channel_points *c, size_t segment)
{
    return c->points[(segment + 1) * c->channels] - c->points[segment * c->channels];
}

/* ---- Cubic ---- */

static void find_cubic_knots(const struct channel_points *c, struct knot *knots)
{
    for (size_t k = 1; k + 1 < c->n; k++) {
        double slope_before = get_segment_rise(c, k - 1) / get_segment_time(c, k - 1),
               slope_after = get_segment_rise(c, k) / get_segment_time(c, k);
        bool reverses =
            (slope_before < 0) != (slope_after < 0) || slope_before == 0 || slope_after == 0;
        knots[k].v = reverses ? 0 : slope_before / 2 + slope_after / 2;
    }
}

/* ---- Quintic -----------------------------------------------------------------------------------
 *
 * Third and fourth derivative of two neighbouring segments agree at their common point: two
 * equations for each inner point, in the velocities and accelerations there and at both neighbours.
 * The matrix is symmetric and positive definite (it is that of the least jerk), so elimination
 * needs no pivot.
 */

struct matrix {
    double vv, va, av, aa;
};

static struct knot apply_matrix(const struct matrix *m, const struct knot *x)
{
    return (struct knot){m->vv * x->v + m->va * x->a, m->av * x->v + m->aa * x->a};
}

static struct matrix multiply(const struct matrix *m, const struct matrix *x)
{
    return (struct matrix){m->vv * x->vv + m->va * x->av, m->vv * x->va + m->va * x->aa,
                           m->av * x->vv + m->aa * x->av, m->av * x->va + m->aa * x->aa};
}

/* Eliminates the previous point from the equations of point k. Afterwards knot k = knots[k] -
 * carry[k] · knot k + 1. left and right multiply the neighbouring knots, and pivot multiplies knot
 * k. */
static void eliminate(const struct channel_points *c, struct knot *knots, struct matrix *carry,
                      size_t k)
{
    double h0 = get_segment_time(c, k - 1), h1 = get_segment_time(c, k);
    double slope0 = get_segment_rise(c, k - 1) / pow(h0, 3),
           slope1 = get_segment_rise(c, k) / pow(h1, 3);
    double cross = 36 / (h1 * h1) - 36 / (h0 * h0);
    struct matrix left = {168 / pow(h0, 3), 24 / (h0 * h0), -24 / (h0 * h0), -3 / h0};
    struct matrix right = {168 / pow(h1, 3), -24 / (h1 * h1), 24 / (h1 * h1), -3 / h1};
    struct matrix removed = multiply(&left, &carry[k - 1]);
    struct matrix pivot = {192 / pow(h0, 3) + 192 / pow(h1, 3) - removed.vv, cross - removed.va,
                           cross - removed.av, 9 / h0 + 9 / h1 - removed.aa};
    struct knot carried = apply_matrix(&left, &knots[k - 1]);
    struct knot right_side = {360 * slope0 / h0 + 360 * slope1 / h1 - carried.v,
                              60 * slope1 - 60 * slope0 - carried.a};
    double det = pivot.vv * pivot.aa - pivot.va * pivot.av;
    struct matrix inverse = {pivot.aa / det, -pivot.va / det, -pivot.av / det, pivot.vv / det};
    knots[k] = apply_matrix(&inverse, &right_side);
    carry[k] = multiply(&inverse, &right);
}

static void find_quintic_knots(const struct channel_points *c, struct knot *knots,
                               struct matrix *carry)
{
    carry[0] = (struct matrix){0};
    for (size_t k = 1; k + 1 < c->n; k++)
        eliminate(c, knots, carry, k);
    for (size_t k = c->n - 1; k-- > 1;) {
        struct knot later = apply_matrix(&carry[k], &knots[k + 1]);
        knots[k] = (struct knot){knots[k].v - later.v, knots[k].a - later.a};
    }
}

/* ---- Segments ---- */

/* Calculates the coefficients of a segment that rises by p between two knots, whose derivatives are
 * by u. */
static void set_segment(double *c, enum aw_path_mode mode, double p, const struct knot *from,
                        const struct knot *to)
{
    switch (mode) {
    case AW_PATH_CUBIC:
        c[1] = from->v;
        c[2] = 3 * p - 2 * from->v - to->v;
        c[3] = -2 * p + from->v + to->v;
        break;
    case AW_PATH_QUINTIC:
        c[1] = from->v;
        c[2] = from->a / 2;
        c[3] = 10 * p - 6 * from->v - 4 * to->v - 1.5 * from->a + 0.5 * to->a;
        c[4] = -15 * p + 8 * from->v + 7 * to->v + 1.5 * from->a - to->a;
        c[5] = 6 * p - 3 * from->v - 3 * to->v - 0.5 * from->a + 0.5 * to->a;
        break;
    default:
        c[1] = p;
    }
}

static struct knot scale_knot(const struct knot *knot, double h)
{
    return (struct knot){knot->v * h, knot->a * h * h};
}

/* ---- Building ---- */

static enum aw_status set_segments(struct aw_path *path, enum aw_path_mode mode,
                                   const struct channel_points *c, const struct knot *knots,
                                   size_t channel, struct aw_error *err)
{
    struct aw_path_segment *segment = &path->segments[channel];
    segment->c[0] = c->points[0];
    for (size_t k = 0; k + 1 < c->n; k++, segment += path->channels) {
        double h = get_segment_time(c, k);
        struct knot from = scale_knot(&knots[k], h), to = scale_knot(&knots[k + 1], h);
        segment->c[0] = c->points[k * c->channels];
        set_segment(segment->c, mode, get_segment_rise(c, k), &from, &to);
        for (int i = 0; i < AW_PATH_ORDER; i++)
            if (!isfinite(segment->c[i]))
                return aw_fail(err, AW_USAGE,
                               "path: points %zu and %zu are too far apart for the time between "
                               "them — allow more time",
                               k + 1, k + 2);
    }
    return AW_OK;
}

static enum aw_status set_channels(struct aw_path *path, enum aw_path_mode mode,
                                   const double *points, struct aw_error *err)
{
    struct knot *knots = calloc(path->n, sizeof *knots);
    struct matrix *carry = calloc(path->n, sizeof *carry);
    enum aw_status status = knots && carry ? AW_OK : aw_no_memory(err);
    for (size_t i = 0; i < path->channels && status == AW_OK; i++) {
        const struct channel_points c = {path->t_s, points + i, path->n, path->channels};
        memset(knots, 0, path->n * sizeof *knots);
        if (mode == AW_PATH_CUBIC)
            find_cubic_knots(&c, knots);
        else if (mode == AW_PATH_QUINTIC)
            find_quintic_knots(&c, knots, carry);
        status = set_segments(path, mode, &c, knots, i, err);
    }
    free(knots);
    free(carry);
    return status;
}

static enum aw_status check_points(const double *t_s, const double *points, size_t n,
                                   size_t channels, struct aw_error *err)
{
    if (n == 0 || channels == 0)
        return aw_fail(err, AW_USAGE, "path has no points — give at least one");
    for (size_t i = 0; i < n * channels; i++)
        if (!isfinite(points[i]))
            return aw_fail(err, AW_USAGE, "path: point %zu is not finite — correct it",
                           i / channels + 1);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(t_s[i]))
            return aw_fail(err, AW_USAGE, "path: time of point %zu is not finite — correct it",
                           i + 1);
        if (i > 0 && t_s[i] <= t_s[i - 1])
            return aw_fail(
                err, AW_USAGE,
                "path: point %zu at %.9g s is not after the previous point — give increasing times",
                i + 1, t_s[i]);
    }
    return AW_OK;
}

enum aw_status aw_path_init(struct aw_path *path, enum aw_path_mode mode, const double *t_s,
                            const double *points, size_t n, size_t channels, struct aw_error *err)
{
    *path = (struct aw_path){.n = n, .channels = channels};
    enum aw_status status = check_points(t_s, points, n, channels, err);
    if (status != AW_OK)
        return status;
    path->t_s = calloc(n, sizeof *path->t_s);
    path->segments = calloc((n > 1 ? n - 1 : 1) * channels, sizeof *path->segments);
    if (path->t_s && path->segments) {
        memcpy(path->t_s, t_s, n * sizeof *t_s);
        status = set_channels(path, mode, points, err);
    } else
        status = aw_no_memory(err);
    if (status != AW_OK)
        aw_path_free(path);
    return status;
}

void aw_path_free(struct aw_path *path)
{
    free(path->t_s);
    free(path->segments);
    *path = (struct aw_path){0};
}

/* ---- Evaluating ---- */

static double evaluate(const double *c, int degree, double u)
{
    double sum = c[degree];
    while (degree-- > 0)
        sum = sum * u + c[degree];
    return sum;
}

/* Calculates the coefficients of the derivative, whose degree is lower by one. */
static void differentiate(const double *c, int degree, double *out)
{
    for (int i = 1; i <= degree; i++)
        out[i - 1] = c[i] * i;
}

static double get_segment_duration(const struct aw_path *path, size_t segment)
{
    return path->n > 1 ? path->t_s[segment + 1] - path->t_s[segment] : 1;
}

void aw_path_evaluate(const struct aw_path *path, double t_s, double *position, double *velocity)
{
    size_t segment = 0; /* last segment that has started at t_s */
    for (size_t end = path->n > 1 ? path->n - 1 : 1; end - segment > 1;) {
        size_t middle = segment + (end - segment) / 2;
        *(t_s < path->t_s[middle] ? &end : &segment) = middle;
    }
    double h = get_segment_duration(path, segment);
    double u = fmin(fmax((t_s - path->t_s[segment]) / h, 0), path->n > 1 ? 1 : 0);
    bool is_moving = t_s >= path->t_s[0] && t_s < path->t_s[path->n - 1];
    for (size_t i = 0; i < path->channels; i++) {
        const double *c = path->segments[segment * path->channels + i].c;
        double slope[DEGREE];
        differentiate(c, DEGREE, slope);
        if (position)
            position[i] = evaluate(c, DEGREE, u);
        if (velocity)
            velocity[i] = is_moving ? evaluate(slope, DEGREE - 1, u) / h : 0;
    }
}

/* ---- Extremes ---- */

/* Finds the points between 0 and 1 where the polynomial changes its sign, to the last bit. There is
 * at most one between neighbouring zeros of its derivative. Returns their number. */
static int find_zeros(const double *c, int degree, double *out)
{
    double slope[DEGREE], extremes[DEGREE + 1];
    int n = 0;
    if (degree == 0)
        return 0;
    differentiate(c, degree, slope);
    int n_extremes = find_zeros(slope, degree - 1, extremes);
    extremes[n_extremes] = 1;
    for (int i = 0; i <= n_extremes; i++) {
        double low = i > 0 ? extremes[i - 1] : 0, high = extremes[i];
        bool falls = evaluate(c, degree, high) < 0;
        if ((evaluate(c, degree, low) < 0) == falls)
            continue;
        for (double middle; (middle = low + (high - low) / 2) > low && middle < high;)
            *((evaluate(c, degree, middle) < 0) == falls ? &high : &low) = middle;
        out[n++] = low;
    }
    return n;
}

struct aw_path_extremes aw_path_extremes(const struct aw_path *path, size_t segment, size_t channel)
{
    const double *c = path->segments[segment * path->channels + channel].c;
    double slope[DEGREE], slope2[DEGREE - 1], at[DEGREE + 1] = {0};
    double start = path->t_s[segment], h = get_segment_duration(path, segment);
    struct aw_path_extremes x = {c[0], start, c[0], start, 0, start};
    differentiate(c, DEGREE, slope);
    differentiate(slope, DEGREE - 1, slope2);
    int n = find_zeros(slope, DEGREE - 1, at);
    at[n++] = 1;
    for (int i = 0; i < n && path->n > 1; i++) {
        double position = evaluate(c, DEGREE, at[i]), t_s = start + at[i] * h;
        if (position < x.low) {
            x.low = position;
            x.low_t_s = t_s;
        }
        if (position > x.high) {
            x.high = position;
            x.high_t_s = t_s;
        }
    }
    n = find_zeros(slope2, DEGREE - 2, at);
    at[n++] = 0;
    at[n++] = 1;
    for (int i = 0; i < n; i++) {
        double speed = fabs(evaluate(slope, DEGREE - 1, at[i]) / h);
        if (speed > x.max_speed) {
            x.max_speed = speed;
            x.max_speed_t_s = start + at[i] * h;
        }
    }
    return x;
}
