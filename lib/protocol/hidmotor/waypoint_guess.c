/* What a file of waypoints may be that does not say it, and the questions where that is not clear.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "control/samples.h"
#include "protocol/hidmotor/waypoint_parts.h"

#define HEADLESS_COLUMNS 7    /* more is no path … */
#define RECORD_COLUMNS   13   /* … but for our own recordings */
#define SLOW_STEP_S      1.0  /* a longer one may be milliseconds … */
#define SLOW_SAMPLE_S    0.1  /* … as from this in what is long enough for a recording */
#define SURE_STEP        1.0  /* less is none in ms */
#define EVENLY           0.5  /* so uneven may be a clock that nobody calls one */
#define EVEN             3.0  /* times less spread counts as more even … */
#define ROUNDING         1e-9 /* … but not if it is less than that of rounded numbers */
#define FALLS            10   /* of so many rows one may be before its predecessor in a clock */
#define STEP_LEAST_MS    0.1  /* a step that may be one in ms */
#define STEP_MOST_MS     1000.0
#define USUAL_STEP_S     0.02 /* for advice */
#define MOMENT_MS        32.0 /* two of the arm's measurements */
#define QUANTUM_DEG      0.24 /* the arm's own steps */
#define COLUMNS_TEXT     600  /* for --columns */

static const char *const plain[] = {"m1", "m2", "m3"};

/* ---- Clocks ------------------------------------------------------------------------------------
 */

/* Steps from row to row of a column that rises, but for a fall here and there and where it starts
 * again; all 0 for others. */
static struct aw_stats steps_of(const struct aw_table *table, int column)
{
    struct aw_samples samples = {0};
    size_t falls = 0, first = 0;
    for (size_t row = 1; row < table->n_rows; row++) {
        double step = aw_table_cell(table, row, column) - aw_table_cell(table, row - 1, column);
        if (aw_table_restarts(table, column, first, row))
            first = row;
        else if (!(step >= 0))
            falls++;
        else
            aw_samples_add(&samples, step);
    }
    struct aw_stats steps = aw_samples_stats(&samples);
    aw_samples_free(&samples);
    return falls <= table->n_rows / FALLS ? steps : (struct aw_stats){.n = 0};
}

double aw_waypoint_step(const struct aw_table *table, int column)
{
    return steps_of(table, column).p50;
}

/* How uneven: 0 for a clock; infinite for what falls, or mostly rests. */
static double unevenness(const struct aw_table *table, int column)
{
    struct aw_stats steps = steps_of(table, column);
    return steps.p50 > 0 ? fmax(ROUNDING, steps.deviation / steps.mean) : (double)INFINITY;
}

/* Of columns that rise much alike one that begins at 0 is rather the time than the first one. */
static int begins_at_0(const struct aw_table *table)
{
    double most = EVEN * unevenness(table, 0);
    if (fabs(aw_table_cell(table, 0, 0)) > 0)
        for (int i = (int)table->n_columns - 1; i > 0; i--)
            if (!(fabs(aw_table_cell(table, 0, i)) > 0) && unevenness(table, i) <= most)
                return i;
    return 0;
}

/* The column that rises most evenly, -1 if none does. A joint that only rises looks like a time,
 * too, but hardly as even: the first column is taken unless another one is so by far. */
static int find_clock(const struct aw_table *table)
{
    int best = unevenness(table, 0) < (double)INFINITY ? 0 : -1;
    double least = unevenness(table, 0) / EVEN;
    for (int i = 1; i < (int)table->n_columns; i++)
        if (unevenness(table, i) < least) {
            least = unevenness(table, i);
            best = i;
        }
    return best == 0 ? begins_at_0(table) : best;
}

/* May the last column be the time since the row before, in ms? Every one is above 0 but perhaps the
 * first, and they are much the same. */
static bool ends_in_steps(const struct aw_table *table)
{
    struct aw_samples samples = {0};
    for (size_t row = 1; row < table->n_rows; row++)
        aw_samples_add(&samples, aw_table_cell(table, row, (int)table->n_columns - 1));
    size_t n = samples.n;
    struct aw_stats steps = aw_samples_stats(&samples);
    aw_samples_free(&samples);
    return n && n + 1 == table->n_rows && steps.min > 0 && steps.p50 >= STEP_LEAST_MS &&
           steps.p50 <= STEP_MOST_MS && steps.p95 <= EVEN * steps.p50 &&
           steps.p50 <= EVEN * steps.min;
}

static bool is_slow(double step_s, size_t rows)
{
    return step_s > (rows >= AW_WAYPOINT_RECORDING ? SLOW_SAMPLE_S : SLOW_STEP_S);
}

static double farthest_apart(const struct aw_table *table, const struct aw_waypoint_layout *layout,
                             size_t a, size_t b)
{
    double way = 0;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        way = fmax(way, fabs(aw_table_cell(table, a, layout->deg[i]) -
                             aw_table_cell(table, b, layout->deg[i])));
    return way;
}

/* From the row before to this one, as ms. */
static double step_ms(const struct aw_table *table, const struct aw_waypoint_layout *layout,
                      size_t row)
{
    double now = aw_table_cell(table, row, layout->t);
    return fmax(0, layout->time.step ? now : now - aw_table_cell(table, row - 1, layout->t));
}

/* Could the arm have moved like this if these times were milliseconds? What it does within a moment
 * may be that of its measurements; and a zero here and there was none. */
static bool fits_ms(const struct aw_table *table, const struct aw_waypoint_layout *layout)
{
    size_t base = 0, jumps = 0;
    double gone = 0;
    for (size_t row = 1; row < table->n_rows; row++) {
        gone += step_ms(table, layout, row);
        while (base + 1 < row && gone - step_ms(table, layout, base + 1) >= MOMENT_MS)
            gone -= step_ms(table, layout, ++base);
        double most = AW_WAYPOINT_JUMP_DEG_S * fmax(gone, MOMENT_MS) / 1000;
        jumps += farthest_apart(table, layout, base, row) > most;
    }
    return jumps <= table->n_rows / FALLS;
}

/* ---- Questions ---------------------------------------------------------------------------------
 */

/* What --columns has to say for this layout, with this name for the time. */
static void columns_text(const struct aw_table *table, const struct aw_waypoint_layout *layout,
                         const char *time, char out[COLUMNS_TEXT])
{
    int left = 1 + AW_HIDMOTOR_JOINTS;
    *out = '\0';
    for (int i = 0; left > 0 && i < (int)table->n_columns; i++) {
        const char *what = i == layout->t ? time : "-";
        for (int k = 0; k < AW_HIDMOTOR_JOINTS; k++)
            if (i == layout->deg[k])
                what =
                    table->headless || strpbrk(table->names[i], ", ") ? plain[k] : table->names[i];
        left -= *what != '-';
        aw_append(out, COLUMNS_TEXT, ",", "%s", what);
    }
}

/* The command with these columns, and otherwise as it was. */
static char *with_columns(const struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                          const struct aw_waypoint_layout *layout, const char *time,
                          char out[AW_WAYPOINT_COMMAND])
{
    char columns[COLUMNS_TEXT];
    struct aw_hidmotor_file how = way->how;
    columns_text(table, layout, time, columns);
    how.columns = columns;
    return aw_waypoint_command(way, &how, out);
}

static enum aw_status no_time(const struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                              struct aw_error *err)
{
    char command[AW_WAYPOINT_COMMAND];
    struct aw_hidmotor_file how = way->how;
    const char *otherwise = table->headless ? " (else name them: --columns t_s,m1,m2,m3, or t_ms)"
                                            : " (" AW_TIME_NAMES ")";
    how.every_s = USUAL_STEP_S;
    aw_waypoint_command(way, &how, command);
    return aw_fail(err, AW_MALFORMED,
                   "%.100s: %zu columns, and none of times — if a row is to be played every 20 "
                   "ms: %s%s",
                   way->name, table->n_columns, command,
                   table->n_columns > AW_HIDMOTOR_JOINTS ? otherwise : "");
}

/* The one that rises most evenly of those with numbers that are no joint's, -1 if none does. */
static int find_riser(const struct aw_table *table, const struct aw_waypoint_layout *layout)
{
    struct aw_error ignored;
    double least = EVENLY;
    int best = -1;
    for (int i = 0; i < (int)table->n_columns; i++) {
        bool joint = false;
        for (int k = 0; k < AW_HIDMOTOR_JOINTS && layout; k++)
            joint = joint || layout->deg[k] == i;
        if (joint || aw_table_numbers(table, i, &ignored) != AW_OK ||
            !(unevenness(table, i) < least))
            continue;
        least = unevenness(table, i);
        best = i;
    }
    return best;
}

const char *aw_waypoint_time_name(const struct aw_table *table)
{
    struct aw_time_column time;
    int t = aw_time_find((const char *const *)table->names, table->n_columns, &time);
    if (t >= 0 && !time.unsure)
        return time.scale < 1 ? "t_ms" : "t_s";
    t = t >= 0 ? t : find_riser(table, NULL);
    return t >= 0 && is_slow(steps_of(table, t).p50, table->n_rows) ? "t_ms" : "t_s";
}

enum aw_status aw_waypoint_which_time(const struct aw_hidmotor_waypoints *way,
                                      const struct aw_table *table,
                                      const struct aw_waypoint_layout *layout, struct aw_error *err)
{
    char command[AW_WAYPOINT_COMMAND];
    struct aw_waypoint_layout timed = *layout;
    struct aw_error ignored;
    bool numbers = true;
    for (int k = 0; k < AW_HIDMOTOR_JOINTS; k++)
        numbers = numbers && aw_table_numbers(table, layout->deg[k], &ignored) == AW_OK;
    timed.t = find_riser(table, layout);
    if (timed.t < 0)
        return no_time(way, table, err);
    bool ms = steps_of(table, timed.t).p50 >= SURE_STEP && numbers && fits_ms(table, &timed);
    with_columns(way, table, &timed, ms ? "t_ms" : "t_s", command);
    return aw_fail(err, AW_MALFORMED,
                   "%.100s: %zu columns, and none of times — if column %d, %.40s, is the time in "
                   "%s: %s (%s" AW_TIME_NAMES ")",
                   way->name, table->n_columns, timed.t + 1, table->names[timed.t], ms ? "ms" : "s",
                   command, ms ? "t_s if not; " : "");
}

/* The time seems to be in another column than the first, or in none. */
static enum aw_status other_time(const struct aw_hidmotor_waypoints *way,
                                 const struct aw_table *table, int at, struct aw_error *err)
{
    char command[AW_WAYPOINT_COMMAND];
    bool total = at >= 0;
    struct aw_waypoint_layout other = {.t = total ? at : (int)table->n_columns - 1};
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        other.deg[i] = i < other.t ? i : i + 1;
    bool ms = !total || (is_slow(steps_of(table, at).p50, table->n_rows) && fits_ms(table, &other));
    with_columns(way, table, &other, !total ? "dt_ms" : ms ? "t_ms" : "t_s", command);
    return aw_fail(err, AW_MALFORMED,
                   "%.100s: no header, so the first column was taken for t in s, but it does not "
                   "rise as times do — if column %d is the time%s in %s: %s",
                   way->name, other.t + 1, total ? "" : " since the row before", ms ? "ms" : "s",
                   command);
}

static enum aw_status too_slow(const struct aw_hidmotor_waypoints *way,
                               const struct aw_table *table,
                               const struct aw_waypoint_layout *layout, struct aw_error *err)
{
    char command[AW_WAYPOINT_COMMAND], time[8];
    const char *delta = layout->time.step ? "d" : "";
    snprintf(time, sizeof time, "%st_ms", delta);
    with_columns(way, table, layout, time, command);
    return aw_fail(err, AW_MALFORMED,
                   "%.100s: %sthe %s column was taken for %s in s, and then a step is %.4g s — are "
                   "these ms? %s (%st_s if not)",
                   way->name, table->headless ? "no header, so " : "",
                   layout->t == 0 ? "first" : "time", table->names[layout->t], layout->step_s,
                   command, delta);
}

enum aw_status aw_waypoint_check_unit(const struct aw_hidmotor_waypoints *way,
                                      const struct aw_table *table,
                                      const struct aw_waypoint_layout *layout, struct aw_error *err)
{
    if (layout->guessed && layout->t >= 0 && is_slow(layout->step_s, table->n_rows) &&
        fits_ms(table, layout))
        return too_slow(way, table, layout, err);
    return AW_OK;
}

/* ---- A file without a header -------------------------------------------------------------------
 */

static enum aw_status no_path(const struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                              struct aw_error *err)
{
    char command[AW_WAYPOINT_COMMAND];
    struct aw_hidmotor_file how = way->how;
    bool timed = table->n_columns > AW_HIDMOTOR_JOINTS && !(how.every_s > 0);
    how.columns = timed ? "t_s,m1,m2,m3" : "m1,m2,m3";
    how.every_s = timed || how.every_s > 0 ? how.every_s : USUAL_STEP_S;
    aw_waypoint_command(way, &how, command);
    bool any = table->n_columns >= AW_HIDMOTOR_JOINTS;
    return aw_fail(err, AW_MALFORMED,
                   "%.100s: %zu row%s of %zu number%s without a header — no path, as far as one "
                   "can tell%s%s",
                   way->name, table->n_rows, table->n_rows == 1 ? "" : "s", table->n_columns,
                   table->n_columns == 1 ? "" : "s", any ? "; if it is: " : "", any ? command : "");
}

/* A row every so often: the angles are what comes first, unless that seems to be the time. */
static enum aw_status without_times(const struct aw_hidmotor_waypoints *way,
                                    const struct aw_table *table, struct aw_waypoint_layout *layout,
                                    struct aw_error *err)
{
    int clock = table->n_columns > AW_HIDMOTOR_JOINTS ? find_clock(table) : -1;
    if (clock >= 0)
        return aw_fail(err, AW_USAGE,
                       "%.100s: column %d rises as times do — leave out --every, or name the "
                       "columns: --columns m1,m2,m3",
                       way->name, clock + 1);
    layout->t = -1;
    for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
        layout->deg[i] = i;
    return AW_OK;
}

enum aw_status aw_waypoint_guess(struct aw_hidmotor_waypoints *way, const struct aw_table *table,
                                 struct aw_waypoint_layout *layout, struct aw_error *err)
{
    if (table->n_columns < AW_HIDMOTOR_JOINTS || table->n_rows == 1 ||
        (table->n_columns > HEADLESS_COLUMNS && table->n_columns != RECORD_COLUMNS))
        return no_path(way, table, err);
    if (way->how.every_s > 0)
        return without_times(way, table, layout, err);
    int clock = find_clock(table);
    if (table->n_columns == AW_HIDMOTOR_JOINTS || (clock < 0 && !ends_in_steps(table)))
        return no_time(way, table, err);
    if (clock != 0)
        return other_time(way, table, clock, err);
    aw_waypoint_notice(way, "no header: taken for t in s and m1, m2, m3 in deg");
    return AW_OK;
}

/* ---- Radians -----------------------------------------------------------------------------------
 */

/* Is every angle a whole number, or a whole number of the arm's steps from the first? People write
 * the one in deg, and the arm measures the other. */
static bool is_in_degrees(const struct aw_table *table, const struct aw_waypoint_layout *layout)
{
    bool whole = true, steps = table->n_rows > 1;
    for (size_t row = 0; row < table->n_rows && (whole || steps); row++)
        for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++) {
            double deg = aw_table_cell(table, row, layout->deg[i]);
            double from = deg - aw_table_cell(table, 0, layout->deg[i]);
            whole = whole && fabs(deg - round(deg)) < ROUNDING;
            steps = steps && fabs(remainder(from, QUANTUM_DEG)) < QUANTUM_DEG / 100;
        }
    return whole || steps;
}

static double farthest(const struct aw_table *table, const struct aw_waypoint_layout *layout)
{
    double most = 0;
    for (size_t row = 0; row < table->n_rows; row++)
        for (int i = 0; i < AW_HIDMOTOR_JOINTS; i++)
            most = fmax(most, fabs(aw_table_cell(table, row, layout->deg[i])));
    return most;
}

enum aw_status aw_waypoint_check_angles(struct aw_hidmotor_waypoints *way,
                                        const struct aw_table *table,
                                        const struct aw_waypoint_layout *layout,
                                        struct aw_error *err)
{
    char command[AW_WAYPOINT_COMMAND];
    struct aw_hidmotor_file how = way->how;
    bool named = layout->angles == AW_ANGLES_RAD;
    double most = farthest(table, layout);
    if (how.angles != AW_ANGLES_ASK || layout->angles == AW_ANGLES_DEG || layout->ours)
        return AW_OK;
    if (!named && (most > M_PI + 0.01 || !(most > 0) || is_in_degrees(table, layout)))
        return AW_OK;
    how.angles = AW_ANGLES_RAD;
    aw_waypoint_command(way, &how, command);
    if (named)
        return aw_fail(err, AW_MALFORMED,
                       "%.100s: '%s' says that these are radians — %s (--unit deg if not)",
                       way->name, way->columns[0], command);
    return aw_fail(err, AW_MALFORMED,
                   "%.100s: no angle is beyond %.3g: are these radians? %s (--unit deg if not)",
                   way->name, most, command);
}
