/* The command watch: shows values in a live table on a terminal, or prints them as lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "shell/look/look.h"
#include "shell/safety/stop.h"
#include "shell/session/wanted.h"
#include "shell/source/live.h"
#include "shell/source/source.h"
#include "view/terminal/grid.h"
#include "view/text/where.h"

struct aw_read_options {
    const char *where;
    bool once;
};
AW_GIVEN(command, aw_read_options, aw_read_given)

#define FPS 20

struct watch {
    struct aw_session *session;
    struct aw_stream *stream;
    struct aw_select select;
    struct aw_where where;
    struct aw_wanted wanted;
    struct {
        uint64_t limit, shown; /* max number of records, 0: no limit; number shown so far */
        int64_t started_ns, counted_ns;
        uint64_t counted;
    } counts;
    const char *input; /* input of text records; NULL: the device */
    bool once;
    bool was_found[AW_SELECT_MAX]; /* patterns that matched a field */
    char received_names[160];      /* other names in the text input, as many as fit */
    int64_t deadline;
    struct {
        struct aw_channels channels, frozen_channels;
        bool is_frozen;
        struct aw_grid grid;
        struct aw_live live;
        char filter[64];
    } screen;
    struct aw_object columns; /* CSV columns of rows that are not records */
    /* fields from the arguments, as --fields would give them */
    const char *fields[AW_FIELDS_MAX + 1];
};

/* ---- Arguments ---- */

static enum aw_status parse_arguments(struct watch *w, const struct aw_args *args)
{
    enum aw_status status = AW_OK;
    const char *where = aw_read_given(w->session)->where;
    status = aw_wanted_init(&w->wanted, w->session);
    for (size_t i = 0; i < args->n && status == AW_OK; i++)
        if (strcmp(args->bound[i].text, "-") == 0)
            w->input = "-";
        else
            status = aw_select_add(&w->select, args->bound[i].text, &w->session->err);
    if (status == AW_OK && where)
        status = aw_where_parse(where, &w->where, &w->session->err);
    if (w->select.n == 0) /* --fields or --format selects the values instead */
        w->select = w->wanted.any.n ? w->wanted.any : w->wanted.all;
    w->session->run.printing.is_brief = w->select.n == 0 && !w->session->options.print.verbose;
    return status;
}

static bool is_wanted(struct watch *w, const struct aw_item *item)
{
    if (!aw_item_matches(&w->where, item))
        return false;
    if (item->record && !aw_wanted_has_points(&w->wanted, item->points, item->n))
        return false;
    bool chosen = item->record || (w->wanted.any.n == 0 && w->wanted.all.n == 0);
    for (size_t i = 0; i < item->n; i++)
        if (aw_select_match(&w->select, &item->points[i]) >= 0)
            return true;
    return w->select.n == 0 || !chosen;
}

/* Notes which fields arrived, and which other names a text input has. */
static void note_names(struct watch *w, const struct aw_item *item)
{
    bool missing = aw_select_find_missing(&w->select, w->was_found) < w->select.n;
    if (missing)
        aw_select_mark_found(&w->select, w->was_found, item->points, item->n);
    for (size_t i = 0; i < item->n && missing && w->input; i++)
        aw_append_name(w->received_names, sizeof w->received_names, item->points[i].name);
}

static enum aw_status check_names(struct watch *w)
{
    size_t i = aw_select_find_missing(&w->select, w->was_found);
    if (i == w->select.n || !*w->received_names)
        return AW_OK;
    return aw_fail(&w->session->err, AW_USAGE, "name '%.40s' not found — available: %s",
                   w->select.pattern[i], w->received_names);
}

/* ---- Lines ---- */

/* Adds each field that matches the pattern, once. Returns the new number of fields. */
static size_t add_fields(struct watch *w, const char *part, const struct aw_names *names, size_t n)
{
    for (struct aw_walk at = {0}; part && aw_walk_next(&at, names->wire, AW_BOTH);) {
        const char *field = names->field[at.message][at.scalar];
        size_t i = 0;
        if (!aw_select_matches_field(part, at.codec, at.scalar))
            continue;
        while (i < n && strcmp(w->fields[i], field) != 0)
            i++;
        if (i == n && n < AW_FIELDS_MAX)
            w->fields[n++] = field;
    }
    return n;
}

/* Selects exactly these fields and their subjects for the view. A pattern that names only a subject
 * makes the view print all fields. */
static void choose_fields(struct watch *w, const struct aw_item *first)
{
    struct aw_names *names = aw_stream_names(w->stream);
    const struct aw_codec *codec = first->record->codec;
    int subject_at = aw_subject_scalar(first->record, first->subject);
    size_t n = 0;
    if (w->select.n == 0 || w->session->options.print.fields || w->session->options.print.format)
        return;
    for (size_t i = 0; i < w->select.n; i++)
        n = add_fields(w, aw_select_field_part(w->select.pattern[i], names->wire), names, n);
    if (n == 0 || n >= AW_FIELDS_MAX)
        return;
    if (subject_at >= 0)
        w->fields[n] = names->field[codec - names->wire->codecs][subject_at];
    w->session->run.printing.default_fields = w->fields;
}

/* Gives every row of a CSV file the columns of the first row. */
static void align_columns(struct aw_object *columns, struct aw_object *row)
{
    if (columns->n == 0)
        *columns = *row;
    for (size_t i = 0; i < columns->n; i++) {
        struct aw_entry *entry = &columns->entries[i];
        size_t at = 0;
        while (at < row->n && strcmp(row->entries[at].key, entry->key) != 0)
            at++;
        entry->text = NULL;
        entry->number = (double)NAN;
        if (at < row->n)
            *entry = row->entries[at];
    }
    *row = *columns;
}

/* Returns true if an NDJSON line can be printed unchanged. */
static bool is_ndjson(const struct watch *w, const struct aw_item *item)
{
    enum aw_style style = aw_session_style(w->session);
    return item->line && (style == AW_STYLE_TEXT || style == AW_STYLE_JSON);
}

/* Prints a record of another program: a row of the requested values, or unchanged NDJSON. */
static void show_points(struct watch *w, const struct aw_item *item)
{
    char text[AW_OBJECT_TEXT + 1];
    struct aw_object row;
    bool ndjson = is_ndjson(w, item);
    aw_object_start(&row, NULL);
    if (item->time_ns != AW_NO_TIME && !(ndjson && item->timed_locally))
        aw_object_add_number(&row, "t", (double)item->time_ns / 1e9, 6, NULL);
    for (size_t i = 0; i < item->n; i++) {
        const struct aw_point *point = &item->points[i];
        if (aw_select_match(&w->select, point) < 0)
            continue;
        if (point->text)
            aw_object_add_text(&row, point->name, point->text);
        else
            aw_object_add_number(&row, point->name, point->value, -9, NULL);
    }
    if (ndjson) {
        char *at = aw_output_reserve(&w->session->out, AW_OBJECT_TEXT);
        aw_output_commit(
            &w->session->out,
            aw_object_print(&row, &(struct aw_object_form){.style = AW_STYLE_JSON}, at));
        return;
    }
    if (aw_style_is_table(aw_session_style(w->session)))
        align_columns(&w->columns, &row);
    row.headline = "<-";
    *aw_object_print(&row, &(struct aw_object_form){.style = AW_STYLE_TEXT}, text) = '\0';
    aw_session_print_row(w->session, &row, "%s", text);
}

static enum aw_status show_line(struct watch *w, const struct aw_item *item)
{
    struct aw_output *out = &w->session->out;
    enum aw_status status = AW_OK;
    if (item->record && w->counts.shown == 0)
        choose_fields(w, item);
    if (item->record)
        status = aw_session_show_record(w->session, item->record);
    else if (w->select.n == 0 && is_ndjson(w, item))
        aw_output_print(out, "%s\n", item->line);
    else
        show_points(w, item);
    if (status == AW_OK && out->error)
        status = aw_output_flush(out, &w->session->err);
    w->counts.shown++;
    bool enough = (w->counts.limit && w->counts.shown >= w->counts.limit) ||
                  (w->once && aw_select_find_missing(&w->select, w->was_found) == w->select.n);
    return status == AW_OK && enough ? AW_ENOUGH : status;
}

static enum aw_status handle_item(struct watch *w, const struct aw_item *item)
{
    bool shown = is_wanted(w, item);
    if (shown || w->input)
        note_names(w, item);
    return shown ? show_line(w, item) : AW_OK;
}

static enum aw_status watch_lines(struct watch *w)
{
    struct aw_session *session = w->session;
    enum aw_status status = AW_OK;
    while (status == AW_OK) {
        struct aw_item item;
        int64_t left, now = aw_clock_now(&session->time.real.base);
        status = aw_output_pace(&session->out, now, &left, &session->err);
        if (status != AW_OK)
            break;
        now = aw_clock_now(session->clock); /* the link's clock */
        status =
            aw_stream_next(w->stream, left < w->deadline - now ? now + left : w->deadline, &item);
        if (status == AW_OK)
            status = handle_item(w, &item);
        bool continues = status == AW_TIMEOUT && aw_clock_now(session->clock) < w->deadline;
        if (status == AW_MALFORMED || continues)
            status = AW_OK;
        if (status == AW_OK && aw_clock_now(session->clock) >= w->deadline)
            status = AW_ENOUGH;
    }
    if (status == AW_TIMEOUT)
        return aw_stream_check_received(w->stream, "watch");
    if (w->input)
        aw_stream_report_malformed(w->stream);
    if (status == AW_END && w->input)
        return check_names(w);
    return aw_stream_is_over(status) ? AW_OK : status;
}

/* ---- The table ---- */

static void draw(struct watch *w)
{
    struct aw_braille *canvas = aw_screen_get_canvas(w->screen.live.screen);
    const struct aw_stream_counters *counters = aw_stream_counters(w->stream);
    int64_t now = aw_clock_now(&w->session->time.real.base);
    char remark[160];
    if (!canvas)
        return;
    w->screen.grid.head.n_messages = counters->messages;
    w->screen.grid.head.n_damaged = counters->damaged;
    w->screen.grid.head.n_lost = counters->lost;
    w->screen.grid.head.elapsed_ns = now - w->counts.started_ns;
    w->screen.grid.now_ns = w->screen.is_frozen ? w->screen.grid.now_ns : now;
    w->screen.grid.head.state =
        w->screen.live.ended ? "end of input" : aw_live_link_problem(&w->screen.live);
    w->screen.grid.head.note = aw_live_last_note(&w->screen.live);
    w->screen.grid.shows_trend = aw_screen_flags(w->screen.live.screen) & AW_BRAILLE_UTF8;
    w->screen.grid.is_frozen = w->screen.is_frozen;
    w->screen.grid.can_stop = aw_live_can_stop(&w->screen.live);
    w->screen.grid.search.filter = w->screen.filter;
    if (!w->screen.grid.head.note && w->session->tool->watch.get_remark &&
        !w->screen.grid.head.state)
        w->screen.grid.head.note =
            w->session->tool->watch.get_remark(w->session, remark, sizeof remark);
    if (now - w->counts.counted_ns >= AW_SECOND) {
        uint64_t n_received = w->screen.grid.head.n_messages - w->counts.counted;
        w->screen.grid.head.rate_hz =
            (double)n_received * 1e9 / (double)(now - w->counts.counted_ns);
        w->counts.counted = w->screen.grid.head.n_messages;
        w->counts.counted_ns = now;
    }
    aw_grid_draw(&w->screen.grid,
                 w->screen.is_frozen ? &w->screen.frozen_channels : &w->screen.channels, canvas);
    aw_screen_show(w->screen.live.screen);
}

static void scroll(struct watch *w, int key)
{
    struct aw_grid *grid = &w->screen.grid;
    size_t page = grid->pages.page_rows ? grid->pages.page_rows : 1;
    size_t back = key == AW_KEY_UP ? 1 : key == AW_KEY_PAGE_UP ? page : grid->pages.n_rows;
    size_t on = key == AW_KEY_DOWN        ? 1
                : key == AW_KEY_PAGE_DOWN ? page
                : key == AW_KEY_END       ? grid->pages.n_rows
                                          : 0;
    if (key == AW_KEY_UP || key == AW_KEY_PAGE_UP || key == AW_KEY_HOME)
        grid->pages.scroll = grid->pages.scroll > back ? grid->pages.scroll - back : 0;
    else
        grid->pages.scroll += on;
}

static void type_filter(struct watch *w, int key)
{
    size_t n = strlen(w->screen.filter);
    if (key == AW_KEY_ENTER || key == AW_KEY_ESCAPE)
        w->screen.grid.search.is_typing = false;
    if (key == AW_KEY_ESCAPE)
        w->screen.filter[0] = '\0';
    if (key == AW_KEY_BACKSPACE && n > 0)
        w->screen.filter[n - 1] = '\0';
    if (key >= ' ' && key < 127 && n + 1 < sizeof w->screen.filter) {
        w->screen.filter[n] = (char)key;
        w->screen.filter[n + 1] = '\0';
    }
    w->screen.grid.pages.scroll = 0;
}

/* Returns false to quit. */
static bool handle_key(struct watch *w, int key)
{
    if (w->screen.grid.search.is_typing) {
        type_filter(w, key);
        return true;
    }
    switch (key) {
    case 'q':
        return false;
    case ' ':
        if (w->screen.is_frozen)
            aw_channels_free(&w->screen.frozen_channels);
        w->screen.is_frozen = !w->screen.is_frozen &&
                              aw_channels_copy(&w->screen.frozen_channels, &w->screen.channels);
        break;
    case 's':
        aw_live_stop(&w->screen.live);
        break;
    case 'r':
        aw_channels_reset(w->screen.is_frozen ? &w->screen.frozen_channels : &w->screen.channels);
        aw_channels_reset(&w->screen.channels);
        break;
    case '?':
        w->screen.grid.shows_keys = !w->screen.grid.shows_keys;
        break;
    case 't':
        w->screen.grid.by_field = !w->screen.grid.by_field;
        break;
    case '/':
    case AW_KEY_ESCAPE:
        w->screen.grid.search.is_typing = key == '/';
        w->screen.filter[0] = '\0';
        break;
    default:
        scroll(w, key);
    }
    return true;
}

static bool handle_keys(struct watch *w)
{
    for (int key; (key = aw_screen_read_key(w->screen.live.screen)) != AW_KEY_NONE;
         w->screen.live.due_ns = 0)
        if (!handle_key(w, key))
            return false;
    return true;
}

/* Shows the table until the user quits or the time of --for has elapsed; it stays on the screen
 * after the end of the input. */
static enum aw_status watch_table(struct watch *w)
{
    enum aw_status status = AW_OK;
    while (status == AW_OK || status == AW_TIMEOUT) {
        struct aw_item item = {0};
        status = aw_live_next(&w->screen.live, w->deadline, &item);
        if (status == AW_OK && aw_item_matches(&w->where, &item)) {
            aw_channels_update(&w->screen.channels, item.points, item.n,
                               aw_clock_now(&w->session->time.real.base));
            w->counts.shown++;
        }
        if (status == AW_ENOUGH)
            break;
        if (!aw_live_is_due(&w->screen.live))
            continue;
        if (!handle_keys(w))
            break;
        draw(w);
    }
    return status == AW_ENOUGH || status == AW_TIMEOUT ? AW_OK : status;
}

static enum aw_status open_table(struct watch *w)
{
    struct aw_session *session = w->session;
    const char *url = NULL;
    w->screen.grid.head.title = session->tool->name;
    w->screen.grid.columns = session->tool->records.subject.columns;
    w->screen.grid.convert_unit = session->tool->records.subject.unit;
    w->screen.grid.context = session;
    w->screen.grid.by_field = w->select.n > 0; /* list all requested fields */
    w->screen.grid.head.link = w->input                                     ? "standard input"
                               : aw_session_get_url(session, &url) == AW_OK ? url
                                                                            : NULL;
    w->counts.started_ns = w->counts.counted_ns = aw_clock_now(&session->time.real.base);
    aw_channels_init(&w->screen.channels, &w->select);
    w->screen.channels.hides_metadata = session->run.printing.is_brief;
    return aw_live_open(&w->screen.live, session, w->stream, FPS);
}

/* Prints lines with --count or --once: lines stay on the terminal, a table does not. */
static enum aw_status watch(struct watch *w)
{
    if (w->once || w->counts.limit || !aw_live_is_wanted(w->session) || open_table(w) != AW_OK)
        return watch_lines(w);
    enum aw_status status = watch_table(w);
    aw_live_close(&w->screen.live);
    aw_channels_free(&w->screen.channels);
    aw_channels_free(&w->screen.frozen_channels);
    return status;
}

static enum aw_status run_watch(struct aw_session *session, const struct aw_args *args)
{
    struct watch *w = calloc(1, sizeof *w);
    if (!w)
        return aw_no_memory(&session->err);
    w->session = session;
    w->counts.limit = (uint64_t)session->options.run.count;
    w->once = aw_read_given(session)->once;
    enum aw_status status = parse_arguments(w, args);
    if (status == AW_OK && !w->input) /* a text input has its own names */
        status = aw_stream_check(session, &w->select, &w->where);
    /* Creating the view now detects wrong names before the first wait. */
    if (status == AW_OK && !w->input &&
        (session->options.print.fields || session->options.print.format))
        status = aw_session_open_view(session, NULL);
    if (status == AW_OK)
        status = aw_stream_open(&w->stream, session, w->input);
    if (status == AW_OK) {
        aw_stream_check_first(w->stream, &w->select, &w->where);
        /* a reader at the other end of a pipe waits for the end of the output */
        if (!aw_stop_is_pipe(session->out.fd))
            aw_stream_reconnect(w->stream, false);
        w->deadline = aw_session_end_time(session);
        status = watch(w);
    }
    aw_stream_close(w->stream);
    session->run.printing.default_fields = NULL;
    session->run.printing.is_brief = false;
    free(w);
    return status;
}

/* clang-format off */
const struct aw_command aw_watch_command = {
    .name = "watch", .summary = "show the messages of the device as a table or as lines",
    .args = AW_ARGS(
        {.name = "fields", .kind = AW_ARG_REST, .optional = true, .complete = aw_complete_fields,
         .help = "what to show: FIELD, JOINT.FIELD, 'JOINT.*'; - reads NDJSON from standard "
             "input"}),
    .options = AW_OPTIONS(
        {.name = "where", AW_AT(aw_read_options, where), .value = "CONDITION",
         .help = "only messages that meet this condition: 'FIELD>5 and msg=NAME'"},
        {.name = "once", AW_AT(aw_read_options, once),
         .help = "end when each field has been received once"}),
    .safety = AW_READ, .run = run_watch,
    .lines = AW_LIST("-l sim: --record run.pcapng {move}",
        "-l 'log:run.pcapng?speed=max' watch {field}"),
    .details = "On a terminal, shows a table: q quits, space freezes it, r resets min and max, / "
        "filters, arrows scroll; if the link is lost, it reconnects. In a pipe, and with -n, "
        "--once, --json, --csv, --format or --fields, prints one line for each message. Fields "
        "that only number or describe the message are shown with -v or when you name them."};
/* clang-format on */
