/* Waypoints from the rows of a table: those of one recording, without zeros that were not measured
 * and without repeated measurements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/hidmotor/waypoint_parts.h"

static bool same_pose(const struct aw_hidmotor_waypoint *a, const struct aw_hidmotor_waypoint *b)
{
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        if (a->pose.deg[i] < b->pose.deg[i] || a->pose.deg[i] > b->pose.deg[i])
            return false;
    return true;
}

/* ---- Which rows --------------------------------------------------------------------------------
 */

/* From *first to before the return value: all, or with from_line those of one recording. */
static enum aw_status choose_rows(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                  const struct aw_waypoint_layout *layout, size_t *first,
                                  size_t *end, struct aw_error *err)
{
    bool timed = layout->t >= 0 && !layout->time.step;
    size_t row = 0;
    while (row < table->n_rows && table->lines[row] < way->how.from_line)
        row++;
    if (row == table->n_rows)
        return aw_fail(err, AW_USAGE, "%.100s: --from-line %zu: the last line with numbers is %zu",
                       way->name, way->how.from_line, table->lines[row - 1]);
    *first = row++;
    while (row < table->n_rows && !(timed && aw_table_restarts(table, layout->t, *first, row)))
        row++;
    *end = row;
    if (row == table->n_rows)
        return AW_OK;
    size_t line = table->lines[row];
    if (way->how.from_line) {
        aw_waypoint_notice(way, "up to line %zu: behind it the time starts again",
                           table->lines[row - 1]);
        return AW_OK;
    }
    struct aw_hidmotor_file how = way->how;
    char one[AW_WAYPOINT_COMMAND];
    how.from_line = table->lines[0];
    aw_waypoint_command(way, &how, one);
    return aw_fail(err, AW_MALFORMED,
                   "%.100s:%zu:1: the time starts again in line %zu: two recordings? %s (or "
                   "--from-line %zu)",
                   way->name, line, line, one, line);
}

static struct aw_hidmotor_waypoint waypoint_of(const struct aw_hidmotor_waypoints *way,
                                               const struct aw_table *table, size_t row,
                                               const struct aw_waypoint_layout *layout,
                                               double before_s)
{
    double rad = way->how.angles == AW_ANGLES_RAD ? 180 / M_PI : 1;
    double t_s = layout->t < 0 ? way->how.every_s
                               : aw_table_cell(table, row, layout->t) * layout->time.scale;
    struct aw_hidmotor_waypoint point = {.t_s = t_s, .line = table->lines[row]};
    if (layout->t < 0 || layout->time.step)
        point.t_s = way->n > 0 ? before_s + point.t_s : 0;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++) {
        double deg = aw_table_cell(table, row, layout->deg[i]) * rad;
        point.pose.deg[i] =
            way->recorded ? aw_hidmotor_taken_back(i, deg, AW_HIDMOTOR_OVERSHOOT) : deg;
    }
    return point;
}

/* Clocks of whole milliseconds stand still between two readings of the same. */
static enum aw_status read_rows(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                const struct aw_waypoint_layout *layout, struct aw_error *err)
{
    double t_s = 0;
    size_t first = 0, end = 0;
    enum aw_status status = choose_rows(way, table, layout, &first, &end, err);
    if (status != AW_OK)
        return status;
    way->points = calloc(end - first, sizeof *way->points);
    if (!way->points)
        return aw_no_memory(err);
    for (size_t row = first; row < end; row++) {
        struct aw_hidmotor_waypoint *point = &way->points[way->n];
        *point = waypoint_of(way, table, row, layout, t_s);
        t_s = point->t_s;
        bool doubled = way->n > 0 && !(t_s > point[-1].t_s) && !(t_s < point[-1].t_s) &&
                       same_pose(point, point - 1);
        way->n += !doubled;
    }
    for (size_t i = 1; i < way->n; i++) {
        const struct aw_hidmotor_waypoint *p = &way->points[i];
        if (!(p->t_s > p[-1].t_s))
            return aw_fail(err, AW_MALFORMED,
                           "%.200s:%zu:1: %.60s: %.9g s is not later than the %.9g s of line %zu — "
                           "times must rise",
                           way->name, p->line, layout->t < 0 ? "" : table->names[layout->t], p->t_s,
                           p[-1].t_s, p[-1].line);
    }
    return AW_OK;
}

/* ---- Zeros -------------------------------------------------------------------------------------
 */

/* The row behind those that repeat row first. */
static size_t end_of_run(const struct aw_hidmotor_waypoints *way, size_t first)
{
    size_t end = first + 1;
    while (end < way->n && same_pose(&way->points[first], &way->points[end]))
        end++;
    return end;
}

static bool is_zero(const struct aw_hidmotor_waypoint *point)
{
    static const struct aw_hidmotor_waypoint zero;
    return same_pose(point, &zero);
}

/* From this pose to zero, or back: was that no motion? */
static bool is_jump(const struct aw_hidmotor_waypoint *point, double t_s)
{
    double way_deg = 0;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        way_deg = fmax(way_deg, fabs(point->pose.deg[i]));
    return way_deg > AW_HIDMOTOR_OVERSHOOT && way_deg > AW_WAYPOINT_JUMP_DEG_S * t_s;
}

/* The course's programs read zeros until the first answer has come, and leave them behind the last
 * one. */
static void leave_zeros_out(struct aw_hidmotor_waypoints *way)
{
    struct aw_hidmotor_waypoint *points = way->points;
    size_t first = end_of_run(way, 0), last = way->n - 1;
    if (!way->recorded || first == way->n)
        return;
    while (last > 0 && is_zero(&points[last]))
        last--;
    if (last + 1 < way->n && is_jump(&points[last], points[last + 1].t_s - points[last].t_s)) {
        aw_waypoint_notice(way, "left out the zeros behind the last measurement, from line %zu",
                           points[last + 1].line);
        way->n = last + 1;
    }
    if (!is_zero(&points[0]) || first >= way->n ||
        !is_jump(&points[first], points[first].t_s - points[first - 1].t_s))
        return;
    memmove(points, points + first, (way->n - first) * sizeof *points);
    way->n -= first;
    aw_waypoint_notice(way,
                       "left out the zeros that come before the first measurement, up to line %zu",
                       points[0].line - 1);
}

/* ---- Repeated measurements ---------------------------------------------------------------------
 */

static void leave_repeats_out(struct aw_hidmotor_waypoints *way)
{
    struct aw_hidmotor_waypoint *points = way->points;
    size_t kept = 0;
    for (size_t first = 0, end; first < way->n; first = end) {
        end = end_of_run(way, first);
        double from = points[first].t_s + AW_HIDMOTOR_REFRESH_S;
        double to = end < way->n ? points[end].t_s - AW_HIDMOTOR_REFRESH_S : (double)INFINITY;
        for (size_t i = first; i < end; i++) {
            bool held = points[i].t_s >= from && points[i].t_s <= to;
            if (i == first || i == way->n - 1 || held)
                points[kept++] = points[i];
        }
    }
    way->n = kept;
}

enum aw_status aw_waypoint_rows(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                const struct aw_waypoint_layout *layout, struct aw_error *err)
{
    enum aw_status status = read_rows(way, table, layout, err);
    if (status != AW_OK)
        return status;
    leave_zeros_out(way);
    leave_repeats_out(way);
    return AW_OK;
}
