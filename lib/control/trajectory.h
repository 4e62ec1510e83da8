/* A smooth path through given points at given times, for several joints at once.
 *
 *     struct aw_path path;
 *     static const double t[] = {0, 1, 3}, points[] = {0, 10,  45, 20,  90, 0};
 *     if (aw_path_init(&path, AW_PATH_CUBIC, t, points, 3, 2, &err) == AW_OK)
 *         aw_path_at(&path, 0.5, position, velocity);
 *     aw_path_free(&path);
 *
 * Each pair of neighbouring points is joined by one polynomial for each channel:
 *
 *   linear   straight, at constant speed; the velocity jumps at the points
 *   cubic    continuous velocity. It is 0 at both ends; at an inner point it is the mean of the
 *            slopes of the straight lines before and behind it, or 0 if these go different ways or
 *            one is level (Craig, Introduction to Robotics, 7.3)
 *   quintic  velocity and acceleration 0 at both ends; at the inner points velocities and
 *            accelerations that make the third and fourth derivative continuous, too: of all paths
 *            through the points that start and end at rest, the one of least jerk
 *
 * Between two points only, cubic is 3u² - 2u³ and quintic 10u³ - 15u⁴ + 6u⁵. Through several points
 * both may swing beyond them, which is why the extremes are there to be checked. Values are those
 * of the polynomials to rounding: a point at 90 may come as 90.00000000000001.
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
    double c[AW_PATH_ORDER]; /* of u⁰ to u⁵ */
};

/* Owns t_s and segments. */
struct aw_path {
    size_t n, channels; /* points, at least 1 */
    double *t_s;        /* of each point */
    /* by segment (n - 1; one for a single point), then by channel */
    struct aw_path_segment *segments;
};

/* points has n rows of channels numbers each, in any unit. AW_USAGE: no point or channel, a number
 * that is not finite, or times that do not rise; AW_NO_MEMORY. *path is empty then. */
enum aw_status aw_path_init(struct aw_path *path, enum aw_path_mode mode, const double *t_s,
                            const double *points, size_t n, size_t channels, struct aw_error *err);
void aw_path_free(struct aw_path *path);

/* Position and velocity (per second) of all channels at t_s; either may be NULL. Before the first
 * point the path stands there, after the last one there. Where the velocity jumps, at a point of a
 * linear path, it is that of the segment to come. */
void aw_path_at(const struct aw_path *path, double t_s, double *position, double *velocity);

/* Where a channel goes to between point segment and the next: exact, from the zeros of the
 * derivatives. */
struct aw_path_extremes {
    double low, low_t_s;
    double high, high_t_s;
    double speed, speed_t_s; /* the highest magnitude of the velocity */
};
struct aw_path_extremes aw_path_extremes(const struct aw_path *path, size_t segment,
                                         size_t channel);

#endif
