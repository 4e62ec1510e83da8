/* The source of values in lines of NDJSON or CSV, ours or of another program. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/number.h"
#include "shell/commands/stream_source.h"

#define TIME_MOST 4e9 /* seconds, either way: differences of such times fit 64 bits of ns */

/* ---- NDJSON -----------------------------------------------------------------------------------
 */

/* What stands beside the values in a record of ours. */
static bool is_envelope(const char *key)
{
    static const char *const keys[] = {"t", "timestamp", "dir", "msg", "cmd", "raw", "anomaly"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* A text that says whom the object is about goes before the names of its values. */
static bool is_subject(const char *key)
{
    static const char *const keys[] = {"board", "name", "object", "body", "subject"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

static bool scalar(const json_t *value, double *number, const char **text)
{
    *text = NULL;
    *number = (double)NAN;
    switch (json_typeof(value)) {
    case JSON_INTEGER:
    case JSON_REAL:
        *number = json_number_value(value);
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        *number = json_is_true(value) ? 1 : 0;
        return true;
    case JSON_STRING:
        *text = json_string_value(value);
        return true;
    case JSON_NULL:
        return true;
    default:
        return false;
    }
}

static void add_point(struct aw_stream *s, const char *path, double number, const char *text)
{
    struct aw_item *item = &s->item;
    if (item->n == AW_POINTS_MAX)
        return;
    const char *message = json_string_value(json_object_get(s->json, "msg"));
    struct aw_point *point = &s->points[item->n];
    snprintf(s->paths[item->n], AW_POINT_NAME, "%s", path);
    aw_path_point(&s->names, message, s->paths[item->n], number, text, point);
    point->subject = item->subject;
    if (*item->subject)
        snprintf(point->name, sizeof point->name, "%.40s.%.54s", item->subject, path);
    point->order = (unsigned)item->n;
    item->n++;
}

static void add_members(struct aw_stream *s, const char *prefix, json_t *value, int depth);

static void add_member(struct aw_stream *s, const char *path, json_t *value, int depth)
{
    double number;
    const char *text;
    if (scalar(value, &number, &text))
        add_point(s, path, number, text);
    else if (depth < 6)
        add_members(s, path, value, depth + 1);
}

/* Elements of a list go by their number, from 0. */
static void add_members(struct aw_stream *s, const char *prefix, json_t *value, int depth)
{
    const char *key;
    json_t *member;
    char path[AW_POINT_NAME];
    size_t index;
    json_object_foreach(value, key, member)
    {
        if (depth == 0 && (is_envelope(key) || (is_subject(key) && json_is_string(member))))
            continue;
        snprintf(path, sizeof path, "%.60s%s%.30s", prefix, *prefix ? "." : "", key);
        add_member(s, path, member, depth);
    }
    json_array_foreach(value, index, member)
    {
        snprintf(path, sizeof path, "%.60s.%zu", prefix, index);
        add_member(s, path, member, depth);
    }
}

static const char *subject_of(const json_t *object)
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)object, key, member)
    {
        if (is_subject(key) && json_is_string(member))
            return json_string_value(member);
    }
    return "";
}

/* In two parts: together they are more than a double holds. */
static int64_t to_ns(double seconds)
{
    double whole = floor(seconds);
    return (int64_t)whole * AW_SECOND + llround((seconds - whole) * 1e9);
}

/* In seconds since 1970; anything else that grows will do. */
static int64_t time_of(const json_t *object)
{
    const json_t *t = json_object_get(object, "t");
    t = t ? t : json_object_get(object, "timestamp");
    double seconds = json_is_number(t) ? json_number_value(t) : (double)NAN;
    return fabs(seconds) < TIME_MOST ? to_ns(seconds) : AW_NO_TIME;
}

static enum aw_status read_object(struct aw_stream *s, const char *line)
{
    json_error_t problem;
    json_decref(s->json);
    s->json = json_loads(line, 0, &problem);
    if (!json_is_object((json_t *)s->json)) {
        s->counters.damaged++;
        return aw_fail(&s->session->err, AW_MALFORMED, "input: no JSON object: %.60s", line);
    }
    s->item.line = line;
    s->item.time_ns = time_of(s->json);
    s->item.subject = subject_of(s->json);
    add_members(s, "", s->json, 0);
    return AW_OK;
}

static enum aw_status json_next(struct aw_stream *s, int64_t deadline)
{
    char *line;
    enum aw_status status;
    while ((status = aw_stream_line(s, deadline, &line)) == AW_OK)
        if (line[strspn(line, " \t")])
            break;
    if (status != AW_OK)
        return status;
    status = read_object(s, line);
    if (status == AW_OK && s->item.time_ns == AW_NO_TIME && s->live)
        s->item.time_ns = aw_wall_time();
    return status;
}

const struct aw_source aw_json_source = {.next = json_next};

/* ---- CSV --------------------------------------------------------------------------------------
 */

/* Cuts the cell off and takes its quotes away; NULL behind the last one. */
static char *next_cell(char **rest, char separator)
{
    struct aw_csv_cell cell;
    if (!aw_csv_next((const char **)rest, separator, &cell))
        return NULL;
    aw_csv_copy(&cell, (char *)cell.text, cell.length + 1);
    return (char *)cell.text;
}

static bool is_remark(const char *line)
{
    line += strspn(line, " \t");
    return *line == '\0' || *line == '#';
}

static enum aw_status csv_line(struct aw_stream *s, int64_t deadline, char **line)
{
    enum aw_status status;
    while ((status = aw_stream_line(s, deadline, line)) == AW_OK && is_remark(*line))
        ;
    return status;
}

static bool is_time(const char *name)
{
    return strcmp(name, "t") == 0 || strcmp(name, "time") == 0 || strcmp(name, "timestamp") == 0;
}

enum aw_status aw_csv_begin(struct aw_stream *s)
{
    struct aw_columns *columns = &s->columns;
    char *line, *cell;
    enum aw_status status = csv_line(s, AW_NEVER, &line);
    if (status != AW_OK)
        return aw_fail(&s->session->err, AW_USAGE, "input: no header line");
    columns->text = strdup(line);
    columns->time = columns->message = -1;
    columns->separator = aw_csv_separator(line) == ' ' ? ',' : aw_csv_separator(line);
    if (!columns->text)
        return aw_no_memory(&s->session->err);
    for (char *rest = columns->text;
         columns->n < AW_POINTS_MAX && (cell = next_cell(&rest, columns->separator));) {
        if (columns->time < 0 && is_time(cell))
            columns->time = (int)columns->n;
        if (strcmp(cell, "msg") == 0)
            columns->message = (int)columns->n;
        columns->name[columns->n++] = cell;
    }
    if (columns->n < 2)
        return aw_fail(&s->session->err, AW_USAGE,
                       "input: '%.40s' is neither JSON nor the header of a CSV file", line);
    return AW_OK;
}

static void parse_cell(struct aw_stream *s, size_t column, const char *message, const char *cell)
{
    const char *name = s->columns.name[column];
    double value = (double)NAN;
    bool number = aw_number_parse(cell, &value, NULL) == AW_OK;
    if (!*cell || strcmp(name, "dir") == 0 || (int)column == s->columns.message)
        return;
    if ((int)column == s->columns.time) {
        if (number && fabs(value) < TIME_MOST)
            s->item.time_ns = to_ns(value);
        return;
    }
    if (!number && is_subject(name)) {
        snprintf(s->subject, sizeof s->subject, "%s", cell);
        return;
    }
    struct aw_point *point = &s->points[s->item.n];
    aw_path_point(&s->names, message, name, number ? value : (double)NAN, number ? NULL : cell,
                  point);
    point->order = (unsigned)column;
    s->item.n++;
}

static void name_points(struct aw_stream *s)
{
    s->item.subject = s->subject;
    for (size_t i = 0; *s->subject && i < s->item.n; i++) {
        struct aw_point *point = &s->points[i];
        point->subject = s->subject;
        snprintf(point->name, sizeof point->name, "%.40s.%.54s", s->subject, point->field);
    }
}

static enum aw_status csv_next(struct aw_stream *s, int64_t deadline)
{
    char *rest, *cells[AW_POINTS_MAX];
    size_t n = 0;
    enum aw_status status = csv_line(s, deadline, &rest);
    if (status != AW_OK)
        return status;
    while (n < s->columns.n && (cells[n] = next_cell(&rest, s->columns.separator)))
        n++;
    s->subject[0] = '\0';
    int at = s->columns.message;
    const char *message = at >= 0 && (size_t)at < n ? cells[at] : NULL;
    for (size_t i = 0; i < n; i++)
        parse_cell(s, i, message, cells[i]);
    name_points(s);
    return AW_OK;
}

const struct aw_source aw_csv_source = {.next = csv_next};

void aw_text_free(struct aw_stream *s)
{
    json_decref(s->json);
    free(s->columns.text);
}
