/* Reads values from NDJSON or CSV lines of any tool or another program. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/lines.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "capture/times.h"
#include "shell/source/stream_source.h"
#include "view/text/timestamp.h"

#define MAX_TIME_S                                                                                 \
    4e9 /* max absolute value of a time in s, so that differences fit 64 bits of ns */

static enum aw_status next_line(struct aw_stream *s, const char *skipped, int64_t deadline,
                                char **line)
{
    enum aw_status status;
    do
        status = aw_stream_line(s, deadline, line);
    while (status == AW_OK && strchr(skipped, (*line)[strspn(*line, " \t")]));
    return status;
}

static void store_bad_time(struct aw_stream *s, const char *text, size_t column)
{
    snprintf(s->input.flaw.time, sizeof s->input.flaw.time, "%s", text);
    s->input.flaw.time_column = column;
}

/* ---- NDJSON ---- */

/* Returns true for keys of a record that are not values. */
static bool is_envelope(const char *key)
{
    return aw_is_one_of((const char *const[]){"t", "timestamp", "__time", "dir", "msg", "cmd",
                                              "raw", "anomaly", NULL},
                        key);
}

/* Returns true for keys whose string names the subject of an object; it becomes a prefix of the
 * value names. Lists the keys of all tools, because each tool reads the others' records. */
static bool is_subject(const char *key)
{
    return aw_is_one_of((const char *const[]){"board", "name", "object", "body", "subject", NULL},
                        key);
}

/* In an armwire record, a joint number also names the subject. */
static bool is_number_of(const char *key, bool is_record)
{
    return is_record && strcmp(key, "joint") == 0;
}

static bool names_subject(const json_t *object, const char *key, const json_t *member)
{
    bool is_record = json_is_string(json_object_get(object, "msg"));
    return (is_subject(key) && json_is_string(member)) ||
           (is_number_of(key, is_record) && json_is_integer(member));
}

static bool read_scalar(const json_t *value, double *number, const char **text)
{
    *text = json_string_value(value);
    *number = json_is_number(value)    ? json_number_value(value)
              : json_is_boolean(value) ? json_is_true(value)
                                       : (double)NAN;
    return !json_is_object(value) && !json_is_array(value);
}

struct json {
    json_t *object; /* owns the strings in the points */
    char paths[AW_POINTS_MAX][AW_POINT_NAME];
};

enum aw_status aw_json_begin(struct aw_stream *s, const char *name)
{
    (void)name;
    return aw_stream_state(s, sizeof(struct json)) ? AW_OK : AW_NO_MEMORY;
}

static void add_point(struct aw_stream *s, const char *path, double number, const char *text)
{
    struct json *json = s->state;
    struct aw_item *item = &s->item;
    if (item->n == AW_POINTS_MAX)
        return;
    const char *message = json_string_value(json_object_get(json->object, "msg"));
    struct aw_point *point = &s->points[item->n];
    snprintf(json->paths[item->n], AW_POINT_NAME, "%s", path);
    aw_path_point(&s->names, message, json->paths[item->n], number, text, point);
    point->subject = item->subject;
    if (*item->subject)
        aw_point_join(point->name, (const char *[]){item->subject, path}, 2);
    point->order = (unsigned)item->n;
    item->n++;
}

static void add_members(struct aw_stream *s, const char *prefix, json_t *value, int depth);

static void add_member(struct aw_stream *s, const char *path, json_t *value, int depth)
{
    double number;
    const char *text;
    if (read_scalar(value, &number, &text))
        add_point(s, path, number, text);
    else if (depth < 6)
        add_members(s, path, value, depth + 1);
}

/* Adds the elements of a list, numbered from 0. */
static void add_members(struct aw_stream *s, const char *prefix, json_t *value, int depth)
{
    const char *key;
    json_t *member;
    char path[AW_POINT_NAME];
    size_t index;
    json_object_foreach(value, key, member)
    {
        if (depth == 0 && (is_envelope(key) || names_subject(value, key, member)))
            continue;
        aw_point_join(path, (const char *[]){prefix, key}, 2);
        add_member(s, path, member, depth);
    }
    json_array_foreach(value, index, member)
    {
        char number[24];
        snprintf(number, sizeof number, "%zu", index);
        aw_point_join(path, (const char *[]){prefix, number}, 2);
        add_member(s, path, member, depth);
    }
}

static const char *find_subject(const json_t *object, char number[AW_POINT_NAME])
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)object, key, member)
    {
        if (!names_subject(object, key, member))
            continue;
        snprintf(number, AW_POINT_NAME, "joint%" JSON_INTEGER_FORMAT, json_integer_value(member));
        return json_is_string(member) ? json_string_value(member) : number;
    }
    return "";
}

/* Converts integer and fractional seconds separately, because the sum exceeds the precision of a
 * double. */
static int64_t to_ns(double seconds)
{
    double whole = floor(seconds);
    return (int64_t)whole * AW_SECOND + llround((seconds - whole) * 1e9);
}

/* Returns the direction named by "dir"; 0: none. */
static enum aw_dir parse_dir(const char *text)
{
    return !text ? 0 : strcmp(text, "tx") == 0 ? AW_TX : strcmp(text, "rx") == 0 ? AW_RX : 0;
}

/* Reads seconds since 1970 or another origin, or ISO 8601. */
static void read_json_time(struct aw_stream *s, const json_t *object)
{
    const json_t *t = json_object_get(object, "t");
    t = t ? t : json_object_get(object, "timestamp");
    t = t ? t : json_object_get(object, "__time");
    double seconds = json_is_number(t) ? json_number_value(t) : (double)NAN;
    s->item.time_ns = fabs(seconds) < MAX_TIME_S ? to_ns(seconds) : AW_NO_TIME;
    if (json_is_string(t) && !aw_time_parse_iso(json_string_value(t), &s->item.time_ns))
        store_bad_time(s, json_string_value(t), 1);
}

enum aw_status aw_json_next(struct aw_stream *s, int64_t deadline)
{
    struct json *json = s->state;
    json_error_t problem;
    char *line;
    enum aw_status status = next_line(s, "", deadline, &line);
    if (status != AW_OK)
        return status;
    json_decref(json->object);
    json->object = json_loads(line, 0, &problem);
    if (!json_is_object(json->object)) {
        s->counters.damaged++;
        if (s->counters.malformed++ == 0)
            s->counters.malformed_line = s->input.line;
        return aw_fail(&s->session->err, AW_MALFORMED,
                       "%.120s:%" PRIu64 ":1: not a JSON object: %.60s", s->input.name,
                       s->input.line, line);
    }
    s->item.line = line;
    read_json_time(s, json->object);
    const char *dir = json_string_value(json_object_get(json->object, "dir"));
    s->item.received.dir = dir && strcmp(dir, "tx") == 0 ? AW_TX : AW_RX;
    s->item.subject = find_subject(json->object, s->subject);
    s->item.received.dir = parse_dir(json_string_value(json_object_get(json->object, "dir")));
    add_members(s, "", json->object, 0);
    s->item.timed_locally = s->item.time_ns == AW_NO_TIME && s->input.is_live;
    if (s->item.timed_locally)
        s->item.time_ns = aw_wall_time();
    return AW_OK;
}

void aw_json_end(struct aw_stream *s)
{
    json_decref(((struct json *)s->state)->object);
}

const struct aw_source aw_json_source = {
    .begin = aw_json_begin, .next = aw_json_next, .end = aw_json_end};

/* ---- CSV ---- */

struct csv {
    char separator;
    char *header;                   /* split into names */
    char *first;                    /* the first line, if it is not a header; or NULL */
    bool started;                   /* that line has been returned */
    bool cut;                       /* the file has more columns than are read */
    char number[AW_POINTS_MAX][12]; /* numbers that serve as names of unnamed columns */
    size_t n;
    const char *name[AW_POINTS_MAX];
    int time, message;           /* column numbers, or -1 */
    double scale;                /* factor from the time column to s */
    size_t start[AW_POINTS_MAX]; /* column where each cell of the last row starts, from 1 */
};

/* Splits off the next cell without its quotes. Returns NULL after the last one. */
static char *next_cell(char **rest, char separator)
{
    struct aw_csv_cell cell;
    if (!aw_csv_next((const char **)rest, separator, &cell))
        return NULL;
    aw_csv_copy(&cell, (char *)cell.text, cell.length + 1);
    return (char *)cell.text;
}

static const char *make_column_number(struct csv *csv, size_t column)
{
    snprintf(csv->number[column], sizeof *csv->number, "column%u", (unsigned)column + 1);
    return csv->number[column];
}

/* Finds the time column. Times are in seconds unless the column name says otherwise. Intervals
 * between rows are not times. */
static void find_time(struct csv *csv)
{
    struct aw_time_column time = {.scale = 1};
    csv->time = aw_find_time_column(csv->name, csv->n, &time);
    if (csv->time >= 0 && time.is_step)
        csv->time = -1;
    csv->scale = time.scale;
}

/* Names the columns from the header. A first line of numbers, with at most one leading name, is not
 * a header; saved camera data and record --no-header have none. The columns are then numbered. */
static enum aw_status name_columns(struct aw_stream *s, const char *line)
{
    struct csv *csv = s->state;
    for (size_t i = 1; i < csv->n; i++) {
        double value;
        if (csv->time >= 0 || !aw_csv_number(csv->name[i], csv->separator, &value))
            return AW_OK;
    }
    for (size_t i = 0; i < csv->n; i++)
        csv->name[i] = make_column_number(csv, i);
    csv->first = strdup(line);
    return csv->first ? AW_OK : aw_no_memory(&s->session->err);
}

static enum aw_status csv_begin(struct aw_stream *s, const char *name)
{
    struct csv *csv = aw_stream_state(s, sizeof *csv);
    char *line, *cell;
    (void)name;
    if (!csv)
        return AW_NO_MEMORY;
    enum aw_status status = next_line(s, "#", AW_NEVER, &line);
    if (status == AW_END)
        return aw_fail(&s->session->err, AW_USAGE,
                       "%.120s:1:1: header missing — name the columns in the first line",
                       s->input.name);
    if (status != AW_OK)
        return status;
    if (strchr(line, '\r'))
        return aw_fail(&s->session->err, AW_MALFORMED, "%.120s: " AW_CR_ADVICE, s->input.name);
    csv->separator = aw_csv_separator(line) == ' ' ? ',' : aw_csv_separator(line);
    csv->header = strdup(line);
    csv->time = csv->message = -1;
    if (!csv->header)
        return aw_no_memory(&s->session->err);
    char *rest = csv->header;
    while (csv->n < AW_POINTS_MAX && (cell = next_cell(&rest, csv->separator))) {
        if (strcmp(cell, "msg") == 0)
            csv->message = (int)csv->n;
        csv->name[csv->n] = *cell ? cell : make_column_number(csv, csv->n);
        csv->n++;
    }
    csv->cut = csv->n == AW_POINTS_MAX && next_cell(&rest, csv->separator);
    if (csv->cut)
        aw_session_print_notice(s->session, "%.120s: only the first %d columns are read",
                                s->input.name, AW_POINTS_MAX);
    find_time(csv);
    if (csv->n < 2)
        return aw_fail(
            &s->session->err, AW_USAGE,
            "%.120s: '%.40s' is neither JSON nor the header of a CSV file — write JSON lines, "
            "or a CSV header with at least two columns",
            s->input.name, line);
    return name_columns(s, line);
}

static void parse_cell(struct aw_stream *s, int column, const char *message, const char *cell)
{
    const struct csv *csv = s->state;
    const char *name = csv->name[column];
    double value = (double)NAN;
    bool is_number = aw_csv_number(cell, csv->separator, &value);
    if (strcmp(name, "dir") == 0)
        s->item.received.dir = parse_dir(cell);
    if (!*cell || strcmp(name, "dir") == 0 || column == csv->message)
        return;
    if (column == csv->time) {
        if (is_number && fabs(value * csv->scale) < MAX_TIME_S)
            s->item.time_ns = to_ns(value * csv->scale);
        else if (!aw_time_parse_iso(cell, &s->item.time_ns))
            store_bad_time(s, cell, csv->start[column]);
        return;
    }
    if (is_number ? is_number_of(name, csv->message >= 0) : is_subject(name)) {
        snprintf(s->subject, sizeof s->subject, "%s%s", is_number ? "joint" : "", cell);
        return;
    }
    struct aw_point *point = &s->points[s->item.n++];
    aw_path_point(&s->names, message, name, is_number ? value : (double)NAN,
                  is_number ? NULL : cell, point);
    point->order = (unsigned)column;
}

static enum aw_status csv_next(struct aw_stream *s, int64_t deadline)
{
    struct csv *csv = s->state;
    char *rest, *cells[AW_POINTS_MAX];
    int n = 0;
    enum aw_status status = AW_OK;
    if (csv->first && !csv->started)
        rest = csv->first;
    else
        status = next_line(s, "#", deadline, &rest);
    csv->started = true;
    if (status != AW_OK)
        return status;
    const char *line = rest;
    while (n < (int)csv->n && (cells[n] = next_cell(&rest, csv->separator))) {
        csv->start[n] = (size_t)(cells[n] - line) + 1;
        n++;
    }
    bool has_more = !csv->cut && rest && rest[strspn(rest, " \t")];
    s->input.flaw.excess_cells = n < (int)csv->n ? -1 : has_more;
    s->counters.uneven += s->input.flaw.excess_cells != 0;
    s->subject[0] = '\0';
    const char *message = csv->message >= 0 && csv->message < n ? cells[csv->message] : NULL;
    for (int i = 0; i < n; i++)
        parse_cell(s, i, message, cells[i]);
    s->item.subject = s->subject;
    for (size_t i = 0; *s->subject && i < s->item.n; i++) {
        struct aw_point *point = &s->points[i];
        point->subject = s->subject;
        aw_point_join(point->name, (const char *[]){s->subject, point->field}, 2);
    }
    return AW_OK;
}

static void csv_end(struct aw_stream *s)
{
    free(((struct csv *)s->state)->header);
    free(((struct csv *)s->state)->first);
}

const struct aw_source aw_csv_source = {.begin = csv_begin, .next = csv_next, .end = csv_end};

/* ---- Invalid lines ---- */

static bool is_text(const struct aw_stream *s)
{
    return s->source == &aw_csv_source || s->source == &aw_json_source;
}

void aw_stream_fail_at_point(struct aw_stream *s, const struct aw_point *point,
                             struct aw_error *err)
{
    const struct csv *csv = point && s->source == &aw_csv_source ? s->state : NULL;
    if (is_text(s))
        aw_fail_at_line(err, s->input.name, s->input.line, csv ? csv->start[point->order] : 1);
}

void aw_stream_report_malformed(struct aw_stream *s)
{
    uint64_t n = s->counters.malformed;
    if (n)
        aw_session_print_notice(
            s->session, "%.120s:%" PRIu64 ":1: not a JSON object — skipped %" PRIu64 " such line%s",
            s->input.name, s->counters.malformed_line, n, n == 1 ? "" : "s");
}

enum aw_status aw_stream_check_time(struct aw_stream *s)
{
    struct aw_error *err = &s->session->err;
    if (!*s->input.flaw.time)
        return AW_OK;
    aw_fail(err, AW_MALFORMED, "'%s' is not a time — correct it or delete the line",
            s->input.flaw.time);
    aw_fail_at_line(err, s->input.name, s->input.line, s->input.flaw.time_column);
    return AW_MALFORMED;
}

enum aw_status aw_stream_check_cells(struct aw_stream *s)
{
    struct aw_error *err = &s->session->err;
    if (s->input.flaw.excess_cells == 0)
        return AW_OK;
    bool fewer = s->input.flaw.excess_cells < 0;
    aw_fail(err, AW_MALFORMED, "wrong number of cells: %s than the header has columns — %s",
            fewer ? "fewer" : "more",
            fewer ? "check for a truncated line" : "with decimal commas, separate columns by ;");
    aw_stream_fail_at_point(s, NULL, err);
    return AW_MALFORMED;
}
