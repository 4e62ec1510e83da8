/* record for joints: writes a table over time that play and plot can read. */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "capture/table.h"
#include "control/samples.h"
#include "shell/joints/joints.h"
#include "shell/look/look.h"
#include "shell/safety/safety.h"
#include "shell/source/stream.h"

#define FLUSH_NS    (50 * AW_MILLISECOND)
#define ARRIVED_NS  (200 * AW_MILLISECOND) /* a value unchanged for this long counts as arrived */
#define JOINTS_MAX  64
#define COLUMNS_MAX (1 + 4 * JOINTS_MAX)

/* The values of each joint, named as in records. Positions come first, because play reads them from
 * files without a header. */
static const struct {
    const char *name;
    enum aw_joint_value value;
} fields[] = {
    {"position", AW_JOINT_ACTUAL},
    {"setpoint", AW_JOINT_TARGET},
    {"velocity", AW_JOINT_VELOCITY},
    {"effort", AW_JOINT_EFFORT},
};
#define N_FIELDS (sizeof fields / sizeof *fields)

struct recorder {
    struct aw_session *session;
    const char *path;
    FILE *file;
    struct aw_joint_list list;
    struct aw_table table; /* columns of the file; rows are written directly */
    struct {
        size_t joint;
        enum aw_joint_value value;
    } column[COLUMNS_MAX]; /* columns of values, from index 1 on */
    bool needs_queries;    /* values other than positions and setpoints, which must be queried */
    bool is_new[JOINTS_MAX];
    struct {
        struct aw_samples gaps_ms;
        uint64_t rows, repeats, marks, limit;
    } counts;
    struct {
        int64_t first_ns, last_ns, flushed_ns, changed_ns;
    } time;
    double row[COLUMNS_MAX];
    bool reads_marks;      /* lines on standard input are marks */
    enum aw_status status; /* status of the last row */
};

/* ---- Columns ---- */

/* Returns true if the device reports the value. */
static bool is_reported(const struct recorder *r, const struct aw_joint *joint,
                        enum aw_joint_value value)
{
    if (joint->flags.is_blind || joint->flags.excluded)
        return false;
    if (value == AW_JOINT_ACTUAL)
        return true;
    if (value == AW_JOINT_TARGET)
        return !(r->session->tool->motion.steer_gain > 0);
    const struct aw_joint_column *c = r->session->tool->motion.joints->columns;
    while (c && c->key && c->value != value)
        c++;
    return c && c->key;
}

static bool matches_pattern(const char *pattern, const struct aw_joint *joint, const char *field)
{
    char name[2 * AW_JOINT_NAME], alias[2 * AW_JOINT_NAME];
    snprintf(name, sizeof name, "%s.%s", joint->name, field);
    snprintf(alias, sizeof alias, "%s.%s", joint->alias, field);
    return fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, alias, 0) == 0 ||
           strcmp(pattern, field) == 0 || strcmp(pattern, joint->name) == 0 ||
           strcmp(pattern, joint->alias) == 0;
}

/* Returns true if --fields requests the value. Marks the matching names as found. */
static bool is_requested(struct recorder *r, const struct aw_joint *joint, const char *field,
                         bool *found)
{
    const struct aw_select *requested = &r->session->run.printing.wanted.any;
    bool wants_all = requested->n == 0;
    for (size_t i = 0; i < requested->n; i++)
        if (matches_pattern(requested->pattern[i], joint, field))
            wants_all = found[i] = true;
    return wants_all;
}

static void add_columns(struct recorder *r, size_t field, bool *found, char (*text)[160], size_t *n)
{
    for (size_t i = 0; i < r->list.n && i < JOINTS_MAX; i++) {
        const struct aw_joint *joint = &r->list.joints[i];
        enum aw_joint_value value = fields[field].value;
        if (!is_reported(r, joint, value) || !is_requested(r, joint, fields[field].name, found))
            continue;
        snprintf(text[*n], sizeof *text, "%s.%s", joint->name, fields[field].name);
        r->column[*n].joint = i;
        r->column[(*n)++].value = value;
        r->needs_queries = r->needs_queries || value >= AW_JOINT_VELOCITY;
    }
}

static enum aw_status choose_columns(struct recorder *r)
{
    struct aw_session *session = r->session;
    const struct aw_select *requested = &session->run.printing.wanted.any;
    bool found[AW_SELECT_MAX] = {false};
    char(*text)[160] = calloc(COLUMNS_MAX, sizeof *text);
    const char *names[COLUMNS_MAX] = {"t"};
    size_t n = 1;
    if (!text)
        return aw_no_memory(&session->err);
    session->run.printing.wanted.selects_entries = false; /* the fields are columns */
    enum aw_status status = aw_stream_check(session, requested, NULL);
    for (size_t field = 0; field < N_FIELDS && status == AW_OK; field++)
        add_columns(r, field, found, text, &n);
    for (size_t i = 1; i < n; i++)
        names[i] = text[i];
    size_t missing = aw_select_find_missing(requested, found);
    if (status == AW_OK && missing < requested->n)
        status =
            aw_fail(&session->err, AW_USAGE,
                    "record: '%.60s' is not recorded — available: position, setpoint, velocity, "
                    "effort of the joints; .ndjson, .pcapng and .mcap contain all messages",
                    requested->pattern[missing]);
    if (status == AW_OK)
        status = aw_table_init(&r->table, names, n, &session->err);
    free(text);
    return status;
}

static enum aw_status begin(struct recorder *r)
{
    struct aw_session *session = r->session;
    const struct aw_joints *joints = session->tool->motion.joints;
    enum aw_status status =
        (joints->traits.reports_joints ? aw_joints_begin : aw_joints_list)(session, &r->list);
    if (status == AW_OK)
        status = choose_columns(r);
    if (status == AW_OK)
        status = aw_dry_run_check(session);
    if (status == AW_OK && !joints->traits.reports_joints)
        status = joints->run.open(session);
    if (status == AW_OK)
        status = aw_session_create_file(session, NULL, r->path, &r->file);
    if (status == AW_OK && !aw_record_joints_given(session)->no_header)
        status = aw_table_write_header(r->file, &r->table, &session->err);
    return status;
}

/* ---- Rows ---- */

/* Every FLUSH_NS, writes a mark that the user typed, and flushes the file: a killed recorder loses
 * only what came later. */
static enum aw_status flush(struct recorder *r, int64_t now)
{
    char mark[AW_MARK_MAX];
    if (now - r->time.flushed_ns < FLUSH_NS)
        return AW_OK;
    r->time.flushed_ns = now;
    if (aw_record_read_mark(&r->reads_marks, mark)) {
        fprintf(r->file, "# %s\n", mark);
        r->counts.marks++;
    }
    if (fflush(r->file) == 0)
        return AW_OK;
    return aw_file_fail(&r->session->err, "record", r->path);
}

/* Rounds to the shortest decimal of a 32-bit float: 0.72, not 0.7200000286102295. */
static double shorten(double value)
{
    char text[AW_NUMBER_MAX + 1];
    *aw_print_float32(text, (float)value) = '\0';
    return strtod(text, NULL);
}

static double *get_value(struct recorder *r, size_t column)
{
    return &r->list.joints[r->column[column].joint].state.value[r->column[column].value];
}

/* Writes a row, unless a position is unknown, or --changes is given and the row repeats the last
 * one. */
static enum aw_status add_row(struct recorder *r, int64_t time_ns)
{
    double row[COLUMNS_MAX] = {0};
    size_t n = r->table.n_columns;
    enum aw_status status = AW_OK;
    memset(r->is_new, 0, sizeof r->is_new);
    for (size_t i = 1; i < n; i++) {
        double value = *get_value(r, i);
        if (isnan(value) && r->column[i].value == AW_JOINT_ACTUAL)
            return AW_OK;
        row[i] = isnan(value) ? 0 : shorten(value);
    }
    if (!r->counts.rows)
        r->time.first_ns = r->time.last_ns = r->time.changed_ns = time_ns;
    else
        aw_samples_add(&r->counts.gaps_ms, (double)(time_ns - r->time.last_ns) / 1e6);
    r->time.last_ns = time_ns;
    row[0] = (double)(time_ns - r->time.first_ns) / 1e9;
    bool repeats = r->counts.rows && memcmp(row + 1, r->row + 1, (n - 1) * sizeof *row) == 0;
    if (!repeats)
        r->time.changed_ns = time_ns;
    memcpy(r->row, row, sizeof row);
    r->counts.repeats += repeats;
    r->counts.rows++;
    if (!repeats || !aw_record_joints_given(r->session)->changes)
        status = aw_table_write_row(r->file, &r->table, row, &r->session->err);
    return status == AW_OK ? flush(r, time_ns) : status;
}

/* Adds a row once every joint has a new position, or one joint has a second one. */
static enum aw_status add_new_positions(struct recorder *r)
{
    int64_t last = r->time.last_ns;
    bool has_all = true, repeated = false;
    for (size_t i = 0; i < r->list.n && i < JOINTS_MAX; i++) {
        const struct aw_joint *joint = &r->list.joints[i];
        int64_t received_ns = joint->state.time_ns[AW_JOINT_ACTUAL];
        if (!is_reported(r, joint, AW_JOINT_ACTUAL))
            continue;
        bool is_new =
            received_ns != AW_NO_TIME && (received_ns > r->time.last_ns || !r->counts.rows);
        repeated = repeated || (is_new && r->is_new[i]);
        r->is_new[i] = r->is_new[i] || is_new;
        has_all = has_all && r->is_new[i];
        last = received_ns != AW_NO_TIME && received_ns > last ? received_ns : last;
    }
    return has_all || repeated ? add_row(r, last) : AW_OK;
}

static bool has_arrived(const struct recorder *r)
{
    if (!aw_record_joints_given(r->session)->until_arrived || !r->counts.rows ||
        r->time.last_ns - r->time.changed_ns < ARRIVED_NS)
        return false;
    for (size_t i = 0; i < r->list.n; i++) {
        const struct aw_joint *joint = &r->list.joints[i];
        const double *now = joint->state.value;
        if (!joint->flags.is_blind &&
            fabs(now[AW_JOINT_ACTUAL] - now[AW_JOINT_TARGET]) > joint->tolerance.tolerance)
            return false;
    }
    return true;
}

static bool is_enough(const struct recorder *r)
{
    return has_arrived(r) || (r->counts.limit && r->counts.rows >= r->counts.limit);
}

static bool handle_report(void *context, const struct aw_joint_list *list)
{
    struct recorder *r = context;
    (void)list;
    r->status = add_new_positions(r);
    return r->status == AW_OK && !is_enough(r);
}

/* Reads all joints hz times per second (0: without pauses) until the deadline. */
static enum aw_status query_all(struct recorder *r, int64_t deadline, double hz)
{
    struct aw_session *session = r->session;
    int64_t next = aw_clock_now(session->clock), period = hz > 0 ? (int64_t)(1e9 / hz) : 0;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !is_enough(r) && aw_clock_now(session->clock) < deadline) {
        status = aw_joints_read(session, &r->list);
        if (status == AW_OK)
            status = add_new_positions(r);
        next += period;
        if (status == AW_OK && period)
            status = aw_clock_sleep(session->clock, aw_min_time(next, deadline));
    }
    return status;
}

/* Records from a log, whose messages do not wait for queries. */
static enum aw_status read_log(struct recorder *r, int64_t deadline)
{
    const struct aw_joints *joints = r->session->tool->motion.joints;
    struct aw_item item;
    struct aw_stream *stream;
    enum aw_status status = aw_stream_open(&stream, r->session, NULL);
    while (status == AW_OK && !is_enough(r)) {
        bool moved = false;
        status = aw_stream_next(stream, deadline, &item);
        for (size_t i = 0; status == AW_OK && i < item.n; i++) {
            int column = aw_table_find(&r->table, item.points[i].field);
            if (column < 1)
                continue;
            bool is_position = r->column[column].value == AW_JOINT_ACTUAL;
            double value = item.points[i].value;
            *get_value(r, (size_t)column) =
                is_position && joints->info.position_field.unit
                    ? value * joints->info.position_field.scale + joints->info.position_field.offset
                    : value;
            moved = moved || is_position;
        }
        if (moved)
            status = add_row(r, item.time_ns);
        if (status == AW_MALFORMED)
            status = AW_OK;
    }
    aw_stream_close(stream);
    return aw_stream_is_over(status) || status == AW_TIMEOUT ? AW_OK : status;
}

static enum aw_status record_samples(struct recorder *r, int64_t deadline)
{
    struct aw_session *session = r->session;
    if (session->device.link->is_recording)
        return read_log(r, deadline);
    double hz = session->options.move.rate;
    if (r->needs_queries && session->tool->talk.polls)
        return query_all(r, deadline, hz);
    enum aw_status status = aw_joints_attend(session, &r->list, deadline,
                                             hz > 0 ? hz : (double)INFINITY, handle_report, r);
    status = status == AW_OK ? r->status : status;
    const char *hint = session->tool->help.no_answer_hint;
    return status != AW_OK || r->counts.rows
               ? status
               : aw_fail(&session->err, AW_TIMEOUT, "record: no data received%s%s",
                         hint ? " — " : "", hint ? hint : "");
}

static void fill_result(struct recorder *r)
{
    struct aw_object *result = &r->session->result;
    struct aw_stats s = aw_samples_stats(&r->counts.gaps_ms);
    aw_object_start(result, "record");
    aw_object_add_count(result, "samples", r->counts.rows);
    aw_object_add_count(result, "repeats", r->counts.repeats);
    if (r->counts.marks)
        aw_object_add_count(result, "marks", r->counts.marks);
    aw_object_add_number(result, "duration", (double)(r->time.last_ns - r->time.first_ns) / 1e9, 3,
                         "s");
    aw_object_add_stats_ms(result, "interval", &s);
}

enum aw_status aw_run_record_joints(struct aw_session *session, const struct aw_args *args)
{
    const char *path = aw_arg(args, "file", 0);
    struct recorder *r = calloc(1, sizeof *r);
    if (!r)
        return aw_no_memory(&session->err);
    r->session = session;
    r->path = path;
    r->reads_marks = isatty(STDIN_FILENO) && !session->options.run.no_input;
    r->counts.limit = (uint64_t)session->options.run.count;
    enum aw_status status = begin(r);
    if (status == AW_OK) {
        status = aw_record_end_status(session, record_samples(r, aw_session_end_time(session)));
        fill_result(r);
    }
    if (status == AW_STOPPED && !aw_session_is_json(session))
        aw_session_print_result(session); /* Ctrl-C is a normal way to end */
    if (r->file && !aw_file_close(r->file) && (status == AW_OK || status == AW_STOPPED))
        status = aw_file_fail(&session->err, "record", path);
    aw_samples_free(&r->counts.gaps_ms);
    aw_table_free(&r->table);
    aw_joints_free(&r->list);
    free(r);
    return status;
}
