/* The command plot: draws a live strip chart, or a chart as text or into a file. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"
#include "capture/times.h"
#include "shell/joints/joints.h"
#include "shell/look/look.h"
#include "shell/look/picture.h"
#include "shell/look/plot.h"
#include "shell/look/view.h"
#include "shell/safety/safety.h"
#include "shell/source/live.h"
#include "shell/source/source.h"
#include "view/terminal/cells.h"

struct aw_plot_options {
    double span_s, every_s; /* every_s 0: option not given */
    const char *out, *title;
};
AW_GIVEN(command, aw_plot_options, aw_plot_given)

/* 2001: earlier times are not plausible dates */
#define LONG_AGO_NS (INT64_C(1000000000) * AW_SECOND)
#define MAX_GAP_NS  (2 * AW_SECOND) /* a longer gap between samples breaks the line */
#define MAX_FPS     15
#define MIN_FPS     5
#define MAX_SEEN    64
#define MAX_DEFAULT 8 /* max columns of a table without known fields */

struct plot {
    struct aw_session *session;
    struct aw_stream *stream;
    struct aw_select select;
    const char *input; /* the recording; NULL: the device */
    const char *out;
    struct aw_strip strip;
    struct aw_traces traces;
    struct aw_live live;
    struct {
        int64_t deadline;
        int64_t offset_ns, end_ns; /* strip time minus time of day; time of the right edge */
        int64_t before_ns;         /* sample time minus time of day at the previous sample */
        int64_t shift_ns;          /* strip time minus sample time */
        bool has_model_time;       /* sample times are simulation times */
        /* duration of --for; start and latest time of the simulation */
        int64_t length_ns, first_ns, latest_ns;
    } time;
    bool started, frozen, shows_keys;
    /* requested and received names */
    struct {
        bool uses_defaults; /* no field was requested: plots the tool's default fields */
        bool plots_all;     /* the table has no such fields: plots its first columns */
        size_t n_seen;      /* names that were not requested, for suggestions */
        char seen[MAX_SEEN][AW_POINT_NAME];
        bool was_found[AW_SELECT_MAX]; /* patterns that matched a point */
        char duplicate[AW_POINT_NAME]; /* a field that was skipped, see is_duplicate; or "" */
    } names;
    uint64_t limit, n_taken;
};

/* ---- Arguments ---- */

/* Recognises a file by its extension, or by a slash in its name if it exists. */
static bool is_file(const char *text)
{
    static const char *const endings[] = {".csv",  ".ndjson", ".jsonl", ".json",   ".asc",
                                          ".blf",  ".trc",    ".db",    ".pcapng", ".mcap",
                                          ".pcap", ".log",    NULL};
    const char *dot = strrchr(text, '.');
    return strcmp(text, "-") == 0 || (dot && aw_is_one_of(endings, dot)) ||
           (strchr(text, '/') && access(text, F_OK) == 0);
}

/* Returns true if the command reads a pipe and the command line names no device. */
static bool reads_pipe(struct aw_session *session)
{
    struct stat status;
    const struct aw_option_value *link = aw_options_find(&session->options, "link");
    return session->mode.one_shot && link->origin != AW_FROM_COMMAND_LINE &&
           fstat(STDIN_FILENO, &status) == 0 &&
           (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode) || S_ISSOCK(status.st_mode));
}

/* Sorts the arguments into the recording and field names. */
static enum aw_status sort_arguments(struct plot *p, const struct aw_args *args)
{
    struct aw_error *err = &p->session->err;
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < args->n && status == AW_OK; i++) {
        const char *text = args->bound[i].text;
        if (!is_file(text))
            status = aw_select_add(&p->select, text, err);
        else if (p->input)
            status = aw_fail(err, AW_USAGE,
                             "plot: '%.60s' is a second recording — plot each one by itself", text);
        else
            p->input = text;
    }
    if (!p->input && reads_pipe(p->session))
        p->input = "-";
    return status;
}

static enum aw_status parse_arguments(struct plot *p, const struct aw_args *args)
{
    struct aw_error *err = &p->session->err;
    enum aw_status status = sort_arguments(p, args);
    p->out = aw_plot_given(p->session)->out;
    if (status == AW_OK && p->out)
        status = aw_picture_check(p->out, err);
    const char *const *defaults = p->session->tool->watch.default_fields;
    p->names.uses_defaults = defaults && p->select.n == 0;
    for (; p->names.uses_defaults && status == AW_OK && *defaults; defaults++)
        status = aw_select_add(&p->select, *defaults, err);
    if (status == AW_OK && p->select.n == 0)
        status =
            aw_fail(err, AW_USAGE, "plot: no fields given — name some, such as %s; see 'describe'",
                    p->session->tool->help.example_field);
    return status;
}

/* Checks the fields of the device. An unknown name with a slash is the path of a missing file. */
static enum aw_status check_fields(struct plot *p)
{
    enum aw_status status = AW_OK;
    for (size_t i = 0; i < p->select.n && status == AW_OK; i++) {
        const char *name = p->select.pattern[i];
        const struct aw_select single = {.n = 1, .pattern = {name}};
        status = aw_stream_check(p->session, &single, NULL);
        if (status == AW_USAGE && strchr(name, '/') && access(name, F_OK) != 0)
            status = aw_file_fail(&p->session->err, NULL, name);
    }
    return status;
}

/* ---- Samples ---- */

/* Returns the unit of a point, or NULL. A table without message names may come from another tool:
 * only a name with a dot, such as "m1.position", has a known unit. A unit in the name ("base
 * [deg]") is copied to unit. */
static const char *get_unit(const struct plot *p, const struct aw_point *point, char unit[16])
{
    char name[AW_POINT_NAME];
    size_t length = strlen(point->field);
    if (!point->codec && length && strchr("])", point->field[length - 1])) {
        aw_split_unit(point->field, name, sizeof name, unit);
        return unit;
    }
    if (!point->codec && !*point->message && strchr(point->field, '.'))
        return aw_names_unit(aw_stream_names(p->stream), point->field);
    if (!point->codec || (point->codec->scalars[point->scalar].scale_by >= 0 && !point->record))
        return NULL;
    return aw_scalar_range(point->codec, point->scalar, point->record).unit;
}

/* Values in a table of joints are already in the joints' units. */
static double get_value(const struct plot *p, const struct aw_point *point, const char **unit)
{
    const struct aw_joints *joints = p->session->tool->motion.joints;
    const char *dot = strrchr(point->field, '.');
    if (!joints || !joints->info.position_field.unit || !dot || strcmp(dot, ".position") != 0)
        return point->value;
    *unit = joints->info.position_field.unit;
    return point->codec || *point->message ? point->value * joints->info.position_field.scale +
                                                 joints->info.position_field.offset
                                           : point->value;
}

/* Saves the names of fields that were not requested, for suggestions. */
static void note_name(struct plot *p, const struct aw_point *point)
{
    size_t i = 0;
    while (i < p->names.n_seen && strcmp(p->names.seen[i], point->name) != 0)
        i++;
    if (i == p->names.n_seen && i < MAX_SEEN)
        snprintf(p->names.seen[p->names.n_seen++], AW_POINT_NAME, "%s", point->name);
}

/* Returns true for a field that an earlier message of the device has too, unless the pattern names
 * the message. Each name gives one line. */
static bool is_duplicate(const struct plot *p, const struct aw_point *point, int pattern)
{
    const struct aw_names *names = aw_stream_names(p->stream);
    const char *named = pattern < 0 ? "" : p->select.pattern[pattern];
    size_t length = strlen(point->message);
    if (!point->codec || (point->record && point->record->dir == AW_TX) ||
        !names->ambiguous[point->codec - names->wire->codecs][point->scalar] ||
        (strncmp(named, point->message, length) == 0 && named[length] == '.'))
        return false;
    for (struct aw_walk w = {0}; aw_walk_next(&w, names->wire, AW_RX) && w.codec != point->codec;)
        if (strcmp(names->field[w.message][w.scalar], point->field) == 0)
            return true;
    return false;
}

static bool is_requested(struct plot *p, const struct aw_point *point, size_t n)
{
    int pattern = aw_select_match(&p->select, point);
    if (point->text || (pattern < 0 && !(p->names.plots_all && n < MAX_DEFAULT)))
        return false;
    bool duplicate = is_duplicate(p, point, pattern);
    if (duplicate && !*p->names.duplicate)
        memcpy(p->names.duplicate, point->name, sizeof p->names.duplicate);
    return !duplicate;
}

/* Returns the trace of a point; NULL: not requested, or there are too many traces. */
static struct aw_trace *find_trace(struct plot *p, const struct aw_point *point)
{
    const size_t n = p->traces.n;
    struct aw_trace *trace = NULL;
    char text[16];
    const char *unit = NULL;
    for (size_t i = 0; i < n; i++)
        if (strcmp(p->traces.list[i].name, point->name) == 0)
            return &p->traces.list[i];
    if (n == AW_TRACES)
        return NULL;
    get_value(p, point, &unit);
    if (is_requested(p, point, n))
        trace = aw_traces_find(&p->traces, point->name, unit ? unit : get_unit(p, point, text));
    else if (n == 0 || p->n_taken == 0)
        note_name(p, point);
    if (trace)
        trace->is_command = point->record && point->record->dir == AW_TX;
    return trace;
}

/* Lines of the strip are numbered like the traces. The strip holds only the first traces. */
static enum aw_status add_to_strip(struct plot *p, const struct aw_trace *trace, int64_t time,
                                   double value)
{
    int line = (int)(trace - p->traces.list);
    if (line >= AW_STRIP_SERIES)
        return AW_OK;
    while (p->strip.n <= line)
        if (aw_strip_add_line(&p->strip, p->traces.list[p->strip.n].name,
                              p->traces.list[p->strip.n].unit) < 0)
            /* not full, because line is below AW_STRIP_SERIES */
            return aw_no_memory(&p->session->err);
    aw_strip_add_sample(&p->strip, line, time, value);
    return AW_OK;
}

static bool is_far(int64_t a, int64_t b)
{
    return a - b >= MAX_GAP_NS || b - a >= MAX_GAP_NS;
}

/* Returns the strip time of a sample. Recordings and other hosts have other clocks, so the strip
 * follows local time from the first sample on. A pipe may run faster, but a large jump
 * between two samples breaks the line. A restarted input continues after the previous samples. */
static int64_t follow_time(struct plot *p, int64_t time)
{
    int64_t offset = time - aw_wall_time();
    if (p->time.has_model_time)
        return time;
    if (p->started && is_far(offset, p->time.before_ns)) {
        aw_strip_break(&p->strip);
        p->time.shift_ns += offset < p->time.before_ns ? p->time.before_ns - offset : 0;
    }
    p->time.before_ns = offset;
    if (!p->started || is_far(offset + p->time.shift_ns, p->time.offset_ns))
        p->time.offset_ns = offset + p->time.shift_ns;
    p->started = true;
    return time + p->time.shift_ns;
}

/* A simulation may run faster or slower than real time, so the plot uses simulation time. --for
 * counts simulation time; while no sample arrives, it counts real time. */
static int64_t get_time(struct plot *p, const struct aw_item *item)
{
    if (!item->received.has_model_time)
        return item->time_ns;
    if (!p->time.has_model_time)
        p->time.first_ns = item->received.model_ns;
    p->time.has_model_time = true;
    p->time.latest_ns = item->received.model_ns;
    if (p->time.length_ns)
        p->time.deadline = aw_clock_now(p->session->clock) + p->time.length_ns;
    return p->time.latest_ns;
}

/* Returns true for a table that lacks the tool's default fields. */
static bool lacks_defaults(const struct plot *p, const struct aw_item *item)
{
    bool is_table = p->names.uses_defaults && item->n > 0 && !item->points[0].codec;
    for (size_t i = 0; i < p->select.n && is_table; i++)
        is_table = !aw_select_matches_any(p->select.pattern[i], item->points, item->n);
    return is_table;
}

/* Numbers samples without times: rows of a table at 1 Hz, others at 1 kHz. */
static int64_t count_row(struct plot *p, const struct aw_item *item, bool keeps_all)
{
    bool is_table = keeps_all && item->n > 0 && !item->points[0].codec;
    p->traces.has_times |= !is_table;
    if (!is_table)
        return (int64_t)p->n_taken * AW_MILLISECOND;
    if (p->n_taken == 0)
        aw_session_print_notice(p->session, "no time column: using row numbers");
    p->traces.counts_rows = true;
    return (int64_t)p->n_taken * AW_SECOND;
}

/* Adds the requested values of an item. keeps_all: stores all samples, for a single drawing;
 * otherwise adds them to the strip. */
static enum aw_status handle_item(struct plot *p, const struct aw_item *item, bool keeps_all)
{
    enum aw_status status = AW_OK;
    int64_t time = get_time(p, item);
    if (time == AW_NO_TIME)
        time = count_row(p, item, keeps_all);
    else
        p->traces.has_times = true;
    if (p->traces.n == 0)
        p->names.plots_all = lacks_defaults(p, item);
    bool any_matched = false,
         missing = aw_select_find_missing(&p->select, p->names.was_found) < p->select.n;
    if (missing &&
        aw_select_mark_found(&p->select, p->names.was_found, item->points, item->n) == p->select.n)
        aw_stream_select(p->stream, &p->select);
    for (size_t i = 0; i < item->n && status == AW_OK; i++) {
        struct aw_trace *trace = find_trace(p, &item->points[i]);
        if (!trace)
            continue;
        if (!any_matched && !keeps_all)
            time = follow_time(p, time);
        any_matched = true;
        double value = get_value(p, &item->points[i], &(const char *){NULL});
        status = keeps_all ? aw_traces_add(&p->traces, trace, time, value, &p->session->err)
                           : add_to_strip(p, trace, time, value);
    }
    p->n_taken += any_matched;
    return status;
}

static bool is_enough(const struct plot *p)
{
    bool length_reached = p->time.has_model_time && p->time.length_ns &&
                          p->time.latest_ns - p->time.first_ns >= p->time.length_ns;
    return length_reached || (p->limit && p->n_taken >= p->limit);
}

/* Reports requested fields that did not arrive. */
static enum aw_status fail_not_found(struct plot *p)
{
    const size_t missing = aw_select_find_missing(&p->select, p->names.was_found);
    if (p->names.uses_defaults && p->names.n_seen == 0)
        return aw_fail(&p->session->err, AW_TIMEOUT,
                       "plot: no messages — check the recording, or link and power of the device");
    if (p->names.uses_defaults)
        return aw_fail(&p->session->err, AW_USAGE,
                       "plot: no default fields found — name numeric fields");
    if (missing == p->select.n && *p->names.duplicate)
        return aw_fail(&p->session->err, AW_USAGE, "plot: no data for '%.60s' — did you mean '%s'?",
                       p->select.pattern[0], p->names.duplicate);
    if (missing == p->select.n)
        return aw_fail(&p->session->err, AW_USAGE,
                       "plot: '%.60s' is text, not a number — name a numeric field",
                       p->select.pattern[0]);
    const char *names[MAX_SEEN], *wanted = p->select.pattern[missing];
    char advice[240] = "available: ";
    for (size_t i = 0; i < p->traces.n; i++)
        aw_append_name(advice + 11, sizeof advice - 11, p->traces.list[i].name);
    for (size_t i = 0; i < p->names.n_seen; i++) {
        names[i] = p->names.seen[i];
        aw_append_name(advice + 11, sizeof advice - 11, names[i]);
    }
    if (!advice[11])
        return aw_fail(&p->session->err, AW_TIMEOUT,
                       "plot: no data for '%.60s' — check the recording, or link and power of the "
                       "device",
                       wanted);
    return aw_fail_unknown(&p->session->err, aw_suggest(wanted, names, p->names.n_seen), advice,
                           "plot: no data for '%.60s'", wanted);
}

/* ---- On the terminal ---- */

/* clang-format off */
static const char *const all_keys[] = {
    "s", "stop the device",
    "q", "quit",
    "space", "freeze or resume",
    "?", "show or hide this help",
    NULL,
};
/* clang-format on */

static void draw(struct plot *p)
{
    struct aw_braille *canvas = aw_screen_get_canvas(p->live.screen);
    unsigned how = aw_screen_flags(p->live.screen);
    bool stops = aw_live_can_stop(&p->live);
    char title[96], keys[80];
    if (!canvas)
        return;
    if (!p->frozen)
        p->time.end_ns =
            p->time.has_model_time ? p->time.latest_ns : aw_wall_time() + p->time.offset_ns;
    const char *note = aw_live_last_note(&p->live), *state = aw_live_link_problem(&p->live);
    snprintf(title, sizeof title, "%s  last %g s%s", p->session->tool->name,
             (double)p->strip.span_ns / 1e9, p->time.has_model_time ? " of the simulation" : "");
    snprintf(keys, sizeof keys, "%s%s", stops ? "s STOP  " : "",
             p->live.ended ? "end of input  q quit  ? keys"
             : p->frozen   ? "FROZEN  space resume  q quit  ? keys"
                           : "q quit  space freeze  ? keys");
    struct aw_strip_look look = {.end_ns = p->time.end_ns,
                                 .title = title,
                                 .state = state ? state : note,
                                 .keys = keys,
                                 .numbered = !(how & AW_BRAILLE_COLOR) && p->strip.n > 1};
    aw_strip_draw(&p->strip, &look, canvas);
    if (p->shows_keys)
        aw_cell_draw_keys(canvas, all_keys + (stops ? 0 : 2));
    aw_screen_show(p->live.screen);
    int64_t dot = p->strip.span_ns / (2 * canvas->columns);
    int64_t min_ns = AW_SECOND / MAX_FPS, max_ns = AW_SECOND / MIN_FPS;
    p->live.frame_ns = dot < min_ns ? min_ns : dot > max_ns ? max_ns : dot;
}

/* Returns false to quit. */
static bool handle_keys(struct plot *p)
{
    for (int key; (key = aw_screen_read_key(p->live.screen)) != AW_KEY_NONE;) {
        if (key == 'q')
            return false;
        if (key == 's')
            aw_live_stop(&p->live);
        p->frozen ^= key == ' ' && !p->live.ended;
        p->shows_keys ^= key == '?';
    }
    return true;
}

/* Plots incoming samples. After the end of the input, shows the picture until the user quits. */
static enum aw_status plot_live(struct plot *p)
{
    enum aw_status status = AW_OK;
    while ((status == AW_OK || status == AW_TIMEOUT) && !is_enough(p)) {
        struct aw_item item;
        status = aw_live_next(&p->live, p->time.deadline, &item);
        if (status == AW_OK)
            status = handle_item(p, &item, false);
        if (aw_stream_is_waiting(p->stream))
            aw_strip_break(&p->strip);
        p->frozen = p->frozen || p->live.ended;
        if (status == AW_ENOUGH || !aw_live_is_due(&p->live))
            continue;
        if (!handle_keys(p))
            break;
        draw(p);
    }
    return status == AW_ENOUGH || status == AW_TIMEOUT ? AW_OK : status;
}

/* ---- As text ---- */

static int read_environment(const char *name, int min, int fallback)
{
    const char *text = getenv(name);
    long value = text ? strtol(text, NULL, 10) : 0;
    return value >= min && value <= 500 ? (int)value : fallback;
}

static enum aw_status print_frame(struct plot *p, const struct aw_strip_look *look)
{
    struct aw_braille canvas;
    struct winsize size = {0};
    bool is_known =
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 && size.ws_row >= 8;
    int width = is_known && size.ws_col < 500 ? size.ws_col : read_environment("COLUMNS", 20, 80);
    int height =
        (is_known && size.ws_row < 200 ? size.ws_row : read_environment("LINES", 8, 24)) - 1;
    if (!aw_braille_init(&canvas, width, height))
        return aw_no_memory(&p->session->err);
    aw_strip_draw(&p->strip, look, &canvas);
    enum aw_status status = aw_view_print(p->session, &canvas);
    aw_braille_free(&canvas);
    return status;
}

static enum aw_status print_now(struct plot *p)
{
    int64_t end = p->time.offset_ns + aw_wall_time();
    for (int i = 0; i < p->strip.n; i++) { /* ends at the last sample, without an empty margin */
        const struct aw_strip_line *line = &p->strip.lines[i];
        int64_t last = line->n ? line->buckets[(line->next + 4095) % 4096].time_ns : 0;
        end = i == 0 || last > end ? last : end;
    }
    return print_frame(p, &(struct aw_strip_look){
                              .end_ns = end, .numbered = !p->session->out.color && p->strip.n > 1});
}

/* Reads until the deadline or the last wanted sample (AW_ENOUGH), or until a frame is due
 * (AW_TIMEOUT). keeps_all: see handle_item. */
static enum aw_status read_until(struct plot *p, int64_t due, bool keeps_all)
{
    struct aw_clock *clock = p->session->clock;
    enum aw_status status = AW_OK;
    while (status == AW_OK && !is_enough(p)) {
        struct aw_item item;
        int64_t until = aw_min_time(due, p->time.deadline);
        status = aw_stream_next(p->stream, until, &item);
        if (status == AW_OK)
            status = handle_item(p, &item, keeps_all);
        else if (status == AW_MALFORMED)
            status = AW_OK;
        if (status == AW_OK && until < AW_NEVER && aw_clock_now(clock) >= until)
            status = AW_TIMEOUT;
    }
    bool is_complete = is_enough(p) || aw_clock_now(clock) >= p->time.deadline;
    return is_complete && (status == AW_OK || status == AW_TIMEOUT) ? AW_ENOUGH : status;
}

static enum aw_status plot_text(struct plot *p)
{
    double every = aw_plot_given(p->session)->every_s;
    struct aw_clock *clock = p->session->clock;
    enum aw_status status = AW_TIMEOUT;
    if (isatty(STDOUT_FILENO) && every <= 0)
        aw_session_print_notice(p->session,
                                "this terminal cannot show a live plot, so it is printed at the "
                                "end — give --every 1s to print it every second");
    while (status == AW_TIMEOUT) {
        int64_t due = every > 0 ? aw_clock_now(clock) + (int64_t)(every * 1e9) : AW_NEVER;
        status = read_until(p, due, false);
        if (status == AW_TIMEOUT && p->strip.n && print_now(p) != AW_OK)
            return p->session->err.status;
    }
    if (aw_stream_is_over(status) && p->strip.n == 0)
        return fail_not_found(p);
    if ((aw_stream_is_over(status) || status == AW_STOPPED || status == AW_LOST) && p->strip.n) {
        enum aw_status printed = print_now(p);
        return aw_stream_is_over(status) ? printed : status;
    }
    return status;
}

/* ---- Recordings and files ---- */

static enum aw_status collect(struct plot *p)
{
    enum aw_status status = read_until(p, AW_NEVER, true);
    return aw_stream_is_over(status) || status == AW_TIMEOUT ? AW_OK : status;
}

/* Drops traces with a single sample; reports them only if the user chose the fields. */
static void drop_points(struct plot *p)
{
    size_t lines = 0;
    for (size_t i = 0; i < p->traces.n; i++)
        lines += p->traces.list[i].n > 1;
    for (size_t i = 0; i < p->traces.n && lines > 0 && !p->names.uses_defaults; i++)
        if (p->traces.list[i].n == 1)
            aw_session_print_notice(p->session, "plot: %s: only one sample — skipped",
                                    p->traces.list[i].name);
    aw_traces_drop_points(&p->traces);
}

static enum aw_status print_recording(struct plot *p)
{
    const struct aw_option_value *given = aw_options_find(&p->session->options, "span");
    double seconds = given->origin != AW_FROM_DEFAULT ? aw_plot_given(p->session)->span_s : 0;
    int64_t length_ns = p->traces.last_ns - p->traces.first_ns;
    int64_t span = seconds > 0 ? (int64_t)(seconds * 1e9) : length_ns > 0 ? length_ns : AW_SECOND;
    aw_strip_init(&p->strip, span);
    if (aw_traces_extend(&p->traces, &p->session->err) != AW_OK)
        return AW_NO_MEMORY;
    for (size_t i = 0; i < p->traces.n; i++)
        for (size_t k = 0; k < p->traces.list[i].n; k++) {
            int64_t time = (int64_t)(p->traces.list[i].t[k] * 1e9) + p->traces.first_ns;
            if (add_to_strip(p, &p->traces.list[i], time, p->traces.list[i].v[k]) != AW_OK)
                return AW_NO_MEMORY;
        }
    if (p->traces.n > AW_STRIP_SERIES)
        aw_session_print_notice(p->session, "%d of %zu lines are drawn — use --out to draw all",
                                AW_STRIP_SERIES, p->traces.n);
    return print_frame(
        p, &(struct aw_strip_look){.end_ns = p->traces.last_ns,
                                   .title = aw_plot_given(p->session)->title,
                                   .start_ns = p->traces.first_ns,
                                   .is_absolute = true,
                                   .row_axis = p->traces.counts_rows && !p->traces.has_times,
                                   .numbered = !p->session->out.color && p->strip.n > 1});
}

static const char *get_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Writes a title from the values, the device's settings and the recording. */
static void make_title(const struct plot *p, char *out, size_t size)
{
    static const size_t max_length = 40;
    struct aw_session *session = p->session;
    bool is_live = !p->input && !session->device.link->is_recording,
         dated = p->traces.first_ns > LONG_AGO_NS;
    const char *given_title = aw_plot_given(session)->title;
    char contents[256] = "", settings[96] = "", subject[32];
    size_t i = 0;
    if (given_title) {
        snprintf(out, size, "%s", given_title);
        return;
    }
    for (; i < p->traces.n && strlen(contents) < max_length; i++)
        aw_append(contents, sizeof contents, " ", "%.90s", p->traces.list[i].name);
    snprintf(subject, sizeof subject, "%.*s", (int)strcspn(p->traces.list[0].name, "."),
             p->traces.list[0].name);
    if (is_live && session->tool->records.subject.describe)
        session->tool->records.subject.describe(session, subject, settings, sizeof settings);
    aw_append(contents, sizeof contents, "", "%s%s%.90s", i < p->traces.n ? " …" : "",
              *settings ? ", " : "", settings);
    if (p->input && strcmp(p->input, "-") != 0)
        aw_append(contents, sizeof contents, ", ", "%.60s", get_base_name(p->input));
    aw_picture_title(session, contents, dated ? p->traces.first_ns : AW_NO_TIME, out, size);
}

static enum aw_status write_out(struct plot *p, enum aw_status collected)
{
    char title[320];
    if (aw_traces_extend(&p->traces, &p->session->err) != AW_OK)
        return AW_NO_MEMORY;
    drop_points(p);
    make_title(p, title, sizeof title);
    enum aw_status status = aw_traces_write(&p->traces, p->session, p->out, title);
    if (status == AW_OK) {
        size_t samples = 0;
        for (size_t i = 0; i < p->traces.n; i++)
            samples += p->traces.list[i].samples;
        aw_object_start(&p->session->result, "plot");
        aw_object_add_text(&p->session->result, "file", p->out);
        aw_object_add_count(&p->session->result, "samples", samples);
    }
    return status == AW_OK ? collected : status;
}

/* Each field that the user names must be in the recording. */
static bool has_all_fields(const struct plot *p)
{
    bool named = p->input && !p->names.uses_defaults;
    return p->traces.n > 0 &&
           (!named || aw_select_find_missing(&p->select, p->names.was_found) == p->select.n);
}

/* Reads the input to its end. Ctrl-C ends reading; the samples so far are drawn. */
static enum aw_status plot_all(struct plot *p)
{
    enum aw_status status = collect(p);
    aw_stream_report_malformed(p->stream);
    uint64_t uneven = aw_stream_counters(p->stream)->uneven;
    if (uneven)
        aw_session_report(p->session,
                          "%s: %s: rows with more or fewer cells than the header: %" PRIu64
                          " — with decimal commas, separate columns by ;\n",
                          p->session->tool->name, p->input, uneven);
    if (status == AW_OK && !has_all_fields(p))
        return fail_not_found(p);
    if ((status != AW_OK && status != AW_STOPPED && status != AW_LOST) || !p->traces.has_samples)
        return status;
    return p->out ? write_out(p, status) : status == AW_OK ? print_recording(p) : status;
}

/* ---- The command ---- */

static enum aw_status plot(struct plot *p)
{
    if (p->out || (p->input && !aw_stream_is_live(p->stream)))
        return plot_all(p);
    double span = aw_plot_given(p->session)->span_s, end = p->session->options.run.for_s;
    bool given = aw_options_find(&p->session->options, "span")->origin != AW_FROM_DEFAULT;
    if (!given && end > 0 && end < span)
        span = end; /* no wider than the duration */
    aw_strip_init(&p->strip, (int64_t)(span * 1e9));
    if (!aw_live_is_wanted(p->session) ||
        aw_live_open(&p->live, p->session, p->stream, MAX_FPS) != AW_OK)
        return plot_text(p);
    enum aw_status status = plot_live(p);
    aw_live_close(&p->live);
    return status;
}

static enum aw_status run(struct plot *p, const struct aw_args *args)
{
    struct aw_session *session = p->session;
    enum aw_status status = aw_plot_given(session)->out ? aw_dry_run_check(session) : AW_OK;
    if (status == AW_OK)
        status = parse_arguments(p, args);
    if (status == AW_OK && !p->input)
        status = check_fields(p);
    if (status == AW_OK)
        status = aw_stream_open(&p->stream, session, p->input);
    if (status != AW_OK)
        return status;
    aw_stream_check_first(p->stream, &p->select, NULL);
    p->time.deadline =
        p->time.length_ns ? aw_clock_now(session->clock) + p->time.length_ns : AW_NEVER;
    return plot(p);
}

static enum aw_status run_plot(struct aw_session *session, const struct aw_args *args)
{
    struct plot *p = calloc(1, sizeof *p);
    if (!p)
        return aw_no_memory(&session->err);
    p->session = session;
    p->limit = (uint64_t)session->options.run.count;
    p->time.length_ns = (int64_t)(session->options.run.for_s * 1e9);
    enum aw_status status = aw_plot_given(session)->out ? AW_OK : aw_live_check_style(session);
    if (status == AW_OK)
        status = run(p, args);
    aw_stream_close(p->stream);
    aw_strip_free(&p->strip);
    aw_traces_free(&p->traces);
    free(p);
    return status;
}

/* clang-format off */
const struct aw_command aw_plot_command = {
    .name = "plot", .prints = "a drawing", .prints_json = true,
    .summary = "plot fields over time: live, from a pipe, or from a recording",
    .args = AW_ARGS(
        {.name = "fields", .kind = AW_ARG_REST, .optional = true, .complete = aw_complete_fields,
         .help = "fields to plot, as in watch, and a recording (.csv, .ndjson, .pcapng, .mcap, "
             ".log) or -", .endings = "csv ndjson pcapng mcap pcap log"}),
    .options = AW_OPTIONS(
        {.name = "span", AW_AT(aw_plot_options, span_s), .value = "TIME",
         .help = "time span to show", .fallback = "10s", .unit = "s", .min = 0.01,
         .max = 86400},
        {.name = "every", AW_AT(aw_plot_options, every_s), .value = "TIME", .unit = "s",
         .min = 0.01, .max = 86400,
         .help = "in a pipe, print a picture at this interval, not only at the end"},
        {.name = "out", AW_AT(aw_plot_options, out), .value = "FILE",
         .help = "write the plot to an .svg, .png, .pdf or .gp file", AW_PICTURE},
        {.name = "title", AW_AT(aw_plot_options, title), .value = "TEXT",
         .help = "title of the drawing"}),
    .safety = AW_READ, .run = run_plot,
    .lines = AW_LIST("-l sim: --record run.pcapng {moves}", "plot run.pcapng",
        "plot run.pcapng {field} --title 'My run' --out run.svg"),
    .details = "Without fields, draws the target and actual positions, or the first eight columns "
        "of a table without positions. In image files, targets are dashed lines in the colour of "
        "their actual values. In a live plot, q quits and space freezes. Without -l, reads NDJSON "
        "from a pipe, so any tool can plot the output of another tool's 'watch -j'. If a "
        "simulation reports its time, the time axis and --for use it."};
/* clang-format on */
