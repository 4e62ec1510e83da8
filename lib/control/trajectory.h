/* A smooth path through given points at given times, for several joints at once.
 *
 *     struct aw_path path;
 *     static const double t[] = {0, 1, 3}, points[] = {0, 10,  45, 20,  90, 0};
 *     if (aw_path_init(&path, AW_PATH_CUBIC, t, points, 3, 2, &err) == AW_OK)
 *         aw_path_evaluate(&path, 0.5, position, velocity);
 *     aw_path_free(&path);
 *
 * One polynomial per channel joins each pair of neighbouring points:
 *
 *   linear   straight, at constant speed; the velocity jumps at the points
 *   cubic    continuous velocity. It is 0 at both ends. At an inner point it is the mean of the
 *            slopes of the lines before and after it. It is 0 if these slopes have opposite signs
 *            or one is 0 (Craig, Introduction to Robotics, 7.3)
 *   quintic  velocity and acceleration 0 at both ends. Velocities and accelerations at the inner
 *            points make the third and fourth derivative continuous, too. It has the least mean
 *            squared jerk of all paths through the points that start and end at rest
 *
 * Between two points only, cubic is 3u² - 2u³ and quintic 10u³ - 15u⁴ + 6u⁵. Between several
 * points, both may overshoot the points, so check the extremes. Values are subject to rounding: a
 * point at 90 may become 90.00000000000001.
 */
#ifndef AW_CONTROL_TRAJECTORY_H
#define AW_CONTROL_TRAJECTORY_H

#include <stddef.h>

#include "base/status.h"

enum aw_path_mode {
    AW_PATH_LINEAR,
    AW_PATH_CUBIC,
    AW_PATH_QUINTIC,
    AW_PATH_MODES,
};

#define AW_PATH_ORDER 6 /* coefficients of a quintic */

/* The polynomial of one channel between two points, in u = 0 to 1. */
struct aw_path_segment {
    double c[AW_PATH_ORDER]; /* coefficients of u⁰ to u⁵ */
};

/* Owns t_s and segments. */
struct aw_path {
    size_t n, channels; /* number of points (at least 1) and of channels */
    double *t_s;        /* time of each point */
    /* for each segment (n - 1, but one for a single point), all channels */
    struct aw_path_segment *segments;
};

/* Computes the path. points has n rows of one number per channel, in any unit. AW_USAGE: no point
 * or channel, a number that is not finite, times that do not increase, or points too far apart for
 * the time between them. AW_NO_MEMORY: out of memory. After an error, *path is empty: do not
 * evaluate it. */
enum aw_status aw_path_init(struct aw_path *path, enum aw_path_mode mode, const double *t_s,
                            const double *points, size_t n, size_t channels, struct aw_error *err);
void aw_path_free(struct aw_path *path);

/* Calculates position and velocity (per second) of all channels at t_s; either may be NULL. Before
 * the first point, the path rests at that point; after the last point, at the last one. If the
 * velocity jumps at a point of a linear path, returns that of the next segment. */
void aw_path_evaluate(const struct aw_path *path, double t_s, double *position, double *velocity);

/* Range of a channel within a segment: exact, from the zeros of the derivatives. */
struct aw_path_extremes {
    double low, low_t_s;
    double high, high_t_s;
    double max_speed, max_speed_t_s; /* max magnitude of the velocity, and its time */
};
struct aw_path_extremes aw_path_extremes(const struct aw_path *path, size_t segment,
                                         size_t channel);

#endif
