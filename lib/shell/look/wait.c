/* wait, expect and pause: wait for a record; assert a record; wait for a duration. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "shell/look/look.h"
#include "shell/safety/safety.h"
#include "shell/session/recent.h"
#include "shell/source/source.h"
#include "shell/source/stream.h"

struct aw_wait_options { /* options of wait and expect */
    double stable_s;
    bool never;
    const char *tolerance;
};
AW_GIVEN(command, aw_wait_options, aw_wait_given)

#define DEFAULT_S       2.0 /* default wait of expect */
#define NEAREST_RECORDS 3   /* number of nearest records that a failed expect shows */
#define SHOWN_MAX       160 /* max characters of one record */
#define WANTED_MAX      400
#define AWAY_MAX        160
#define PROGRESS_NS     (100 * AW_MILLISECOND)

struct nearest_record {
    double distance;
    char text[SHOWN_MAX];
    /* the value farthest from the wanted one, and its distance; or "" */
    char worst_value[AWAY_MAX];
};

struct waiter {
    struct aw_session *session;
    struct aw_stream *stream;
    struct aw_view *view;  /* prints the nearest records; NULL: none are collected */
    char text[WANTED_MAX]; /* the wanted condition as typed */
    /* an empty selection: fields outside the condition are not shown */
    struct aw_select none;
    struct aw_where where; /* the wanted condition, or message and values */
    int64_t start_ns;      /* ignores older records, see aw_session_time; AW_NO_TIME: accepts all */
    int64_t deadline;      /* end of the wait, session clock */
    uint64_t n_seen;       /* number of records of the wanted kind */
    size_t n_nearest;
    struct nearest_record nearest[NEAREST_RECORDS + 1];
    struct last_value {
        char name[AW_POINT_NAME]; /* "": no value yet */
        double value;
    } last[AW_WHERE_TERMS]; /* latest values of the terms in the condition */
};

/* ---- The wanted record ---- */

static enum aw_status join_arguments(struct waiter *w, const struct aw_args *args)
{
    size_t used = 0;
    for (size_t i = 0; i < args->n; i++) {
        int n = snprintf(w->text + used, sizeof w->text - used, "%s%s", i ? " " : "",
                         args->bound[i].text);
        if (n < 0 || used + (size_t)n >= sizeof w->text)
            return aw_fail(&w->session->err, AW_USAGE,
                           "%s: condition longer than %d characters — shorten it",
                           args->command->name, WANTED_MAX - 1);
        used += (size_t)n;
    }
    return AW_OK;
}

static enum aw_status parse_condition(struct waiter *w, const struct aw_args *args)
{
    struct aw_error *err = &w->session->err;
    enum aw_status status = join_arguments(w, args);
    if (status != AW_OK)
        return status;
    status = aw_where_parse(w->text, &w->where, err);
    if (status == AW_OK)
        status = aw_stream_check(w->session, &w->none, &w->where);
    struct aw_error problem = *err;
    if (status == AW_OK || strncmp(problem.text, "--where", 7) != 0)
        return status;
    return aw_fail(err, status, "%s%s", args->command->name, problem.text + 7);
}

static enum aw_status fail_too_many(struct aw_session *session)
{
    return aw_fail(&session->err, AW_USAGE, "expect: more than %d values — remove some",
                   AW_WHERE_TERMS);
}

/* Adds the condition that a message arrives with these values, within half a step of each field. */
static enum aw_status require_values(struct waiter *w, const struct aw_record *wanted)
{
    w->where.heads[w->where.n_heads++] =
        (struct aw_where_head){.is_dir = true, .is_equal = true, .text = "rx"};
    struct aw_where_head *head = &w->where.heads[w->where.n_heads++];
    head->is_equal = true;
    snprintf(head->text, sizeof head->text, "%s", wanted->codec->message->name);
    for (int i = 0; i < wanted->codec->n_scalars; i++) {
        struct aw_where_term *term = &w->where.terms[w->where.n];
        struct aw_point point;
        char name[64];
        if (!(wanted->present >> i & 1))
            continue;
        if (w->where.n++ == AW_WHERE_TERMS)
            return fail_too_many(w->session);
        aw_scalar_name(&wanted->codec->scalars[i], name, sizeof name);
        aw_record_point(wanted, i, &point);
        *term = (struct aw_where_term){.op = AW_WHERE_IS, .tolerance = ""};
        term->is_number = !point.text;
        term->number = point.value;
        snprintf(term->text, sizeof term->text, "%s", point.text ? point.text : "");
        snprintf(term->field, sizeof term->field, "%s.%s", wanted->codec->message->name, name);
    }
    return AW_OK;
}

static enum aw_status parse_message(struct waiter *w, const struct aw_args *args,
                                    const struct aw_codec *codec)
{
    struct aw_session *session = w->session;
    struct aw_pair pairs[AW_WHERE_TERMS];
    char names[AW_WHERE_TERMS][64];
    size_t n = 0;
    enum aw_status status = join_arguments(w, args);
    for (size_t i = 1; i < args->n && status == AW_OK; i++, n++) {
        const char *equals = strchr(args->bound[i].text, '=');
        if (n == AW_WHERE_TERMS)
            return fail_too_many(session);
        if (!equals)
            return aw_fail(&session->err, AW_USAGE,
                           "expect: invalid argument '%.60s' — write FIELD=VALUE",
                           args->bound[i].text);
        snprintf(names[n], sizeof names[n], "%.*s", (int)(equals - args->bound[i].text),
                 args->bound[i].text);
        pairs[n] = (struct aw_pair){names[n], equals + 1};
    }
    struct aw_record wanted;
    aw_record_init(&wanted, codec, AW_RX);
    wanted.present = 0; /* fields that were not given may have any value */
    if (status == AW_OK)
        status = aw_record_set_pairs(&wanted, pairs, n, &session->err);
    return status == AW_OK ? require_values(w, &wanted) : status;
}

/* Returns AW_OK if the field of the term can have this tolerance. */
static enum aw_status check_tolerance(struct waiter *w, const struct aw_where_term *term,
                                      const char *tolerance)
{
    /* this operator requires that the unit fits the field */
    struct aw_where tolerated = {.n = 1, .terms = {*term}};
    tolerated.terms[0].op = AW_WHERE_AT_MOST;
    tolerated.terms[0].has_unit = true;
    snprintf(tolerated.terms[0].text, sizeof tolerated.terms[0].text, "%s", tolerance);
    return aw_stream_check(w->session, &w->none, &tolerated);
}

/* Sets the tolerance of all values in its unit. */
static enum aw_status apply_tolerance(struct waiter *w)
{
    struct aw_error *err = &w->session->err;
    const char *tolerance = aw_wait_given(w->session)->tolerance;
    bool any_has_tolerance = false, fits = false;
    for (size_t t = 0; t < w->where.n; t++) {
        struct aw_where_term *term = &w->where.terms[t];
        if (term->op != AW_WHERE_IS || !term->is_number)
            continue;
        any_has_tolerance = true;
        term->tolerance = tolerance;
        fits = fits || check_tolerance(w, term, tolerance) == AW_OK;
    }
    if (!any_has_tolerance)
        return aw_fail(
            err, AW_USAGE,
            "expect: --tolerance requires FIELD=NUMBER — add such a condition, or give a "
            "range: 'FIELD>4 and FIELD<6'");
    if (*tolerance == '-')
        return aw_fail(err, AW_LIMIT, "--tolerance: %s is below 0 — give 0 or more", tolerance);
    if (fits)
        return AW_OK;
    struct aw_error saved_err = *err;
    bool named = strncmp(saved_err.text, "--where: ", 9) == 0;
    return aw_fail(err, AW_USAGE, "--tolerance: %s", saved_err.text + (named ? 9 : 0));
}

static enum aw_status parse_wanted(struct waiter *w, const struct aw_args *args)
{
    struct aw_wire *wire;
    enum aw_status status = aw_session_get_decoding_wire(w->session, &wire);
    if (status != AW_OK)
        return status;
    const struct aw_codec *codec = args->n ? aw_wire_codec(wire, args->bound[0].text, AW_RX) : NULL;
    status = codec ? parse_message(w, args, codec) : parse_condition(w, args);
    return status == AW_OK && aw_wait_given(w->session)->tolerance ? apply_tolerance(w) : status;
}

/* ---- The nearest records ---- */

static double get_relative_distance(double value, double wanted)
{
    return fabs(value - wanted) / fmax(1, fabs(wanted));
}

/* Returns the distance of the item from the wanted one; INFINITY: another kind. */
static double get_distance(const struct waiter *w, const struct aw_item *item)
{
    double sum = 0;
    if (!aw_item_head_matches(&w->where, item))
        return INFINITY;
    for (size_t t = 0; t < w->where.n; t++) {
        const struct aw_where_term *term = &w->where.terms[t];
        const struct aw_where term_only = {.n = 1, .terms = {*term}};
        const struct aw_select single = {.n = 1, .pattern = {term->field}};
        double min_distance = INFINITY, number;
        for (size_t i = 0; i < item->n; i++) {
            const struct aw_point *point = &item->points[i];
            if (aw_select_match(&single, point) == 0)
                min_distance = fmin(min_distance, aw_where_find_number(term, point, &number)
                                                      ? get_relative_distance(point->value, number)
                                                      : !aw_where_holds(&term_only, point, 1));
        }
        sum += min_distance;
    }
    return isnan(sum) ? 1e300 : sum;
}

struct distance_text {
    double distance; /* relative distance from the wanted value; 0: none yet */
    char text[AWAY_MAX];
};

static void note_distance(const struct waiter *w, struct distance_text *nearest, const char *name,
                          double value, double wanted, bool is_equal)
{
    bool given = aw_wait_given(w->session)->tolerance;
    const char *advice = !is_equal ? ""
                         : given   ? ", more than --tolerance "
                                   : " — allow it with --tolerance";
    if (!(get_relative_distance(value, wanted) > nearest->distance))
        return;
    nearest->distance = get_relative_distance(value, wanted);
    snprintf(nearest->text, sizeof nearest->text, "nearest %.60s %.6g, %.3g away%s%.20s", name,
             value, fabs(value - wanted), advice,
             is_equal && given ? aw_wait_given(w->session)->tolerance : "");
}

/* Finds the value nearest to a term that does not hold. Returns false if no value has a distance:
 * for strings, and for numbers without a unit, which identify something. */
static bool find_distance(const struct waiter *w, const struct aw_where_term *term,
                          const struct aw_item *item, struct distance_text *nearest_text)
{
    const struct aw_where term_only = {.n = 1, .terms = {*term}};
    const struct aw_select single = {.n = 1, .pattern = {term->field}};
    const struct aw_point *nearest = NULL;
    bool is_equal = term->op == AW_WHERE_IS;
    double number, wanted = 0;
    if (aw_where_holds(&term_only, item->points, item->n))
        return true;
    for (size_t i = 0; i < item->n; i++) {
        const struct aw_point *point = &item->points[i];
        if (aw_select_match(&single, point) != 0 || isnan(point->value) ||
            (is_equal && !aw_point_unit(point)) || !aw_where_find_number(term, point, &number))
            continue;
        if (!nearest || fabs(point->value - number) < fabs(nearest->value - wanted)) {
            nearest = point;
            wanted = number;
        }
    }
    if (nearest)
        note_distance(w, nearest_text, nearest->name, nearest->value, wanted, is_equal);
    return nearest;
}

static void write_distance(const struct waiter *w, const struct aw_item *item, char out[AWAY_MAX])
{
    struct distance_text nearest = {.distance = 0};
    bool comparable = true;
    for (size_t t = 0; t < w->where.n; t++)
        comparable = comparable && find_distance(w, &w->where.terms[t], item, &nearest);
    snprintf(out, AWAY_MAX, "%s", comparable ? nearest.text : "");
}

static void note_nearest(struct waiter *w, const struct aw_item *item)
{
    double distance = get_distance(w, item);
    char line[AW_VIEW_MAX];
    w->n_seen += isfinite(distance) ? 1 : 0;
    if (!w->view || !item->record || !isfinite(distance) ||
        (w->n_nearest == NEAREST_RECORDS && distance >= w->nearest[NEAREST_RECORDS - 1].distance))
        return;
    size_t length = aw_view_print_record(w->view, item->record, line), at = w->n_nearest;
    line[length ? length - 1 : 0] = '\0';
    for (size_t i = 0; i < w->n_nearest; i++)
        if (strncmp(w->nearest[i].text, line, SHOWN_MAX - 1) == 0)
            return;
    for (; at > 0 && distance < w->nearest[at - 1].distance; at--)
        w->nearest[at] = w->nearest[at - 1];
    w->n_nearest += w->n_nearest < NEAREST_RECORDS;
    w->nearest[at].distance = distance;
    write_distance(w, item, w->nearest[at].worst_value);
    snprintf(w->nearest[at].text, SHOWN_MAX, "%.*s", SHOWN_MAX - 1, line);
}

/* Saves the latest values of the terms in the condition. */
static void note_last(struct waiter *w, const struct aw_item *item)
{
    for (size_t t = 0; t < w->where.n; t++) {
        const struct aw_select single = {.n = 1, .pattern = {w->where.terms[t].field}};
        for (size_t i = 0; i < item->n; i++)
            if (!item->points[i].text && aw_select_match(&single, &item->points[i]) == 0) {
                memcpy(w->last[t].name, item->points[i].name, sizeof w->last[t].name);
                w->last[t].value = item->points[i].value;
            }
    }
}

static void write_last(const struct waiter *w, char *out, size_t size)
{
    *out = '\0';
    for (size_t t = 0; t < w->where.n; t++)
        if (*w->last[t].name)
            aw_append(out, size, " ", "%.60s=%.6g", w->last[t].name, w->last[t].value);
}

/* ---- Waiting ---- */

/* Returns the next record since the start of the command. */
static enum aw_status next_item(struct waiter *w, struct aw_item *item)
{
    for (;;) {
        struct aw_link *link = w->session->device.link;
        enum aw_status status = aw_stream_next(w->stream, w->deadline, item);
        if (status == AW_MALFORMED)
            continue;
        if (status != AW_OK)
            return status == AW_END ? AW_TIMEOUT : status;
        bool recorded = link && link->is_recording;
        if (recorded || item->time_ns == AW_NO_TIME || item->time_ns >= w->start_ns)
            return AW_OK;
    }
}

static enum aw_status begin_wait(struct waiter *w)
{
    struct aw_session *session = w->session;
    const struct aw_clock *clock = session->clock;
    w->start_ns = aw_session_time(session);
    enum aw_status status = aw_stream_open(&w->stream, session, NULL);
    if (session->clock != clock)
        w->start_ns = AW_NO_TIME; /* the link has its own clock, so all records count as new */
    if (status == AW_OK && aw_where_is_set(&w->where))
        aw_stream_check_first(w->stream, &w->none, &w->where);
    w->deadline = aw_session_end_time(session);
    return status;
}

typedef enum aw_status parse_fn(struct waiter *w, const struct aw_args *args);
typedef enum aw_status wait_fn(struct waiter *w);

static enum aw_status run(struct aw_session *session, const struct aw_args *args, parse_fn *parse,
                          wait_fn *wait)
{
    struct waiter *w = calloc(1, sizeof *w);
    if (!w)
        return aw_no_memory(&session->err);
    w->session = session;
    enum aw_status status = parse(w, args);
    if (status == AW_OK)
        status = begin_wait(w);
    if (status == AW_OK)
        status = wait(w);
    aw_stream_close(w->stream);
    aw_view_free(w->view);
    free(w);
    return status;
}

static double get_elapsed_s(const struct waiter *w)
{
    return aw_session_seconds(w->session);
}

/* ---- wait ---- */

static enum aw_status wait_until(struct waiter *w)
{
    struct aw_session *session = w->session;
    int64_t stable_ns = (int64_t)(aw_wait_given(session)->stable_s * 1e9), first_ns = AW_NO_TIME;
    struct aw_item item;
    enum aw_status status;
    while ((status = next_item(w, &item)) == AW_OK) {
        bool holds = aw_item_matches(&w->where, &item);
        note_last(w, &item);
        if (!holds && isfinite(get_distance(w, &item)))
            first_ns = AW_NO_TIME; /* the condition no longer holds */
        if (!holds)
            continue;
        if (first_ns == AW_NO_TIME)
            first_ns = item.time_ns;
        if (item.time_ns == AW_NO_TIME || item.time_ns - first_ns >= stable_ns)
            return item.record ? aw_session_show_record(session, item.record) : AW_OK;
    }
    if (status == AW_TIMEOUT)
        status = aw_stream_check_received(w->stream, "wait");
    if (status != AW_OK)
        return status;
    char last[160];
    write_last(w, last, sizeof last);
    return aw_fail(&session->err, AW_TIMEOUT, "wait: %s: %s in %.3g s%s%s", w->text,
                   first_ns != AW_NO_TIME ? "true, but not for long enough" : "not true",
                   get_elapsed_s(w), *last ? "; last value: " : "", last);
}

static enum aw_status run_wait(struct aw_session *session, const struct aw_args *args)
{
    return run(session, args, parse_condition, wait_until);
}

/* ---- expect ---- */

static enum aw_status report(struct waiter *w, const char *result)
{
    struct aw_object *object = &w->session->result;
    aw_object_start(object, "expect");
    aw_object_add_text(object, "result", result);
    aw_object_add_count(object, "seen", w->n_seen);
    aw_object_add_number(object, "after", get_elapsed_s(w), 3, "s");
    return AW_OK;
}

static enum aw_status fail_expect(struct waiter *w, bool was_received)
{
    struct aw_session *session = w->session;
    for (size_t i = 0; i < w->n_nearest; i++)
        aw_session_report(session, "%s: %s: %s\n", session->tool->name,
                          was_received ? "received" : "nearest", w->nearest[i].text);
    report(w, "failed");
    if (was_received)
        return aw_fail(&session->err, AW_REFUSED, "expect: %s received after %.3g s", w->text,
                       get_elapsed_s(w));
    if (aw_wait_given(session)->never)
        return aw_fail(&session->err, AW_REFUSED,
                       "expect: never %s: no such message received in %.3g s, so nothing was "
                       "checked — give a longer --for, or request the message first",
                       w->text, get_elapsed_s(w));
    return aw_fail(&session->err, AW_REFUSED,
                   "expect: no %s in %.3g s; messages of this kind received: %" PRIu64 "%s%s",
                   w->text, get_elapsed_s(w), w->n_seen, *w->nearest[0].worst_value ? "; " : "",
                   w->nearest[0].worst_value);
}

/* Checks the replies since the last command, for a device that sends nothing by itself. */
static bool was_received(struct waiter *w)
{
    const struct aw_recent_frame *frame;
    struct aw_session *session = w->session;
    struct aw_names *names = w->stream ? aw_stream_names(w->stream) : NULL;
    bool found = false;
    for (size_t ago = 0; names && !found && (frame = aw_recent_frame(session, ago)); ago++) {
        struct aw_record record = {.time_ns = frame->time_ns};
        struct aw_point points[AW_POINTS_MAX];
        char subject[AW_POINT_NAME];
        struct aw_span bytes = {frame->bytes, frame->size};
        if (aw_wire_decode(names->wire, AW_RX, bytes, &record, NULL) != AW_OK)
            continue;
        struct aw_item item = {.time_ns = frame->time_ns, .record = &record, .points = points};
        item.subject = aw_session_subject(session, &record, subject, sizeof subject);
        item.n = aw_record_points(names, &record, item.subject, points, AW_POINTS_MAX);
        note_nearest(w, &item);
        found = aw_item_matches(&w->where, &item);
    }
    return found;
}

static enum aw_status expect(struct waiter *w)
{
    struct aw_session *session = w->session;
    bool never = aw_wait_given(session)->never, found;
    struct aw_item item;
    enum aw_status status = AW_OK;
    if (session->options.run.for_s == 0)
        w->deadline = aw_time_after(aw_clock_now(session->clock), DEFAULT_S);
    w->view = aw_view_new(aw_stream_names(w->stream)->wire,
                          &(struct aw_view_options){.style = AW_STYLE_TEXT}, NULL);
    found = was_received(w);
    while (!found && (status = next_item(w, &item)) == AW_OK) {
        note_nearest(w, &item);
        found = aw_item_matches(&w->where, &item);
    }
    if (found)
        return never ? fail_expect(w, true) : report(w, "seen");
    if (status == AW_TIMEOUT)
        status = aw_stream_check_received(w->stream, "expect");
    if (status != AW_OK)
        return status;
    return never && w->n_seen ? report(w, "never") : fail_expect(w, false);
}

static enum aw_status parse_expected(struct waiter *w, const struct aw_args *args)
{
    struct aw_session *session = w->session;
    enum aw_status status = parse_wanted(w, args);
    if (status == AW_OK && aw_wait_given(session)->never && session->options.run.for_s == 0)
        return aw_fail(&session->err, AW_USAGE, "expect: --never requires a time — add --for 5s");
    return status;
}

static enum aw_status run_expect(struct aw_session *session, const struct aw_args *args)
{
    return run(session, args, parse_expected, expect);
}

/* Opens a simulator, whose clock may be virtual. Other devices may be absent during a pause. */
static enum aw_status open_simulator(struct aw_session *session)
{
    const char *url = NULL;
    enum aw_status status = session->options.link.url ? aw_session_get_url(session, &url) : AW_OK;
    bool simulated = url && strncmp(url, "sim:", 4) == 0;
    return status == AW_OK && simulated ? aw_session_open_link(session) : status;
}

static enum aw_status run_pause(struct aw_session *session, const struct aw_args *args)
{
    double seconds;
    bool is_dry_run = session->options.run.dry_run;
    enum aw_status status = aw_arg_number(session, args, "time", &seconds);
    if (status == AW_OK && !is_dry_run)
        status = open_simulator(session);
    int64_t now = aw_clock_now(session->clock), end = aw_time_after(now, seconds);
    bool waits = status == AW_OK && !is_dry_run;
    if (waits && aw_session_is_virtual(session)) {
        status = aw_clock_sleep(session->clock, end);
        waits = false;
    }
    while (waits && (status == AW_OK || status == AW_TIMEOUT) && now < end) {
        aw_session_show_progress(session, "pause %.0f of %.0f s", aw_session_seconds(session),
                                 seconds);
        status = aw_session_wait_input(session, -1, aw_min_time(end, now + PROGRESS_NS));
        now = aw_clock_now(session->clock);
    }
    if (status != AW_OK && status != AW_TIMEOUT)
        return status;
    if (!aw_wanted_has_key(session, "time"))
        return AW_OK;
    aw_object_start(&session->result, "pause");
    aw_object_add_number(&session->result, "time", seconds, -1, "s");
    return AW_OK;
}

/* clang-format off */
const struct aw_command aw_wait_command = {
    .name = "wait", .summary = "wait for a message that meets a condition, and print it",
    .args = AW_ARGS(
        {.name = "condition", .kind = AW_ARG_REST, .complete = aw_complete_fields,
         .help = "condition, such as 'FIELD>5 and OTHER<100'"}),
    .options = AW_OPTIONS(
        {.name = "stable", AW_AT(aw_wait_options, stable_s), .value = "TIME",
         .help = "wait until the condition has held for this long", .unit = "s", .min = 0,
         .max = 86400}),
    .run = run_wait,
    .lines = AW_LIST("--dry-run wait '{field}>5' --for 3s"),
    .details = "Only messages received after the start of the command count. With --for, the "
        "command times out after that time (exit code 3)."};

const struct aw_command aw_pause_command = {
    .name = "pause", .summary = "pause for a given time", .args = AW_ARGS(AW_PAUSE_ARG),
    .run = run_pause, .examples = AW_LIST("pause 0.1s"),
    .details = "Use it in scripts and at the prompt. Motions continue, and the tool keeps reading "
        "the device."};

const struct aw_command aw_expect_command = {
    .name = "expect", .summary = "check that a message arrives, or that none does",
    .args = AW_ARGS(
        {.name = "what", .kind = AW_ARG_REST, .complete = aw_complete_fields,
         .help = "MESSAGE FIELD=VALUE …, or a condition such as 'FIELD>5 and OTHER<100'"}),
    .options = AW_OPTIONS(
        {.name = "never", AW_AT(aw_wait_options, never),
         .help = "check that no such message arrives within --for"},
        {.name = "tolerance", AW_AT(aw_wait_options, tolerance), .value = "VALUE",
         .help = "permitted difference from VALUE, such as 1deg"}),
    .run = run_expect,
    .details = "Waits for 2 s, or for --for. If no such message arrives, it prints the nearest "
        "ones and ends with exit code 1. For a device that only answers commands, its "
        "answers to the last command also count."};
/* clang-format on */
