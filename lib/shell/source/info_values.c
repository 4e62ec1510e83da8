/* info for a CSV or NDJSON file: lists its values by name, with count, rate and range. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "shell/source/source.h"
#include "shell/source/stream.h"

#define MIN_WIDTH 25
#define MAX_WIDTH 60

struct value {
    char name[AW_POINT_NAME], unit[16];
    uint64_t n, numbers;
    double min, max;
    int64_t first_ns, last_ns;
};

struct survey {
    struct aw_session *session;
    struct value *list;
    size_t n, room;
    size_t next; /* start of the next search, because values repeat in the same order */
    uint64_t lines, damaged, numbers;
    int width; /* width of the name column */
    int64_t first_ns, last_ns;
};

/* Finds or adds the value with this name. Returns NULL if out of memory. */
static struct value *find_value(struct survey *s, const struct aw_point *point)
{
    for (size_t i = 0; i < s->n; i++) {
        size_t at = (s->next + i) % s->n;
        if (strcmp(s->list[at].name, point->name) == 0) {
            s->next = at + 1;
            return &s->list[at];
        }
    }
    struct value *list = aw_grow(s->list, &s->room, s->n + 1, sizeof *list);
    if (!list)
        return NULL;
    s->list = list;
    const char *unit =
        point->codec ? aw_scalar_range(point->codec, point->scalar, point->record).unit : NULL;
    struct value *value = &s->list[s->n++];
    *value = (struct value){.first_ns = AW_NO_TIME, .min = INFINITY, .max = -INFINITY};
    snprintf(value->name, sizeof value->name, "%s", point->name);
    snprintf(value->unit, sizeof value->unit, "%s", unit ? unit : "");
    return value;
}

static bool add_item(struct survey *s, const struct aw_item *item)
{
    int64_t now = item->time_ns;
    if (now != AW_NO_TIME && s->first_ns == AW_NO_TIME)
        s->first_ns = now;
    if (now != AW_NO_TIME)
        s->last_ns = now;
    s->lines++;
    for (size_t i = 0; i < item->n; i++) {
        struct value *value = item->points[i].is_subject ? NULL : find_value(s, &item->points[i]);
        double number = item->points[i].value;
        if (!value && !item->points[i].is_subject)
            return false;
        if (!value)
            continue;
        value->first_ns = value->n++ ? value->first_ns : now;
        value->last_ns = now;
        if (isnan(number))
            continue;
        s->numbers++;
        value->numbers++;
        value->min = fmin(value->min, number);
        value->max = fmax(value->max, number);
    }
    return true;
}

static enum aw_status read_all(struct survey *s, struct aw_stream *stream)
{
    struct aw_item item;
    enum aw_status status = AW_OK;
    while (status == AW_OK || status == AW_MALFORMED) {
        status = aw_stream_next(stream, AW_NEVER, &item);
        s->damaged += status == AW_MALFORMED;
        if (status == AW_OK && !add_item(s, &item))
            return aw_no_memory(&s->session->err);
    }
    return status == AW_END ? AW_OK : status;
}

static void print_value(struct survey *s, const struct value *value)
{
    bool timed = value->first_ns != AW_NO_TIME && value->last_ns != AW_NO_TIME;
    double seconds = timed ? (double)(value->last_ns - value->first_ns) / 1e9 : 0;
    double hz = seconds > 0 ? (double)(value->n - 1) / seconds : 0;
    char extremes[96] = "";
    struct aw_object row;
    if (value->numbers)
        snprintf(extremes, sizeof extremes, "  %.6g%s to %.6g%s", value->min, value->unit,
                 value->max, value->unit);
    aw_object_start(&row, NULL);
    aw_object_add_text(&row, "field", value->name);
    aw_object_add_count(&row, "count", value->n);
    aw_object_add_number(&row, "rate", hz, -4, "Hz");
    aw_object_add_number(&row, "min", value->numbers ? value->min : NAN, -1, NULL);
    aw_object_add_number(&row, "max", value->numbers ? value->max : NAN, -1, NULL);
    aw_object_add_text(&row, "unit", value->unit);
    aw_session_print_row(s->session, &row, "%-*s %10" PRIu64 " %10.4g Hz%s\n", s->width,
                         value->name, value->n, hz, extremes);
}

static void report(struct survey *s, const char *path)
{
    struct aw_object *result = &s->session->result;
    struct stat info;
    double seconds = s->first_ns == AW_NO_TIME ? 0 : (double)(s->last_ns - s->first_ns) / 1e9;
    s->width = MIN_WIDTH;
    for (size_t i = 0; i < s->n; i++)
        if ((int)strlen(s->list[i].name) > s->width)
            s->width = (int)strlen(s->list[i].name);
    s->width = s->width < MAX_WIDTH ? s->width : MAX_WIDTH;
    for (size_t i = 0; i < s->n; i++)
        print_value(s, &s->list[i]);
    aw_object_start(result, "info");
    aw_object_add_number(result, "duration", seconds, 6, "s");
    aw_object_add_count(result, "lines", s->lines);
    aw_object_add_count(result, "fields", s->n);
    if (stat(path, &info) == 0)
        aw_object_add_count(result, "bytes", (uint64_t)info.st_size);
    aw_object_add_count(result, "damaged", s->damaged);
}

/* Returns true if the values come in regular rows, unlike prose or source code. */
static bool is_table(const struct survey *s, uint64_t uneven)
{
    return 2 * uneven <= s->lines && (s->numbers || (s->n && s->first_ns != AW_NO_TIME));
}

enum aw_status aw_info_values(struct aw_session *session, const char *path)
{
    struct survey s = {.session = session, .first_ns = AW_NO_TIME, .last_ns = AW_NO_TIME};
    struct aw_stream *stream;
    enum aw_status status = aw_stream_open(&stream, session, path);
    if (status == AW_OK)
        status = read_all(&s, stream);
    if (status == AW_OK && !is_table(&s, aw_stream_counters(stream)->uneven))
        status = aw_fail(&session->err, AW_USAGE, "%s: no values", path);
    if (status == AW_OK)
        report(&s, path);
    aw_stream_close(stream);
    free(s.list);
    return status;
}
