#include "hidmotor/waypoints.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"

#define ROUNDING 1e-6 /* deg */

/* Names of columns, the best first, with what turns their numbers into seconds or deg. */
struct column {
    const char *name;
    double scale;
    bool measured;
};

/* clang-format off */
#define N_TIMES 6
static const struct column times[N_TIMES] = {
    {"t", 1, false},
    {"time", 1, false},
    {"t_s", 1, false},
    {"time_s", 1, false},
    {"t_ms", 1e-3, false},
    {"time_ms", 1e-3, false},
};

#define N_ANGLES 4
static const struct column angles[AW_HIDMOTOR_JOINTS][N_ANGLES] = {
    {{"m1", 1, false}, {"base", 1, false},
     {"m1.position", 1, true}, {"base.position", 1, true}},
    {{"m2", 1, false}, {"shoulder", 1, false},
     {"m2.position", 1, true}, {"shoulder.position", 1, true}},
    {{"m3", 1, false}, {"elbow", 1, false},
     {"m3.position", 1, true}, {"elbow.position", 1, true}},
};
/* clang-format on */

static const char *const plain[] = {"t", "m1", "m2", "m3"};

/* ---- Reading -----------------------------------------------------------------------------------
 */

/* Which column of the table holds what. */
struct layout {
    int t, deg[AW_HIDMOTOR_JOINTS];
    double t_scale;
};

static int find_ignoring_case(const struct aw_table *table, const char *name)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (strcasecmp(table->names[i], name) == 0)
            return (int)i;
    return -1;
}

static const struct column *find_first(const struct aw_table *table, const struct column *columns,
                                       size_t n, int *at)
{
    for (size_t i = 0; i < n; i++)
        if ((*at = find_ignoring_case(table, columns[i].name)) >= 0)
            return &columns[i];
    return NULL;
}

static enum aw_status no_column(const struct aw_table *table, const char *name,
                                const struct column *wanted, struct aw_error *err)
{
    struct aw_error why;
    int column;
    aw_table_column(table, wanted->name, &column, &why);
    return aw_fail(err, AW_MALFORMED, "%s:1: %s, or call it %s", name, why.text, wanted[1].name);
}

static enum aw_status find_columns(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                   struct layout *layout, struct aw_error *err)
{
    const struct column *t = find_first(table, times, N_TIMES, &layout->t);
    if (!t)
        return no_column(table, way->name, times, err);
    layout->t_scale = t->scale;
    way->recorded = find_ignoring_case(table, "m1.setpoint") >= 0;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++) {
        const struct column *found = find_first(table, angles[i], N_ANGLES, &layout->deg[i]);
        if (!found)
            return no_column(table, way->name, angles[i], err);
        way->recorded |= found->measured;
        memcpy(way->columns[i], table->names[layout->deg[i]], AW_TABLE_NAME);
    }
    return AW_OK;
}

static enum aw_status check_times(const struct aw_hidmotor_waypoints *way, const char *column,
                                  struct aw_error *err)
{
    for (size_t i = 1; i < way->n; i++) {
        const struct aw_hidmotor_waypoint *p = &way->points[i];
        if (!(p->t_s > p[-1].t_s))
            return aw_fail(err, AW_MALFORMED,
                           "%s:%zu: %s: %.9g s is not later than the %.9g s of line %zu — times "
                           "must rise",
                           way->name, p->line, column, p->t_s, p[-1].t_s, p[-1].line);
    }
    return AW_OK;
}

/* Beyond a limit as far as an arm swings: at the limit. */
static double taken_back(double deg, double slack, int joint, const struct aw_hidmotor_limits *l)
{
    double in = fmin(fmax(deg, l->min[joint]), l->max[joint]);
    return fabs(deg - in) <= slack ? in : deg;
}

static struct aw_hidmotor_waypoint waypoint_of(const struct aw_table *table, size_t row,
                                               const struct layout *layout, bool recorded,
                                               const struct aw_hidmotor_limits *limits)
{
    struct aw_hidmotor_waypoint point = {
        .t_s = aw_table_cell(table, row, layout->t) * layout->t_scale, .line = table->lines[row]};
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++) {
        double deg = aw_table_cell(table, row, layout->deg[i]);
        point.pose.deg[i] = recorded ? taken_back(deg, AW_HIDMOTOR_OVERSHOOT, i, limits) : deg;
    }
    return point;
}

static enum aw_status take_rows(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                const struct layout *layout, struct aw_error *err)
{
    const struct aw_hidmotor_limits limits = aw_hidmotor_limits();
    if (table->n_rows == 0)
        return aw_fail(err, AW_MALFORMED, "%s: it has no rows — give at least one point",
                       way->name);
    way->points = calloc(table->n_rows, sizeof *way->points);
    if (!way->points)
        return aw_fail(err, AW_LIMIT, "%s: no memory for %zu rows — use fewer", way->name,
                       table->n_rows);
    for (; way->n < table->n_rows; way->n++)
        way->points[way->n] = waypoint_of(table, way->n, layout, way->recorded, &limits);
    return check_times(way, table->names[layout->t], err);
}

/* ---- Repeated measurements ---------------------------------------------------------------------
 */

static bool same_pose(const struct aw_hidmotor_waypoint *a, const struct aw_hidmotor_waypoint *b)
{
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        if (a->pose.deg[i] < b->pose.deg[i] || a->pose.deg[i] > b->pose.deg[i])
            return false;
    return true;
}

/* The row behind those that repeat row first. */
static size_t end_of_run(const struct aw_hidmotor_waypoints *way, size_t first)
{
    size_t end = first + 1;
    while (end < way->n && same_pose(&way->points[first], &way->points[end]))
        end++;
    return end;
}

static void leave_repeats_out(struct aw_hidmotor_waypoints *way)
{
    struct aw_hidmotor_waypoint *points = way->points;
    size_t kept = 0;
    for (size_t first = 0, end; first < way->n; first = end) {
        end = end_of_run(way, first);
        double from = points[first].t_s + AW_HIDMOTOR_REFRESH_S;
        double to = end < way->n ? points[end].t_s - AW_HIDMOTOR_REFRESH_S : INFINITY;
        for (size_t i = first; i < end; i++) {
            bool held = points[i].t_s >= from && points[i].t_s <= to;
            if (i == first || i == way->n - 1 || held)
                points[kept++] = points[i];
        }
    }
    way->n = kept;
}

static enum aw_status take_table(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                 const char *name, struct aw_error *err)
{
    struct layout layout = {0};
    way->name = strdup(name);
    if (!way->name)
        return aw_fail(err, AW_LIMIT, "%s: no memory for it", name);
    enum aw_status status = find_columns(way, table, &layout, err);
    if (status == AW_OK)
        status = take_rows(way, table, &layout, err);
    if (status == AW_OK)
        leave_repeats_out(way);
    return status;
}

enum aw_status aw_hidmotor_waypoints_read(struct aw_hidmotor_waypoints *way, FILE *file,
                                          const char *name, struct aw_error *err)
{
    struct aw_table table;
    *way = (struct aw_hidmotor_waypoints){0};
    enum aw_status status = aw_table_read_headless(file, name, plain, 4, &table, err);
    if (status == AW_OK)
        status = take_table(way, &table, name, err);
    aw_table_free(&table);
    if (status != AW_OK)
        aw_hidmotor_waypoints_free(way);
    return status;
}

enum aw_status aw_hidmotor_waypoints_load(struct aw_hidmotor_waypoints *way, const char *path,
                                          struct aw_error *err)
{
    *way = (struct aw_hidmotor_waypoints){0};
    FILE *file = aw_file_open(path);
    if (!file)
        return aw_file_fail(err, NULL, path);
    enum aw_status status = aw_hidmotor_waypoints_read(way, file, path, err);
    fclose(file);
    return status;
}

void aw_hidmotor_waypoints_free(struct aw_hidmotor_waypoints *way)
{
    free(way->points);
    free(way->name);
    *way = (struct aw_hidmotor_waypoints){0};
}

/* ---- Checking ----------------------------------------------------------------------------------
 */

static double limit_passed(const struct aw_hidmotor_limits *limits, double deg, int joint)
{
    return deg < limits->min[joint] ? limits->min[joint] : limits->max[joint];
}

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
    double limit = limit_passed(limits, deg, joint);
    return aw_fail(
        err, AW_LIMIT, "%s:%zu: %s: %.7g deg is %.3g deg beyond its limit of %g deg — correct it",
        way->name, way->points[k].line, way->columns[joint], deg, fabs(deg - limit), limit);
}

static enum aw_status check_swing(const struct aw_hidmotor_waypoints *way, size_t k, int joint,
                                  double deg, double t_s, const struct aw_hidmotor_limits *limits,
                                  struct aw_error *err)
{
    if (!outside(limits, deg, joint, ROUNDING))
        return AW_OK;
    double limit = limit_passed(limits, deg, joint);
    return aw_fail(err, AW_LIMIT,
                   "%s:%zu: %s: on the way here the curve swings to %.7g deg at %.4g s, %.3g deg "
                   "beyond its limit of %g deg — add a point or go straight",
                   way->name, way->points[k + 1].line, way->columns[joint], deg, t_s,
                   fabs(deg - limit), limit);
}

static enum aw_status check_speed(const struct aw_hidmotor_waypoints *way, size_t k, int joint,
                                  const struct aw_path_extremes *x, struct aw_error *err)
{
    double most = way->recorded ? AW_HIDMOTOR_SPEED_MEASURED : AW_HIDMOTOR_FAST;
    if (x->speed <= most + ROUNDING)
        return AW_OK;
    return aw_fail(err, AW_LIMIT,
                   "%s:%zu: %s: %.4g deg/s at %.4g s on the way here, faster than %g deg/s — "
                   "leave more time",
                   way->name, way->points[k + 1].line, way->columns[joint], x->speed, x->speed_t_s,
                   most);
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
    return status == AW_OK && !forced ? check_speed(way, k, joint, &x, err) : status;
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
    double *t_s = calloc(way->n, sizeof *t_s);
    double *deg = calloc(way->n * AW_HIDMOTOR_JOINTS, sizeof *deg);
    *path = (struct aw_path){0};
    enum aw_status status = t_s && deg ? make_path(way, mode, t_s, deg, path, err)
                                       : aw_fail(err, AW_LIMIT, "%s: no memory for it", way->name);
    free(t_s);
    free(deg);
    if (status == AW_OK)
        status = check(way, path, force, err);
    if (status != AW_OK)
        aw_path_free(path);
    return status;
}

struct aw_hidmotor_pose aw_hidmotor_path_pose(const struct aw_path *path, double t_s)
{
    const struct aw_hidmotor_limits limits = aw_hidmotor_limits();
    struct aw_hidmotor_pose pose;
    aw_path_at(path, t_s, pose.deg, NULL);
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        pose.deg[i] = taken_back(pose.deg[i], ROUNDING, i, &limits);
    return pose;
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
