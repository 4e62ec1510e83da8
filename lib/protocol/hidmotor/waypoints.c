/* A path through waypoints in the arm's angles, checked for limits and speeds. */
#include "protocol/hidmotor/waypoint_parts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-6 /* deg */
#define TIMES    10   /* nobody means so many times the speed: a % was forgotten */
#define SPIKE    5.0  /* so much too fast is no motion */

/* ---- Checking ----------------------------------------------------------------------------------
 */

static bool outside(const struct aw_hidmotor_limits *limits, double deg, int joint, double slack)
{
    return deg < limits->min[joint] - slack || deg > limits->max[joint] + slack;
}

/* Of all points beyond a limit the farthest one is told: whoever mends that one mends most. */
static enum aw_status check_points(const struct aw_hidmotor_waypoints *way,
                                   const struct aw_hidmotor_limits *limits, struct aw_error *err)
{
    double farthest = -1, limit = 0;
    size_t n = 0, at = 0;
    int of = 0;
    for (size_t k = 0; k < way->n; k++)
        for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++) {
            double deg = way->points[k].pose.deg[i];
            double passed = aw_hidmotor_limit_passed(limits, deg, i);
            if (!outside(limits, deg, i, 0))
                continue;
            n++;
            if (fabs(deg - passed) <= farthest)
                continue;
            farthest = fabs(deg - passed);
            limit = passed;
            at = k;
            of = i;
        }
    if (n == 0)
        return AW_OK;
    char of_many[48] = "correct it";
    if (n > 1)
        snprintf(of_many, sizeof of_many, "correct all %zu such values", n);
    return aw_fail(err, AW_LIMIT,
                   "%s:%zu:1: %s: %.7g deg is %.3g deg beyond its limit of %g deg — %s", way->name,
                   way->points[at].line, way->columns[of], way->points[at].pose.deg[of], farthest,
                   limit, of_many);
}

static enum aw_status check_swing(const struct aw_hidmotor_waypoints *way, size_t k, int joint,
                                  double deg, double t_s, const struct aw_hidmotor_limits *limits,
                                  struct aw_error *err)
{
    if (!outside(limits, deg, joint, ROUNDING))
        return AW_OK;
    double limit = aw_hidmotor_limit_passed(limits, deg, joint);
    return aw_fail(err, AW_LIMIT,
                   "%s:%zu:1: %s: on the way here the curve swings to %.7g deg at %.4g s, %.3g deg "
                   "beyond its limit of %g deg — add a point or go straight",
                   way->name, way->points[k + 1].line, way->columns[joint], deg, t_s,
                   fabs(deg - limit), limit);
}

static double speed_of(const struct aw_hidmotor_waypoints *way)
{
    return way->how.speed > 0 ? way->how.speed : 1;
}

static enum aw_status check_speed(const struct aw_hidmotor_waypoints *way,
                                  const struct aw_path *path, struct aw_error *err)
{
    const struct aw_hidmotor_fastest x = aw_hidmotor_path_fastest(path);
    double most = way->recorded ? AW_HIDMOTOR_SPEED_MEASURED : AW_HIDMOTOR_FAST;
    double speed = speed_of(way), deg_s = speed * x.deg_s;
    double would_do = floor(100 * most / x.deg_s) / 100;
    char how[64] = "", times[64] = "";
    if (deg_s <= most + ROUNDING)
        return AW_OK;
    if (would_do >= 0.01)
        snprintf(how, sizeof how, ": --speed %.0f%% or --fit would do", 100 * would_do);
    if (speed >= TIMES)
        snprintf(times, sizeof times, "--speed %g is %g times as fast as the file", speed, speed);
    return aw_fail(err, AW_LIMIT,
                   "%.200s:%zu:1: %s: %.4g deg/s at %.4g s on the way here, faster than %g deg/s — "
                   "%s%s",
                   way->name, way->points[x.point + 1].line, way->columns[x.joint], deg_s, x.t_s,
                   most,
                   *times                  ? times
                   : would_do < 0.01       ? "wrong numbers, or times in another unit, s or ms?"
                   : deg_s <= SPIKE * most ? "leave more time"
                                           : "wrong numbers? delete the line, or leave more time",
                   how);
}

static enum aw_status check_segment(const struct aw_hidmotor_waypoints *way,
                                    const struct aw_path *path, size_t k, int joint,
                                    const struct aw_hidmotor_limits *limits, struct aw_error *err)
{
    struct aw_path_extremes x = aw_path_extremes(path, k, (size_t)joint);
    enum aw_status status = check_swing(way, k, joint, x.low, x.low_t_s, limits, err);
    return status == AW_OK ? check_swing(way, k, joint, x.high, x.high_t_s, limits, err) : status;
}

/* Those of the arm, or with force those of the wire. */
static struct aw_hidmotor_limits limits_of(bool force)
{
    struct aw_hidmotor_limits limits = aw_hidmotor_limits();
    for (int i = 0; i < AW_HIDMOTOR_JOINTS && force; i++) {
        limits.min[i] = -FLT_MAX;
        limits.max[i] = FLT_MAX;
    }
    return limits;
}

static enum aw_status check(const struct aw_hidmotor_waypoints *way, const struct aw_path *path,
                            bool force, struct aw_error *err)
{
    const struct aw_hidmotor_limits limits = limits_of(force);
    enum aw_status status = check_points(way, &limits, err);
    if (status == AW_OK && !force)
        status = check_speed(way, path, err);
    for (size_t k = 0; k + 1 < way->n; k++)
        for (int i = 0; i < AW_HIDMOTOR_JOINTS && status == AW_OK; i++)
            status = check_segment(way, path, k, i, &limits, err);
    return status;
}

/* ---- Paths -------------------------------------------------------------------------------------
 */

/* t_s has room for n numbers, deg for all joints of n points. */
static enum aw_status make_path(const struct aw_hidmotor_waypoints *way, enum aw_path_mode mode,
                                double *t_s, double *deg, struct aw_path *path,
                                struct aw_error *err)
{
    struct aw_error why;
    for (size_t k = 0; k < way->n; k++) {
        t_s[k] = way->points[k].t_s;
        memcpy(deg + k * AW_HIDMOTOR_JOINTS, way->points[k].pose.deg, sizeof way->points->pose.deg);
    }
    enum aw_status status = aw_path_init(path, mode, t_s, deg, way->n, AW_HIDMOTOR_JOINTS, &why);
    return status == AW_OK ? AW_OK : aw_fail(err, AW_LIMIT, "%s: %s", way->name, why.text);
}

enum aw_status aw_hidmotor_waypoints_path(const struct aw_hidmotor_waypoints *way,
                                          enum aw_path_mode mode, bool force, struct aw_path *path,
                                          struct aw_error *err)
{
    double length_s = (way->points[way->n - 1].t_s - way->points[0].t_s) / speed_of(way);
    *path = (struct aw_path){0};
    if (!(length_s <= AW_HIDMOTOR_LONGEST_S))
        return aw_fail(err, AW_LIMIT, "%s:%zu:1: the path takes %.4g s, more than %g — correct it",
                       way->name, way->points[way->n - 1].line, length_s, AW_HIDMOTOR_LONGEST_S);
    double *t_s = calloc(way->n, sizeof *t_s);
    double *deg = calloc(way->n * AW_HIDMOTOR_JOINTS, sizeof *deg);
    enum aw_status status =
        t_s && deg ? make_path(way, mode, t_s, deg, path, err) : aw_no_memory(err);
    free(t_s);
    free(deg);
    if (status == AW_OK)
        status = check(way, path, force, err);
    if (status != AW_OK)
        aw_path_free(path);
    return status;
}

struct aw_hidmotor_fastest aw_hidmotor_path_fastest(const struct aw_path *path)
{
    struct aw_hidmotor_fastest fastest = {.t_s = path->t_s[0]};
    for (size_t k = 0; k + 1 < path->n; k++)
        for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++) {
            struct aw_path_extremes x = aw_path_extremes(path, k, (size_t)i);
            if (x.speed > fastest.deg_s)
                fastest = (struct aw_hidmotor_fastest){i, k, x.speed, x.speed_t_s};
        }
    return fastest;
}
