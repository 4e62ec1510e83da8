/* A setpoint file for play: assigns columns to joints, builds the path, and checks ranges and
 * speeds. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "capture/times.h"
#include "shell/joints/play.h"
#include "shell/safety/safety.h"

#define ROUNDING              1e-6    /* tolerance for rounding errors of positions */
#define MAX_SAMPLE_INTERVAL_S 0.02    /* max interval of measurements of a moving joint, s */
#define MEASURED_SPEED        1.5     /* encoder noise makes a measured motion look faster */
#define MAX_DURATION_S        86400.0 /* max duration of a path, s */

struct file_reader {
    struct aw_play *play;
    struct aw_session *session;
    struct aw_table table;
    int t;                       /* index of the time column; -1: --every sets the times */
    int columns[AW_PLAY_JOINTS]; /* column of each joint */
    double scale[AW_PLAY_JOINTS], offset[AW_PLAY_JOINTS];
    bool measured; /* the values are positions of a recording */
};

/* ---- Columns ---- */

static enum aw_status fail_in_header(struct file_reader *r)
{
    return aw_table_fail_at_row(&r->session->err, &r->table, AW_TABLE_HEADER);
}

static enum aw_status read_table(struct file_reader *r, const char *file)
{
    static const char *const none[] = {NULL};
    const char *columns = aw_play_given(r->session)->columns;
    return columns ? aw_table_read_named(NULL, file, columns, "t_ms,elbow,hand", &r->table,
                                         &r->session->err)
                   : aw_table_read_no_header(NULL, file, none, 0, &r->table, &r->session->err);
}

/* Returns true for recorded columns of a joint other than its position. */
static bool is_other_value(const struct file_reader *r, const char *name)
{
    static const char *const others[] = {"setpoint", "target", "velocity", "effort",
                                         "output",   "torque", "fault",    NULL};
    const char *dot = strrchr(name, '.');
    return (dot && aw_is_one_of(others, dot + 1)) ||
           (aw_play_given(r->session)->columns && strncmp(name, "column", 6) == 0);
}

/* Returns the joint that a column names, and the column's unit if given; n: not a joint. */
static size_t find_joint(const struct file_reader *r, const char *name, char unit[16])
{
    const struct aw_joint_list *list = &r->play->list;
    size_t joint = aw_joints_find_index(list, name);
    char bare[AW_JOINT_NAME];
    *unit = '\0';
    if (joint == list->n) {
        aw_split_unit(name, bare, sizeof bare, unit);
        joint = aw_joints_find_index(list, bare);
    }
    const char *suffix = strstr(name, ".position");
    if (joint == list->n && suffix && !suffix[strlen(".position")]) {
        snprintf(bare, sizeof bare, "%.*s", (int)(suffix - name), name);
        joint = aw_joints_find_index(list, bare);
        *unit = '\0';
    }
    return joint;
}

/* Returns true for a column name as in recordings. */
static bool is_position(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".position") == 0;
}

/* Returns the next joint of the list for a column that names no joint; n: no joint left. */
static size_t next_joint(const struct file_reader *r, size_t *next)
{
    const struct aw_joint_list *list = &r->play->list;
    while (*next < list->n && list->joints[*next].flags.excluded)
        ++*next;
    return *next < list->n ? (*next)++ : list->n;
}

static bool names_a_joint(const struct file_reader *r)
{
    char unit[16];
    for (size_t c = 0; c < r->table.n_columns; c++)
        if (find_joint(r, r->table.names[c], unit) < r->play->list.n)
            return true;
    return false;
}

static bool may_be_time(const struct file_reader *r, size_t column)
{
    struct aw_error ignored;
    return !is_other_value(r, r->table.names[column]) &&
           aw_table_check_times(&r->table, (int)column, &ignored) == AW_OK;
}

/* Returns the number of columns for each joint in a file without names. Logs contain position,
 * velocity and torque of each joint, and often no time. */
static size_t count_columns_each(const struct file_reader *r)
{
    size_t n = r->table.n_columns, joints = 0, next = 0;
    while (next_joint(r, &next) < r->play->list.n)
        joints++;
    bool logged = n % 3 == 0 && n / 3 <= joints && n > joints && !may_be_time(r, 0);
    return logged ? 3 : 1;
}

/* A suggestion for --columns. */
struct suggestion {
    struct aw_time_column time;
    int time_column; /* -1: no column looks like a time */
    bool names_joints, has_time, unknown;
    size_t stride, next, joints;
};

/* Returns true if the column may hold the joint with this number: it has no name, or its name ends
 * in the number. */
static bool may_be_joint(const struct file_reader *r, size_t column, size_t number)
{
    const char *name = r->table.names[column], *end = name + strlen(name);
    while (end > name && isdigit((unsigned char)end[-1]))
        end--;
    return r->table.no_header || strtoul(end, NULL, 10) == number;
}

/* Returns the suggested name of a column: a joint, a time, or "-" to ignore it. If the file names
 * no joint, assigns joints in order, skipping columns with other names. */
static const char *suggest_column(const struct file_reader *r, size_t column, struct suggestion *o)
{
    const struct aw_joint_list *list = &r->play->list;
    char unit[16];
    size_t joint = find_joint(r, r->table.names[column], unit);
    bool is_candidate = o->time_column < 0 ? joint == list->n && may_be_time(r, column)
                                           : (int)column == o->time_column;
    if (is_candidate && !o->has_time) {
        o->has_time = true;
        return o->time.scale < 1 ? "t_ms" : "t_s";
    }
    if (!o->names_joints && joint == list->n && column % o->stride == 0) {
        joint = next_joint(r, &o->next);
        o->unknown |= joint < list->n && !may_be_joint(r, column, o->next);
        joint = o->unknown ? list->n : joint;
    }
    o->joints += joint < list->n;
    return joint < list->n ? list->joints[joint].name : "-";
}

static bool ends_with_question(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && text[length - 1] == '?';
}

/* Appends a --columns that fits the file to the error. */
static enum aw_status fail_with_columns(struct file_reader *r)
{
    struct aw_table *table = &r->table;
    struct suggestion o = {.time.scale = 1,
                           .names_joints = names_a_joint(r),
                           .has_time = aw_play_given(r->session)->every_s > 0};
    struct aw_error *err = &r->session->err;
    char columns[400] = "";
    o.time_column =
        aw_find_time_column((const char *const *)table->names, table->n_columns, &o.time);
    o.stride = o.time_column < 0 ? count_columns_each(r) : 1;
    for (size_t c = 0; c < table->n_columns; c++)
        aw_append(columns, sizeof columns, ",", "%s", suggest_column(r, c, &o));
    if ((o.joints > 0 || o.unknown) && strlen(columns) + 1 < sizeof columns)
        aw_append(err->text, sizeof err->text, ends_with_question(err->text) ? " " : ", ",
                  "or give --columns %s%s%s", columns, o.has_time ? "" : " --every 20ms",
                  o.unknown ? " with joints in place of -" : "");
    return fail_in_header(r);
}

/* Finds the factor and offset from the file's unit to the joint's unit. */
static enum aw_status find_scale(struct file_reader *r, size_t k, const char *unit)
{
    const struct aw_joint *joint = &r->play->list.joints[r->play->joints[k].index];
    const char *wanted = joint->unit[AW_JOINT_ACTUAL];
    r->scale[k] = 1;
    if (!*unit)
        unit = aw_play_given(r->session)->unit;
    if (!unit || !wanted || strcmp(unit, wanted) == 0 ||
        aw_number_find_scale(unit, wanted, &r->scale[k], &r->offset[k]))
        return AW_OK;
    return aw_fail(&r->session->err, AW_USAGE, "%s: %s unit '%.30s' — use %s", joint->name,
                   aw_number_is_unit(unit) ? "wrong" : "unknown", unit, wanted);
}

static enum aw_status assign_column(struct file_reader *r, size_t column)
{
    struct aw_play *play = r->play;
    const char *name = r->table.names[column];
    char unit[16];
    size_t joint = find_joint(r, name, unit);
    if (joint == play->list.n && is_other_value(r, name))
        return AW_OK;
    if (joint == play->list.n && aw_joints_find(r->session, &play->list, name, &joint) != AW_OK)
        return fail_with_columns(r);
    r->measured = r->measured || is_position(name);
    for (size_t k = 0; k < play->n; k++)
        if (play->joints[k].index == joint) {
            aw_fail(&r->session->err, AW_MALFORMED,
                    "column %s: joint %s already has a column — remove one", name,
                    play->list.joints[joint].name);
            return fail_in_header(r);
        }
    if (play->list.joints[joint].flags.excluded)
        return AW_OK;
    if (play->n == AW_PLAY_JOINTS)
        return aw_fail(&r->session->err, AW_LIMIT, "play: more than %d joints — remove columns",
                       AW_PLAY_JOINTS);
    r->columns[play->n] = (int)column;
    play->joints[play->n++].index = joint;
    enum aw_status status = find_scale(r, play->n - 1, unit);
    return status == AW_OK ? aw_table_check_numbers(&r->table, (int)column, &r->session->err)
                           : status;
}

/* Finds the column of times, unless --every sets the row interval. */
static enum aw_status find_time(struct file_reader *r)
{
    struct aw_error *err = &r->session->err;
    struct aw_table *table = &r->table;
    struct aw_time_column time;
    int t = aw_find_time_column((const char *const *)table->names, table->n_columns, &time);
    bool has_interval = aw_play_given(r->session)->every_s > 0;
    char names[160];
    r->t = -1;
    if (has_interval && t >= 0) {
        aw_fail(err, AW_USAGE, "--every: the file has times in column %.60s — remove the option",
                table->names[t]);
        return fail_in_header(r);
    }
    if (has_interval)
        return AW_OK;
    if (t >= 0 && !time.no_unit && !time.is_step)
        return aw_table_convert_time(table, &r->t, err);
    aw_table_list(table, names, sizeof names);
    if (t >= 0 && time.no_unit)
        aw_fail(err, AW_USAGE,
                "column %.60s: unit of time unknown — rename the column to t_s or t_ms",
                table->names[t]);
    else
        aw_fail(err, AW_USAGE, "no time column in %s — name one t_s or t_ms", names);
    return fail_with_columns(r);
}

static enum aw_status find_columns(struct file_reader *r)
{
    if (r->table.no_header && !aw_play_given(r->session)->columns) {
        aw_fail(&r->session->err, AW_MALFORMED,
                "no header — name the %zu columns in the first line", r->table.n_columns);
        return fail_with_columns(r);
    }
    if (aw_table_find(&r->table, "msg") >= 0) {
        aw_fail(&r->session->err, AW_MALFORMED,
                "a recording of messages, not a table of joints — use 'follow' instead");
        return fail_in_header(r);
    }
    enum aw_status status = find_time(r);
    for (size_t c = 0; c < r->table.n_columns && status == AW_OK; c++)
        if ((int)c != r->t)
            status = assign_column(r, c);
    if (status == AW_OK && r->play->n == 0) {
        aw_fail(&r->session->err, AW_MALFORMED,
                "no column for a joint — name one after a joint, see 'limits'");
        return fail_in_header(r);
    }
    return status;
}

/* ---- The path ---- */

static double get_time(const struct file_reader *r, size_t row)
{
    return r->t < 0 ? (double)row * aw_play_given(r->session)->every_s
                    : aw_table_cell(&r->table, row, r->t);
}

static bool is_same_position(const struct file_reader *r, size_t a, size_t b)
{
    for (size_t k = 0; k < r->play->n; k++) {
        double difference =
            aw_table_cell(&r->table, a, r->columns[k]) - aw_table_cell(&r->table, b, r->columns[k]);
        if (difference < 0 || difference > 0)
            return false;
    }
    return true;
}

static void copy_row(struct aw_table *table, size_t to, size_t from)
{
    memmove(table->cells + to * table->n_columns, table->cells + from * table->n_columns,
            table->n_columns * sizeof *table->cells);
    table->lines[to] = table->lines[from];
}

/* A recording repeats a position until the next measurement. Drops the repeats, which would turn a
 * steady motion into steps. Keeps the rows of a joint at rest. */
static void drop_repeats(struct file_reader *r)
{
    struct aw_table *table = &r->table;
    size_t n_kept = 0, n = table->n_rows;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && is_same_position(r, first, end);)
            end++;
        double from = get_time(r, first) + MAX_SAMPLE_INTERVAL_S;
        double to = end < n ? get_time(r, end) - MAX_SAMPLE_INTERVAL_S : (double)INFINITY;
        for (size_t i = first; i < end; i++)
            if (i == first || i == n - 1 || (get_time(r, i) >= from && get_time(r, i) <= to))
                copy_row(table, n_kept++, i);
    }
    table->n_rows = n_kept;
}

/* A measured position may exceed a limit by the arrival tolerance. */
static double clamp_measured(const struct aw_joint *joint, double position)
{
    if (position > joint->limits.max && position <= joint->limits.max + joint->tolerance.tolerance)
        return joint->limits.max;
    return position < joint->limits.min &&
                   position >= joint->limits.min - joint->tolerance.tolerance
               ? joint->limits.min
               : position;
}

static enum aw_status make_path(struct file_reader *r)
{
    struct aw_play *play = r->play;
    size_t n = r->table.n_rows, joints = play->n;
    double *times = calloc(n + 1, sizeof *times), *points = calloc(n * joints + 1, sizeof *points);
    enum aw_status status = times && points ? AW_OK : aw_no_memory(&r->session->err);
    for (size_t i = 0; i < n && status == AW_OK; i++) {
        times[i] = get_time(r, i);
        for (size_t k = 0; k < joints; k++) {
            double position =
                r->offset[k] + r->scale[k] * aw_table_cell(&r->table, i, r->columns[k]);
            points[i * joints + k] =
                r->measured ? clamp_measured(&play->list.joints[play->joints[k].index], position)
                            : position;
        }
    }
    if (status == AW_OK && n > 0 && times[n - 1] - times[0] > MAX_DURATION_S) {
        aw_fail(&r->session->err, AW_LIMIT,
                "the path takes %.9g s, more than %g s — check the times", times[n - 1] - times[0],
                MAX_DURATION_S);
        status = aw_table_fail_at_row(&r->session->err, &r->table, n - 1);
    }
    if (status == AW_OK)
        status = aw_path_init(&play->path, aw_play_mode(r->session), times, points, n, joints,
                              &r->session->err);
    free(times);
    free(points);
    return status;
}

/* ---- Limits ---- */

static double get_max_speed(const struct file_reader *r, size_t k)
{
    if (r->session->options.move.max_speed_value > 0)
        return r->session->options.move.max_speed_value;
    return r->play->list.joints[r->play->joints[k].index].limits.max_speed *
           (r->measured ? MEASURED_SPEED : 1);
}

/* Returns true if no limit of speed applies: --force lifts the joints' limits and the default
 * --max-speed, but not a --max-speed that the user gave. */
static bool may_be_fast(const struct file_reader *r)
{
    const struct aw_option_value *option = aw_options_find(&r->session->options, "max-speed");
    bool is_given = option && option->text && option->origin != AW_FROM_DEFAULT;
    return r->session->options.run.force && !is_given;
}

/* The fastest segment of the path: its first point, its fastest joint, and the ratio of their max
 * speed to the limit. */
struct fastest {
    double ratio;
    size_t point, joint;
};

static struct fastest find_fastest(const struct file_reader *r)
{
    struct fastest fastest = {0};
    for (size_t i = 0; i + 1 < r->play->path.n; i++)
        for (size_t k = 0; k < r->play->n; k++) {
            double ratio = aw_path_extremes(&r->play->path, i, k).max_speed / get_max_speed(r, k);
            if (ratio > fastest.ratio)
                fastest = (struct fastest){ratio, i, k};
        }
    return fastest;
}

static const char *get_unit(const struct aw_joint *joint)
{
    return joint->unit[AW_JOINT_ACTUAL] ? joint->unit[AW_JOINT_ACTUAL] : "";
}

static enum aw_status check_range(struct file_reader *r, size_t i, size_t k)
{
    const struct aw_joint *joint = &r->play->list.joints[r->play->joints[k].index];
    struct aw_path_extremes x = aw_path_extremes(&r->play->path, i, k);
    bool force = r->session->options.run.force;
    double min = force ? -FLT_MAX : joint->limits.min, max = force ? FLT_MAX : joint->limits.max;
    bool is_low = x.low < min - ROUNDING;
    if (!is_low && x.high <= max + ROUNDING)
        return AW_OK;
    return aw_fail(&r->session->err, AW_LIMIT,
                   "%s: %.6g %s at %.6g s is beyond its limit of %g %s — correct the file",
                   joint->name, is_low ? x.low : x.high, get_unit(joint),
                   is_low ? x.low_t_s : x.high_t_s, is_low ? min : max, get_unit(joint));
}

static enum aw_status check_speed(struct file_reader *r, const struct fastest *fastest)
{
    const struct aw_play *play = r->play;
    const struct aw_joint *joint = &play->list.joints[play->joints[fastest->joint].index];
    char advice[64];
    if (may_be_fast(r) || !(fastest->ratio * play->start_speed > 1))
        return AW_OK;
    struct aw_path_extremes x = aw_path_extremes(&play->path, fastest->point, fastest->joint);
    aw_fail(&r->session->err, AW_LIMIT, "%s: %.4g %s/s at %.6g s is faster than %s%g — %s",
            joint->name, x.max_speed * play->start_speed, get_unit(joint), x.max_speed_t_s,
            r->session->options.move.max_speed_value > 0 ? "--max-speed " : "",
            get_max_speed(r, fastest->joint),
            fastest->ratio >= AW_WRONG_UNIT ? "check the unit of the times, s or ms"
                                            : aw_tempo_write_advice(fastest->ratio, advice));
    return aw_table_fail_at_row(&r->session->err, &r->table, fastest->point + 1);
}

/* Checks the whole path, also between the points. */
static enum aw_status check_path(struct file_reader *r, const struct fastest *fastest)
{
    const struct aw_play *play = r->play;
    enum aw_status status = AW_OK;
    for (size_t i = 0; (i + 1 < play->path.n || i == 0) && status == AW_OK; i++)
        for (size_t k = 0; k < play->n && status == AW_OK; k++) {
            status = check_range(r, i, k);
            if (status != AW_OK)
                aw_table_fail_at_row(&r->session->err, &r->table, i + 1 < play->path.n ? i + 1 : i);
        }
    return status == AW_OK ? check_speed(r, fastest) : status;
}

enum aw_status aw_play_load(struct aw_play *play, const char *file)
{
    struct aw_session *session = play->session;
    struct file_reader r = {.play = play, .session = session};
    enum aw_status status = read_table(&r, file);
    size_t zeros = status == AW_OK ? aw_table_cut_zeros(&r.table) : 0;
    if (zeros)
        aw_session_print_notice(session, "skipped trailing rows of zeros, from line %zu", zeros);
    if (status == AW_OK && session->tool->motion.joints->traits.reports_joints && play->list.n == 0)
        status = aw_dry_run_depends(session, "the joints of the device");
    if (status == AW_OK)
        status = find_columns(&r);
    if (status == AW_OK && r.measured)
        drop_repeats(&r);
    if (status == AW_OK)
        status = make_path(&r);
    const struct fastest fastest = status == AW_OK ? find_fastest(&r) : (struct fastest){0};
    if (status == AW_OK)
        status = aw_tempo_choose_speed(session, fastest.ratio, &play->start_speed);
    if (status == AW_OK)
        status = check_path(&r, &fastest);
    if (status == AW_OK)
        play->max_speed = 1 / fastest.ratio;
    aw_table_free(&r.table);
    return status;
}
