/* Waypoints from a CSV file: which column is what, and whether that can be true. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/text.h"
#include "control/samples.h"
#include "protocol/hidmotor/waypoints.h"

#define HEADLESS_COLUMNS 7     /* more is no path … */
#define RECORD_COLUMNS   13    /* … but for our own recordings */
#define SLOW_STEP_S      1.0   /* a longer one may be milliseconds … */
#define SLOW_SAMPLE_S    0.1   /* … as from this in what is long enough for a recording */
#define RECORDING_ROWS   50    /* nobody writes so many waypoints by hand */
#define NOT_MOVED_DEG_S  600.0 /* what is as fast as this was no motion */
#define EVEN             3.0   /* times less spread counts as more even … */
#define ROUNDING         1e-9  /* … but not if it is less than that of rounded numbers */
#define COLUMNS_TEXT     160   /* for --columns */

/* A name of the column of times, and what turns its numbers into seconds. */
struct time_column {
    const char *name;
    double scale;
    bool unsure; /* the name does not say in which unit */
    bool step;   /* since the row before */
};

/* clang-format off */
/* The best first. */
#define N_TIMES 9
static const struct time_column times[N_TIMES] = {
    {"t", 1, false, false},
    {"time", 1, true, false},
    {"t_s", 1, false, false},
    {"time_s", 1, false, false},
    {"t_ms", 1e-3, false, false},
    {"time_ms", 1e-3, false, false},
    {"dt_ms", 1e-3, false, true},
    {"dt_s", 1, false, true},
    {"dt", 1, true, true},
};

/* Names of the column of a joint's angles, in deg: from MEASURED on it was measured. */
enum { MEASURED = 3, N_ANGLES = 7 };
#define ANGLES(n, alias)                                                                           \
    {"m" n, alias, "q" n, "m" n ".position", alias ".position", "q" n "_pos", "q" n ".position"}
static const char *const angles[AW_HIDMOTOR_JOINTS][N_ANGLES] = {
    ANGLES("1", "base"), ANGLES("2", "shoulder"), ANGLES("3", "elbow"),
};
/* clang-format on */

static const char *const plain[] = {"t", "m1", "m2", "m3"};
#define N_PLAIN (sizeof plain / sizeof *plain)

/* Which column of the table holds what. */
struct layout {
    int t, deg[AW_HIDMOTOR_JOINTS];
    const struct time_column *time;
    bool guessed;  /* that the time is what it is taken for */
    double step_s; /* the median; 0 with less than two rows */
};

/* ---- Columns -----------------------------------------------------------------------------------
 */

static int find_ignoring_case(const struct aw_table *table, const char *name)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (strcasecmp(table->names[i], name) == 0)
            return (int)i;
    return -1;
}

static enum aw_status no_column(const struct aw_table *table, const char *wanted, const char *other,
                                struct aw_error *err)
{
    struct aw_error why;
    int column;
    aw_table_column(table, wanted, &column, &why);
    return aw_fail(err, AW_MALFORMED,
                   "%s, or call it %s, or name the columns: --columns t_ms,m1,m2,m3", why.text,
                   other);
}

static enum aw_status find_columns(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                   bool named, struct layout *layout, struct aw_error *err)
{
    for (int i = 0; i < N_TIMES && !layout->time; i++)
        if ((layout->t = find_ignoring_case(table, times[i].name)) >= 0)
            layout->time = &times[i];
    if (!layout->time)
        return no_column(table, times[0].name, times[1].name, err);
    layout->guessed = !named && (table->headless || layout->time->unsure);
    way->recorded = find_ignoring_case(table, "m1.setpoint") >= 0;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++) {
        int k = 0;
        while (k < N_ANGLES && (layout->deg[i] = find_ignoring_case(table, angles[i][k])) < 0)
            k++;
        if (k == N_ANGLES)
            return no_column(table, angles[i][0], angles[i][1], err);
        way->recorded |= k >= MEASURED;
        memcpy(way->columns[i], table->names[layout->deg[i]], AW_TABLE_NAME);
    }
    return AW_OK;
}

/* ---- What a file without names may be ----------------------------------------------------------
 */

/* Steps from row to row; all 0 for a column that ever falls. */
static struct aw_stats steps_of(const struct aw_table *table, int column)
{
    struct aw_samples samples = {0};
    for (size_t row = 1; row < table->n_rows; row++)
        aw_samples_add(&samples,
                       aw_table_cell(table, row, column) - aw_table_cell(table, row - 1, column));
    struct aw_stats steps = aw_samples_stats(&samples);
    aw_samples_free(&samples);
    return steps.min >= 0 ? steps : (struct aw_stats){.n = 0};
}

/* How uneven: 0 for a clock; infinite for what falls, or mostly rests. */
static double unevenness(const struct aw_table *table, int column)
{
    struct aw_stats steps = steps_of(table, column);
    return steps.p50 > 0 ? fmax(ROUNDING, steps.deviation / steps.mean) : (double)INFINITY;
}

static bool is_slow(double step_s, size_t rows)
{
    return step_s > (rows >= RECORDING_ROWS ? SLOW_SAMPLE_S : SLOW_STEP_S);
}

/* What --columns has to say for this layout, with this name for the time. */
static void columns_text(const struct aw_table *table, const struct layout *layout,
                         const char *time, char out[COLUMNS_TEXT])
{
    int left = 1 + AW_HIDMOTOR_JOINTS;
    *out = '\0';
    for (int i = 0; left > 0 && i < (int)table->n_columns; i++) {
        const char *what = i == layout->t ? time : "-";
        for (int k = 0; k < AW_HIDMOTOR_JOINTS; k++)
            if (i == layout->deg[k])
                what = table->headless ? plain[1 + k] : table->names[i];
        left -= *what != '-';
        aw_append(out, COLUMNS_TEXT, ",", "%s", what);
    }
}

/* The time seems to be in another column than the first, or, with -1, in none. */
static enum aw_status no_time(const struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                              int at, struct aw_error *err)
{
    char columns[COLUMNS_TEXT];
    bool total = at >= 0;
    struct layout other = {.t = total ? at : (int)table->n_columns - 1};
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        other.deg[i] = i < other.t ? i : i + 1;
    bool ms = !total || is_slow(steps_of(table, at).p50, table->n_rows);
    columns_text(table, &other, !total ? "dt_ms" : ms ? "t_ms" : "t_s", columns);
    return aw_fail(err, AW_MALFORMED,
                   "%.60s: no header, so the first column was taken for t in s, but it does not "
                   "rise as times do — if column %d is the time%s in %s: hidmotor play %.60s "
                   "--columns %s",
                   way->name, other.t + 1, total ? "" : " since the row before", ms ? "ms" : "s",
                   way->name, columns);
}

static enum aw_status too_slow(const struct aw_hidmotor_waypoints *way,
                               const struct aw_table *table, const struct layout *layout,
                               struct aw_error *err)
{
    char columns[COLUMNS_TEXT];
    const char *delta = layout->time->step ? "d" : "", *name = table->names[layout->t];
    char time[8];
    snprintf(time, sizeof time, "%st_ms", delta);
    columns_text(table, layout, time, columns);
    return aw_fail(err, AW_MALFORMED,
                   "%.60s: %sthe %s column was taken for %s in s, and then a step is %.4g s — are "
                   "these ms? hidmotor play %.60s --columns %s (%st_s if not)",
                   way->name, table->headless ? "no header, so " : "",
                   layout->t == 0 ? "first" : "time", name, layout->step_s, way->name, columns,
                   delta);
}

static enum aw_status check_guess(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                  const struct layout *layout, struct aw_error *err)
{
    bool headless = table->headless;
    /* The column that rises most evenly, -1 if none does. A joint that only rises looks like a
     * time, too, but hardly as even: the first column is taken unless another one is so by far. */
    int best = unevenness(table, 0) < (double)INFINITY ? 0 : -1;
    double least = unevenness(table, 0) / EVEN;
    for (int i = 1; i < (int)table->n_columns; i++)
        if (unevenness(table, i) < least) {
            least = unevenness(table, i);
            best = i;
        }
    int time = best;
    if (headless && (table->n_rows == 1 ||
                     (table->n_columns > HEADLESS_COLUMNS && table->n_columns != RECORD_COLUMNS)))
        return aw_fail(err, AW_MALFORMED,
                       "%.80s: %zu row%s of %zu numbers without a header — no path, as far as one "
                       "can tell; if it is: hidmotor play %.60s --columns t_s,m1,m2,m3",
                       way->name, table->n_rows, table->n_rows == 1 ? "" : "s", table->n_columns,
                       way->name);
    if (headless && time != 0)
        return no_time(way, table, time, err);
    if (is_slow(layout->step_s, table->n_rows))
        return too_slow(way, table, layout, err);
    if (headless)
        snprintf(way->notice, sizeof way->notice,
                 "%.80s: no header: taken for t in s and m1, m2, m3 in deg", way->name);
    return AW_OK;
}

/* ---- Rows --------------------------------------------------------------------------------------
 */

static bool same_pose(const struct aw_hidmotor_waypoint *a, const struct aw_hidmotor_waypoint *b)
{
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        if (a->pose.deg[i] < b->pose.deg[i] || a->pose.deg[i] > b->pose.deg[i])
            return false;
    return true;
}

static struct aw_hidmotor_waypoint waypoint_of(const struct aw_table *table, size_t row,
                                               const struct layout *layout, double before_s,
                                               bool recorded)
{
    double t_s = aw_table_cell(table, row, layout->t) * layout->time->scale;
    struct aw_hidmotor_waypoint point = {.t_s = t_s, .line = table->lines[row]};
    if (layout->time->step)
        point.t_s = row > 0 ? before_s + t_s : 0;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++) {
        double deg = aw_table_cell(table, row, layout->deg[i]);
        point.pose.deg[i] = recorded ? aw_hidmotor_taken_back(i, deg, AW_HIDMOTOR_OVERSHOOT) : deg;
    }
    return point;
}

/* Clocks of whole milliseconds stand still between two readings of the same. */
static enum aw_status read_rows(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                const struct layout *layout, struct aw_error *err)
{
    double t_s = 0;
    way->points = calloc(table->n_rows, sizeof *way->points);
    if (!way->points)
        return aw_no_memory(err);
    for (size_t row = 0; row < table->n_rows; row++) {
        struct aw_hidmotor_waypoint *point = &way->points[way->n];
        *point = waypoint_of(table, row, layout, t_s, way->recorded);
        t_s = point->t_s;
        bool doubled = way->n > 0 && !(t_s > point[-1].t_s) && !(t_s < point[-1].t_s) &&
                       same_pose(point, point - 1);
        way->n += !doubled;
    }
    for (size_t i = 1; i < way->n; i++) {
        const struct aw_hidmotor_waypoint *p = &way->points[i];
        if (!(p->t_s > p[-1].t_s))
            return aw_fail(err, AW_MALFORMED,
                           "%s:%zu:1: %s: %.9g s is not later than the %.9g s of line %zu — times "
                           "must rise",
                           way->name, p->line, table->names[layout->t], p->t_s, p[-1].t_s,
                           p[-1].line);
    }
    return AW_OK;
}

/* ---- Repeated measurements ---------------------------------------------------------------------
 */

/* The row behind those that repeat row first. */
static size_t end_of_run(const struct aw_hidmotor_waypoints *way, size_t first)
{
    size_t end = first + 1;
    while (end < way->n && same_pose(&way->points[first], &way->points[end]))
        end++;
    return end;
}

/* The course's programs read zeros until the first answer has come. */
static void leave_zeros_out(struct aw_hidmotor_waypoints *way)
{
    static const struct aw_hidmotor_waypoint zero;
    size_t end = end_of_run(way, 0);
    if (!way->recorded || end == way->n || !same_pose(&way->points[0], &zero))
        return;
    double t_s = way->points[end].t_s - way->points[end - 1].t_s, way_deg = 0;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        way_deg = fmax(way_deg, fabs(way->points[end].pose.deg[i]));
    if (way_deg <= AW_HIDMOTOR_OVERSHOOT || way_deg <= NOT_MOVED_DEG_S * t_s)
        return;
    memmove(way->points, way->points + end, (way->n - end) * sizeof *way->points);
    way->n -= end;
    snprintf(way->notice, sizeof way->notice,
             "%.80s: left out the zeros that come before the first measurement, up to line %zu",
             way->name, way->points[0].line - 1);
}

/* ---- Files -------------------------------------------------------------------------------------
 */

static enum aw_status read_columns(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                   bool named, struct aw_error *err)
{
    struct layout layout = {0};
    enum aw_status status = find_columns(way, table, named, &layout, err);
    if (status != AW_OK)
        return status;
    if (table->n_rows == 0)
        return aw_fail(err, AW_MALFORMED, "%s: it has no rows — give at least one point",
                       way->name);
    if (layout.time->step)
        layout.step_s = aw_table_cell(table, table->n_rows / 2, layout.t) * layout.time->scale;
    else
        layout.step_s = steps_of(table, layout.t).p50 * layout.time->scale;
    way->recorded |= table->n_rows >= RECORDING_ROWS && layout.step_s < AW_HIDMOTOR_REFRESH_S;
    if (layout.guessed)
        status = check_guess(way, table, &layout, err);
    if (status == AW_OK)
        status = read_rows(way, table, &layout, err);
    if (status != AW_OK)
        return status;
    leave_zeros_out(way);
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
    return AW_OK;
}

/* "t_ms,m1,m2,m3" into names; text is cut into pieces. */
static size_t cut_columns(char *text, const char *names[AW_TABLE_COLUMNS])
{
    char *rest;
    size_t n = 0;
    for (char *name = strtok_r(text, ", ", &rest); name && n < AW_TABLE_COLUMNS;
         name = strtok_r(NULL, ", ", &rest))
        names[n++] = name;
    return n;
}

static enum aw_status read_table(FILE *file, const char *name, const char *columns,
                                 struct aw_table *table, struct aw_error *err)
{
    const char *names[AW_TABLE_COLUMNS];
    if (!columns)
        return aw_table_read_headless(file, name, plain, N_PLAIN, table, err);
    char *text = strdup(columns);
    if (!text)
        return aw_no_memory(err);
    size_t n = cut_columns(text, names);
    enum aw_status status =
        n ? aw_table_read_named(file, name, names, n, table, err)
          : aw_fail(err, AW_USAGE, "--columns '%.40s': no names — write t_ms,m1,m2,m3", columns);
    free(text);
    return status;
}

enum aw_status aw_hidmotor_waypoints_read(struct aw_hidmotor_waypoints *way, FILE *file,
                                          const char *name, const char *columns,
                                          struct aw_error *err)
{
    struct aw_table table = {0};
    *way = (struct aw_hidmotor_waypoints){.name = strdup(aw_file_name(name))};
    enum aw_status status =
        way->name ? read_table(file, name, columns, &table, err) : aw_no_memory(err);
    if (status == AW_OK)
        status = read_columns(way, &table, columns != NULL, err);
    aw_table_free(&table);
    if (status != AW_OK)
        aw_hidmotor_waypoints_free(way);
    return status;
}

void aw_hidmotor_waypoints_free(struct aw_hidmotor_waypoints *way)
{
    free(way->points);
    free(way->name);
    *way = (struct aw_hidmotor_waypoints){0};
}
