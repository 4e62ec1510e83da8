/* A path through waypoints in the arm's angles, checked for limits and speeds. */
#include "protocol/hidmotor/waypoint_parts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-6 /* deg */
#define SPIKE    5.0  /* so much too fast is no motion */

/* ---- Checking ----------------------------------------------------------------------------------
 */

static bool outside(const struct aw_hidmotor_limits *limits, double deg, int joint, double slack)
{
    return deg < limits->min[joint] - slack || deg > limits->max[joint] + slack;
}

static enum aw_status check_point(const struct aw_hidmotor_waypoints *way, size_t k, int joint,
                                  const struct aw_hidmotor_limits *limits, struct aw_error *err)
{
    double deg = way->points[k].pose.deg[joint];
    if (!outside(limits, deg, joint, 0))
        return AW_OK;
    double limit = aw_hidmotor_limit_passed(limits, deg, joint);
    return aw_fail(
        err, AW_LIMIT, "%s:%zu:1: %s: %.7g deg is %.3g deg beyond its limit of %g deg — correct it",
        way->name, way->points[k].line, way->columns[joint], deg, fabs(deg - limit), limit);
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

/* What would do: the whole path so much slower. "" if that were no motion any more. */
static void advise(const struct aw_hidmotor_waypoints *way, double fastest, double most,
                   char out[AW_WAYPOINT_COMMAND + 64])
{
    char command[AW_WAYPOINT_COMMAND];
    struct aw_hidmotor_file how = way->how;
    double factor = floor(100 * most / fastest) / 100;
    how.speed = factor * (how.speed > 0 ? how.speed : 1);
    *out = '\0';
    if (factor >= 0.01)
        snprintf(out, AW_WAYPOINT_COMMAND + 64, ": %s", aw_waypoint_command(way, &how, command));
}

static enum aw_status check_speed(const struct aw_hidmotor_waypoints *way,
                                  const struct aw_path *path, size_t k, int joint,
                                  const struct aw_path_extremes *x, struct aw_error *err)
{
    double most = way->recorded ? AW_HIDMOTOR_SPEED_MEASURED : AW_HIDMOTOR_FAST;
    double fastest = x->speed;
    char how[AW_WAYPOINT_COMMAND + 64];
    if (x->speed <= most + ROUNDING)
        return AW_OK;
    fastest = fmax(fastest, aw_hidmotor_path_fastest(path).deg_s);
    advise(way, fastest, most, how);
    return aw_fail(err, AW_LIMIT,
                   "%.200s:%zu:1: %s: %.4g deg/s at %.4g s on the way here, faster than %g deg/s — "
                   "%s%s",
                   way->name, way->points[k + 1].line, way->columns[joint], x->speed, x->speed_t_s,
                   most,
                   fastest <= SPIKE * most ? "leave more time"
                                           : "wrong numbers? delete the line, or leave more time",
                   how);
}

static enum aw_status check_segment(const struct aw_hidmotor_waypoints *way,
                                    const struct aw_path *path, size_t k, int joint,
                                    const struct aw_hidmotor_limits *limits, struct aw_error *err)
{
    struct aw_path_extremes x = aw_path_extremes(path, k, (size_t)joint);
    enum aw_status status = check_swing(way, k, joint, x.low, x.low_t_s, limits, err);
    if (status == AW_OK)
        status = check_swing(way, k, joint, x.high, x.high_t_s, limits, err);
    bool forced = limits->max[joint] == FLT_MAX;
    return status == AW_OK && !forced ? check_speed(way, path, k, joint, &x, err) : status;
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
    enum aw_status status = AW_OK;
    for (size_t k = 0; k < way->n; k++)
        for (int i = 0; i < AW_HIDMOTOR_JOINTS && status == AW_OK; i++)
            status = check_point(way, k, i, &limits, err);
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
    double length_s = way->points[way->n - 1].t_s - way->points[0].t_s;
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
                fastest = (struct aw_hidmotor_fastest){i, x.speed, x.speed_t_s};
        }
    return fastest;
}
